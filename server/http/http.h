/* http.h - HTTP: libmicrohttpd on one thread, with every deadline, resume and signal in that thread's hands. */
#ifndef SERVER_HTTP_HTTP_H
#define SERVER_HTTP_HTTP_H

#include "server/service.h"

typedef struct srv_http srv_http;

/* Prepares to serve on a listening socket, which is taken over. NULL when that fails. It watches the server's store,
 * which is to be closed before it is freed. */
srv_http *srv_http_new(int socket, srv_server *server);
/* Serves until a signal (SIGTERM, SIGINT) has come and the pool has drained; SIGHUP has the token file read again. All
 * three are to be blocked in all threads. */
void srv_http_run(srv_http *http);
/* The pool has drained: requests that wait go on, and srv_http_run() returns. Any thread. */
void srv_http_pool_drained(srv_http *http);
void srv_http_free(srv_http *http);

#endif
