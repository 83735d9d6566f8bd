
/* There is no state, so all instances are this one. */
static char instance;

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) ZP_NOEXCEPT {
  (void)host;
  *self = &instance;
  return check_configuration(call, site);
}

static zp_status destroy(void *self) ZP_NOEXCEPT {
  (void)self;
  return ZP_OK;
}
