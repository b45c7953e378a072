/* resources.c - see resources.h. */
#include "resources.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int digit(char c) {
  const char *digits = "0123456789abcdef", *at = strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  return c && at ? (int)(at - digits) : -1;
}

char *fmu_path_of_uri(const char *uri) {
  if (!uri) return NULL;
  const bool is_uri = strncmp(uri, "file:", 5) == 0;
  const char *from = is_uri ? uri + 5 : uri;
  if (is_uri && strncmp(from, "//", 2) == 0) from = strchr(from + 2, '/'); /* skips the host */
  char *path = from ? malloc(strlen(from) + 1) : NULL, *to = path;
  if (!path) return NULL;
  for (; *from; from++) {
    const bool escaped = is_uri && *from == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0;
    *to++ = escaped ? (char)(16 * digit(from[1]) + digit(from[2])) : *from;
    if (escaped) from += 2;
  }
  *to = '\0';
  return path;
}

static char *read_all(FILE *file, size_t *size) {
  char *text = NULL;
  const long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (length >= 0 && fseek(file, 0, SEEK_SET) == 0) text = malloc((size_t)length + 1);
  if (!text) return NULL;
  *size = fread(text, 1, (size_t)length, file);
  text[*size] = '\0';
  if (*size == (size_t)length) return text;
  free(text);
  return NULL;
}

char *fmu_read_file(const char *folder, const char *name, size_t *size) {
  const size_t length = strlen(folder) + strlen(name) + 2;
  char *path = malloc(length);
  if (!path) return NULL;
  snprintf(path, length, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  free(path);
  char *text = file ? read_all(file, size) : NULL;
  if (file) fclose(file);
  return text;
}
