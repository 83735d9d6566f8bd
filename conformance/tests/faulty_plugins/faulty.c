/* Faulty plugins: one codec from bytes to bytes, which swaps the halves of each byte. It is built once for each FAULT that
   a plugin can have. */
#include "zarr_plugin.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#define NONE 0
#define CRASHES 1
#define HANGS 2
#define ROUNDS 3
#define ANSWERS 4
#define READS_BEYOND 5
#define READS_BEFORE 6
#define WRITES_INPUT 7
#define WRITES_BEYOND 8
#define USES_AFTER_CALL 9
#define LEAKS_DESCRIPTORS 10
#define LEAKS_THREADS 11
#define TWO_SYMBOLS 12
#define OTHER_VERSION 13
#define TOO_SMALL 14
#define RARELY_CRASHES 15
#define ENDS_THE_PROCESS 16

static zp_status put(zp_out *out, const zp_call *call, const uint8_t *bytes, size_t n) {
  uint8_t *to = zp_room(out, call, n);
  size_t i;
  if (!to && n) return ZP_E_LIMIT;
  for (i = 0; i < n; i++) to[i] = (uint8_t)(bytes[i] << 4 | bytes[i] >> 4);
  out->len = n;
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

static char instance;

static void *sleeper(void *nothing) {
  (void)nothing;
  sleep(600);
  return 0;
}

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) {
  const zp_bytes *json = site->configuration;
  (void)host, (void)sleeper;
  *self = &instance;
#if FAULT == LEAKS_DESCRIPTORS
  if (dup(0) < 0) return ZP_FAIL(call, ZP_E_LIMIT, "there are no more");
#elif FAULT == LEAKS_THREADS
  {
    static int made;
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    if (made++ < 5000 && pthread_create(&thread, &small, sleeper, 0) == 0) pthread_detach(thread);
  }
#endif
  if (!json || json->len == 0 || (json->len == 2 && memcmp(json->ptr, "{}", 2) == 0)) return ZP_OK;
  return ZP_FAIL(call, ZP_E_CONFIGURATION, "it has no configuration");
}

static zp_status destroy(void *self) {
  (void)self;
  return ZP_OK;
}

static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) {
  (void)self;
  *encoded = *decoded;
#if FAULT == TOO_SMALL
  encoded->kind = ZP_SIZE_EXACT;
  encoded->bytes = 1;
#endif
  return ZP_OK;
}

static volatile uint8_t seen;
#if FAULT == USES_AFTER_CALL
static const uint8_t *previous;
#endif

static zp_status encode(const void *self, const zp_call *call, const zp_bytes *decoded, zp_out *encoded) {
  zp_status status;
  (void)self, (void)call;
#if FAULT == CRASHES
  if (decoded->len > 0) __builtin_trap();
#elif FAULT == HANGS
  while (decoded->len > 0) usleep(1000);
#elif FAULT == ROUNDS && defined(__x86_64__)
  _MM_SET_ROUNDING_MODE(_MM_ROUND_TOWARD_ZERO);
#elif FAULT == READS_BEYOND
  if (decoded->len > 0) seen = decoded->ptr[decoded->len];
#elif FAULT == READS_BEFORE
  if (decoded->len > 0) seen = *(decoded->ptr - 1);
#elif FAULT == WRITES_INPUT
  if (decoded->len > 0) *(volatile uint8_t *)decoded->ptr = *(volatile const uint8_t *)decoded->ptr;
#elif FAULT == USES_AFTER_CALL
  if (previous) seen = *previous;
  previous = decoded->len > 0 ? decoded->ptr : 0;
#elif FAULT == ENDS_THE_PROCESS
  if (decoded->len > 0) _exit(0);
#endif
  status = put(encoded, call, decoded->ptr, decoded->len);
#if FAULT == ANSWERS
  if (status == ZP_OK && decoded->len > 0) return 77;
#elif FAULT == WRITES_BEYOND
  if (status == ZP_OK && decoded->len > 0) ((volatile uint8_t *)encoded->data)[decoded->len] ^= 0;
#endif
  return status;
}

static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded, zp_out *decoded) {
  (void)self, (void)seen;
#if FAULT == RARELY_CRASHES
  if (encoded->len > 3 && encoded->ptr[0] == 0x10 && encoded->ptr[1] != 0x10 && encoded->len % 5 == 2) abort();
#endif
  return put(decoded, call, encoded->ptr, encoded->len);
}

static const zp_bytes_to_bytes table = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0,
                                        encoded_size, encode, decode, 0};

ZP_MANIFEST(manifest,
            "{\"manifest\":1,\"id\":\"test.faulty\",\"version\":\"1.0.0\",\"license\":\"MIT\","
            "\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":[{\"kind\":\"bytes_to_bytes\","
            "\"name\":\"test.faulty\",\"aliases\":[],\"caps\":[],\"needs\":[]}]}");

static const zp_str id = ZP_STR("test.faulty");
#if FAULT == OTHER_VERSION
static const zp_str version = ZP_STR("1.0.1");
#else
static const zp_str version = ZP_STR("1.0.0");
#endif
static const zp_str name = ZP_STR("test.faulty");

static const zp_extension extension = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &name, 0, 0, &table};
static const zp_extension *const extensions[] = {&extension};
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions, 1, &manifest};

#if FAULT == TWO_SYMBOLS
__attribute__((visibility("default"))) int inflate(void);
int inflate(void) { return 0; }
#endif

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) {
  (void)host, (void)call;
  return &plugin;
}
