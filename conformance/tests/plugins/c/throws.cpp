// A codec in C++ that throws.
#include "zarr_plugin.h"
#include <cstring>
#include <stdexcept>

static char instance;

extern "C" {
static zp_status create(const zp_host *, const zp_call *, const zp_site *, void **self) noexcept {
  *self = &instance;
  return ZP_OK;
}
static zp_status destroy(void *) noexcept { return ZP_OK; }
static zp_status configuration(const void *, const zp_call *call, zp_out *json) noexcept {
  uint8_t *to = zp_room(json, call, 2);
  if (!to) return ZP_E_LIMIT;
  std::memcpy(to, "{}", 2);
  json->len = 2;
  return ZP_OK;
}
static zp_status encoded_size(const void *, const zp_size *decoded, zp_size *encoded) noexcept {
  *encoded = *decoded;
  return ZP_OK;
}
static zp_status encode(const void *, const zp_call *call, const zp_bytes *, zp_out *) noexcept {
  ZP_GUARD(call, { throw std::runtime_error("thrown"); })
}
}

static const zp_bytes_to_bytes table = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, nullptr,
                                        encoded_size, encode, encode, nullptr};
ZP_MANIFEST(manifest, "{\"manifest\":1,\"id\":\"test.throws\",\"version\":\"1\",\"abi\":{\"major\":1,\"min_minor\":0},"
                      "\"extensions\":[{\"kind\":\"bytes_to_bytes\",\"name\":\"test.throws\"}]}");
static const zp_str id = ZP_STR("test.throws"), version = ZP_STR("1"), name = ZP_STR("test.throws");
static const zp_extension extension = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &name, nullptr, 0, &table};
static const zp_extension *const extensions[] = {&extension};
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions, 1, &manifest};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *, const zp_call *) noexcept { return &plugin; }
