/* origin_guard.h - protects the service from pages of other sites: a visitor's browser can reach services that those
 * sites cannot. */
#ifndef API_HTTP_ORIGIN_GUARD_H
#define API_HTTP_ORIGIN_GUARD_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

/* Returns true if the Host of a request is an address or a name of this service. Otherwise a page of another site,
 * whose name was made to resolve to this service ("DNS rebinding"), could read everything. Returns false after
 * answering 403, or 400 if Host is invalid. */
bool api_origin_guard_knows_host(const api_call *call, api_response *response);
/* Returns true if a request that changes something comes from no page, or from a page of this service. Returns false
 * after answering 403. */
bool api_origin_guard_may_change(const api_call *call, api_response *response);

#endif
