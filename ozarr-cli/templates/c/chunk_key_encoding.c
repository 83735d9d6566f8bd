
/* `chunk` and the chunk index, separated by dots. Replace it with your keys. */

/* Writes a number that ends before `end`, and returns its first digit. */
static char *number(char *end, uint64_t n) {
  do {
    *--end = (char)('0' + n % 10);
    n /= 10;
  } while (n);
  return end;
}

static zp_status encode(const void *self, const zp_call *call, const uint64_t *cell, uint32_t rank,
                        zp_out *key) ZP_NOEXCEPT {
  uint8_t *to = zp_room(key, call, 5 + (size_t)rank * 21);
  uint32_t i;
  (void)self;
  if (!to) return ZP_E_LIMIT;
  memcpy(to, "chunk", 5);
  key->len = 5;
  for (i = 0; i < rank; i++) {
    char digits[20], *first = number(digits + 20, cell[i]);
    size_t n = (size_t)(digits + 20 - first);
    to[key->len] = '.';
    memcpy(to + key->len + 1, first, n);
    key->len += 1 + n;
  }
  return ZP_OK;
}

static zp_status decode(const void *self, const zp_call *call, const zp_str *key, uint32_t rank, uint64_t *cell,
                        uint32_t *found) ZP_NOEXCEPT {
  const char *at = key->ptr + 5, *end = key->ptr + key->len;
  uint32_t i;
  (void)self, (void)call;
  *found = 0;
  if (key->len < 5 || memcmp(key->ptr, "chunk", 5) != 0) return ZP_OK;
  for (i = 0; i < rank; i++) {
    const char *first;
    if (at == end || *at++ != '.') return ZP_OK;
    first = at;
    cell[i] = 0;
    while (at < end && *at >= '0' && *at <= '9' && cell[i] <= (UINT64_MAX - (uint64_t)(*at - '0')) / 10)
      cell[i] = cell[i] * 10 + (uint64_t)(*at++ - '0');
    /* Only a key that `encode` writes, so not `chunk.01`. */
    if (at == first || (*first == '0' && at > first + 1)) return ZP_OK;
  }
  *found = at == end;
  return ZP_OK;
}

static const zp_chunk_key_encoding table = {
    sizeof(zp_chunk_key_encoding),
    0, /* reserved0 */
    create,
    destroy,
    configuration,
    0, /* abilities */
    encode,
    decode,
};
