/* listen_socket.c - see listen_socket.h. */
#include "server/http/listen_socket.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static const char unix_prefix[] = "unix:";

/* Returns a listening socket, or -1 with the reason in `errno`. */
static int listen_at(int family, const struct sockaddr *address, socklen_t size) {
  int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  int on = 1;
  if (family != AF_UNIX) setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(file, address, size) == 0 && listen(file, BACKLOG) == 0) return file;
  int saved = errno;
  close(file);
  errno = saved;
  return -1;
}

/* ---- an address and a port --------------------------------------------------------------------------------------- */

static bool is_loopback(int file) {
  union {
    struct sockaddr_storage any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
  } bound = {.any = {.ss_family = AF_UNSPEC}};
  socklen_t size = sizeof bound;
  if (getsockname(file, (struct sockaddr *)&bound, &size) != 0) return false;
  if (bound.any.ss_family == AF_INET) return ntohl(bound.four.sin_addr.s_addr) >> 24 == 127;
  return bound.any.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&bound.six.sin6_addr);
}

static size_t port_of(int file) {
  struct sockaddr_storage bound;
  socklen_t size = sizeof bound;
  char digits[LISTEN_SOCKET_PORT_SIZE] = "0";
  if (getsockname(file, (struct sockaddr *)&bound, &size) == 0)
    getnameinfo((struct sockaddr *)&bound, size, NULL, 0, digits, sizeof digits, NI_NUMERICSERV);
  return strtoul(digits, NULL, 10);
}

static bool open_port(const char *host, const char *port, srv_listen_socket *self,
                      char message[LISTEN_SOCKET_MESSAGE_SIZE]) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *addresses;
  int failure = getaddrinfo(host, port, &hints, &addresses);
  if (failure != 0) {
    snprintf(message, LISTEN_SOCKET_MESSAGE_SIZE, "unknown address '%.100s': %s", host, gai_strerror(failure));
    return false;
  }
  for (const struct addrinfo *address = addresses; address && self->file < 0; address = address->ai_next)
    self->file = listen_at(address->ai_family, address->ai_addr, address->ai_addrlen);
  if (self->file < 0)
    snprintf(message, LISTEN_SOCKET_MESSAGE_SIZE, "cannot listen on %.100s port %s: %s", host, port, strerror(errno));
  freeaddrinfo(addresses);
  if (self->file < 0) return false;
  bool six = strchr(host, ':') != NULL;
  self->local = is_loopback(self->file);
  snprintf(self->host, sizeof self->host, "%s", host);
  self->port = port_of(self->file);
  snprintf(self->text, sizeof self->text, "http://%s%s%s:%zu", six ? "[" : "", host, six ? "]" : "", self->port);
  return true;
}

/* Splits "host:port" or "[::1]:port". Returns false for another form. */
static bool split(const char *text, char host[LISTEN_SOCKET_HOST_SIZE], char port[LISTEN_SOCKET_PORT_SIZE]) {
  const char *colon = strrchr(text, ':');
  if (!colon) return false;
  size_t length = (size_t)(colon - text), digits = strlen(colon + 1);
  bool bracketed = length > 2 && text[0] == '[' && text[length - 1] == ']';
  if (bracketed) {
    text++;
    length -= 2;
  }
  if (length == 0 || length >= LISTEN_SOCKET_HOST_SIZE || (!bracketed && memchr(text, ':', length))) return false;
  if (digits == 0 || digits > 5 || strspn(colon + 1, "0123456789") != digits || atoi(colon + 1) > 65535) return false;
  snprintf(host, LISTEN_SOCKET_HOST_SIZE, "%.*s", (int)length, text);
  snprintf(port, LISTEN_SOCKET_PORT_SIZE, "%s", colon + 1);
  return true;
}

/* ---- a unix socket ----------------------------------------------------------------------------------------------- */

/* Returns true if a process listens there; also if its queue of connections is full. */
static bool has_listener(const struct sockaddr_un *address) {
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return true;
  bool answers = connect(file, (const struct sockaddr *)address, sizeof *address) == 0 || errno != ECONNREFUSED;
  close(file);
  return answers;
}

/* Checks that the path of a socket is free; removes an old socket. */
static bool clear_place(const struct sockaddr_un *address, char message[LISTEN_SOCKET_MESSAGE_SIZE]) {
  struct stat found;
  if (lstat(address->sun_path, &found) != 0) return true; /* bind() reports other errors */
  const char *why = NULL;
  if (!S_ISSOCK(found.st_mode))
    why = "a file that is not a socket exists there";
  else if (has_listener(address))
    why = "another process is listening there";
  else if (unlink(address->sun_path) != 0)
    why = strerror(errno);
  if (why) snprintf(message, LISTEN_SOCKET_MESSAGE_SIZE, "cannot listen on unix:%s: %s", address->sun_path, why);
  return !why;
}

static bool open_unix(const char *path, mode_t mode, srv_listen_socket *self,
                      char message[LISTEN_SOCKET_MESSAGE_SIZE]) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address.sun_path) {
    snprintf(message, LISTEN_SOCKET_MESSAGE_SIZE, "--listen is 'unix:%.200s'; its path must have 1 to %zu bytes", path,
             sizeof address.sun_path - 1);
    return false;
  }
  memcpy(address.sun_path, path, length + 1);
  if (!clear_place(&address, message)) return false;
  mode_t before = umask(0777 & ~mode); /* permissions are right from the beginning */
  self->file = listen_at(AF_UNIX, (const struct sockaddr *)&address, sizeof address);
  int failure = errno;
  umask(before);
  struct stat made;
  if (self->file < 0 || lstat(path, &made) != 0) {
    snprintf(message, LISTEN_SOCKET_MESSAGE_SIZE, "cannot listen on unix:%s: %s", path, strerror(failure));
    return false;
  }
  memcpy(self->path, path, length + 1);
  self->device = made.st_dev;
  self->inode = made.st_ino;
  self->local = true;
  snprintf(self->text, sizeof self->text, "unix:%s", path);
  return true;
}

void srv_listen_socket_remove(const srv_listen_socket *self) {
  struct stat found;
  if (self->path[0] && lstat(self->path, &found) == 0 && found.st_dev == self->device && found.st_ino == self->inode)
    unlink(self->path);
}

/* ---- either ------------------------------------------------------------------------------------------------------ */

bool srv_listen_socket_address(const srv_config *config, srv_listen_address *place,
                               char message[LISTEN_SOCKET_MESSAGE_SIZE]) {
  *place = (srv_listen_address){.path = NULL};
  const char *where = config->listen;
  if (strncmp(where, unix_prefix, strlen(unix_prefix)) == 0) {
    place->path = where + strlen(unix_prefix);
    return true;
  }
  if (where[0] != '\0') {
    if (split(where, place->host, place->port)) return true;
    snprintf(message, LISTEN_SOCKET_MESSAGE_SIZE, "--listen is '%.200s'; expected unix:PATH or HOST:PORT", where);
    return false;
  }
  snprintf(place->host, sizeof place->host, "%s", config->host);
  snprintf(place->port, sizeof place->port, "%zu", config->port);
  return true;
}

bool srv_listen_socket_open(const srv_config *config, srv_listen_socket *self,
                            char message[LISTEN_SOCKET_MESSAGE_SIZE]) {
  *self = (srv_listen_socket){.file = -1};
  srv_listen_address place;
  if (!srv_listen_socket_address(config, &place, message)) return false;
  if (place.path) return open_unix(place.path, (mode_t)strtoul(config->socket_mode, NULL, 8), self, message);
  return open_port(place.host, place.port, self, message);
}
