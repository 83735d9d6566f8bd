/* {{name}}: a Zarr v3 {{point}}. See zarr_plugin.h for the contract. */
#include "zarr_plugin.h"
#include <stdlib.h>
#include <string.h>

/* Writes text to an empty output. */
static zp_status put(zp_out *out, const zp_call *call, const char *text, size_t n) {
  uint8_t *to = zp_room(out, call, n);
  if (!to && n) return ZP_E_LIMIT;
  if (n) memcpy(to, text, n);
  out->len = n;
  return ZP_OK;
}

/* The host passes the configuration as a JSON object without spaces. */
static zp_status check_configuration(const zp_call *call, const zp_site *site) {
  const zp_bytes *json = site->configuration;
  if (!json || json->len == 0 || (json->len == 2 && memcmp(json->ptr, "{}", 2) == 0)) return ZP_OK;
  return ZP_FAIL(call, ZP_E_CONFIGURATION, "it has no configuration");
}

static zp_status configuration(const void *self, const zp_call *call, zp_out *json) ZP_NOEXCEPT {
  (void)self;
  return put(json, call, "{}", 2);
}
