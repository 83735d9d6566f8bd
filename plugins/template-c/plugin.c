/* template.c: a Zarr v3 codec. See zarr_plugin.h for the contract. */
#include "zarr_plugin.h"
#include <stdlib.h>
#include <string.h>

/* Writes text to an output that nothing is written to yet. */
static zp_status put(zp_out *out, const zp_call *call, const char *text, size_t n) {
  uint8_t *to = zp_room(out, call, n);
  if (!to && n) return ZP_E_LIMIT;
  if (n) memcpy(to, text, n);
  out->len = n;
  return ZP_OK;
}

/* The host gives the configuration as a JSON object without spaces. */
static zp_status check_configuration(const zp_call *call, const zp_site *site) {
  const zp_bytes *json = site->configuration;
  if (!json || json->len == 0 || (json->len == 2 && memcmp(json->ptr, "{}", 2) == 0)) return ZP_OK;
  return ZP_FAIL(call, ZP_E_CONFIGURATION, "it has no configuration");
}

static zp_status configuration(const void *self, const zp_call *call, zp_out *json) ZP_NOEXCEPT {
  (void)self;
  return put(json, call, "{}", 2);
}

/* There is nothing to remember, so all instances are this one. */
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

/* Changes nothing. Put your encoding in its place. */

static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) ZP_NOEXCEPT {
  (void)self;
  *encoded = *decoded;
  return ZP_OK;
}

static zp_status encode(const void *self, const zp_call *call, const zp_bytes *decoded, zp_out *encoded) ZP_NOEXCEPT {
  (void)self;
  return put(encoded, call, (const char *)decoded->ptr, decoded->len);
}

static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded, zp_out *decoded) ZP_NOEXCEPT {
  (void)self;
  /* The result is the input: nothing is copied. */
  if (zp_alias(decoded, encoded, 0, encoded->len)) return ZP_OK;
  return put(decoded, call, (const char *)encoded->ptr, encoded->len);
}

static const zp_bytes_to_bytes table = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0,
                                        encoded_size, encode, decode, 0};

/* ---- what the plugin offers: the manifest and the descriptor say the same ----------------------------------------- */

ZP_MANIFEST(manifest,
            "{\"manifest\":1,\"id\":\"org.example.template-c\",\"version\":\"0.1.0\",\"license\":\"MIT\","
            "\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":[{\"kind\":\"bytes_to_bytes\","
            "\"name\":\"template.c\",\"aliases\":[],\"caps\":[],\"needs\":[]}]}");

static const zp_str id = ZP_STR("org.example.template-c");
static const zp_str version = ZP_STR("0.1.0");
static const zp_str name = ZP_STR("template.c");

static const zp_extension extension = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &name, 0, 0, &table};
static const zp_extension *const extensions[] = {&extension};
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions, 1, &manifest};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) ZP_NOEXCEPT {
  (void)host, (void)call;
  return &plugin;
}
