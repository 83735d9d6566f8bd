/* zarr_plugin.h - the C ABI of Zarr v3 plugins, major 1, minor 0. C11 or C++11, no dependencies.
 *
 * A plugin is a shared library that exports one function, zarr_plugin_entry_v1, and contains its manifest
 * (ZP_MANIFEST). It offers extensions of any of the five extension points. See docs/plugin-abi.md for the whole
 * contract; in short:
 *
 * - Layout: fixed-width integers, size_t and pointers only; no implicit padding; nothing but scalars and pointers is
 *   passed by value. Structs grow at the end only, and begin with struct_size: what lies beyond it does not exist.
 *   zp_str, zp_bytes, zp_range and zp_size never grow. Whoever makes a struct sets struct_size to its sizeof.
 * - Ownership: what is passed to a function is borrowed until it returns. Outputs belong to the caller. `self` belongs
 *   to the plugin, from create to destroy. A pointer may be NULL where its length is 0.
 * - Threads: `self` does not change after create. All functions but destroy are called from any threads at once.
 * - Errors: a function that returns anything but ZP_OK says why through call->set_error, if it has a call. Only ZP_OK is
 *   success.
 * - Calls back: set_error, scratch and join of zp_call, zp_out, zp_reader and zp_store, during the call they were passed
 *   to, and no later. When one of them fails, return its status at once. What is passed as zp_each, zp_make and zp_found,
 *   and one zp_out, is used by one thread at a time, and is not entered again before it has returned.
 * - Nothing unwinds into the other side: no exception, no panic, no longjmp, from functions passed to it neither. In C++
 *   functions are ZP_NOEXCEPT, and ZP_GUARD catches what their bodies throw.
 */
#ifndef ZARR_PLUGIN_H
#define ZARR_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

/* Belongs after the parameters of zarr_plugin_entry_v1 and of every function that goes into a vtable or another struct of
 * this header. C++ requires it: since C++17 noexcept is part of a function's type. In C it expands to nothing. */
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

/* True if the struct that p points to has the member. */
#define ZP_HAS(T, p, member) ((p)->struct_size >= offsetof(T, member) + sizeof((p)->member))

/* ---- values ---------------------------------------------------------------------------------------------------- */

typedef int32_t zp_status;
#define ZP_OK 0
#define ZP_E_CONFIGURATION 1 /* the configuration is refused                                               */
#define ZP_E_UNSUPPORTED 2   /* a valid use, but not of this extension (data type, rank, size)             */
#define ZP_E_DATA 3          /* stored bytes are damaged                                                   */
#define ZP_E_LIMIT 4         /* more memory than is allowed or there is                                    */
#define ZP_E_SUSPENDED 5     /* a zp_reader lacks bytes: return this at once, the call will be made again   */
#define ZP_E_MISSING 6       /* nothing is stored under the key                                            */
#define ZP_E_FILL_VALUE 7    /* a fill value that the data type does not permit                            */
#define ZP_E_ARGUMENT 8      /* a region, shape or key that does not fit                                   */
#define ZP_E_IO 9            /* the operating system refused                                               */
#define ZP_E_ABILITY 10      /* a store cannot do this                                                     */
#define ZP_E_INTERNAL 11     /* a fault of the plugin; the host goes on using it                           */
#define ZP_E_PANIC 12        /* a fault after which the plugin must not be used: the host quarantines it   */

typedef struct zp_str { /* UTF-8, not terminated; never grows */
  const char *ptr;
  size_t len;
} zp_str;

typedef struct zp_bytes { /* never grows */
  const uint8_t *ptr;
  size_t len;
} zp_bytes;

typedef struct zp_size { /* what is known of the size of encoded bytes; never grows */
  uint32_t kind;         /* ZP_SIZE_* */
  uint32_t reserved0;
  uint64_t bytes;
} zp_size;
#define ZP_SIZE_UNKNOWN 0u
#define ZP_SIZE_AT_MOST 1u /* a writer makes no more; a reader takes more */
#define ZP_SIZE_EXACT 2u

