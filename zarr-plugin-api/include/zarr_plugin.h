/* zarr_plugin.h - the C ABI of Zarr v3 plugins, version 1.0. C11 or C++11, no dependencies.
 *
 * A plugin is a shared library that exports one function, zarr_plugin_entry_v1, and contains its manifest
 * (ZP_MANIFEST). It offers extensions of any of the five extension points. docs/plugin-abi.md contains the whole
 * contract; in short:
 *
 * - Layout: only fixed-width integers, size_t and pointers; no implicit padding; only scalars and pointers are passed
 *   by value. Structs grow only at the end, and begin with struct_size: members beyond it do not exist. zp_str,
 *   zp_bytes, zp_range and zp_size never grow. The side that creates a struct sets struct_size to its sizeof.
 * - Ownership: arguments are borrowed until the function returns. Outputs belong to the caller. `self` belongs to the
 *   plugin, from create to destroy. A pointer may be NULL if its length is 0.
 * - Threads: `self` does not change after create. All functions except destroy may be called from any number of threads
 *   at once.
 * - Errors: only ZP_OK is success. A function that returns another status reports the cause through call->set_error, if
 *   it has a call.
 * - Callbacks: the functions of zp_call, zp_out, zp_reader and zp_store may be called during the call to which they
 *   were passed, and not after it. If one of them fails, return its status at once. A zp_each, zp_make or zp_found, and
 *   a zp_out, is used by one thread at a time, and is not entered again before it has returned.
 * - Nothing unwinds into the other side: no exception, panic or longjmp, not even from a callback. In C++ functions are
 *   ZP_NOEXCEPT, and ZP_GUARD catches exceptions in their bodies.
 */
#ifndef ZARR_PLUGIN_H
#define ZARR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* Write it after the parameters of zarr_plugin_entry_v1 and of every function that is stored in a vtable or another
 * struct of this header. C++ requires it: since C++17 noexcept is part of a function's type. In C it is empty. */
