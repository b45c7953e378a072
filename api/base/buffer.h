/* buffer.h - bytes that grow at the end. */
#ifndef API_BASE_BUFFER_H
#define API_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* All zero is an empty buffer. */
typedef struct api_buffer {
  char *data; /* no terminating 0 */
  size_t size, capacity;
  bool failed; /* there was no memory: what is in it is not whole, and additions do nothing */
} api_buffer;

void api_buffer_add(api_buffer *buffer, const void *data, size_t size);
/* Here, so that the length of a literal is known when the program is built. */
static inline void api_buffer_text(api_buffer *buffer, const char *text) { api_buffer_add(buffer, text, strlen(text)); }
void api_buffer_print(api_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number in the fewest digits that read back as the same double. Minus zero is -0.0: readers that know
 * whole numbers, as Python's, take -0 for one and lose its sign. */
void api_buffer_number(api_buffer *buffer, double value);
/* Room for `size` more bytes at the end, which are counted as written; NULL when there is no memory. */
char *api_buffer_extend(api_buffer *buffer, size_t size);
void api_buffer_free(api_buffer *buffer);

/* A text as it stands in HTML, as content or as an attribute in quotation marks. */
void api_buffer_html(api_buffer *buffer, const char *text);

#endif
