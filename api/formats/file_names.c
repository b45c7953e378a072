/* file_names.c - see file_names.h. */
#include "api/formats/file_names.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes; file systems allow 255, and a number and an extension follow. */
enum { LONGEST = 200 };

static char *safe_name(const char *name) {
  size_t length = strlen(name);
  if (length > LONGEST) {
    length = LONGEST;
    while (((unsigned char)name[length] & 0xc0) == 0x80) length--; /* no half characters */
  }
  char *file = length > 0 ? strndup(name, length) : strdup("_");
  for (char *c = file; c && *c; c++) {
    bool control = (unsigned char)*c < ' ' || *c == 0x7f;
    bool dot = *c == '.' && (c == file || name[c - file - 1] == '.');
    if (control || dot || strchr("/\\:", *c)) *c = '_';
  }
  return file;
}

/* Gives `file` (taken over) a number where it is taken. `taken` has all file names so far, with the number to try next
 * for each; NULL when there is no memory. */
static char *free_name(json_t *taken, char *file) {
  json_t *last = file ? json_object_get(taken, file) : NULL;
  if (!last) return file;
  char numbered[LONGEST + 32];
  do {
    json_integer_set(last, json_integer_value(last) + 1);
    snprintf(numbered, sizeof numbered, "%s_%lld", file, (long long)json_integer_value(last));
  } while (json_object_get(taken, numbered));
  free(file);
  return strdup(numbered);
}

static bool take(json_t *taken, const char *file) {
  return file && json_object_set_new_nocheck(taken, file, json_integer(1)) == 0;
}

char **api_file_names(const char *const *names, size_t count) {
  char **files = calloc(count + 1, sizeof *files);
  json_t *taken = json_object();
  bool good = files && taken;
  /* Names that are safe come first: nothing may take them away. */
  for (size_t i = 0; good && i < count; i++) {
    files[i] = safe_name(names[i]);
    good = files[i] != NULL;
    if (good && strcmp(files[i], names[i]) == 0) good = take(taken, files[i]);
  }
  for (size_t i = 0; good && i < count; i++) {
    if (strcmp(files[i], names[i]) == 0) continue;
    files[i] = free_name(taken, files[i]);
    good = take(taken, files[i]);
  }
  json_decref(taken);
  if (good) return files;
  api_file_names_free(files, count);
  return NULL;
}

void api_file_names_free(char **files, size_t count) {
  for (size_t i = 0; files && i < count; i++) free(files[i]);
  free(files);
}