#ifdef __cplusplus
#define ZP_NOEXCEPT noexcept
extern "C" {
#else
#define ZP_NOEXCEPT
#endif

#if defined(_WIN32)
#define ZP_EXPORT __declspec(dllexport)
#else
#define ZP_EXPORT __attribute__((visibility("default"), used))
#endif

#define ZP_ABI_MAJOR 1u
#define ZP_ABI_MINOR 0u
#define ZP_MAGIC 0x31474C505252415Aull /* "ZARRPLG1" */

/* Whether the struct that p points to contains the member. */
#define ZP_HAS(T, p, member) ((p)->struct_size >= offsetof(T, member) + sizeof((p)->member))

/* ---- values ---------------------------------------------------------------------------------------------------- */

typedef int32_t zp_status;
#define ZP_OK 0
#define ZP_E_CONFIGURATION 1 /* the configuration is not valid                                             */
#define ZP_E_UNSUPPORTED 2   /* valid, but not supported by this extension (data type, rank, size)         */
#define ZP_E_DATA 3          /* the stored bytes are damaged                                               */
#define ZP_E_LIMIT 4         /* more memory than is allowed or available                                   */
#define ZP_E_SUSPENDED 5     /* a zp_reader lacks bytes: return this at once; the call will be repeated    */
#define ZP_E_MISSING 6       /* nothing is stored under the key                                            */
#define ZP_E_FILL_VALUE 7    /* the fill value is not valid for the data type                              */
#define ZP_E_ARGUMENT 8      /* a region, shape or key is not valid for this call                          */
#define ZP_E_IO 9            /* the operating system reported an error                                     */
#define ZP_E_ABILITY 10      /* the store does not support this operation                                  */
#define ZP_E_INTERNAL 11     /* a bug in the plugin, after which it can still be used                      */
#define ZP_E_PANIC 12        /* a bug after which the plugin must not be used: the host quarantines it     */

typedef struct zp_str { /* UTF-8, without a terminating zero; never grows */
  const char *ptr;
  size_t len;
} zp_str;

typedef struct zp_bytes { /* never grows */
  const uint8_t *ptr;
  size_t len;
} zp_bytes;

typedef struct zp_size { /* the known size of encoded bytes; never grows */
  uint32_t kind;         /* ZP_SIZE_* */
  uint32_t reserved0;
  uint64_t bytes;
} zp_size;
#define ZP_SIZE_UNKNOWN 0u
#define ZP_SIZE_AT_MOST 1u /* an encoder never writes more; a decoder accepts more */
#define ZP_SIZE_EXACT 2u

typedef struct zp_range { /* bytes of a value; never grows */
  uint32_t kind;          /* ZP_RANGE_* */
  uint32_t reserved0;
  uint64_t start;
  uint64_t len;
} zp_range;
#define ZP_RANGE_SLICE 0u  /* len bytes from start      */
#define ZP_RANGE_FROM 1u   /* all bytes from start      */
#define ZP_RANGE_SUFFIX 2u /* the last len bytes        */
#define ZP_RANGE_ALL 3u

/* ---- passed by the host with a call ---------------------------------------------------------------------------- */

typedef struct zp_options { /* choices at run time that are never stored in metadata */
  uint32_t struct_size;
  uint32_t flags;             /* ZP_OPTION_* */
  uint32_t inner_chunk_order; /* ZP_ORDER_* */
  uint32_t reserved0;
  const zp_str *roots; /* absolute paths of folders below which files may be opened; only in create and wrap */
  size_t n_roots;
} zp_options;
#define ZP_OPTION_STORE_FILL 1u /* also store chunks in which every element is the fill value */
#define ZP_ORDER_ROW_MAJOR 0u
#define ZP_ORDER_COLUMN_MAJOR 1u
#define ZP_ORDER_MORTON 2u

typedef struct zp_call {
  uint32_t struct_size;
  uint32_t max_threads;
  uint64_t chunk_limit; /* maximum bytes of a decoded chunk; never allocate more because stored data asks for it */
  const zp_options *options; /* NULL: the same as all zeros */
  void *host;
  /* Reports an error, and how to fix it (hint may be NULL). The texts are copied at once. */
  void (*set_error)(const struct zp_call *, zp_status, const zp_str *message, const zp_str *hint) ZP_NOEXCEPT;
  /* Returns memory with arbitrary contents, aligned to 64 bytes, until the call ends. NULL: more than is allowed. */
  void *(*scratch)(const struct zp_call *, size_t size) ZP_NOEXCEPT;
  /* Runs f(a) and f(b), possibly on two threads, and returns when both have returned. */
  void (*join)(const struct zp_call *, void (*f)(void *), void *a, void *b) ZP_NOEXCEPT;
} zp_call;

typedef struct zp_out { /* bytes that the caller owns and the callee writes */
  uint32_t struct_size;
  uint32_t flags; /* ZP_OUT_* */
  uint8_t *data;  /* write to data[0..cap], then set len */
  size_t len;
  size_t cap;
  uint64_t max_len;
  void *host;
  /* Increases cap to at least min_cap. May move data, but preserves data[0..keep]. */
  zp_status (*reserve)(struct zp_out *, const zp_call *, size_t keep, size_t min_cap) ZP_NOEXCEPT;
} zp_out;
#define ZP_OUT_FIXED 1u /* cap cannot be increased */
#define ZP_OUT_ALIAS 2u /* instead of being written, data may be set to a part of the input: see zp_alias */

/* Receives the bytes of range i, which are valid until it returns. Ranges come in any order, each at least once. */
typedef zp_status (*zp_each)(void *context, size_t i, const uint8_t *bytes, size_t len);
/* Creates an object from a value's bytes, to be cached because creating it is expensive. drop is called to free it. */
typedef zp_status (*zp_make)(void *context, void **made);

typedef struct zp_reader { /* one version of one stored value */
  uint32_t struct_size;
  uint32_t flags;
  uint64_t gap;  /* ranges closer than this are faster to read as one */
  uint64_t size; /* UINT64_MAX: unknown */
  void *host;
  zp_status (*read)(const struct zp_reader *, const zp_call *, const zp_range *ranges, size_t n, zp_each each,
                    void *context) ZP_NOEXCEPT;
  /* Reads a range that has exactly len bytes. */
  zp_status (*read_into)(const struct zp_reader *, const zp_call *, const zp_range *range, uint8_t *out,
                         size_t len) ZP_NOEXCEPT;
  /* Returns the whole value if it is in memory, otherwise NULL. The function may be null. */
  const uint8_t *(*in_memory)(const struct zp_reader *, size_t *len) ZP_NOEXCEPT;
  /* Returns the object that make creates, cached until the call ends. drop may be called later than that, from any
   * thread, and after destroy. The key is a number that no other instance has, such as its address, and the start of
   * its window in the value. If the function is null, create the object without it. */
  zp_status (*memo)(const struct zp_reader *, const zp_call *, const void *owner, uint64_t start, zp_make make,
                    void *context, void (*drop)(void *), void **kept) ZP_NOEXCEPT;
  /* Releases the reader. If the function is null, the reader is borrowed. */
  void (*release)(struct zp_reader *) ZP_NOEXCEPT;
} zp_reader;

/* ---- representations and arrays -------------------------------------------------------------------------------- */

typedef struct zp_field { /* one or more scalars of one kind, contiguous */
  uint32_t struct_size;
  uint32_t kind;       /* ZP_KIND_* */
  uint32_t width;      /* bytes of one scalar */
  uint32_t components; /* number of scalars */
  const zp_str *name;
} zp_field;
#define ZP_KIND_BOOL 1u /* one byte, 0 or 1           */
#define ZP_KIND_INT 2u
#define ZP_KIND_UINT 3u
#define ZP_KIND_FLOAT 4u /* IEEE 754 binary           */
#define ZP_KIND_RAW 5u   /* bytes without byte order  */

typedef struct zp_layout { /* the memory layout of an element of a data type, in the machine's byte order */
  uint32_t struct_size;
  uint32_t form;       /* ZP_FORM_* */
  uint32_t kind;       /* FIXED: ZP_KIND_* */
  uint32_t width;      /* FIXED: bytes of one scalar */
  uint32_t components; /* FIXED: scalars of one element: 1, or 2 for complex numbers */
  uint32_t reserved0;
  const zp_field *const *fields; /* STRUCT: contiguous, without padding */
  size_t n_fields;
} zp_layout;
#define ZP_FORM_FIXED 1u
#define ZP_FORM_STRUCT 2u
#define ZP_FORM_BYTES 3u /* byte strings of any length */
#define ZP_FORM_TEXT 4u  /* UTF-8 of any length */

struct zp_data_type;
typedef struct zp_representation { /* an array in a codec chain */
  uint32_t struct_size;
  uint32_t rank;
  const zp_layout *layout;
  const zp_str *label; /* the name of the data type in messages */
  const uint64_t *shape;
  const zp_bytes *fill; /* one element; for variable length its bytes */
  /* As a result of encoded_representation: one of these, or neither if the data type does not change. */
  const zp_bytes *data_type_json;       /* a data type as in metadata */
  const struct zp_data_type *data_type; /* a data type of the plugin; lives as long as the codec */
  const void *data_type_self;
} zp_representation;

/* Elements in the machine's byte order. With ZP_CAP_STRIDED, strides and alignment are arbitrary. Without it, elements
 * are in C order without gaps, and data is aligned to their scalars, except for structs. */
typedef struct zp_array {
  uint32_t struct_size;
  uint32_t rank;
  uint8_t *data;           /* the first element; read-only, except in an array that the function writes */
  const uint64_t *shape;
  const int64_t *strides;  /* in bytes; NULL: C order without gaps */
  size_t element_size;
  const uint64_t *offsets; /* variable length, as input: element i in C order is data[offsets[i]..offsets[i + 1]] */
  zp_out *bytes_out;       /* variable length, as output: the bytes of all elements, and count + 1 offsets (uint64_t) */
  zp_out *offsets_out;
} zp_array;

/* ---- extensions ------------------------------------------------------------------------------------------------ */

typedef struct zp_host {
  uint32_t struct_size;
  uint32_t abi_minor;
  const zp_str *name;
  const zp_str *version;
} zp_host;

typedef struct zp_site { /* the use for which an extension is created */
  uint32_t struct_size;
  uint32_t intent; /* ZP_INTENT_* */
  uint32_t depth;  /* nesting depth of the codec chain */
  uint32_t reserved0;
  const zp_str *name;                      /* as in metadata; may be an alias */
  const zp_bytes *configuration;           /* a JSON object */
  const zp_representation *representation; /* codecs: their input when encoding; data types: NULL; others: the array */
  const zp_size *size;                     /* bytes -> bytes codecs: the known size of their input when encoding */
} zp_site;
#define ZP_INTENT_OPEN 0u   /* from stored metadata: members that the specification requires must exist  */
#define ZP_INTENT_CREATE 1u /* from a user: choose missing members, and return them from configuration    */

/* The first members of every vtable. Functions marked `optional` may be null. `abilities`, which is optional too,
 * returns which of the functions marked with ZP_ABILITY_* this instance supports; without it, all that are not null. */
#define ZP_HEAD                                                                                                        \
  uint32_t struct_size;                                                                                                \
  uint32_t reserved0;                                                                                                  \
  zp_status (*create)(const zp_host *, const zp_call *, const zp_site *, void **self) ZP_NOEXCEPT;                      \
  zp_status (*destroy)(void *self) ZP_NOEXCEPT;                                                                        \
  zp_status (*configuration)(const void *self, const zp_call *, zp_out *json) ZP_NOEXCEPT;                             \
  zp_status (*abilities)(const void *self, uint64_t *abilities) ZP_NOEXCEPT
#define ZP_ABILITY_PARTIAL 1u
#define ZP_ABILITY_UPDATE 2u
#define ZP_ABILITY_DECODED_READ 4u

typedef struct zp_bytes_to_bytes {
  ZP_HEAD;
  zp_status (*encoded_size)(const void *self, const zp_size *decoded, zp_size *encoded) ZP_NOEXCEPT;
  zp_status (*encode)(const void *self, const zp_call *, const zp_bytes *decoded, zp_out *encoded) ZP_NOEXCEPT;
  zp_status (*decode)(const void *self, const zp_call *, const zp_bytes *encoded, zp_out *decoded) ZP_NOEXCEPT;
  /* optional, ZP_ABILITY_DECODED_READ: reads ranges of the decoded bytes from a reader of encoded bytes. */
  zp_status (*decoded_read)(const void *self, const zp_call *, const zp_reader *encoded, const zp_range *ranges,
                            size_t n, zp_each each, void *context) ZP_NOEXCEPT;
} zp_bytes_to_bytes;

typedef struct zp_array_to_bytes {
  ZP_HEAD;
  zp_status (*encoded_size)(const void *self, zp_size *encoded) ZP_NOEXCEPT;
  zp_status (*encode)(const void *self, const zp_call *, const zp_array *decoded, zp_out *encoded) ZP_NOEXCEPT;
  zp_status (*decode)(const void *self, const zp_call *, const zp_bytes *encoded, const zp_array *decoded) ZP_NOEXCEPT;
  /* optional, ZP_ABILITY_PARTIAL: decodes a region of the chunk into an array with the region's shape. */
  zp_status (*partial_decode)(const void *self, const zp_call *, const zp_reader *encoded, const uint64_t *start,
                              const uint64_t *len, const zp_array *decoded) ZP_NOEXCEPT;
  /* optional, ZP_ABILITY_UPDATE: writes the chunk `old` (NULL: nothing is stored) with a region replaced. If every
   * element is the fill value, sets *is_fill to 1 instead of writing. */
  zp_status (*update)(const void *self, const zp_call *, const zp_reader *old, const uint64_t *start,
                      const uint64_t *len, const zp_array *decoded, zp_out *encoded, uint32_t *is_fill) ZP_NOEXCEPT;
  /* optional: sets *width to n if reversing each group of n encoded bytes results in the elements in C order (1:
   * without any change), otherwise to 0. */
  zp_status (*raw)(const void *self, uint64_t *width) ZP_NOEXCEPT;
  /* optional: sets *shape to the shape of parts that can be read on their own, or NULL. It lives as long as self. */
  zp_status (*inner_chunk_shape)(const void *self, const uint64_t **shape) ZP_NOEXCEPT;
} zp_array_to_bytes;

typedef struct zp_array_to_array {
  ZP_HEAD;
  /* Sets the members of the representation that encoding changes. Members left NULL do not change; the others point to
   * data that lives as long as self. */
  zp_status (*encoded_representation)(const void *self, const zp_call *, zp_representation *encoded) ZP_NOEXCEPT;
  zp_status (*encode)(const void *self, const zp_call *, const zp_array *decoded, const zp_array *encoded) ZP_NOEXCEPT;
  zp_status (*decode)(const void *self, const zp_call *, const zp_array *encoded, const zp_array *decoded) ZP_NOEXCEPT;
  /* optional: other ways in which the host may decode. PERMUTE: dimension i of the encoded array is dimension order[i]
   * of the decoded array; order lives as long as self. */
  zp_status (*plan)(const void *self, uint32_t *plan, const uint64_t **order) ZP_NOEXCEPT;
  /* optional: for ZP_PLAN_IN_PLACE, which is not possible for elements of variable length. */
  zp_status (*decode_in_place)(const void *self, const zp_call *, const zp_array *elements) ZP_NOEXCEPT;
  /* optional: the region of the encoded array that is needed to decode a region of the same shape; *found 0: all. */
  zp_status (*encoded_region)(const void *self, const uint64_t *start, const uint64_t *len, uint64_t *encoded_start,
                              uint64_t *encoded_len, uint32_t *found) ZP_NOEXCEPT;
} zp_array_to_array;
#define ZP_PLAN_COPY 0u
#define ZP_PLAN_PERMUTE 1u
#define ZP_PLAN_IN_PLACE 2u

typedef struct zp_data_type {
  ZP_HEAD;
  /* Fills *layout, whose pointers lead to data that lives as long as self. */
  zp_status (*layout)(const void *self, zp_layout *layout) ZP_NOEXCEPT;
  zp_status (*fill_from_json)(const void *self, const zp_call *, const zp_bytes *json, zp_out *element) ZP_NOEXCEPT;
  zp_status (*fill_to_json)(const void *self, const zp_call *, const zp_bytes *element, zp_out *json) ZP_NOEXCEPT;
  /* optional: writes the default fill value of new arrays in JSON; without it, 0. */
  zp_status (*default_fill)(const void *self, const zp_call *, zp_out *json) ZP_NOEXCEPT;
  /* optional: checks elements of a fixed size, in C order, if not every bit pattern is a valid value. */
  zp_status (*check_elements)(const void *self, const zp_call *, const zp_bytes *elements) ZP_NOEXCEPT;
} zp_data_type;

typedef struct zp_axis { /* the division of one dimension into cells (chunks) */
  uint32_t struct_size;
  uint32_t kind;           /* ZP_AXIS_* */
  uint64_t regular;        /* REGULAR: the length of every cell */
  const uint64_t *lengths; /* LENGTHS: the length of each cell; lives as long as self */
  size_t n_lengths;
} zp_axis;
#define ZP_AXIS_NONE 0u /* the grid does not divide each dimension independently */
#define ZP_AXIS_REGULAR 1u
#define ZP_AXIS_LENGTHS 2u

typedef struct zp_chunk_grid { /* arrays of numbers have one number for each dimension */
  ZP_HEAD;
  zp_status (*grid_shape)(const void *self, const zp_call *, const uint64_t *array_shape, uint32_t rank,
                          uint64_t *grid_shape) ZP_NOEXCEPT;
  zp_status (*cell)(const void *self, const zp_call *, const uint64_t *array_shape, uint32_t rank, const uint64_t *cell,
                    uint64_t *start, uint64_t *len) ZP_NOEXCEPT;
  zp_status (*cell_of)(const void *self, const zp_call *, const uint64_t *array_shape, uint32_t rank,
                       const uint64_t *element, uint64_t *cell) ZP_NOEXCEPT;
  zp_status (*axis)(const void *self, uint32_t axis, zp_axis *cells) ZP_NOEXCEPT; /* optional */
  /* optional: writes the configuration for the array with another shape; nothing if it does not change. */
  zp_status (*resized)(const void *self, const zp_call *, const uint64_t *array_shape, const uint64_t *new_shape,
                       uint32_t rank, zp_out *json) ZP_NOEXCEPT;
} zp_chunk_grid;

typedef struct zp_chunk_key_encoding {
  ZP_HEAD;
  zp_status (*encode)(const void *self, const zp_call *, const uint64_t *cell, uint32_t rank, zp_out *key) ZP_NOEXCEPT;
  /* *found 0: it is not the key of a chunk. */
  zp_status (*decode)(const void *self, const zp_call *, const zp_str *key, uint32_t rank, uint64_t *cell,
                      uint32_t *found) ZP_NOEXCEPT;
} zp_chunk_key_encoding;

/* ---- storage transformers: experimental; plugin and host must have the same minor version ------------------------ */

/* Receives a result: from get_partial_values the bytes of range i, once for each range (NULL: there is no value; an
 * empty value is not NULL); from lists a key or prefix. */
typedef zp_status (*zp_found)(void *context, size_t i, uint32_t is_prefix, const uint8_t *bytes, size_t len);

/* Sets *value to the bytes to store in place of old (NULL: there is no value); *stored 0: there is no value afterwards.
 * The bytes live until its next call or the end of update. It is called again if another writer was faster, and must
 * not use the store for the same key. The call is the one that was passed to update. old has no memo, since it belongs to a
 * single attempt. */
typedef zp_status (*zp_change)(void *context, const zp_call *, const zp_reader *old, zp_bytes *value, uint32_t *stored);

typedef struct zp_store {
  uint32_t struct_size;
  uint32_t abilities; /* ZP_STORE_* */
  void *self;
  void (*release)(struct zp_store *) ZP_NOEXCEPT;
  zp_status (*uri)(const struct zp_store *, const zp_call *, const zp_str *prefix, zp_out *uri) ZP_NOEXCEPT;
  /* ZP_STORE_READ. open sets *found to 0 if there is no value. The caller releases the reader with its release. */
  zp_status (*open)(const struct zp_store *, const zp_call *, const zp_str *key, zp_reader *reader,
                    uint32_t *found) ZP_NOEXCEPT;
  zp_status (*get)(const struct zp_store *, const zp_call *, const zp_str *key, zp_out *value,
                   uint32_t *found) ZP_NOEXCEPT;
  zp_status (*get_partial_values)(const struct zp_store *, const zp_call *, const zp_str *keys, const zp_range *ranges,
                                  size_t n, zp_found found, void *context) ZP_NOEXCEPT;
  /* ZP_STORE_WRITE */
  zp_status (*set)(const struct zp_store *, const zp_call *, const zp_str *key, const zp_bytes *value) ZP_NOEXCEPT;
  zp_status (*set_if_absent)(const struct zp_store *, const zp_call *, const zp_str *key, const zp_bytes *value,
                             uint32_t *stored) ZP_NOEXCEPT;
  zp_status (*set_partial_values)(const struct zp_store *, const zp_call *, const zp_str *keys, const uint64_t *starts,
                                  const zp_bytes *parts, size_t n) ZP_NOEXCEPT;
  zp_status (*erase)(const struct zp_store *, const zp_call *, const zp_str *key) ZP_NOEXCEPT;
  zp_status (*erase_values)(const struct zp_store *, const zp_call *, const zp_str *keys, size_t n) ZP_NOEXCEPT;
  zp_status (*erase_prefix)(const struct zp_store *, const zp_call *, const zp_str *prefix) ZP_NOEXCEPT;
  /* ZP_STORE_LIST */
  zp_status (*list_dir)(const struct zp_store *, const zp_call *, const zp_str *prefix, zp_found found,
                        void *context) ZP_NOEXCEPT;
  zp_status (*list_prefix)(const struct zp_store *, const zp_call *, const zp_str *prefix, zp_found found,
                           void *context) ZP_NOEXCEPT;
  zp_status (*list)(const struct zp_store *, const zp_call *, zp_found found, void *context) ZP_NOEXCEPT;
  /* ZP_STORE_WRITE: changes a value without losing anything that others store at the same time. */
  zp_status (*update)(const struct zp_store *, const zp_call *, const zp_str *key, zp_change change,
                      void *context) ZP_NOEXCEPT;
} zp_store;
#define ZP_STORE_READ 1u
#define ZP_STORE_WRITE 2u
#define ZP_STORE_LIST 4u

typedef struct zp_storage_transformer {
  ZP_HEAD;
  /* Fills `above`. `below` belongs to the transformer, which may copy it, and releases it once, even if this fails. */
  zp_status (*wrap)(const void *self, const zp_call *, const zp_store *below, zp_store *above) ZP_NOEXCEPT;
} zp_storage_transformer;

/* ---- the plugin ------------------------------------------------------------------------------------------------- */

typedef struct zp_extension {
  uint32_t struct_size;
  uint32_t kind;  /* ZP_EXTENSION_* */
  uint64_t caps;  /* ZP_CAP_*; the host ignores unknown bits */
  uint64_t needs; /* the host refuses an extension with unknown bits; none are defined yet */
  const zp_str *name;
  const zp_str *aliases;
  size_t n_aliases;
  const void *vtable; /* the vtable of the kind */
} zp_extension;
#define ZP_EXTENSION_DATA_TYPE 1u
#define ZP_EXTENSION_CHUNK_GRID 2u
#define ZP_EXTENSION_CHUNK_KEY_ENCODING 3u
#define ZP_EXTENSION_ARRAY_TO_ARRAY 4u
#define ZP_EXTENSION_ARRAY_TO_BYTES 5u
#define ZP_EXTENSION_BYTES_TO_BYTES 6u
#define ZP_EXTENSION_STORAGE_TRANSFORMER 7u
#define ZP_CAP_STRIDED 1u /* arrays may have any strides and alignment */
#define ZP_CAP_LOSSY 2u   /* decoded elements may differ from the elements that were encoded */

typedef struct zp_plugin {
  uint32_t struct_size;
  uint32_t abi_minor; /* the minor version that the plugin is built for */
  uint64_t magic;     /* ZP_MAGIC */
  const zp_str *id;   /* one or more words with dots between, for instance a reversed domain name */
  const zp_str *version;
  const zp_extension *const *extensions;
  size_t n_extensions;
  const zp_bytes *manifest; /* the JSON text that ZP_MANIFEST embeds */
} zp_plugin;

/* The only exported function. Returns static data, or NULL after call->set_error. May be called several times. */
ZP_EXPORT const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) ZP_NOEXCEPT;

