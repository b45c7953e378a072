/* text.c - see text.h. */
#include "api/base/text.h"

#include <stdbool.h>
#include <string.h>

char *api_text_copy(const char *text) { return text ? strdup(text) : NULL; }

char *api_text_start(const char *text, size_t characters) {
  if (!text) return NULL;
  const char *end = text;
  for (; *end; end++) {
    bool begins = (*end & 0xc0) != 0x80; /* not within a character */
    if (begins && characters-- == 0) break;
  }
  return strndup(text, (size_t)(end - text));
}
