  {
    static const uint64_t shape[] = {3, 4};
    static const int64_t strides[] = {4, 1};
    uint8_t from[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, to[12];
    const zp_array decoded = {sizeof(zp_array), 2, from, shape, strides, 1, 0, 0, 0};
    const zp_array again = {sizeof(zp_array), 2, to, shape, strides, 1, 0, 0, 0};
    zp_bytes encoded;
    CHECK(table.encode(self, &call, &decoded, &out) == ZP_OK);
    encoded.ptr = out.data;
    encoded.len = out.len;
    CHECK(table.decode(self, &call, &encoded, &again) == ZP_OK && memcmp(from, to, 12) == 0);
    encoded.len -= 1;
    CHECK(table.decode(self, &call, &encoded, &again) == ZP_E_DATA);
  }
