/* memory.c - see memory.h. */
#include "memory.h"

#include <errno.h>
#include <string.h>

static service_status read_memory(void *context, const char *id, const char *name, size_t first, size_t stride,
                                  size_t count, const size_t *columns, size_t column_count, double *out) {
  (void)id;
  const cli_memory *memory = context;
  for (size_t i = 0; i < memory->count; i++) {
    const mbs_array *array = &memory->list[i];
    if (strcmp(array->name, name) != 0) continue;
    for (size_t row = 0; row < count; row++) {
      const double *numbers = array->data + (first + row * stride) * mbs_array_columns(array);
      for (size_t k = 0; k < column_count; k++) *out++ = numbers[columns[k]];
    }
    return SERVICE_OK;
  }
  return SERVICE_NOT_FOUND;
}

service cli_memory_service(cli_memory *memory) { return (service){.context = memory, .read = read_memory}; }

service_array cli_memory_array(const mbs_array *array, const char *labels, const char *units) {
  service_array copy = {.name = strdup(array->name),
                        .unit = strdup(array->unit ? array->unit : ""),
                        .doc = strdup(array->doc ? array->doc : ""),
                        .labels = strdup(labels),
                        .units = units ? strdup(units) : NULL,
                        .rank = array->rank,
                        .timeless = array->timeless};
  memcpy(copy.shape, array->shape, sizeof copy.shape);
  return copy;
}

bool cli_memory_flush(api_buffer *pending, FILE *file) {
  errno = ENOMEM;
  bool fine = !pending->failed && fwrite(pending->data, 1, pending->size, file) == pending->size;
  pending->size = 0;
  return fine;
}

static bool write_text(const api_format *format, api_slice *slice, api_buffer *text, FILE *file) {
  errno = ENOMEM;
  if (!format->begin(slice, text) || !cli_memory_flush(text, file)) return false;
  for (;;) {
    size_t first = slice->done;
    ssize_t rows = api_slice_next(slice);
    if (rows == 0) break;
    if (rows < 0 || !format->rows(slice, first, (size_t)rows, text) || !cli_memory_flush(text, file)) return false;
  }
  format->end(slice, text);
  return cli_memory_flush(text, file);
}

bool cli_memory_write(const api_format *format, api_slice *slice, FILE *file) {
  api_buffer text = {0};
  const bool good = write_text(format, slice, &text, file);
  const int reason = errno;
  api_buffer_free(&text);
  errno = reason;
  return good;
}
