/* Faulty extensions: each breaks the contract in one way, which its name states. */
#include "zarr_plugin.h"
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

typedef struct instance {
  char name[32];
  uint64_t shape[2];
  uint64_t lengths[3];
} instance;

/* The length of "test.", with which every name begins. */
#define PREFIX (sizeof("test.") - 1)

static int is(const void *self, const char *name) { return strcmp(((const instance *)self)->name, name) == 0; }

static zp_status create(const zp_host *host, const zp_call *call, const zp_site *site, void **self) {
  instance *made = (instance *)calloc(1, sizeof(instance));
  (void)host;
  if (!made) return ZP_FAIL(call, ZP_E_LIMIT, "there is no memory");
  memcpy(made->name, site->name->ptr + PREFIX, site->name->len - PREFIX);
  *self = made;
  if (is(made, "error-without-message")) {
    free(made);
    return ZP_E_CONFIGURATION;
  }
  if (is(made, "garbled-message")) {
    zp_str text = ZP_STR("\xff\xfe\xfd");
    free(made);
    call->set_error(call, ZP_E_CONFIGURATION, &text, &text);
    return ZP_E_CONFIGURATION;
  }
  return ZP_OK;
}
static zp_status destroy(void *self) {
  zp_status status = is(self, "fails-to-destroy") ? 77 : ZP_OK;
  free(self);
  return status;
}
static zp_status put(zp_out *out, const zp_call *call, const void *bytes, size_t n) {
  uint8_t *to = zp_room(out, call, n);
  if (!to && n) return ZP_E_LIMIT;
  if (n) memcpy(to, bytes, n);
  out->len = n;
  return ZP_OK;
}
static zp_status configuration(const void *self, const zp_call *call, zp_out *json) {
  if (is(self, "no-json")) return put(json, call, "{\"a\":", 5);
  if (is(self, "no-object")) return put(json, call, "17", 2);
  return put(json, call, "{}", 2);
}

/* ---- bytes -> bytes ------------------------------------------------------------------------------------------------ */

static const uint8_t *previous;
static size_t previous_len;
static volatile uint8_t seen;
static uint8_t shared[1 << 16];
static size_t shared_len;

static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) {
  *encoded = *decoded;
  if (is(self, "false-size")) encoded->bytes = 1;
  if (is(self, "false-bound")) {
    encoded->kind = ZP_SIZE_AT_MOST;
    encoded->bytes = 1;
  }
  return ZP_OK;
}
static void set_one(void *p) { *(uint8_t *)p = 1; }
static zp_status encode(const void *self, const zp_call *call, const zp_bytes *in, zp_out *out) {
  if (is(self, "correct")) {
    /* Uses every function of a call. */
    uint8_t *first = (uint8_t *)call->scratch(call, 100), *second = (uint8_t *)call->scratch(call, 1);
    if (!first || !second || (uintptr_t)first % 64 || first == second)
      return ZP_FAIL(call, ZP_E_INTERNAL, "there is no scratch memory");
    first[99] = second[0] = 0;
    call->join(call, set_one, first + 99, second);
    if (first[99] != 1 || second[0] != 1) return ZP_FAIL(call, ZP_E_INTERNAL, "not both halves ran");
  }
  if (is(self, "too-long")) {
    out->len = out->cap + 1000;
    return ZP_OK;
  }
  if (is(self, "moved-output")) {
    static uint8_t own[64];
    out->data = own;
    out->len = in->len;
    return ZP_OK;
  }
  if (is(self, "larger-output")) {
    out->cap = (size_t)1 << 40;
    out->len = (size_t)1 << 30;
    return ZP_OK;
  }
  if (is(self, "garbage-status")) return 999;
  if (is(self, "negative-status")) return -5;
  if (is(self, "aliases-in-encode")) {
    out->data = (uint8_t *)(uintptr_t)in->ptr;
    out->len = in->len;
    return ZP_OK;
  }
  if (is(self, "swallows-errors")) {
    (void)call->scratch(call, SIZE_MAX / 2);
    return put(out, call, in->ptr, in->len);
  }
  if (is(self, "dangling-pointer")) {
    if (previous && previous_len) seen = previous[0];
    previous = in->ptr;
    previous_len = in->len;
  }
  if (is(self, "shared-state")) {
    /* Assumes that there is one call at a time. */
    shared_len = in->len < sizeof(shared) ? in->len : sizeof(shared);
    memcpy(shared, in->ptr, shared_len);
    return put(out, call, shared, shared_len);
  }
#if defined(__x86_64__)
  if (is(self, "flushes-to-zero")) _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  return put(out, call, in->ptr, in->len);
}
static zp_status decode(const void *self, const zp_call *call, const zp_bytes *in, zp_out *out) {
  if (is(self, "aliases-too-much") && zp_alias(out, in, 1, in->len)) return ZP_OK;
  if (is(self, "too-short") && in->len) return put(out, call, in->ptr, in->len - 1);
  return put(out, call, in->ptr, in->len);
}
static zp_status decoded_read(const void *self, const zp_call *call, const zp_reader *encoded, const zp_range *ranges,
                              size_t n, zp_each each, void *context) {
  static const uint8_t some[4] = {1, 2, 3, 4};
  if (is(self, "reads-nothing")) return ZP_OK;
  if (is(self, "reads-another-range")) return each(context, n + 7, some, 4);
  if (is(self, "reads-too-little")) return each(context, 0, some, 3);
  return encoded->read(encoded, call, ranges, n, each, context);
}
static const zp_bytes_to_bytes b2b = {sizeof(zp_bytes_to_bytes), 0, create, destroy, configuration, 0, encoded_size,
                                      encode, decode, decoded_read};

