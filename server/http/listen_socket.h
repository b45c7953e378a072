/* listen_socket.h - the listening socket: an address and port, or a file ("unix socket") that only users of this
 * machine reach, as the file's permissions allow. */
#ifndef SERVER_HTTP_LISTEN_SOCKET_H
#define SERVER_HTTP_LISTEN_SOCKET_H

#include "server/base/config.h"

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

enum { LISTEN_SOCKET_MESSAGE_SIZE = 512, LISTEN_SOCKET_HOST_SIZE = 256, LISTEN_SOCKET_PORT_SIZE = 8 };

/* Address to listen on, from the configuration. */
typedef struct srv_listen_address {
  const char *path; /* path of a unix socket; otherwise NULL */
  char host[LISTEN_SOCKET_HOST_SIZE], port[LISTEN_SOCKET_PORT_SIZE];
} srv_listen_address;

typedef struct srv_listen_socket {
  int file;                           /* -1: none */
  bool local;                         /* only this machine can reach it */
  char text[512];                     /* "http://127.0.0.1:8080", "unix:/run/mbsd/socket" */
  size_t port;                        /* 0 for a unix socket */
  char host[LISTEN_SOCKET_HOST_SIZE]; /* the configured name or address; "" for a unix socket */
  /* Path of a unix socket, otherwise "", and identity of the file. */
  char path[sizeof((struct sockaddr_un){0}.sun_path)];
  dev_t device;
  ino_t inode;
} srv_listen_socket;

/* Reads the address from `listen`, or else from `host` and `port`. Returns false with the reason in `message` if it is
 * invalid. */
bool srv_listen_socket_address(const srv_config *config, srv_listen_address *place,
                               char message[LISTEN_SOCKET_MESSAGE_SIZE]);
/* Opens the socket for `listen`, or else for `host` and `port`. Replaces the file of an old socket on which no process
 * listens any more. Returns false with the reason in `message` on failure. */
bool srv_listen_socket_open(const srv_config *config, srv_listen_socket *listening,
                            char message[LISTEN_SOCKET_MESSAGE_SIZE]);
/* Removes the file of a unix socket, unless another file replaced it. Does not close `file`, which has another
 * owner. */
void srv_listen_socket_remove(const srv_listen_socket *self);

#endif
