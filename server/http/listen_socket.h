/* listen_socket.h - the listening socket: on an address and port, or a file ("unix socket") that only this machine's users
 * reach, as the file's permissions say. */
#ifndef SERVER_HTTP_LISTEN_SOCKET_H
#define SERVER_HTTP_LISTEN_SOCKET_H

#include "server/base/config.h"

#include <stdbool.h>
#include <sys/types.h>
#include <sys/un.h>

enum { LISTENING_MESSAGE_SIZE = 512, LISTENING_HOST_SIZE = 256, LISTENING_PORT_SIZE = 8 };

/* Where to listen, as the configuration says. */
typedef struct srv_place {
  const char *path; /* of a unix socket; else NULL */
  char host[LISTENING_HOST_SIZE], port[LISTENING_PORT_SIZE];
} srv_place;

typedef struct srv_listen_socket {
  int file;                       /* -1: none */
  bool local;                     /* only this machine reaches it */
  char text[512];                 /* "http://127.0.0.1:8080", "unix:/run/mbsd/socket" */
  size_t port;                    /* 0 of a unix socket */
  char host[LISTENING_HOST_SIZE]; /* what was asked for, a name or an address; "" of a unix socket */
  /* Of a unix socket, else "": where it is, and which file it is there. */
  char path[sizeof((struct sockaddr_un){0}.sun_path)];
  dev_t device;
  ino_t inode;
} srv_listen_socket;

/* What `listen`, or else `host` and `port` of the configuration say. False with the reason in `message`. */
bool srv_listen_socket_place(const srv_config *config, srv_place *place, char message[LISTENING_MESSAGE_SIZE]);
/* Opens the socket that `listen`, or else `host` and `port` of the configuration ask for. A file that a socket has left
 * behind is replaced where nobody listens there any more. False with the reason in `message`. */
bool srv_listen_socket_open(const srv_config *config, srv_listen_socket *listening,
                            char message[LISTENING_MESSAGE_SIZE]);
/* Removes the file of a unix socket, unless another has taken its place; `file` is left to who took it over. */
void srv_listen_socket_remove(const srv_listen_socket *self);

#endif