/* ---- array -> bytes ------------------------------------------------------------------------------------------------ */

static zp_status a2b_size(const void *self, zp_size *encoded) {
  encoded->kind = is(self, "false-array-size") || is(self, "unchecked-length") ? ZP_SIZE_EXACT : ZP_SIZE_UNKNOWN;
  encoded->bytes = is(self, "unchecked-length") ? 4 : 1;
  return ZP_OK;
}
static zp_status a2b_encode(const void *self, const zp_call *call, const zp_array *decoded, zp_out *out) {
  size_t n = decoded->element_size;
  uint32_t i;
  (void)self;
  for (i = 0; i < decoded->rank; i++) n *= (size_t)decoded->shape[i];
  if (decoded->offsets) n = 0;
  return put(out, call, decoded->data, n);
}
static zp_status a2b_decode(const void *self, const zp_call *call, const zp_bytes *in, const zp_array *decoded) {
  (void)in;
  if (decoded->offsets_out) {
    /* Elements that extend beyond the written bytes. */
    uint64_t offsets[5] = {0, 1, 2, 3, 4000};
    if (put(decoded->bytes_out, call, "abcd", 4) != ZP_OK) return ZP_E_LIMIT;
    if (is(self, "backward-offsets")) offsets[1] = 3;
    if (is(self, "few-offsets")) return put(decoded->offsets_out, call, offsets, 16);
    if (is(self, "no-text")) {
      if (put(decoded->bytes_out, call, "\xff\xff\xff\xff", 4) != ZP_OK) return ZP_E_LIMIT;
      offsets[4] = 4;
    }
    return put(decoded->offsets_out, call, offsets, sizeof(offsets));
  }
  return ZP_OK;
}
static zp_status partial_decode(const void *self, const zp_call *call, const zp_reader *encoded, const uint64_t *start,
                                const uint64_t *len, const zp_array *decoded) {
  zp_range beyond = {ZP_RANGE_SLICE, 0, 1 << 30, 4};
  (void)start, (void)len;
  if (is(self, "unchecked-length")) return ZP_OK;
  /* Ignores the error. */
  (void)encoded->read_into(encoded, call, &beyond, decoded->data, 4);
  return ZP_OK;
}
static zp_status raw(const void *self, uint64_t *width) {
  *width = is(self, "false-raw") ? 3 : 0;
  return ZP_OK;
}
static zp_status inner_chunk_shape(const void *self, const uint64_t **shape) {
  if (is(self, "empty-inner")) *shape = ((const instance *)self)->shape;
  return ZP_OK;
}
static const zp_array_to_bytes a2b = {sizeof(zp_array_to_bytes), 0, create, destroy, configuration, 0, a2b_size,
                                      a2b_encode, a2b_decode, partial_decode, 0, raw, inner_chunk_shape};

/* ---- array -> array ------------------------------------------------------------------------------------------------ */

