
/* Changes nothing. Replace it with your encoding. */

static zp_status encoded_size(const void *self, const zp_size *decoded, zp_size *encoded) ZP_NOEXCEPT {
  (void)self;
  *encoded = *decoded;
  return ZP_OK;
}

static zp_status encode(const void *self, const zp_call *call, const zp_bytes *decoded, zp_out *encoded) ZP_NOEXCEPT {
  (void)self;
  return put(encoded, call, (const char *)decoded->ptr, decoded->len);
}

static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded, zp_out *decoded) ZP_NOEXCEPT {
  (void)self;
  /* The result is the input: nothing is copied. */
  if (zp_alias(decoded, encoded, 0, encoded->len)) return ZP_OK;
  return put(decoded, call, (const char *)encoded->ptr, encoded->len);
}

static const zp_bytes_to_bytes table = {
    sizeof(zp_bytes_to_bytes),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    encoded_size,
    encode,
    decode,
    0, /* decoded_read */
};
