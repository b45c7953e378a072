/* listening.c - see listening.h. */
#include "server/http/listening.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

static int listen_at(const struct addrinfo *address) {
  int file = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file < 0) return -1;
  int on = 1;
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(file, address->ai_addr, address->ai_addrlen) == 0 && listen(file, BACKLOG) == 0) return file;
  int saved = errno;
  close(file);
  errno = saved;
  return -1;
}

int srv_http_listen(const char *host, size_t port, size_t *got, char message[256]) {
  char service_name[16];
  snprintf(service_name, sizeof service_name, "%zu", port);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV}, *addresses;
  int failure = getaddrinfo(host, service_name, &hints, &addresses);
  if (failure != 0) {
    snprintf(message, 256, "no address '%.100s': %s", host, gai_strerror(failure));
    return -1;
  }
  int file = -1;
  for (const struct addrinfo *address = addresses; address && file < 0; address = address->ai_next)
    file = listen_at(address);
  freeaddrinfo(addresses);
  if (file < 0) {
    snprintf(message, 256, "cannot listen on %.100s port %zu: %s", host, port, strerror(errno));
    return -1;
  }
  struct sockaddr_storage bound;
  socklen_t size = sizeof bound;
  char digits[16] = "0";
  if (getsockname(file, (struct sockaddr *)&bound, &size) == 0)
    getnameinfo((struct sockaddr *)&bound, size, NULL, 0, digits, sizeof digits, NI_NUMERICSERV);
  *got = strtoul(digits, NULL, 10);
  return file;
}

bool srv_http_is_loopback(int socket) {
  union {
    struct sockaddr_storage any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
  } bound = {.any = {.ss_family = AF_UNSPEC}};
  socklen_t size = sizeof bound;
  if (getsockname(socket, (struct sockaddr *)&bound, &size) != 0) return false;
  if (bound.any.ss_family == AF_INET) return ntohl(bound.four.sin_addr.s_addr) >> 24 == 127;
  return bound.any.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&bound.six.sin6_addr);
}