static const zp_layout odd = {sizeof(zp_layout), ZP_FORM_FIXED, ZP_KIND_INT, 3, 1, 0, 0, 0};
static const zp_layout none = {sizeof(zp_layout), ZP_FORM_FIXED, ZP_KIND_INT, 0, 1, 0, 0, 0};
static const zp_layout huge = {sizeof(zp_layout), ZP_FORM_FIXED, ZP_KIND_INT, UINT32_MAX, UINT32_MAX, 0, 0, 0};
static const zp_layout unknown = {sizeof(zp_layout), 99, ZP_KIND_INT, 1, 1, 0, 0, 0};
static const zp_layout fieldless = {sizeof(zp_layout), ZP_FORM_STRUCT, 0, 0, 0, 0, 0, 5};
static const uint8_t three[3] = {0, 0, 0};
static const zp_bytes three_bytes = {three, 3};

static zp_status encoded_representation(const void *self, const zp_call *call, zp_representation *encoded) {
  (void)call;
  if (is(self, "other-layout")) {
    encoded->layout = &odd;
    encoded->fill = &three_bytes;
  }
  if (is(self, "short-fill")) encoded->fill = &three_bytes;
  if (is(self, "many-dimensions")) {
    encoded->rank = UINT32_MAX;
    encoded->shape = ((const instance *)self)->shape;
  }
  return ZP_OK;
}
static zp_status a2a_code(const void *self, const zp_call *call, const zp_array *from, const zp_array *to) {
  (void)self, (void)call, (void)from, (void)to;
  return ZP_OK;
}
static zp_status plan(const void *self, uint32_t *plan, const uint64_t **order) {
  static const uint64_t wrong[] = {1, 1};
  if (is(self, "invalid-permutation")) {
    *plan = ZP_PLAN_PERMUTE;
    *order = wrong;
  }
  if (is(self, "permutes-nothing")) *plan = ZP_PLAN_PERMUTE;
  if (is(self, "in-place")) *plan = ZP_PLAN_IN_PLACE;
  if (is(self, "unknown-plan")) *plan = 17;
  return ZP_OK;
}
static const zp_array_to_array a2a = {sizeof(zp_array_to_array), 0, create, destroy, configuration, 0,
                                      encoded_representation, a2a_code, a2a_code, plan, 0, 0};

/* ---- data types ---------------------------------------------------------------------------------------------------- */

static zp_status layout(const void *self, zp_layout *to) {
  const zp_layout *from = &odd;
  if (is(self, "empty-element")) from = &none;
  if (is(self, "huge-element")) from = &huge;
  if (is(self, "unknown-form")) from = &unknown;
  if (is(self, "fieldless")) from = &fieldless;
  memcpy((char *)to + 4, (const char *)from + 4, sizeof(zp_layout) - 4);
  return is(self, "no-layout") ? ZP_E_INTERNAL : ZP_OK;
}
static zp_status fill_from_json(const void *self, const zp_call *call, const zp_bytes *json, zp_out *element) {
  (void)json;
  return put(element, call, three, is(self, "wrong-fill") ? 2 : 3);
}
static zp_status fill_to_json(const void *self, const zp_call *call, const zp_bytes *element, zp_out *json) {
  (void)element;
  return put(json, call, is(self, "no-json-fill") ? "]" : "0", 1);
}
static const zp_data_type data_type = {sizeof(zp_data_type), 0, create, destroy, configuration, 0, layout,
                                       fill_from_json, fill_to_json, 0, 0};

/* ---- chunk grids --------------------------------------------------------------------------------------------------- */

