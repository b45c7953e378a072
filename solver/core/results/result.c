/* result.c - the arrays of a result. */
#include "mbs/result.h"

#include <assert.h>
#include <string.h>

void mbs_result_free(mbs_result *result) {
  if (result) mbs_arena_free(result->arena);
}

const mbs_array *mbs_result_array(const mbs_result *result, const char *name) {
  for (size_t i = 0; i < result->array_count; i++)
    if (strcmp(result->arrays[i].name, name) == 0) return &result->arrays[i];
  return NULL;
}

size_t mbs_array_columns(const mbs_array *array) {
  assert(array->rank >= 1);
  size_t columns = 1;
  for (int k = 1; k < array->rank; k++) columns *= array->shape[k];
  return columns;
}
