/* numcodecs.fletcher32: a bytes -> bytes codec that appends a checksum. Specification: the page "Fletcher32" of
 * numcodecs, which uses the algorithm of HDF5.
 *
 *   {"name": "numcodecs.fletcher32"}
 *
 * The bytes are followed by their checksum as four bytes, little endian. The checksum of HDF5 differs from the one in
 * textbooks: 16-bit words are big endian, an odd last byte is a high byte, and sums are folded.
 */
#include "zarr_plugin.h"
#include <string.h>

#define SUM 4

static uint32_t fold(uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

static uint32_t fletcher32(const uint8_t *data, size_t len) {
  uint32_t sum1 = 0, sum2 = 0;
  size_t words = len / 2;
  while (words) {
    /* The number of words that can be added before a sum needs more than 32 bits. */
    size_t block = words > 360 ? 360 : words;
    words -= block;
    do {
      sum1 += (uint32_t)(data[0] << 8 | data[1]);
      sum2 += sum1;
      data += 2;
    } while (--block);
    sum1 = fold(sum1);
    sum2 = fold(sum2);
  }
  if (len % 2) {
    sum1 = fold(sum1 + (uint32_t)(data[0] << 8));
    sum2 = fold(sum2 + sum1);
  }
  return fold(sum2) << 16 | fold(sum1);
}

/* ---- configuration: none, but Python programs leave an `id` in it -------------------------------------------------- */

static const zp_str with_id = ZP_STR("{\"id\":\"fletcher32\"}");
static const zp_str empty = ZP_STR("{}");

static int is(const zp_bytes *json, const zp_str *text) {
  return json->len == text->len && memcmp(json->ptr, text->ptr, text->len) == 0;
}

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) ZP_NOEXCEPT {
  (void)host;
  /* An instance consists of the configuration with which it was created. */
  if (is(site->configuration, &empty)) *self = (void *)&empty;
  else if (is(site->configuration, &with_id)) *self = (void *)&with_id;
  else return ZP_FAIL(call, ZP_E_CONFIGURATION, "expected an empty configuration");
  return ZP_OK;
}

static zp_status destroy(void *self) ZP_NOEXCEPT {
  (void)self;
  return ZP_OK;
}

static zp_status configuration(const void *self, const zp_call *call, zp_out *json) ZP_NOEXCEPT {
  const zp_str *text = (const zp_str *)self;
  uint8_t *to = zp_room(json, call, text->len);
  if (!to) return ZP_E_LIMIT;
  memcpy(to, text->ptr, text->len);
  json->len = text->len;
  return ZP_OK;
}

/* ---- the codec ----------------------------------------------------------------------------------------------------- */

static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) ZP_NOEXCEPT {
  (void)self;
  *encoded = *decoded;
  if (decoded->kind == ZP_SIZE_UNKNOWN || decoded->bytes > UINT64_MAX - SUM) encoded->kind = ZP_SIZE_UNKNOWN;
  else encoded->bytes += SUM;
  return ZP_OK;
}

static zp_status encode(const void *self, const zp_call *call, const zp_bytes *decoded, zp_out *encoded) ZP_NOEXCEPT {
  uint8_t *to;
  uint32_t sum = fletcher32(decoded->ptr, decoded->len);
  int i;
  (void)self;
  if (decoded->len > SIZE_MAX - SUM) return ZP_FAIL(call, ZP_E_LIMIT, "the chunk is too large for a checksum");
  to = zp_room(encoded, call, decoded->len + SUM);
  if (!to) return ZP_E_LIMIT;
  if (decoded->len) memcpy(to, decoded->ptr, decoded->len);
  for (i = 0; i < SUM; i++) to[decoded->len + (size_t)i] = (uint8_t)(sum >> 8 * i);
  encoded->len = decoded->len + SUM;
  return ZP_OK;
}

static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded, zp_out *decoded) ZP_NOEXCEPT {
  uint32_t sum = 0;
  size_t len;
  uint8_t *to;
  int i;
  (void)self;
  if (encoded->len < SUM) return ZP_FAIL(call, ZP_E_DATA, "the chunk is too short for a checksum");
  len = encoded->len - SUM;
  for (i = 0; i < SUM; i++) sum |= (uint32_t)encoded->ptr[len + (size_t)i] << 8 * i;
  if (sum != fletcher32(encoded->ptr, len)) return ZP_FAIL(call, ZP_E_DATA, "checksum mismatch");
  if (zp_alias(decoded, encoded, 0, len)) return ZP_OK;
  to = zp_room(decoded, call, len);
  if (!to && len) return ZP_E_LIMIT;
  if (len) memcpy(to, encoded->ptr, len);
  decoded->len = len;
  return ZP_OK;
}

static const zp_bytes_to_bytes table = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0, encoded_size,
                                        encode, decode, 0};

/* ---- the plugin ---------------------------------------------------------------------------------------------------- */

ZP_MANIFEST(manifest, "{\"manifest\":1,\"id\":\"dev.zarr.numcodecs-fletcher32\",\"version\":\"0.1.0\","
                      "\"license\":\"MIT OR Apache-2.0\",\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":[{"
                      "\"kind\":\"bytes_to_bytes\",\"name\":\"numcodecs.fletcher32\","
                      "\"aliases\":[\"https://codec.zarrs.dev/bytes_to_bytes/fletcher32\"],"
                      "\"caps\":[],\"needs\":[]}]}");

static const zp_str id = ZP_STR("dev.zarr.numcodecs-fletcher32");
static const zp_str version = ZP_STR("0.1.0");
static const zp_str name = ZP_STR("numcodecs.fletcher32");
static const zp_str aliases[] = {ZP_STR("https://codec.zarrs.dev/bytes_to_bytes/fletcher32")};

static const zp_extension extension = {
    sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &name, aliases, 1, &table};
static const zp_extension *const extensions[] = {&extension};
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions, 1, &manifest};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) ZP_NOEXCEPT {
  (void)host, (void)call;
  return &plugin;
}
