/* connections.h - client connections: their addresses, the limit for an address, and their deadlines. */
#ifndef SERVER_HTTP_CONNECTIONS_H
#define SERVER_HTTP_CONNECTIONS_H

#include "server/http/state.h"

/* Callback of libmicrohttpd for the begin and end of a connection. */
void http_connections_changed(void *context, struct MHD_Connection *connection, void **socket_context,
                              enum MHD_ConnectionNotificationCode code);
/* Returns the bytes received from a client since its connection began, from the kernel; 0 if the kernel does not count
 * them. */
uint64_t http_connection_received(const http_connection *peer);
/* Closes connections past their deadline. */
void http_connections_sweep(srv_http *http, double now);

#endif
