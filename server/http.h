/* http.h - HTTP: libmicrohttpd on one thread, with every deadline, resume and signal in that thread's hands. */
#ifndef SRV_HTTP_H
#define SRV_HTTP_H

#include "host.h"

typedef struct srv_http srv_http;

/* Opens the listening socket; -1 with the reason in `message`. `port` is what it got. */
int srv_http_listen(const char *host, size_t port, size_t *got, char message[256]);
/* Whether a listening socket is reached from this machine alone. */
bool srv_http_is_loopback(int socket);
/* Prepares to serve on a listening socket, which is taken over. NULL when that fails. */
srv_http *srv_http_new(int socket, srv_server *server);
/* Serves until a signal (SIGTERM, SIGINT, SIGHUP; to be blocked in all threads) has come and the pool has drained. */
void srv_http_run(srv_http *http);
/* A job has ended: requests that wait for it go on. NULL: the pool has drained. Any thread. */
void srv_http_job_ended(srv_http *http, const char *id);
/* False: documents are still being checked, which only the end of the process ends. They will not touch the store. */
bool srv_http_free(srv_http *http);

#endif
