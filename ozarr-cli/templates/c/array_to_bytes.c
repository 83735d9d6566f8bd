
/* Stores elements as they are in memory. Replace it with your encoding. */

static zp_status encoded_size(const void *self, zp_size *encoded) ZP_NOEXCEPT {
  encoded->kind = ZP_SIZE_EXACT;
  encoded->bytes = ((const instance *)self)->bytes;
  return ZP_OK;
}

/* Without ZP_CAP_STRIDED, elements are in C order without gaps. */
static zp_status encode(const void *self, const zp_call *call, const zp_array *decoded, zp_out *encoded) ZP_NOEXCEPT {
  return put(encoded, call, (const char *)decoded->data, ((const instance *)self)->bytes);
}

static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded,
                        const zp_array *decoded) ZP_NOEXCEPT {
  size_t bytes = ((const instance *)self)->bytes;
  if (encoded->len != bytes) return ZP_FAIL(call, ZP_E_DATA, "the length is not that of the array");
  if (bytes) memcpy(decoded->data, encoded->ptr, bytes);
  return ZP_OK;
}

static const zp_array_to_bytes table = {
    sizeof(zp_array_to_bytes),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    encoded_size,
    encode,
    decode,
    0, /* partial_decode */
    0, /* update */
    0, /* raw */
    0, /* inner_chunk_shape */
};
