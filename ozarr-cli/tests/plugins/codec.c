/* A bytes -> bytes codec that inverts the bits of MASK. ID, VERSION, NAME and OTHER, its second extension, are given by
 * the test; NEEDS is a function of a library that may be missing. With GATE the process that loads it writes a byte to its
 * standard output, and then waits for the end of its standard input; with ON_LOAD it runs that command. */
#include "zarr_plugin.h"
#include <string.h>
#ifdef ON_LOAD
#include <stdlib.h>
__attribute__((constructor)) static void on_load(void) {
  if (system(ON_LOAD) != 0) exit(43);
}
#endif
#ifdef GATE
#include <unistd.h>
__attribute__((constructor)) static void gate(void) {
  char byte = 'x';
  if (write(1, &byte, 1) != 1 || read(0, &byte, 1) != 0) _exit(42);
}
#endif

#ifndef VERSION
#define VERSION "1.0.0"
#endif
#ifndef MASK
#define MASK 0
#endif
#ifdef NEEDS
int NEEDS(void);
#endif

static char instance;

static zp_status put(zp_out *out, const zp_call *call, const void *bytes, size_t n) {
  uint8_t *to = zp_room(out, call, n);
  if (!to && n) return ZP_E_LIMIT;
  if (n) memcpy(to, bytes, n);
  out->len = n;
  return ZP_OK;
}
static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) ZP_NOEXCEPT {
  (void)host, (void)call, (void)site;
#ifdef NEEDS
  if (NEEDS()) return ZP_E_CONFIGURATION;
#endif
  *self = &instance;
  return ZP_OK;
}
static zp_status destroy(void *self) ZP_NOEXCEPT {
  (void)self;
  return ZP_OK;
}
static zp_status configuration(const void *self, const zp_call *call, zp_out *json) ZP_NOEXCEPT {
  (void)self;
  return put(json, call, "{}", 2);
}
static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) ZP_NOEXCEPT {
  (void)self;
  *encoded = *decoded;
  return ZP_OK;
}
static zp_status code(const void *self, const zp_call *call, const zp_bytes *from, zp_out *to) ZP_NOEXCEPT {
  size_t i;
  (void)self;
  if (put(to, call, from->ptr, from->len) != ZP_OK) return ZP_E_LIMIT;
  for (i = 0; i < from->len; i++) to->data[i] ^= MASK;
  return ZP_OK;
}

static const zp_bytes_to_bytes table = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0,
                                        encoded_size, code, code, 0};
#define KIND "{\"kind\":\"bytes_to_bytes\",\"name\":\""
#ifdef OTHER
#define SECOND "\"}," KIND OTHER
#else
#define SECOND
#endif
#ifdef CAPS
#define END "\",\"caps\":[" CAPS "]}]}"
#else
#define END "\"}]}"
#endif
ZP_MANIFEST(manifest, "{\"manifest\":1,\"id\":\"" ID "\",\"version\":\"" VERSION "\",\"abi\":{\"major\":1,\"min_minor\":0},"
                      "\"extensions\":[" KIND NAME SECOND END);
static const zp_str id = ZP_STR(ID), version = ZP_STR(VERSION), name = ZP_STR(NAME);
static const zp_extension one = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &name, 0, 0, &table};
#ifdef OTHER
static const zp_str other = ZP_STR(OTHER);
static const zp_extension two = {sizeof(zp_extension), ZP_EXTENSION_BYTES_TO_BYTES, 0, 0, &other, 0, 0, &table};
static const zp_extension *const extensions[] = {&one, &two};
#else
static const zp_extension *const extensions[] = {&one};
#endif
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions,
                                 sizeof(extensions) / sizeof(*extensions), &manifest};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) ZP_NOEXCEPT {
  (void)host, (void)call;
  return &plugin;
}
