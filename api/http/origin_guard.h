/* origin_guard.h - which browsers' pages may use the service: a visitor's browser reaches it where their pages
 * cannot. */
#ifndef API_HTTP_ORIGIN_GUARD_H
#define API_HTTP_ORIGIN_GUARD_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

/* Whether the Host of a request is an address or a name of this service. A page of another site whose name was made
 * to lead here ("DNS rebinding") could read everything otherwise. False after answering 403, or 400 for what is no
 * host. */
bool api_origin_guard_knows_host(const api_call *call, api_response *response);
/* Whether a request that changes something comes from no page, or from one of the service's own. False after
 * answering 403. */
bool api_origin_guard_may_change(const api_call *call, api_response *response);

#endif
