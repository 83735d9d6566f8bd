  CHECK(table.destroy(self) == ZP_OK);
  puts("all tests passed");
  return 0;
}
