/* route.h - a call of the API: method, path and handler. */
#ifndef API_HTTP_ROUTE_H
#define API_HTTP_ROUTE_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

typedef struct api_route {
  const char *method;
  const char *path;       /* "/api/v1/jobs/{id}": a segment in braces matches any text that is not empty */
  const char *parameters; /* names of query parameters, "status|limit"; NULL: none */
  void (*handle)(const api_call *call, api_response *response);
  bool beside; /* reads much data: runs only on worker threads */
} api_route;

/* Returns true if the path of a call matches a route, and sets the arguments of the call. */
bool api_route_matches(const api_route *route, api_call *call);

#endif
