  {
    static const uint64_t shape[] = {3, 4};
    static const int64_t strides[] = {4, 1};
    uint8_t from[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, between[12], to[12];
    const zp_array decoded = {sizeof(zp_array), 2, from, shape, strides, 1, 0, 0, 0};
    const zp_array encoded = {sizeof(zp_array), 2, between, shape, strides, 1, 0, 0, 0};
    const zp_array again = {sizeof(zp_array), 2, to, shape, strides, 1, 0, 0, 0};
    CHECK(table.encode(self, &call, &decoded, &encoded) == ZP_OK);
    CHECK(table.decode(self, &call, &encoded, &again) == ZP_OK && memcmp(from, to, 12) == 0);
  }