typedef struct zp_range { /* bytes of a value; never grows */
  uint32_t kind;          /* ZP_RANGE_* */
  uint32_t reserved0;
  uint64_t start;
  uint64_t len;
} zp_range;
#define ZP_RANGE_SLICE 0u  /* len bytes from start      */
#define ZP_RANGE_FROM 1u   /* all from start on         */
#define ZP_RANGE_SUFFIX 2u /* the last len bytes        */
#define ZP_RANGE_ALL 3u

/* ---- what the host passes to a call ---------------------------------------------------------------------------- */

typedef struct zp_options { /* choices at run time that never enter metadata */
  uint32_t struct_size;
  uint32_t flags;             /* ZP_OPTION_* */
  uint32_t inner_chunk_order; /* ZP_ORDER_* */
  uint32_t reserved0;
  const zp_str *roots; /* absolute folders below which files may be opened; only in create and wrap */
  size_t n_roots;
} zp_options;
#define ZP_OPTION_STORE_FILL 1u /* store chunks also when every element is the fill value */
#define ZP_ORDER_ROW_MAJOR 0u
#define ZP_ORDER_COLUMN_MAJOR 1u
#define ZP_ORDER_MORTON 2u

typedef struct zp_call {
  uint32_t struct_size;
  uint32_t max_threads;
  uint64_t chunk_limit; /* the most bytes of a decoded chunk; allocate no more on the word of stored data */
  const zp_options *options; /* NULL: what all zeros mean */
  void *host;
  /* Says what went wrong, and what to do about it (hint may be NULL). Copied at once. */
  void (*set_error)(const struct zp_call *, zp_status, const zp_str *message, const zp_str *hint) ZP_NOEXCEPT;
  /* Memory with any contents, aligned to 64 bytes, until the call ends. NULL: more than is allowed. */
  void *(*scratch)(const struct zp_call *, size_t size) ZP_NOEXCEPT;
  /* Runs f(a) and f(b), perhaps on two threads, and returns when both have run. */
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
  /* Makes cap at least min_cap; may move data, keeps data[0..keep]. */
  zp_status (*reserve)(struct zp_out *, const zp_call *, size_t keep, size_t min_cap) ZP_NOEXCEPT;
} zp_out;
#define ZP_OUT_FIXED 1u /* cap is all there will be */
#define ZP_OUT_ALIAS 2u /* instead of writing, data may be set to a part of the input: see zp_alias */

/* Takes the bytes of range i, in any order, each range at least once; they are valid until it returns. */
typedef zp_status (*zp_each)(void *context, size_t i, const uint8_t *bytes, size_t len);
/* Makes something costly from a value's bytes, to be kept and used again; drop is called when it is given up. */
typedef zp_status (*zp_make)(void *context, void **made);

typedef struct zp_reader { /* one version of one stored value */
  uint32_t struct_size;
  uint32_t flags;
  uint64_t gap;  /* ranges closer than this are better read as one */
  uint64_t size; /* UINT64_MAX: not known */
  void *host;
  zp_status (*read)(const struct zp_reader *, const zp_call *, const zp_range *ranges, size_t n, zp_each each,
                    void *context) ZP_NOEXCEPT;
  /* Reads a range of exactly len bytes. */
  zp_status (*read_into)(const struct zp_reader *, const zp_call *, const zp_range *range, uint8_t *out,
                         size_t len) ZP_NOEXCEPT;
  /* The whole value, if it is in memory; otherwise NULL. May be a null function. */
  const uint8_t *(*in_memory)(const struct zp_reader *, size_t *len) ZP_NOEXCEPT;
  /* What make gives, kept until the call ends; drop may come later, from any thread, and after destroy. Key: a number that
   * no other instance has, as its address, and where in the value its window begins. A null function: make it yourself. */
  zp_status (*memo)(const struct zp_reader *, const zp_call *, const void *owner, uint64_t start, zp_make make,
                    void *context, void (*drop)(void *), void **kept) ZP_NOEXCEPT;
  /* Gives the reader back. A null function: it is borrowed. */
  void (*release)(struct zp_reader *) ZP_NOEXCEPT;
} zp_reader;

