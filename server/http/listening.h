/* listening.h - the listening socket. */
#ifndef SERVER_HTTP_LISTENING_H
#define SERVER_HTTP_LISTENING_H

#include <stdbool.h>
#include <stddef.h>

/* Opens the listening socket; -1 with the reason in `message`. `port` is what it got. */
int srv_http_listen(const char *host, size_t port, size_t *got, char message[256]);
/* Whether a listening socket is reached from this machine alone. */
bool srv_http_is_loopback(int socket);

#endif
