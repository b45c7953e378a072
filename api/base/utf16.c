/* utf16.c - see utf16.h. */
#include "api/base/utf16.h"

/* Reads the character at *text and goes on to the next one. */
static uint32_t next_character(const unsigned char **text) {
  const unsigned char *at = *text;
  int more = *at < 0x80 ? 0 : *at >= 0xf0 && *at < 0xf8 ? 3 : *at >= 0xe0 ? 2 : 1;
  uint32_t character = more == 0 ? *at : *at & (0x3fu >> more);
  *text = at + 1;
  if ((*at >= 0x80 && *at < 0xc2) || *at > 0xf4) return 0xfffd;
  for (int i = 1; i <= more; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0xfffd;
    character = character << 6 | (at[i] & 0x3f);
  }
  *text = at + 1 + more;
  return character <= 0x10ffff ? character : 0xfffd;
}

size_t api_utf16(const char *text, uint16_t *units) {
  const unsigned char *at = (const unsigned char *)text;
  size_t count = 0;
  while (*at) {
    uint32_t character = next_character(&at);
    if (character < 0x10000) {
      units[count++] = (uint16_t)character;
    } else {
      units[count++] = (uint16_t)(0xd800 + ((character - 0x10000) >> 10));
      units[count++] = (uint16_t)(0xdc00 + ((character - 0x10000) & 0x3ff));
    }
  }
  return count;
}
