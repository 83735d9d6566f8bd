/* Known checksums: cc -I FOLDER_OF_THE_HEADER -o test test.c && ./test */
#include "plugin.c"
#include <stdio.h>

int main(void) {
  static const struct {
    const char *bytes;
    size_t len;
    uint32_t sum;
  } known[] = {{"", 0, 0}, {"\x01\x02\x03\xfa", 4, 0x05fe04fc}};
  uint8_t many[5000];
  size_t i;
  for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    uint32_t sum = fletcher32((const uint8_t *)known[i].bytes, known[i].len);
    if (sum != known[i].sum) {
      fprintf(stderr, "vector %u gives %08x\n", (unsigned)i, (unsigned)sum);
      return 1;
    }
  }
  /* Sums do not overflow: any number of words of all ones folds to all ones. */
  memset(many, 0xff, sizeof(many));
  for (i = 2; i < sizeof(many); i += 2)
    if (fletcher32(many, i) != 0xffffffff) {
      fprintf(stderr, "%u bytes overflow\n", (unsigned)i);
      return 1;
    }
  puts("all is well");
  return 0;
}
