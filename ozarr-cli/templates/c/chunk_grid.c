
/* One chunk that is the whole array. Replace it with your grid. */

static zp_status grid_shape(const void *self, const zp_call *call, const uint64_t *array_shape, uint32_t rank,
                            uint64_t *grid_shape) ZP_NOEXCEPT {
  uint32_t i;
  (void)self, (void)call;
  for (i = 0; i < rank; i++) grid_shape[i] = array_shape[i] ? 1 : 0;
  return ZP_OK;
}

static zp_status cell(const void *self, const zp_call *call, const uint64_t *array_shape, uint32_t rank,
                      const uint64_t *index, uint64_t *start, uint64_t *len) ZP_NOEXCEPT {
  uint32_t i;
  (void)self;
  for (i = 0; i < rank; i++) {
    if (index[i] || !array_shape[i]) return ZP_FAIL(call, ZP_E_ARGUMENT, "there is no such chunk");
    start[i] = 0;
    len[i] = array_shape[i];
  }
  return ZP_OK;
}

static zp_status cell_of(const void *self, const zp_call *call, const uint64_t *array_shape, uint32_t rank,
                         const uint64_t *element, uint64_t *index) ZP_NOEXCEPT {
  uint32_t i;
  (void)self;
  for (i = 0; i < rank; i++) {
    if (element[i] >= array_shape[i]) return ZP_FAIL(call, ZP_E_ARGUMENT, "there is no such element");
    index[i] = 0;
  }
  return ZP_OK;
}

static zp_status resized(const void *self, const zp_call *call, const uint64_t *array_shape, const uint64_t *new_shape,
                         uint32_t rank, zp_out *json) ZP_NOEXCEPT {
  (void)self, (void)json;
  if (rank == 0 || memcmp(array_shape, new_shape, rank * sizeof(uint64_t)) == 0) return ZP_OK;
  return ZP_FAIL(call, ZP_E_ARGUMENT, "its only chunk would change");
}

static const zp_chunk_grid table = {
    sizeof(zp_chunk_grid),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    grid_shape,
    cell,
    cell_of,
    0, /* axis */
    resized,
};
