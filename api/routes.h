/* routes.h - the table of calls: method and path to handler. schemas/openapi.json describes the same calls. */
#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "call.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct api_route {
  const char *method;
  const char *path;       /* "/api/v1/jobs/{id}": a segment in braces takes any text that is not empty */
  const char *parameters; /* of the query, "status|limit"; NULL: none */
  api_work work;
  void (*handle)(const api_call *call, api_response *response);
} api_route;

const api_route *api_routes(size_t *count);
/* Whether the segments of the call's target are those of a route's path; sets the call's arguments. */
bool api_route_matches(const api_route *route, api_call *call);

#endif
