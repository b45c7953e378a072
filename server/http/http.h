/* http.h - HTTP: libmicrohttpd on one thread, which also processes every deadline, resume and signal. */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include "server/service.h"

typedef struct srv_http srv_http;

/* Prepares to serve on a listening socket and takes ownership of it. Returns NULL on failure. Subscribes to the
 * server's store, which must be closed before this is freed. */
srv_http *srv_http_new(int socket, srv_server *server);
/* Serves until a signal (SIGTERM, SIGINT) has come and the pool has drained; SIGHUP reads the token file again. All
 * three must be blocked in all threads. */
void srv_http_run(srv_http *http);
/* Reports that the pool has drained: waiting requests continue, and srv_http_run() returns. Any thread. */
void srv_http_pool_drained(srv_http *http);
void srv_http_free(srv_http *http);

#endif
