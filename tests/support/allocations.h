/* allocations.h - counts malloc(), calloc() and realloc() of the program. */
#ifndef TESTS_SUPPORT_ALLOCATIONS_H
#define TESTS_SUPPORT_ALLOCATIONS_H

#include <stddef.h>

/* Prepares counting. Call before the first allocations_made(). */
void allocations_start(void);
/* Returns the number of allocations since the program started. */
size_t allocations_made(void);

#endif
