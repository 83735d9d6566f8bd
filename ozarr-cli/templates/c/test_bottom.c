  CHECK(table.destroy(self) == ZP_OK);
  puts("all is well");
  return 0;
}