static zp_status grid_shape(const void *self, const zp_call *call, const uint64_t *array, uint32_t rank, uint64_t *to) {
  uint32_t i;
  (void)call;
  for (i = 0; i < rank; i++) to[i] = is(self, "too-many-chunks") ? UINT64_MAX : (array[i] + 1) / 2;
  return ZP_OK;
}
static zp_status cell(const void *self, const zp_call *call, const uint64_t *array, uint32_t rank, const uint64_t *at,
                      uint64_t *start, uint64_t *len) {
  uint32_t i;
  (void)call, (void)array;
  for (i = 0; i < rank; i++) {
    start[i] = is(self, "chunk-at-the-end") ? UINT64_MAX : at[i] * 2;
    len[i] = is(self, "empty-chunk") ? 0 : is(self, "overlapping-chunks") ? 4 : 2;
  }
  return ZP_OK;
}
static zp_status cell_of(const void *self, const zp_call *call, const uint64_t *array, uint32_t rank,
                         const uint64_t *element, uint64_t *to) {
  uint32_t i;
  (void)self, (void)call, (void)array;
  for (i = 0; i < rank; i++) to[i] = element[i] / 2;
  return ZP_OK;
}
static zp_status axis(const void *self, uint32_t axis, zp_axis *cells) {
  static const uint64_t zero[] = {2, 0, 2}, overflow[] = {UINT64_MAX, UINT64_MAX};
  (void)axis;
  cells->kind = ZP_AXIS_REGULAR;
  cells->regular = is(self, "axis-of-nothing") ? 0 : 2;
  if (is(self, "empty-chunk") || is(self, "too-many-chunks")) cells->kind = ZP_AXIS_NONE;
  if (is(self, "axis-with-a-hole")) {
    cells->kind = ZP_AXIS_LENGTHS;
    cells->lengths = zero;
    cells->n_lengths = 3;
  }
  if (is(self, "axis-too-long")) {
    cells->kind = ZP_AXIS_LENGTHS;
    cells->lengths = overflow;
    cells->n_lengths = 2;
  }
  if (is(self, "axis-unknown")) cells->kind = 55;
  if (is(self, "axis-endless")) {
    cells->kind = ZP_AXIS_LENGTHS;
    cells->lengths = zero;
    cells->n_lengths = SIZE_MAX;
  }
  return ZP_OK;
}
static const zp_chunk_grid grid = {sizeof(zp_chunk_grid), 0, create, destroy, configuration, 0, grid_shape, cell,
                                   cell_of, axis, 0};

/* ---- chunk key encodings ------------------------------------------------------------------------------------------- */

static zp_status key_encode(const void *self, const zp_call *call, const uint64_t *at, uint32_t rank, zp_out *key) {
  (void)at, (void)rank;
  if (is(self, "key-with-parent")) return put(key, call, "../../etc", 9);
  if (is(self, "overwrites")) return put(key, call, "zarr.json", 9);
  if (is(self, "garbled-key")) return put(key, call, "\xff", 1);
  if (is(self, "null-in-key")) return put(key, call, "a\0b", 3);
  return put(key, call, "", 0);
}
static zp_status key_decode(const void *self, const zp_call *call, const zp_str *key, uint32_t rank, uint64_t *at,
                            uint32_t *found) {
  uint32_t i;
  (void)self, (void)call, (void)key;
  for (i = 0; i < rank; i++) at[i] = 0;
  *found = 1;
  return ZP_OK;
}
static const zp_chunk_key_encoding keys = {sizeof(zp_chunk_key_encoding), 0, create, destroy, configuration, 0,
                                           key_encode, key_decode};

/* ---- the plugin ---------------------------------------------------------------------------------------------------- */

