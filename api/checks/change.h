/* change.h - reads the changes that a request makes to a job: {"name", "tags", "keep"}. */
#ifndef API_CHECKS_CHANGE_H
#define API_CHECKS_CHANGE_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <jansson.h>
#include <stdbool.h>

/* A change, and the owners of its texts. */
typedef struct api_change {
  service_change change;
  json_t *body;
  char *tags;
} api_change;

/* Reads the request's body. Returns false after answering with an error. Free `out` in either case. */
bool api_change_read(const api_call *call, api_response *response, api_change *out);
void api_change_free(api_change *change);

#endif
