/* call.h - a request as a handler receives it. */
#ifndef API_HTTP_CALL_H
#define API_HTTP_CALL_H

#include "api/http/prefix.h"
#include "api/http/request.h"
#include "api/http/target.h"

#include <stddef.h>

enum { API_ARGUMENTS_MAX = 2 };

typedef struct api_call {
  const api_request *request;
  const service *service;
  const service_holder *holder; /* holder of the request's token; NULL: none was needed */
  char prefix[API_PREFIX_SIZE]; /* prefix of the paths in responses */
  api_target target;
  const char *arguments[API_ARGUMENTS_MAX]; /* values of the {..} segments of the route's path */
  const struct api_route *routes;           /* all routes */
  size_t route_count;
} api_call;

#endif
