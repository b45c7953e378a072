/* access.h - permissions of clients if the service requires tokens (RFC 6750).
 *   permission  calls
 *   none        /healthz, /readyz; the web page, the schemas and openapi.json
 *   `own`       calls about its own jobs, and those about no job; jobs of others do not exist for it
 *   `read`      every other GET
 *   `run`       calls that start or end work: every other method
 *   `admin`     the same, also for jobs of other clients */
#ifndef API_HTTP_ACCESS_H
#define API_HTTP_ACCESS_H

#include "api/http/call.h"
#include "api/http/response.h"
#include "api/http/route.h"

#include <stdbool.h>

/* Returns the smallest permission with which a route may be called. */
service_right api_access_right(const api_route *route);
/* Returns the name of the client whose jobs alone the sender of a call may see; NULL: all jobs. */
const char *api_access_only_owner(const api_call *call);
/* Returns true if the sender of a request may call a route, and sets the holder of the call. Returns false after
 * answering 401 or 403. */
bool api_access_admits(api_call *call, const api_route *route, api_response *response);

#endif