/* ---- representations and arrays -------------------------------------------------------------------------------- */

typedef struct zp_field { /* scalars of one kind, one after another */
  uint32_t struct_size;
  uint32_t kind;       /* ZP_KIND_* */
  uint32_t width;      /* bytes of one scalar */
  uint32_t components; /* how many scalars */
  const zp_str *name;
} zp_field;
#define ZP_KIND_BOOL 1u /* one byte, 0 or 1           */
#define ZP_KIND_INT 2u
#define ZP_KIND_UINT 3u
#define ZP_KIND_FLOAT 4u /* IEEE 754 binary           */
#define ZP_KIND_RAW 5u   /* bytes without byte order  */

typedef struct zp_layout { /* how the elements of a data type lie in memory, in the machine's byte order */
  uint32_t struct_size;
  uint32_t form;       /* ZP_FORM_* */
  uint32_t kind;       /* FIXED: ZP_KIND_* */
  uint32_t width;      /* FIXED: bytes of one scalar */
  uint32_t components; /* FIXED: scalars of one element: 1 for numbers, 2 for complex ones */
  uint32_t reserved0;
  const zp_field *const *fields; /* STRUCT: one after another without gaps */
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
  const zp_str *label; /* what to call the data type in messages */
  const uint64_t *shape;
  const zp_bytes *fill; /* one element; with variable length its bytes */
  /* In what encoded_representation gives, one of these, or none if the data type stays the same: */
  const zp_bytes *data_type_json;       /* a data type as metadata names it */
  const struct zp_data_type *data_type; /* a data type of the plugin; lives as long as the codec */
  const void *data_type_self;
} zp_representation;

/* Elements, in the machine's byte order. Without ZP_CAP_STRIDED they come in C order without gaps, and data is aligned to
 * their scalars, unless they are structs; with it any strides and any alignment. */
typedef struct zp_array {
  uint32_t struct_size;
  uint32_t rank;
  uint8_t *data;           /* the first element. Read only, unless the function writes this array */
  const uint64_t *shape;
  const int64_t *strides;  /* bytes; NULL: C order without gaps */
  size_t element_size;
  const uint64_t *offsets; /* variable length, to be read: element i is data[offsets[i]..offsets[i + 1]] in C order */
  zp_out *bytes_out;       /* variable length, to be written: all elements' bytes, and count + 1 offsets (uint64_t) */
  zp_out *offsets_out;
} zp_array;

/* ---- extensions ------------------------------------------------------------------------------------------------ */

typedef struct zp_host {
  uint32_t struct_size;
  uint32_t abi_minor;
  const zp_str *name;
  const zp_str *version;
} zp_host;

typedef struct zp_site { /* what an extension is created for */
  uint32_t struct_size;
  uint32_t intent; /* ZP_INTENT_* */
  uint32_t depth;  /* how deep the chain is nested */
  uint32_t reserved0;
  const zp_str *name;                      /* as asked for; may be an alias */
  const zp_bytes *configuration;           /* a JSON object */
  const zp_representation *representation; /* codecs: what reaches them; data types: NULL; others: the array */
  const zp_size *size;                     /* bytes -> bytes codecs: what is known of what reaches them */
} zp_site;
#define ZP_INTENT_OPEN 0u   /* the metadata is stored: what the specification requires must be there     */
#define ZP_INTENT_CREATE 1u /* a user asks: choose what is left out, and give it in configuration         */

/* Every vtable begins with this. Functions marked `optional` may be null. `abilities`, itself optional, gives those of
 * the functions marked with ZP_ABILITY_* that this instance has; without it, it has all that are not null. */
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
  /* optional, ZP_ABILITY_DECODED_READ: ranges of decoded bytes, from a reader of encoded ones. */
  zp_status (*decoded_read)(const void *self, const zp_call *, const zp_reader *encoded, const zp_range *ranges,
                            size_t n, zp_each each, void *context) ZP_NOEXCEPT;
} zp_bytes_to_bytes;

