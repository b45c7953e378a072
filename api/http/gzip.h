/* gzip.h - compression of texts and streams with gzip (RFC 1952). */
#ifndef API_HTTP_GZIP_H
#define API_HTTP_GZIP_H

#include "api/http/response.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the compressed text, malloc'd, and its size; NULL if memory runs out. */
char *api_gzip_text(const void *text, size_t size, size_t *packed_size);
/* Wraps a stream in a gzip stream, which owns it. Each part can be decompressed without those before it, so that the
 * compressor holds no memory between two reads. Returns false, with nothing changed, if memory runs out. */
bool api_gzip_stream(api_stream *stream);

#endif
