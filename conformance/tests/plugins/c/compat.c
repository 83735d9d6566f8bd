/* A pass-through codec that differs from a correct plugin in the one way that CASE names. */
#include "zarr_plugin.h"
#include <string.h>

#define LONGER 1
#define UNKNOWN_NEEDS 2
#define NO_ENTRY 3
#define NULL_FUNCTION 4
#define WRONG_MAGIC 5
#define DUPLICATE 6
#define OTHER_ID 7
#define OTHER_NAME 8
#define OTHER_CAPS 9
#define MAJOR_2 10
#define MINOR_9 11
#define REFUSES 12
#define NO_MANIFEST 13
#define SIZE_0 14
#define OTHER_VERSION 15
#define OTHER_MINOR_OF_A_TRANSFORMER 16
#define NULL_DESCRIPTOR_MEMBER 17
#define BAD_NAME 18
#define OTHER_TEXT 19
#define LATER_KIND 20

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
static zp_status put(zp_out *out, const zp_call *call, const void *bytes, size_t n) {
  uint8_t *to = zp_room(out, call, n);
  if (!to && n) return ZP_E_LIMIT;
  if (n) memcpy(to, bytes, n);
  out->len = n;
  return ZP_OK;
}
static zp_status configuration(const void *self, const zp_call *call, zp_out *json) {
  (void)self;
  return put(json, call, "{}", 2);
}
static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) {
  (void)self;
  *encoded = *decoded;
  return ZP_OK;
}
static zp_status code(const void *self, const zp_call *call, const zp_bytes *input, zp_out *output) {
  (void)self;
  return put(output, call, input->ptr, input->len);
}

#if CASE == LONGER
/* A vtable of a later minor: functions that this host does not know. */
typedef struct later {
  zp_bytes_to_bytes known;
  zp_status (*unknown)(void *);
} later;
static zp_status unknown(void *p) {
  *(volatile int *)p = 1;
  return ZP_OK;
}
static const later table = {
    {sizeof(later), 0, create, destroy, configuration, 0, encoded_size, code, code, 0}, unknown};
#elif CASE == OTHER_MINOR_OF_A_TRANSFORMER
static zp_status wrap(const void *self, const zp_call *call, const zp_store *below, zp_store *above) {
  (void)self, (void)call;
  *above = *below;
  return ZP_OK;
}
static const zp_storage_transformer table = {sizeof(zp_storage_transformer), 0, create, destroy, configuration, 0, wrap};
#else
static const zp_bytes_to_bytes table = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0,
                                        encoded_size, code,
#if CASE == NULL_FUNCTION
                                        0,
#else
                                        code,
#endif
                                        0};
#endif

#if CASE == OTHER_MINOR_OF_A_TRANSFORMER
#define KIND "storage_transformer"
#else
#define KIND "bytes_to_bytes"
#endif
#if CASE == UNKNOWN_NEEDS
#define NEEDS "\"time-travel\""
#else
#define NEEDS ""
#endif
#if CASE == MAJOR_2
#define ABI "\"major\":2,\"min_minor\":0"
#elif CASE == MINOR_9
#define ABI "\"major\":1,\"min_minor\":9"
#else
#define ABI "\"major\":1,\"min_minor\":0"
#endif
#ifndef FIRST
#define FIRST "test.first"
#endif
#if CASE == DUPLICATE
#define SECOND ",{\"kind\":\"bytes_to_bytes\",\"name\":\"test.alias\"}"
#elif CASE == LATER_KIND
#define SECOND ",{\"kind\":\"bytes_to_bytes\",\"name\":\"test.second\"},{\"kind\":\"time_machine\",\"name\":\"test.third\"}"
#else
#define SECOND ",{\"kind\":\"bytes_to_bytes\",\"name\":\"test.second\"}"
#endif
#define TEXT                                                                                                   \
  "{\"manifest\":1,\"id\":\"test.compat\",\"version\":\"1.2.3\",\"abi\":{" ABI "},\"extensions\":[{\"kind\":\"" KIND \
  "\",\"name\":\"" FIRST "\",\"aliases\":[\"test.alias\"],\"needs\":[" NEEDS "]}" SECOND "]}"

#if CASE == NO_MANIFEST
static const zp_bytes manifest = {(const uint8_t *)TEXT, sizeof(TEXT) - 1};
#else
ZP_MANIFEST(manifest, TEXT);
#endif

#if CASE == OTHER_ID
static const zp_str id = ZP_STR("test.another");
#else
static const zp_str id = ZP_STR("test.compat");
#endif
#if CASE == OTHER_VERSION
static const zp_str version = ZP_STR("1.2.4");
#else
static const zp_str version = ZP_STR("1.2.3");
#endif
#if CASE == OTHER_NAME
static const zp_str first = ZP_STR("test.renamed");
#elif CASE == BAD_NAME
static const zp_str first = ZP_STR("\xff\xfe");
#else
static const zp_str first = ZP_STR(FIRST);
#endif
static const zp_bytes id_as_bytes = {(const uint8_t *)"test.compat", 11};
static const zp_str aliases[] = {ZP_STR("test.alias")};
#if CASE == DUPLICATE
static const zp_str second = ZP_STR("test.alias");
#else
static const zp_str second = ZP_STR("test.second");
#endif

static const zp_extension one = {sizeof(zp_extension),
#if CASE == OTHER_MINOR_OF_A_TRANSFORMER
                                 ZP_EXTENSION_STORAGE_TRANSFORMER,
#else
                                 ZP_EXTENSION_BYTES_TO_BYTES,
#endif
#if CASE == LONGER
                                 UINT64_C(1) << 40,
#elif CASE == OTHER_CAPS
                                 ZP_CAP_LOSSY,
#else
                                 0,
#endif
                                 CASE == UNKNOWN_NEEDS, &first, aliases, 1, &table};
static const zp_bytes_to_bytes plain = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0,
                                        encoded_size, code, code, 0};
static const zp_extension two = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &second, 0, 0, &plain};
#if CASE == LATER_KIND
static const zp_str third = ZP_STR("test.third");
static const zp_extension three = {sizeof(zp_extension), 99, 0, 0, &third, 0, 0, 0};
#endif
static const zp_extension *const extensions[] = {&one,
#if CASE == NULL_DESCRIPTOR_MEMBER
                                                 0,
#else
                                                 &two,
#endif
#if CASE == LATER_KIND
                                                 &three
#endif
};

static const zp_plugin plugin = {
#if CASE == SIZE_0
    0,
#else
    sizeof(zp_plugin),
#endif
    CASE == OTHER_MINOR_OF_A_TRANSFORMER ? 7 : ZP_ABI_MINOR,
    CASE == WRONG_MAGIC ? 1 : ZP_MAGIC,
    &id,
    &version,
    extensions,
    CASE == LATER_KIND ? 3 : 2,
#if CASE == OTHER_TEXT
    &id_as_bytes
#else
    &manifest
#endif
};

#if CASE == NO_ENTRY
ZP_EXPORT const zp_plugin *something_else(void);
const zp_plugin *something_else(void) { return &plugin; }
#else
const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) {
  (void)host;
#if CASE == REFUSES
  (void)ZP_FAIL(call, ZP_E_UNSUPPORTED, "it is not in the mood");
  return plugin.struct_size ? (const zp_plugin *)0 : &plugin;
#else
  (void)call;
  return &plugin;
#endif
}
#endif