typedef struct zp_array_to_bytes {
  ZP_HEAD;
  zp_status (*encoded_size)(const void *self, zp_size *encoded) ZP_NOEXCEPT;
  zp_status (*encode)(const void *self, const zp_call *, const zp_array *decoded, zp_out *encoded) ZP_NOEXCEPT;
  zp_status (*decode)(const void *self, const zp_call *, const zp_bytes *encoded, const zp_array *decoded) ZP_NOEXCEPT;
  /* optional, ZP_ABILITY_PARTIAL: a region of the chunk into an array of its shape. */
  zp_status (*partial_decode)(const void *self, const zp_call *, const zp_reader *encoded, const uint64_t *start,
                              const uint64_t *len, const zp_array *decoded) ZP_NOEXCEPT;
  /* optional, ZP_ABILITY_UPDATE: the chunk `old` (NULL: nothing is stored) with a region replaced. Sets *is_fill to 1
   * instead of writing if every element is the fill value. */
  zp_status (*update)(const void *self, const zp_call *, const zp_reader *old, const uint64_t *start,
                      const uint64_t *len, const zp_array *decoded, zp_out *encoded, uint32_t *is_fill) ZP_NOEXCEPT;
  /* optional: sets *width if encoded bytes are the elements in C order once each part of that many bytes is reversed
   * (1: as they are), otherwise 0. */
  zp_status (*raw)(const void *self, uint64_t *width) ZP_NOEXCEPT;
  /* optional: the shape of the parts that can be read on their own, which lives as long as self, or NULL. */
  zp_status (*inner_chunk_shape)(const void *self, const uint64_t **shape) ZP_NOEXCEPT;
} zp_array_to_bytes;

typedef struct zp_array_to_array {
  ZP_HEAD;
  /* What becomes of the representation. Members that are left NULL stay as they are; what others point to lives as
   * long as self. */
  zp_status (*encoded_representation)(const void *self, const zp_call *, zp_representation *encoded) ZP_NOEXCEPT;
  zp_status (*encode)(const void *self, const zp_call *, const zp_array *decoded, const zp_array *encoded) ZP_NOEXCEPT;
  zp_status (*decode)(const void *self, const zp_call *, const zp_array *encoded, const zp_array *decoded) ZP_NOEXCEPT;
  /* optional: how the host may decode. PERMUTE: dimension i of the encoded array is dimension order[i] of the decoded
   * one; order lives as long as self. */
  zp_status (*plan)(const void *self, uint32_t *plan, const uint64_t **order) ZP_NOEXCEPT;
  /* optional: for ZP_PLAN_IN_PLACE, which elements of variable length cannot have. */
  zp_status (*decode_in_place)(const void *self, const zp_call *, const zp_array *elements) ZP_NOEXCEPT;
  /* optional: the part of the encoded array, of the same shape, that a part of the decoded one needs; *found 0: all. */
  zp_status (*encoded_region)(const void *self, const uint64_t *start, const uint64_t *len, uint64_t *encoded_start,
                              uint64_t *encoded_len, uint32_t *found) ZP_NOEXCEPT;
} zp_array_to_array;
#define ZP_PLAN_COPY 0u
#define ZP_PLAN_PERMUTE 1u
#define ZP_PLAN_IN_PLACE 2u

