  {
    static const uint64_t shape[] = {3, 4}, element[] = {2, 3};
    uint64_t cells[2], cell[2], start[2], len[2];
    CHECK(table.grid_shape(self, &call, shape, 2, cells) == ZP_OK);
    CHECK(table.cell_of(self, &call, shape, 2, element, cell) == ZP_OK && cell[0] < cells[0] && cell[1] < cells[1]);
    CHECK(table.cell(self, &call, shape, 2, cell, start, len) == ZP_OK);
    CHECK(start[0] <= 2 && 2 < start[0] + len[0] && start[1] <= 3 && 3 < start[1] + len[1]);
    CHECK(table.cell(self, &call, shape, 2, cells, start, len) == ZP_E_ARGUMENT);
  }
