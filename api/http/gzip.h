/* gzip.h - texts and streams in gzip (RFC 1952). */
#ifndef API_HTTP_GZIP_H
#define API_HTTP_GZIP_H

#include "api/http/response.h"

#include <stdbool.h>
#include <stddef.h>

/* The text in gzip, malloc'd, and its size; NULL when there is no memory. */
char *api_gzip_text(const void *text, size_t size, size_t *packed_size);
/* Puts a stream in gzip around another one, which is taken over. Between two reads it holds no memory of the
 * compressor: each part can be unpacked without those before it. False, and nothing has changed, when there is no
 * memory. */
bool api_gzip_stream(api_stream *stream);

#endif