typedef struct zp_data_type {
  ZP_HEAD;
  /* What it points to lives as long as self. */
  zp_status (*layout)(const void *self, zp_layout *layout) ZP_NOEXCEPT;
  zp_status (*fill_from_json)(const void *self, const zp_call *, const zp_bytes *json, zp_out *element) ZP_NOEXCEPT;
  zp_status (*fill_to_json)(const void *self, const zp_call *, const zp_bytes *element, zp_out *json) ZP_NOEXCEPT;
  /* optional: the fill value of a new array, in JSON; otherwise 0. */
  zp_status (*default_fill)(const void *self, const zp_call *, zp_out *json) ZP_NOEXCEPT;
  /* optional: checks elements of a fixed size, in C order, where not every pattern of bits is a value. */
  zp_status (*check_elements)(const void *self, const zp_call *, const zp_bytes *elements) ZP_NOEXCEPT;
} zp_data_type;

typedef struct zp_axis { /* how cells cut one dimension */
  uint32_t struct_size;
  uint32_t kind;           /* ZP_AXIS_* */
  uint64_t regular;        /* REGULAR: the length of every cell */
  const uint64_t *lengths; /* LENGTHS: of the cells; lives as long as self */
  size_t n_lengths;
} zp_axis;
#define ZP_AXIS_NONE 0u /* the grid does not cut each dimension on its own */
#define ZP_AXIS_REGULAR 1u
#define ZP_AXIS_LENGTHS 2u

typedef struct zp_chunk_grid { /* arrays of numbers have as many as the array has dimensions */
  ZP_HEAD;
  zp_status (*grid_shape)(const void *self, const zp_call *, const uint64_t *array_shape, uint32_t rank,
                          uint64_t *grid_shape) ZP_NOEXCEPT;
  zp_status (*cell)(const void *self, const zp_call *, const uint64_t *array_shape, uint32_t rank, const uint64_t *cell,
                    uint64_t *start, uint64_t *len) ZP_NOEXCEPT;
  zp_status (*cell_of)(const void *self, const zp_call *, const uint64_t *array_shape, uint32_t rank,
                       const uint64_t *element, uint64_t *cell) ZP_NOEXCEPT;
  zp_status (*axis)(const void *self, uint32_t axis, zp_axis *cells) ZP_NOEXCEPT; /* optional */
  /* optional: the configuration for the array with another shape; nothing written: it stays. */
  zp_status (*resized)(const void *self, const zp_call *, const uint64_t *array_shape, const uint64_t *new_shape,
                       uint32_t rank, zp_out *json) ZP_NOEXCEPT;
} zp_chunk_grid;

typedef struct zp_chunk_key_encoding {
  ZP_HEAD;
  zp_status (*encode)(const void *self, const zp_call *, const uint64_t *cell, uint32_t rank, zp_out *key) ZP_NOEXCEPT;
  /* *found 0: it is no chunk's key. */
  zp_status (*decode)(const void *self, const zp_call *, const zp_str *key, uint32_t rank, uint64_t *cell,
                      uint32_t *found) ZP_NOEXCEPT;
} zp_chunk_key_encoding;

/* ---- storage transformers: experimental, the plugin and the host must have the same minor ------------------------ */

/* Takes what was found: for get_partial_values the value of range i, each once (NULL: none; an empty value is not NULL);
 * for lists a key or prefix. */
typedef zp_status (*zp_found)(void *context, size_t i, uint32_t is_prefix, const uint8_t *bytes, size_t len);

/* Gives what is to be stored in place of old (NULL: there is no value); *stored 0: nothing is. The bytes live until its next
 * call or the end of update. It is called again when another writer was faster, and must not use the store for the same key.
 * The call is the one that update was given. old has no memo: it is of one try only. */
typedef zp_status (*zp_change)(void *context, const zp_call *, const zp_reader *old, zp_bytes *value, uint32_t *stored);

typedef struct zp_store {
  uint32_t struct_size;
  uint32_t abilities; /* ZP_STORE_* */
  void *self;
  void (*release)(struct zp_store *) ZP_NOEXCEPT;
  zp_status (*uri)(const struct zp_store *, const zp_call *, const zp_str *prefix, zp_out *uri) ZP_NOEXCEPT;
  /* ZP_STORE_READ. open sets *found to 0 if there is no value; the reader is given back through its release. */
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
  /* ZP_STORE_WRITE: changes a value, and loses nothing that others store at the same time. */
  zp_status (*update)(const struct zp_store *, const zp_call *, const zp_str *key, zp_change change,
                      void *context) ZP_NOEXCEPT;
} zp_store;
#define ZP_STORE_READ 1u
#define ZP_STORE_WRITE 2u
#define ZP_STORE_LIST 4u

