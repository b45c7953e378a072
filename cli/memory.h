/* memory.h - result arrays of this process, which the API's formats read as from a store. */
#ifndef CLI_MEMORY_H
#define CLI_MEMORY_H

#include "api/base/buffer.h"
#include "api/formats/format.h"
#include "api/service.h"
#include "mbs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct cli_memory {
  const mbs_array *list; /* [count], not owned */
  size_t count;
} cli_memory;

/* Returns a service that only reads rows of these arrays; `memory` must outlive it. */
service cli_memory_service(cli_memory *memory);
/* Writes pending data. Returns false, with the reason in `errno`, if the file cannot be written. */
bool cli_memory_flush(api_buffer *pending, FILE *file);
/* Writes a slice in that format. Returns false, with the reason in `errno`, on failure. */
bool cli_memory_write(const api_format *format, api_slice *slice, FILE *file);
/* Returns the description of an array, with `labels` and `units` of its columns as JSON; free it with
 * service_array_free(). Members are NULL if memory runs out. */
service_array cli_memory_array(const mbs_array *array, const char *labels, const char *units);

#endif
