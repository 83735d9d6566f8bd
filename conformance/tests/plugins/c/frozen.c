/* A plugin of an older minor version, with its own copy of the header: structs and vtables end where they ended in that
 * version. It must not be changed when the header changes. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int32_t zp_status;
typedef struct zp_str { const char *ptr; size_t len; } zp_str;
typedef struct zp_bytes { const uint8_t *ptr; size_t len; } zp_bytes;
typedef struct zp_size { uint32_t kind, reserved0; uint64_t bytes; } zp_size;
typedef struct zp_call zp_call;
typedef struct zp_out {
  uint32_t struct_size, flags;
  uint8_t *data;
  size_t len, cap;
  uint64_t max_len;
  void *host;
  zp_status (*reserve)(struct zp_out *, const zp_call *, size_t keep, size_t min_cap);
} zp_out;
typedef struct zp_host zp_host;
typedef struct zp_site zp_site;
typedef struct zp_bytes_to_bytes {
  uint32_t struct_size, reserved0;
  zp_status (*create)(const zp_host *, const zp_call *, const zp_site *, void **self);
  zp_status (*destroy)(void *self);
  zp_status (*configuration)(const void *self, const zp_call *, zp_out *json);
  zp_status (*abilities)(const void *self, uint64_t *abilities);
  zp_status (*encoded_size)(const void *self, const zp_size *decoded, zp_size *encoded);
  zp_status (*encode)(const void *self, const zp_call *, const zp_bytes *decoded, zp_out *encoded);
  zp_status (*decode)(const void *self, const zp_call *, const zp_bytes *encoded, zp_out *decoded);
} zp_bytes_to_bytes;
typedef struct zp_extension {
  uint32_t struct_size, kind;
  uint64_t caps, needs;
  const zp_str *name, *aliases;
  size_t n_aliases;
  const void *vtable;
} zp_extension;
typedef struct zp_plugin {
  uint32_t struct_size, abi_minor;
  uint64_t magic;
  const zp_str *id, *version;
  const zp_extension *const *extensions;
  size_t n_extensions;
  const zp_bytes *manifest;
} zp_plugin;

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) {
  static char instance;
  (void)host, (void)call, (void)site;
  *self = &instance;
  return 0;
}
static zp_status destroy(void *self) {
  (void)self;
  return 0;
}
static zp_status put(zp_out *out, const zp_call *call, const void *bytes, size_t n) {
  if (n > out->cap && out->reserve(out, call, 0, n) != 0) return 4;
  if (n) memcpy(out->data, bytes, n);
  out->len = n;
  return 0;
}
static zp_status configuration(const void *self, const zp_call *call, zp_out *json) {
  (void)self;
  return put(json, call, "{}", 2);
}
static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) {
  (void)self;
  *encoded = *decoded;
  return 0;
}
static zp_status code(const void *self, const zp_call *call, const zp_bytes *input, zp_out *output) {
  (void)self;
  return put(output, call, input->ptr, input->len);
}

/* The memory behind a vtable is not a part of it. */
static const struct {
  zp_bytes_to_bytes table;
  uint64_t behind[8];
} frozen = {{sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0, encoded_size, code, code},
            {1, 1, 1, 1, 1, 1, 1, 1}};

#define TEXT                                                                                                     \
  "{\"manifest\":1,\"id\":\"test.frozen\",\"version\":\"0.9\",\"abi\":{\"major\":1,\"min_minor\":0},\"extensions\":" \
  "[{\"kind\":\"bytes_to_bytes\",\"name\":\"test.frozen\"}]}"
__attribute__((used)) static const struct {
  char magic[8];
  unsigned char len[8];
  char text[sizeof(TEXT)];
} embedded = {{'Z', 'A', 'R', 'R', 'P', 'L', 'G', '1'}, {sizeof(TEXT) - 1}, TEXT};
static const zp_bytes manifest = {(const uint8_t *)embedded.text, sizeof(TEXT) - 1};
static const zp_str id = {"test.frozen", 11}, version = {"0.9", 3}, name = {"test.frozen", 11};
static const zp_extension extension = {sizeof(zp_extension), 6, 0, 0, &name, 0, 0, &frozen};
static const zp_extension *const extensions[] = {&extension};
static const zp_plugin plugin = {sizeof(zp_plugin), 0, 0x31474C505252415Aull, &id, &version, extensions, 1, &manifest};

__attribute__((visibility("default"))) const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call);
const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) {
  (void)host, (void)call;
  return &plugin;
}
