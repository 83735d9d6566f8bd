
/* Changes nothing. Replace it with your encoding. */

static zp_status encoded_representation(const void *self, const zp_call *call, zp_representation *encoded) ZP_NOEXCEPT {
  (void)self, (void)call, (void)encoded; /* Everything stays as it is. */
  return ZP_OK;
}

/* Without ZP_CAP_STRIDED, elements are in C order without gaps. */
static zp_status encode(const void *self, const zp_call *call, const zp_array *decoded,
                        const zp_array *encoded) ZP_NOEXCEPT {
  size_t bytes = ((const instance *)self)->bytes;
  (void)call;
  if (bytes) memcpy(encoded->data, decoded->data, bytes);
  return ZP_OK;
}

static zp_status decode(const void *self, const zp_call *call, const zp_array *encoded,
                        const zp_array *decoded) ZP_NOEXCEPT {
  size_t bytes = ((const instance *)self)->bytes;
  (void)call;
  if (bytes) memcpy(decoded->data, encoded->data, bytes);
  return ZP_OK;
}

static const zp_array_to_array table = {
    sizeof(zp_array_to_array),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    encoded_representation,
    encode,
    decode,
    0, /* plan */
    0, /* decode_in_place */
    0, /* encoded_region */
};
