
/* One unsigned byte. Replace it with your layout and fill values. */

static zp_status layout(const void *self, zp_layout *layout) ZP_NOEXCEPT {
  (void)self;
  layout->form = ZP_FORM_FIXED;
  layout->kind = ZP_KIND_UINT;
  layout->width = 1;
  layout->components = 1;
  return ZP_OK;
}

static zp_status fill_from_json(const void *self, const zp_call *call, const zp_bytes *json,
                                zp_out *element) ZP_NOEXCEPT {
  size_t i;
  unsigned n = 0;
  char byte;
  (void)self;
  for (i = 0; i < json->len && json->ptr[i] >= '0' && json->ptr[i] <= '9' && n < 256; i++) n = n * 10 + json->ptr[i] - '0';
  if (i != json->len || n > 255) return ZP_FAIL(call, ZP_E_FILL_VALUE, "it permits integers from 0 to 255");
  byte = (char)n;
  return put(element, call, &byte, 1);
}

static zp_status fill_to_json(const void *self, const zp_call *call, const zp_bytes *element,
                              zp_out *json) ZP_NOEXCEPT {
  char digits[3];
  size_t n = sizeof(digits);
  unsigned value;
  (void)self;
  if (element->len != 1) return ZP_FAIL(call, ZP_E_FILL_VALUE, "it is not one byte");
  value = element->ptr[0];
  do {
    digits[--n] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  return put(json, call, digits + n, sizeof(digits) - n);
}

static const zp_data_type table = {
    sizeof(zp_data_type),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    layout,
    fill_from_json,
    fill_to_json,
    0, /* default_fill */
    0, /* check_elements */
};
