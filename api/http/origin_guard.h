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

/* Returns true if the request comes from a page of an origin that the service lists (CORS). */
bool api_origin_guard_is_listed(const api_call *call);
/* Adds the headers by which a browser lets a page of a listed origin read the response. */
void api_origin_guard_share(const api_call *call, api_response *response);
/* Answers the preflight request of a browser for a page of a listed origin; `methods` are those of the path. Returns
 * false if the request is none. */
bool api_origin_guard_preflight(const api_call *call, const char *methods, api_response *response);

#endif
