/* array_grow.c - see array_grow.h. */
#include "api/base/array_grow.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_ITEMS = 16 };

void *api_array_grow(void *items, size_t count, size_t *capacity, size_t size) {
  assert(count <= *capacity && size > 0);
  if (count < *capacity) return items;
  size_t more = 2 * *capacity + FIRST_ITEMS;
  void *larger = realloc(items, more * size);
  if (larger) *capacity = more;
  return larger;
}
