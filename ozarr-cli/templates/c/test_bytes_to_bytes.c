  {
    const zp_bytes decoded = {(const uint8_t *)"some bytes", 10};
    char back[10];
    zp_out again = output(back, sizeof(back));
    zp_bytes encoded;
    CHECK(table.encode(self, &call, &decoded, &out) == ZP_OK);
    encoded.ptr = out.data;
    encoded.len = out.len;
    CHECK(table.decode(self, &call, &encoded, &again) == ZP_OK);
    CHECK(again.len == 10 && memcmp(back, "some bytes", 10) == 0);
  }
