/* api.h - what a request means: the one entry, api_handle(), from a request to a response.
 *
 * No sockets, no database, no threads: what a handler needs besides the request it asks for through service.h, so the
 * whole API is tested in memory. */
#ifndef API_API_H
#define API_API_H

#include "api/http/request.h"
#include "api/http/response.h"

/* Answers a request, at once: what takes a while makes the response `pending`. Never fails: trouble becomes a problem
 * document (RFC 9457). `response` is zeroed first. */
void api_handle(const api_request *request, api_response *response);

#endif
