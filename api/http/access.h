/* access.h - who may do what, where the service asks for tokens (RFC 6750).
 *
 * | right   | calls                                                                   |
 * | ------- | ----------------------------------------------------------------------- |
 * | none    | /healthz, /readyz; the web page, the schemas and openapi.json           |
 * | `read`  | every other GET                                                         |
 * | `run`   | what makes or ends work: every other method                             |
 * | `admin` | the same, for jobs of others, too                                       |
 */
#ifndef API_HTTP_ACCESS_H
#define API_HTTP_ACCESS_H

#include "api/http/call.h"
#include "api/http/response.h"
#include "api/http/route.h"

#include <stdbool.h>

/* The least right that a route asks for. */
service_right api_access_right(const api_route *route);
/* Whether who sent a request may call a route; sets the call's holder. False after answering 401 or 403. */
bool api_access_admits(api_call *call, const api_route *route, api_response *response);

#endif
