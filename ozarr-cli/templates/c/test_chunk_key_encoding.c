  {
    static const uint64_t cell[] = {0, UINT64_C(1234567)};
    static const zp_str wrong = ZP_STR("chunk.0.01");
    uint64_t back[2];
    uint32_t found;
    zp_str key;
    CHECK(table.encode(self, &call, cell, 2, &out) == ZP_OK);
    key.ptr = (const char *)out.data;
    key.len = out.len;
    CHECK(table.decode(self, &call, &key, 2, back, &found) == ZP_OK && found && memcmp(back, cell, sizeof(cell)) == 0);
    CHECK(table.decode(self, &call, &key, 3, back, &found) == ZP_OK && !found);
    CHECK(table.decode(self, &call, &wrong, 2, back, &found) == ZP_OK && !found);
  }
