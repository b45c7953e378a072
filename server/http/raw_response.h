/* raw_response.h - writes a response to the socket directly, where libmicrohttpd cannot send one: in the middle of a
 * body, or instead of the library's own pages. */
#ifndef SERVER_HTTP_RAW_RESPONSE_H
#define SERVER_HTTP_RAW_RESPONSE_H

#include "server/http/state.h"

/* Sends a response with a body in memory and shuts down the sending side of the connection: later writes of the library
 * fail. Only while no other answer is being sent. */
void http_raw_response(srv_http *http, http_connection *peer, const api_response *response);

#endif
