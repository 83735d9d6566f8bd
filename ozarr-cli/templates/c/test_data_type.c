  {
    const zp_bytes good = {(const uint8_t *)"207", 3}, bad = {(const uint8_t *)"256", 3};
    zp_bytes element;
    char digits[10];
    zp_out printed = output(digits, sizeof(digits));
    CHECK(table.fill_from_json(self, &call, &bad, &out) == ZP_E_FILL_VALUE);
    CHECK(table.fill_from_json(self, &call, &good, &out) == ZP_OK && out.len == 1);
    element.ptr = out.data;
    element.len = out.len;
    CHECK(table.fill_to_json(self, &call, &element, &printed) == ZP_OK);
    CHECK(printed.len == 3 && memcmp(digits, "207", 3) == 0);
  }
