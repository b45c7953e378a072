/* buffer.c - see buffer.h. */
#include "api/base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True when `size` more bytes fit. */
static bool reserve(api_buffer *buffer, size_t size) {
  if (buffer->failed || size > SIZE_MAX / 2 - buffer->size) {
    buffer->failed = true;
    return false;
  }
  size_t need = buffer->size + size;
  if (need <= buffer->capacity) return true;
  size_t capacity = buffer->capacity ? buffer->capacity : 256;
  while (capacity < need) capacity *= 2;
  char *data = realloc(buffer->data, capacity);
  if (!data) {
    buffer->failed = true;
    return false;
  }
  buffer->data = data;
  buffer->capacity = capacity;
  return true;
}

char *api_buffer_extend(api_buffer *buffer, size_t size) {
  if (!reserve(buffer, size)) return NULL;
  char *at = buffer->data + buffer->size;
  buffer->size += size;
  return at;
}

void api_buffer_add(api_buffer *buffer, const void *data, size_t size) {
  if (size == 0) return;
  char *at = api_buffer_extend(buffer, size);
  if (at) memcpy(at, data, size);
}

void api_buffer_text(api_buffer *buffer, const char *text) { api_buffer_add(buffer, text, strlen(text)); }

void api_buffer_print(api_buffer *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  int size = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  /* vsnprintf ends with a 0, which needs room but is not counted. */
  if (size >= 0 && reserve(buffer, (size_t)size + 1)) {
    vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
    buffer->size += (size_t)size;
  } else {
    buffer->failed = true;
  }
  va_end(again);
}

void api_buffer_free(api_buffer *buffer) {
  free(buffer->data);
  *buffer = (api_buffer){0};
}
