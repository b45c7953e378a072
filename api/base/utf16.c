/* utf16.c - see utf16.h. */
#include "api/base/utf16.h"

#include <stdbool.h>

/* The replacement character, for characters that cannot be written. */
static const uint16_t replacement = 0xfffd;

/* Reads the character at *text and advances *text. */
static uint32_t next_character(const unsigned char **text) {
  const unsigned char *at = *text;
  int more = *at < 0x80 ? 0 : *at >= 0xf0 && *at < 0xf8 ? 3 : *at >= 0xe0 ? 2 : 1;
  uint32_t character = more == 0 ? *at : *at & (0x3fu >> more);
  *text = at + 1;
  if ((*at >= 0x80 && *at < 0xc2) || *at > 0xf4) return replacement;
  for (int i = 1; i <= more; i++) {
    if ((at[i] & 0xc0) != 0x80) return replacement;
    character = character << 6 | (at[i] & 0x3f);
  }
  *text = at + 1 + more;
  return character <= 0x10ffff ? character : replacement;
}

size_t api_utf16(const char *text, uint16_t *units) {
  const unsigned char *at = (const unsigned char *)text;
  size_t count = 0;
  while (*at) {
    uint32_t character = next_character(&at);
    bool takes_two = character > 0xffff, is_half = character >= 0xd800 && character < 0xe000;
    units[count++] = takes_two || is_half ? replacement : (uint16_t)character;
  }
  return count;
}
