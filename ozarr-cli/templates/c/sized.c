
typedef struct instance {
  size_t bytes; /* of the array in memory */
} instance;

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) ZP_NOEXCEPT {
  const zp_representation *r = site->representation;
  instance *made;
  uint64_t n;
  uint32_t i;
  (void)host;
  if (check_configuration(call, site) != ZP_OK) return ZP_E_CONFIGURATION;
  if (r->layout->form != ZP_FORM_FIXED) return ZP_FAIL(call, ZP_E_UNSUPPORTED, "it supports only elements of a fixed size");
  n = (uint64_t)r->layout->width * r->layout->components;
  for (i = 0; i < r->rank; i++) {
    if (r->shape[i] && n > call->chunk_limit / r->shape[i]) return ZP_FAIL(call, ZP_E_LIMIT, "the chunk is too large");
    n *= r->shape[i];
  }
  made = (instance *)malloc(sizeof(instance));
  if (!made) return ZP_FAIL(call, ZP_E_LIMIT, "out of memory");
  made->bytes = (size_t)n;
  *self = made;
  return ZP_OK;
}

static zp_status destroy(void *self) ZP_NOEXCEPT {
  free(self);
  return ZP_OK;
}
