/* array_grow.h - arrays that grow at the end. */
#ifndef API_BASE_ARRAY_GROW_H
#define API_BASE_ARRAY_GROW_H

#include <stddef.h>

/* Makes space for one more item behind `count` items of `size` bytes. Returns `items`, or, if they fill their
 * `capacity`, a larger copy that replaces them, and updates `capacity`. Returns NULL if memory runs out; nothing has
 * changed then. */
void *api_array_grow(void *items, size_t count, size_t *capacity, size_t size);

#endif
