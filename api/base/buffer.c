/* buffer.c - see buffer.h. */
#include "api/base/buffer.h"

#include "api/base/digits.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIKELY_PRINT = 128 };

/* Makes space for `size` more bytes. Returns false on failure. */
static bool reserve(api_buffer *buffer, size_t size) {
  assert(buffer->size <= buffer->capacity && (buffer->data || buffer->capacity == 0));
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

void api_buffer_print(api_buffer *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  /* vsnprintf() appends a 0, which needs space but is not counted. A text that fits into the available space is printed
   * only once. */
  size_t room = reserve(buffer, LIKELY_PRINT) ? buffer->capacity - buffer->size : 0;
  int size = vsnprintf(room ? buffer->data + buffer->size : NULL, room, format, arguments);
  va_end(arguments);
  if (size >= 0 && (size_t)size >= room && reserve(buffer, (size_t)size + 1))
    vsnprintf(buffer->data + buffer->size, (size_t)size + 1, format, again);
  if (size < 0) buffer->failed = true;
  if (!buffer->failed) buffer->size += (size_t)size;
  va_end(again);
}

void api_buffer_number(api_buffer *buffer, double value) {
  if (value == 0) {
    api_buffer_text(buffer, signbit(value) ? "-0.0" : "0");
  } else if (!isfinite(value)) {
    api_buffer_print(buffer, "%g", value);
  } else if (reserve(buffer, API_DIGITS_MAX)) {
    int digits = api_digits(value, buffer->data + buffer->size);
    assert(digits > 0 && digits <= API_DIGITS_MAX);
    buffer->size += (size_t)digits;
  }
}

void api_buffer_free(api_buffer *buffer) {
  free(buffer->data);
  *buffer = (api_buffer){0};
}

void api_buffer_html(api_buffer *buffer, const char *text) {
  for (size_t plain; *text; text += plain) {
    plain = strcspn(text, "<>&\"");
    api_buffer_add(buffer, text, plain);
    if (plain > 0) continue;
    api_buffer_text(buffer, *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : "&quot;");
    plain = 1;
  }
}
