/* api.h - the entry of the API: api_handle() answers a request.
 * The API uses no sockets, database or threads. Handlers call the service through service.h, so that the whole API can
 * be tested in memory. */
#ifndef API_API_H
#define API_API_H

#include "api/http/request.h"
#include "api/http/response.h"

/* Answers a request immediately: a longer operation makes the response `pending`. Never fails: an error becomes a
 * problem document (RFC 9457). Sets `response` to zero first. */
void api_handle(const api_request *request, api_response *response);

/* Returns true if a target is /healthz, /readyz or /metrics, whose answers wait for nothing. */
bool api_is_probe(const char *target);

#endif
