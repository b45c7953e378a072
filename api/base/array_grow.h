/* array_grow.h - lists that grow at the end. */
#ifndef API_BASE_ARRAY_GROW_H
#define API_BASE_ARRAY_GROW_H

#include <stddef.h>

/* A list of `count` items of `size` bytes with room for one more: `items`, or where that is full a larger copy in its
 * place, and `capacity` says so. NULL without memory: then all is as it was. */
void *api_array_grow(void *items, size_t count, size_t *capacity, size_t size);

#endif
