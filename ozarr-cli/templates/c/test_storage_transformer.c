  {
    zp_store below, above;
    memset(&below, 0, sizeof(below));
    below.struct_size = sizeof(below);
    below.self = memory;
    CHECK(table.wrap(self, &call, &below, &above) == ZP_OK && above.self == memory);
  }
