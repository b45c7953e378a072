/* file_names.c - see file_names.h. */
#include "api/formats/file_names.h"

#include <stdbool.h>
#include <string.h>

static char *make_name(const char *name, size_t longest) {
  size_t length = strlen(name);
  if (length > longest) {
    length = longest;
    while (((unsigned char)name[length] & 0xc0) == 0x80) length--; /* do not cut within a character */
  }
  char *file = length > 0 ? strndup(name, length) : strdup("_");
  for (char *c = file; c && *c; c++) {
    bool control = (unsigned char)*c < ' ' || *c == 0x7f;
    bool dot = *c == '.' && (c == file || name[c - file - 1] == '.');
    if (control || dot || strchr("/\\:", *c)) *c = '_';
  }
  return file;
}

/* File systems permit 255 bytes, including an extension. */
const api_name_rule api_file_names = {make_name, API_NAME_LONGEST, NULL};
