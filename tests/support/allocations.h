/* allocations.h - counts malloc(), calloc() and realloc() of the program. */
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H

#include <stddef.h>

/* Before the first count. */
void allocations_start(void);
/* How many there were so far. */
size_t allocations_made(void);

#endif
