/* Tests the plugin, acting as its host: cc -o test test.c && ./test */
#include "plugin.c"
#include <stdio.h>

/* A valid configuration with all members, as the plugin writes it, and one that it must reject. JSON without spaces. */
#define CONFIGURATION "{}"
#define INVALID_CONFIGURATION "{\"wrong\":1}"

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition);           \
      return 1;                                                                       \
    }                                                                                 \
  } while (0)

static void set_error(const zp_call *call, zp_status status, const zp_str *message, const zp_str *hint) ZP_NOEXCEPT {
  (void)call, (void)hint;
  printf("  refused with %d: %.*s\n", (int)status, (int)message->len, message->ptr);
}

static const zp_call call = {sizeof(zp_call), 1, 1 << 20, 0, 0, set_error, 0, 0};

static zp_status reserve(zp_out *out, const zp_call *call, size_t keep, size_t min_cap) ZP_NOEXCEPT {
  (void)keep;
  printf("  an output of %lu bytes is too small for %lu\n", (unsigned long)out->cap, (unsigned long)min_cap);
  return ZP_FAIL(call, ZP_E_LIMIT, "the memory of this test is too small");
}

/* An output in fixed memory. */
static zp_out output(void *memory, size_t n) {
  zp_out out = {sizeof(zp_out), ZP_OUT_FIXED, 0, 0, 0, 0, 0, reserve};
  out.data = (uint8_t *)memory;
  out.cap = n;
  out.max_len = n;
  return out;
}

/* Returns whether an output contains a text, and prints it if not. */
static int contains(const zp_out *out, const char *text) {
  if (out->len == strlen(text) && memcmp(out->data, text, out->len) == 0) return 1;
  printf("  expected %s, found %.*s\n", text, (int)out->len, (const char *)out->data);
  return 0;
}

/* Creates an instance for an array of 3 x 4 bytes. */
static zp_status make(const char *json, void **self) {
  static const uint64_t shape[] = {3, 4};
  static const uint8_t zero[1] = {0};
  static const zp_layout bytes = {sizeof(zp_layout), ZP_FORM_FIXED, ZP_KIND_UINT, 1, 1, 0, 0, 0};
  static const zp_str label = ZP_STR("uint8");
  static const zp_bytes fill = {zero, 1};
  static const zp_representation array = {sizeof(zp_representation), 2, &bytes, &label, shape, &fill, 0, 0, 0};
  static const zp_size size = {ZP_SIZE_EXACT, 0, 12};
  zp_bytes text;
  zp_site site = {sizeof(zp_site), ZP_INTENT_CREATE, 0, 0, &name, 0, &array, &size};
  text.ptr = (const uint8_t *)json;
  text.len = strlen(json);
  site.configuration = &text;
  return table.create(0, &call, &site, self);
}

int main(void) {
  void *self = 0;
  char memory[1000], json[1000];
  zp_out out = output(memory, sizeof(memory)), text = output(json, sizeof(json));
  (void)out;
  CHECK(zarr_plugin_entry_v1(0, &call)->magic == ZP_MAGIC);
  CHECK(make(INVALID_CONFIGURATION, &self) == ZP_E_CONFIGURATION);
  CHECK(make(CONFIGURATION, &self) == ZP_OK);
  CHECK(table.configuration(self, &call, &text) == ZP_OK);
  CHECK(contains(&text, CONFIGURATION));
