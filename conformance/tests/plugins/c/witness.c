/* Codecs that report which memory they were passed: their output begins with eight bytes of address. */
#include "zarr_plugin.h"
#include <string.h>

static char instance;

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) {
  (void)host, (void)call, (void)site;
  *self = &instance;
  return ZP_OK;
}
static zp_status destroy(void *self) {
  (void)self;
  return ZP_OK;
}
static zp_status configuration(const void *self, const zp_call *call, zp_out *json) {
  uint8_t *to = zp_room(json, call, 2);
  (void)self;
  if (!to) return ZP_E_LIMIT;
  memcpy(to, "{}", 2);
  json->len = 2;
  return ZP_OK;
}
static void tell(uint8_t *to, const void *address) {
  uint64_t number = (uint64_t)(uintptr_t)address;
  memcpy(to, &number, 8);
}

static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) {
  (void)self;
  *encoded = *decoded;
  return ZP_OK;
}
/* The address of the input. */
static zp_status encode(const void *self, const zp_call *call, const zp_bytes *decoded, zp_out *encoded) {
  uint8_t *to = zp_room(encoded, call, decoded->len);
  (void)self;
  if (!to) return ZP_E_LIMIT;
  memset(to, 0, decoded->len);
  tell(to, decoded->ptr);
  encoded->len = decoded->len;
  return ZP_OK;
}
/* The address of the output. */
static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded, zp_out *decoded) {
  uint8_t *to = zp_room(decoded, call, encoded->len);
  (void)self;
  if (!to) return ZP_E_LIMIT;
  memset(to, 0, encoded->len);
  tell(to, to);
  decoded->len = encoded->len;
  return ZP_OK;
}
static zp_status pass(const void *self, const zp_call *call, const zp_bytes *encoded, zp_out *decoded) {
  (void)self;
  return zp_alias(decoded, encoded, 0, encoded->len) ? ZP_OK : ZP_FAIL(call, ZP_E_ARGUMENT, "it cannot alias");
}
static const zp_bytes_to_bytes bytes = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0, encoded_size,
                                        encode, decode, 0};
static const zp_bytes_to_bytes passing = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0,
                                          encoded_size, encode, pass, 0};

static zp_status a2b_size(const void *self, zp_size *encoded) {
  (void)self;
  encoded->kind = ZP_SIZE_UNKNOWN;
  return ZP_OK;
}
static zp_status a2b_encode(const void *self, const zp_call *call, const zp_array *decoded, zp_out *encoded) {
  uint8_t *to = zp_room(encoded, call, 8);
  (void)self;
  if (!to) return ZP_E_LIMIT;
  tell(to, decoded->data);
  encoded->len = 8;
  return ZP_OK;
}
static zp_status a2b_decode(const void *self, const zp_call *call, const zp_bytes *encoded, const zp_array *decoded) {
  (void)self, (void)call, (void)encoded;
  tell(decoded->data, decoded->data);
  return ZP_OK;
}
static const zp_array_to_bytes array = {sizeof(zp_array_to_bytes), 0, create, destroy, configuration, 0, a2b_size,
                                        a2b_encode, a2b_decode, 0, 0, 0, 0};

ZP_MANIFEST(manifest, "{\"manifest\":1,\"id\":\"test.witness\",\"version\":\"1\",\"abi\":{\"major\":1,\"min_minor\":0},"
                      "\"extensions\":[{\"kind\":\"bytes_to_bytes\",\"name\":\"witness.bytes\"},"
                      "{\"kind\":\"bytes_to_bytes\",\"name\":\"witness.passing\"},"
                      "{\"kind\":\"array_to_bytes\",\"name\":\"witness.plain\"},"
                      "{\"kind\":\"array_to_bytes\",\"name\":\"witness.strided\",\"caps\":[\"strided\"]}]}");
static const zp_str id = ZP_STR("test.witness"), version = ZP_STR("1");
static const zp_str names[] = {ZP_STR("witness.bytes"), ZP_STR("witness.passing"), ZP_STR("witness.plain"),
                               ZP_STR("witness.strided")};
static const zp_extension one = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &names[0], 0, 0, &bytes};
static const zp_extension two = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &names[1], 0, 0, &passing};
static const zp_extension three = {sizeof(zp_extension), ZP_EXTENSION_ARRAY_TO_BYTES, 0, 0, &names[2], 0, 0, &array};
static const zp_extension four = {
    sizeof(zp_extension), ZP_EXTENSION_ARRAY_TO_BYTES, ZP_CAP_STRIDED, 0, &names[3], 0, 0, &array};
static const zp_extension *const extensions[] = {&one, &two, &three, &four};
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions, 4, &manifest};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) {
  (void)host, (void)call;
  return &plugin;
}
