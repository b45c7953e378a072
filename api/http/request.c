/* request.c - see request.h. */
#include "api/http/request.h"

#include <string.h>
#include <strings.h>

const char *api_request_header(const api_request *request, const char *name) {
  for (size_t i = 0; i < request->header_count; i++) {
    if (strcasecmp(request->headers[i].name, name) == 0) return request->headers[i].value;
  }
  return NULL;
}
