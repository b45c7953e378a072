/* raw_response.h - an answer past libmicrohttpd, which has no way to send one: in the middle of a body, or instead of the
 * library's own pages. */
#ifndef SERVER_HTTP_RAW_RESPONSE_H
#define SERVER_HTTP_RAW_RESPONSE_H

#include "server/http/state.h"

/* Sends a response with a body in memory and ends the sending side of the connection: whatever the library still
 * wants to send there fails. Only while no other answer is under way. */
void http_raw_response(srv_http *http, http_connection *peer, const api_response *response);

#endif
