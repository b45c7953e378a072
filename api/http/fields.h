/* fields.h - lists in the headers of requests (RFC 9110, 5.6.1): several lines of a name are one list. */
#ifndef API_HTTP_FIELDS_H
#define API_HTTP_FIELDS_H

#include "api/http/request.h"

#include <stdbool.h>
#include <stddef.h>

/* A part of a header's value, not ended by a 0. */
typedef struct api_field {
  const char *text;
  size_t length;
} api_field;

/* The value of the next header line of that name, from `*line` on, which begins at 0 and goes on; NULL at the end. */
const char *api_field_line(const api_request *request, const char *name, size_t *line);
/* Takes the next part of `rest`, up to one of the `separators` outside quotes, without the blanks around it; empty
 * parts are skipped. False where there is none. */
bool api_field_next(api_field *rest, const char *separators, api_field *part);
/* Whether the part says `name=value`, in any case and with or without quotes: then its value, cut to `size`. */
bool api_field_value(api_field part, const char *name, char *value, size_t size);

#endif