/* ---- for authors in C and C++ ------------------------------------------------------------------------------------- */

/* Embeds a manifest, so that it can be read without running code, and defines a name for zp_plugin.manifest:
 *   ZP_MANIFEST(manifest, "{\"manifest\":1,...}");  ... .manifest = &manifest */
#define ZP_MANIFEST(name, json)                                                                                        \
  ZP_EXTERN_C_USED struct {                                                                                            \
    char magic[8];                                                                                                     \
    unsigned char len[8];                                                                                              \
    char text[sizeof(json)];                                                                                           \
  } const name##_embedded = {{'Z', 'A', 'R', 'R', 'P', 'L', 'G', '1'},                                                 \
                             {(sizeof(json) - 1) & 0xff, ((sizeof(json) - 1) >> 8) & 0xff,                             \
                              ((sizeof(json) - 1) >> 16) & 0xff, 0, 0, 0, 0, 0},                                       \
                             json};                                                                                    \
  static const zp_bytes name = {(const uint8_t *)name##_embedded.text, sizeof(json) - 1}
#if defined(_WIN32)
#define ZP_EXTERN_C_USED static
#else
#define ZP_EXTERN_C_USED __attribute__((used)) static
#endif

/* The initializer of a zp_str from a string literal. */
#define ZP_STR(literal) {literal, sizeof(literal) - 1}

/* Reports an error, and returns its status: return ZP_FAIL(call, ZP_E_DATA, "cut short"); */
static inline zp_status zp_fail(const zp_call *call, zp_status status, const char *message, size_t len) {
  zp_str text;
  text.ptr = message;
  text.len = len;
  if (call && call->set_error) call->set_error(call, status, &text, (const zp_str *)0);
  return status;
}
#define ZP_FAIL(call, status, literal) zp_fail(call, status, literal, sizeof(literal) - 1)

/* Returns room for n > 0 bytes in an output that is still empty. NULL: call->set_error has been called. */
static inline uint8_t *zp_room(zp_out *out, const zp_call *call, size_t n) {
  if (n > out->cap && (!out->reserve || out->reserve(out, call, out->len, n) != ZP_OK)) return (uint8_t *)0;
  return out->data;
}

/* Sets the result to the n bytes of the input at an offset, which must lie within it, without a copy. Returns 0 if the
 * output does not allow that: then write to it. */
static inline int zp_alias(zp_out *out, const zp_bytes *input, size_t offset, size_t n) {
  if (!(out->flags & ZP_OUT_ALIAS)) return 0;
  if (n) out->data = (uint8_t *)(uintptr_t)(input->ptr + offset);
  out->len = n;
  return 1;
}

#ifdef __cplusplus
} /* extern "C" */
/* Converts exceptions in the body of a C++ function to a status: ZP_GUARD(call, { ... return ZP_OK; }) */
#define ZP_GUARD(call, ...)                                                                                            \
  try {                                                                                                                \
    __VA_ARGS__                                                                                                        \
  } catch (...) {                                                                                                      \
    return ZP_FAIL(call, ZP_E_PANIC, "an exception was thrown");                                                       \
  }
#endif
#endif