typedef struct zp_storage_transformer {
  ZP_HEAD;
  /* Fills `above`. `below`, a copy of which it may keep, is the transformer's, which releases it once: also if it fails. */
  zp_status (*wrap)(const void *self, const zp_call *, const zp_store *below, zp_store *above) ZP_NOEXCEPT;
} zp_storage_transformer;

/* ---- the plugin ------------------------------------------------------------------------------------------------- */

typedef struct zp_extension {
  uint32_t struct_size;
  uint32_t kind;  /* ZP_EXTENSION_* */
  uint64_t caps;  /* ZP_CAP_*; the host ignores bits that it does not know */
  uint64_t needs; /* the host refuses an extension with bits that it does not know; none are defined yet */
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
#define ZP_CAP_LOSSY 2u   /* decoding may give other elements than were encoded */

typedef struct zp_plugin {
  uint32_t struct_size;
  uint32_t abi_minor; /* the minor that it was built for */
  uint64_t magic;     /* ZP_MAGIC */
  const zp_str *id;   /* one or more words with dots between, for instance a reversed domain name */
  const zp_str *version;
  const zp_extension *const *extensions;
  size_t n_extensions;
  const zp_bytes *manifest; /* the JSON text that ZP_MANIFEST embeds */
} zp_plugin;

/* The one exported function. Static data, or NULL after call->set_error. May be called several times. */
ZP_EXPORT const zp_plugin *zarr_plugin_entry_v1(const zp_host *host, const zp_call *call) ZP_NOEXCEPT;

/* ---- for authors in C and C++ ------------------------------------------------------------------------------------- */

/* Embeds a manifest, so that it can be read without running code, and names it for zp_plugin.manifest:
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

/* A string literal as a zp_str. */
#define ZP_STR(literal) {literal, sizeof(literal) - 1}

/* Says what went wrong, and gives the status back: return ZP_FAIL(call, ZP_E_DATA, "cut short"); */
static inline zp_status zp_fail(const zp_call *call, zp_status status, const char *message, size_t len) {
  zp_str text;
  text.ptr = message;
  text.len = len;
  if (call && call->set_error) call->set_error(call, status, &text, (const zp_str *)0);
  return status;
}
#define ZP_FAIL(call, status, literal) zp_fail(call, status, literal, sizeof(literal) - 1)

/* Room for n bytes, n > 0, in an output that nothing is written to yet; NULL: call->set_error has been called. */
static inline uint8_t *zp_room(zp_out *out, const zp_call *call, size_t n) {
  if (n > out->cap && (!out->reserve || out->reserve(out, call, out->len, n) != ZP_OK)) return (uint8_t *)0;
  return out->data;
}

/* Says that the result is n bytes of the input from an offset on, which lie within it: nothing is copied. 0: the output
 * does not take that, write to it. */
static inline int zp_alias(zp_out *out, const zp_bytes *input, size_t offset, size_t n) {
  if (!(out->flags & ZP_OUT_ALIAS)) return 0;
  if (n) out->data = (uint8_t *)(uintptr_t)(input->ptr + offset);
  out->len = n;
  return 1;
}

#ifdef __cplusplus
} /* extern "C" */
/* Around the body of a function in C++: what is thrown becomes a status. ZP_GUARD(call, { ... return ZP_OK; }) */
#define ZP_GUARD(call, ...)                                                                                            \
  try {                                                                                                                \
    __VA_ARGS__                                                                                                        \
  } catch (...) {                                                                                                      \
    return ZP_FAIL(call, ZP_E_PANIC, "an exception was thrown");                                                       \
  }
#endif
#endif
