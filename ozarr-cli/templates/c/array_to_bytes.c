
/* Stores elements as they lie in memory. Put your encoding in its place. */

static zp_status encoded_size(const void *self, zp_size *encoded) ZP_NOEXCEPT {
  encoded->kind = ZP_SIZE_EXACT;
  encoded->bytes = ((const instance *)self)->bytes;
  return ZP_OK;
}

/* Without ZP_CAP_STRIDED elements come in C order without gaps. */
static zp_status encode(const void *self, const zp_call *call, const zp_array *decoded, zp_out *encoded) ZP_NOEXCEPT {
  return put(encoded, call, (const char *)decoded->data, ((const instance *)self)->bytes);
}

static zp_status decode(const void *self, const zp_call *call, const zp_bytes *encoded,
                        const zp_array *decoded) ZP_NOEXCEPT {
  size_t bytes = ((const instance *)self)->bytes;
  if (encoded->len != bytes) return ZP_FAIL(call, ZP_E_DATA, "it is not as long as the array");
  if (bytes) memcpy(decoded->data, encoded->ptr, bytes);
  return ZP_OK;
}

static const zp_array_to_bytes table = {sizeof(zp_array_to_bytes), 0, create, destroy, configuration, 0, encoded_size,
                                        encode, decode, 0, 0, 0, 0};
