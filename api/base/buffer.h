/* buffer.h - a growing sequence of bytes. */
#ifndef API_BASE_BUFFER_H
#define API_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A buffer; {0} is an empty one. */
typedef struct api_buffer {
  char *data; /* no terminating 0 */
  size_t size, capacity;
  bool failed; /* memory ran out: the content is incomplete, and further additions do nothing */
} api_buffer;

void api_buffer_add(api_buffer *buffer, const void *data, size_t size);
/* Inline so that the compiler knows the length of a literal. */
static inline void api_buffer_text(api_buffer *buffer, const char *text) { api_buffer_add(buffer, text, strlen(text)); }
/* Appends a byte. Inline because rows of numbers have one after each number. */
static inline void api_buffer_byte(api_buffer *buffer, char byte) {
  if (buffer->failed || buffer->size == buffer->capacity)
    api_buffer_add(buffer, &byte, 1);
  else
    buffer->data[buffer->size++] = byte;
}
void api_buffer_print(api_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends a number in the fewest digits from which the same double can be read. Writes -0.0 for minus zero: readers
 * with integers, such as Python's, read -0 as an integer and lose the sign. */
void api_buffer_number(api_buffer *buffer, double value);
/* Appends `size` bytes, which the caller writes, and returns their address; NULL if memory runs out. */
char *api_buffer_extend(api_buffer *buffer, size_t size);
void api_buffer_free(api_buffer *buffer);

/* Appends a text, escaped for HTML: as content or as an attribute in quotation marks. */
void api_buffer_html(api_buffer *buffer, const char *text);

#endif
