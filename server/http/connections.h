/* connections.h - the clients' connections: their addresses, how many an address may have, and their deadlines. */
#ifndef SERVER_HTTP_CONNECTIONS_H
#define SERVER_HTTP_CONNECTIONS_H

#include "server/http/state.h"

/* As libmicrohttpd calls it. */
void http_connections_changed(void *context, struct MHD_Connection *connection, void **socket_context,
                              enum MHD_ConnectionNotificationCode code);
/* Bytes that have come from a client since its connection began, as the kernel counts them; 0 where it does not. */
uint64_t http_connection_received(const http_connection *peer);
/* Cuts off who is too slow. */
void http_connections_sweep(srv_http *http, double now);

#endif