#define ALL(X)                                                                                                         \
  X(B2B, b2b, "bytes_to_bytes", "too-long") X(B2B, b2b, "bytes_to_bytes", "moved-output")                              \
  X(B2B, b2b, "bytes_to_bytes", "larger-output") X(B2B, b2b, "bytes_to_bytes", "garbage-status")                       \
  X(B2B, b2b, "bytes_to_bytes", "negative-status") X(B2B, b2b, "bytes_to_bytes", "aliases-in-encode")                  \
  X(B2B, b2b, "bytes_to_bytes", "swallows-errors") X(B2B, b2b, "bytes_to_bytes", "dangling-pointer")                   \
  X(B2B, b2b, "bytes_to_bytes", "shared-state") X(B2B, b2b, "bytes_to_bytes", "flushes-to-zero")                       \
  X(B2B, b2b, "bytes_to_bytes", "aliases-too-much") X(B2B, b2b, "bytes_to_bytes", "too-short")                         \
  X(B2B, b2b, "bytes_to_bytes", "false-size") X(B2B, b2b, "bytes_to_bytes", "false-bound")                             \
  X(B2B, b2b, "bytes_to_bytes", "reads-nothing") X(B2B, b2b, "bytes_to_bytes", "reads-another-range")                  \
  X(B2B, b2b, "bytes_to_bytes", "reads-too-little") X(B2B, b2b, "bytes_to_bytes", "no-json")                           \
  X(B2B, b2b, "bytes_to_bytes", "no-object") X(B2B, b2b, "bytes_to_bytes", "fails-to-destroy")                         \
  X(B2B, b2b, "bytes_to_bytes", "error-without-message") X(B2B, b2b, "bytes_to_bytes", "garbled-message")              \
  X(A2B, a2b, "array_to_bytes", "long-offsets") X(A2B, a2b, "array_to_bytes", "backward-offsets")                      \
  X(A2B, a2b, "array_to_bytes", "few-offsets") X(A2B, a2b, "array_to_bytes", "no-text")                                \
  X(A2B, a2b, "array_to_bytes", "blind-reader") X(A2B, a2b, "array_to_bytes", "false-raw")                             \
  X(A2B, a2b, "array_to_bytes", "empty-inner") X(A2B, a2b, "array_to_bytes", "false-array-size")                       \
  X(A2B, a2b, "array_to_bytes", "unchecked-length")                                                                    \
  X(A2A, a2a, "array_to_array", "other-layout") X(A2A, a2a, "array_to_array", "short-fill")                            \
  X(A2A, a2a, "array_to_array", "many-dimensions") X(A2A, a2a, "array_to_array", "invalid-permutation")                \
  X(A2A, a2a, "array_to_array", "permutes-nothing") X(A2A, a2a, "array_to_array", "in-place")                          \
  X(A2A, a2a, "array_to_array", "unknown-plan")                                                                        \
  X(DT, data_type, "data_type", "empty-element") X(DT, data_type, "data_type", "huge-element")                         \
  X(DT, data_type, "data_type", "unknown-form") X(DT, data_type, "data_type", "fieldless")                             \
  X(DT, data_type, "data_type", "no-layout") X(DT, data_type, "data_type", "wrong-fill")                               \
  X(DT, data_type, "data_type", "no-json-fill")                                                                        \
  X(CG, grid, "chunk_grid", "too-many-chunks") X(CG, grid, "chunk_grid", "chunk-at-the-end")                           \
  X(CG, grid, "chunk_grid", "empty-chunk") X(CG, grid, "chunk_grid", "overlapping-chunks")                             \
  X(CG, grid, "chunk_grid", "axis-of-nothing") X(CG, grid, "chunk_grid", "axis-with-a-hole")                           \
  X(CG, grid, "chunk_grid", "axis-too-long") X(CG, grid, "chunk_grid", "axis-unknown")                                 \
  X(CG, grid, "chunk_grid", "axis-endless")                                                                            \
  X(CK, keys, "chunk_key_encoding", "key-with-parent") X(CK, keys, "chunk_key_encoding", "overwrites")                 \
  X(CK, keys, "chunk_key_encoding", "garbled-key") X(CK, keys, "chunk_key_encoding", "null-in-key")                    \
  X(CK, keys, "chunk_key_encoding", "empty-key")

#define B2B ZP_EXTENSION_BYTES_TO_BYTES
#define A2B ZP_EXTENSION_ARRAY_TO_BYTES
#define A2A ZP_EXTENSION_ARRAY_TO_ARRAY
#define DT ZP_EXTENSION_DATA_TYPE
#define CG ZP_EXTENSION_CHUNK_GRID
#define CK ZP_EXTENSION_CHUNK_KEY_ENCODING

#define OFFERED(kind, table, word, name) ",{\"kind\":\"" word "\",\"name\":\"test." name "\"}"
ZP_MANIFEST(manifest, "{\"manifest\":1,\"id\":\"test.faulty\",\"version\":\"6.6.6\",\"abi\":{\"major\":1,\"min_minor\":0},"
                      "\"extensions\":[{\"kind\":\"bytes_to_bytes\",\"name\":\"test.correct\"}" ALL(OFFERED) "]}");

#define NAME(kind, table, word, name) ZP_STR("test." name),
static const zp_str names[] = {ZP_STR("test.correct"), ALL(NAME)};
#define ENTRY(kind, table, word, name) {sizeof(zp_extension), kind, 0, 0, 0, 0, 0, &table},
static zp_extension all[] = {{sizeof(zp_extension), B2B, 0, 0, 0, 0, 0, &b2b}, ALL(ENTRY)};
#define N (sizeof(all) / sizeof(all[0]))
static const zp_extension *extensions[N];
static const zp_str id = ZP_STR("test.faulty");
static const zp_str version = ZP_STR("6.6.6");
static const zp_plugin plugin = {sizeof(zp_plugin), ZP_ABI_MINOR, ZP_MAGIC, &id, &version, extensions, N, &manifest};

const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) {
  size_t i;
  (void)host, (void)call;
  for (i = 0; i < N; i++) {
    all[i].name = &names[i];
    extensions[i] = &all[i];
  }
  return &plugin;
}
