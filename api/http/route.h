/* route.h - a kind of call: method and path, and who handles it. */
#ifndef API_HTTP_ROUTE_H
#define API_HTTP_ROUTE_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

typedef struct api_route {
  const char *method;
  const char *path;       /* "/api/v1/jobs/{id}": a segment in braces takes any text that is not empty */
  const char *parameters; /* of the query, "status|limit"; NULL: none */
  void (*handle)(const api_call *call, api_response *response);
  bool beside; /* it reads much: only on threads that may take their time */
} api_route;

/* Whether the segments of the call's target are those of a route's path; sets the call's arguments. */
bool api_route_matches(const api_route *route, api_call *call);

#endif
