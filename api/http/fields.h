/* fields.h - lists in request headers (RFC 9110, 5.6.1): several lines with one name form one list. */
#ifndef API_HTTP_FIELDS_H
#define API_HTTP_FIELDS_H

#include "api/http/request.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a header's value, without a terminating 0. */
typedef struct api_field {
  const char *text;
  size_t length;
} api_field;

/* Returns the value of the next header line with that name, and advances `*line`, which starts at 0. Returns NULL at
 * the end. */
const char *api_field_line(const api_request *request, const char *name, size_t *line);
/* Removes the next part from `rest`, up to one of the `separators` outside quotes, and trims blanks. Skips empty parts.
 * Returns false if there is none. */
bool api_field_next(api_field *rest, const char *separators, api_field *part);
/* Returns true if the part is `name=value`, in any case, with or without quotes, and copies the value, cut to
 * `size`. */
bool api_field_value(api_field part, const char *name, char *value, size_t size);

#endif
