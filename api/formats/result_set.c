/* result_set.c - see result_set.h. */
#include "api/formats/result_set.h"

#include <stdlib.h>
#include <string.h>

char **api_result_set_names(const service_array *arrays, size_t count, const api_name_rule *rule) {
  const char **names = calloc(count + 1, sizeof *names);
  for (size_t i = 0; names && i < count; i++) names[i] = arrays[i].name;
  char **unique = names ? api_unique_names(rule, names, count) : NULL;
  free(names);
  return unique;
}

static uint64_t columns_of(const service_array *array) {
  uint64_t columns = 1;
  for (int i = 1; i < array->rank; i++) columns *= array->shape[i];
  return columns;
}

uint64_t api_result_set_bytes(const service_array *arrays, size_t count) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; i++) bytes += arrays[i].shape[0] * columns_of(&arrays[i]) * sizeof(double);
  return bytes;
}

static uint64_t length_of(const char *text) { return text ? strlen(text) : 0; }

uint64_t api_result_set_max_bytes(const service_array *arrays, size_t count) {
  /* Each text is an object in MATLAB's HDF5 files; its characters have two bytes. */
  enum { AN_OBJECT = 1024, AN_ARRAY = 16384, A_FILE = 65536 };
  uint64_t bytes = api_result_set_bytes(arrays, count) + A_FILE;
  for (size_t i = 0; i < count; i++) {
    const service_array *array = &arrays[i];
    uint64_t text = length_of(array->labels) + length_of(array->units) + length_of(array->doc);
    bytes += AN_ARRAY + 2 * AN_OBJECT * columns_of(array) + 2 * text;
  }
  return bytes;
}
