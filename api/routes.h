/* routes.h - the table of calls: method, path and handler. schemas/openapi.json describes the same calls. */
#ifndef API_ROUTES_H
#define API_ROUTES_H

#include "api/http/route.h"

#include <stddef.h>

const api_route *api_routes(size_t *count);

#endif
