/* processors.h - the processors of this machine. */
#ifndef API_BASE_PROCESSORS_H
#define API_BASE_PROCESSORS_H

#include <stddef.h>

/* Returns the number of processors that this process may use. */
size_t api_processors(void);

#endif
