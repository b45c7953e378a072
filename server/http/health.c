/* health.c - see health.h. */
#include "server/http/health.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

/* For each of connecting, sending and receiving. */
enum { PATIENCE_SECONDS = 2 };

/* Where a service is reached that listens on an address, which may stand for all of the machine's. */
static const char *reachable(const char *host) {
  if (strcmp(host, "0.0.0.0") == 0) return "127.0.0.1";
  return strcmp(host, "::") == 0 ? "::1" : host;
}

static int connect_to(const struct addrinfo *address) {
  int file = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(file, address->ai_addr, address->ai_addrlen) == 0) return file;
  int saved = errno;
  close(file);
  errno = saved;
  return -1;
}

/* Sends the request and reads the first line of the answer. */
static bool ask(int file, char why[HEALTH_WHY_SIZE]) {
  static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  static const char good[] = "HTTP/1.1 200 ";
  char line[64];
  size_t have = 0;
  if (send(file, request, sizeof request - 1, MSG_NOSIGNAL) != (ssize_t)sizeof request - 1) {
    snprintf(why, HEALTH_WHY_SIZE, "it takes no request: %s", strerror(errno));
    return false;
  }
  while (have < sizeof good - 1) {
    ssize_t got = recv(file, line + have, sizeof line - 1 - have, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      snprintf(why, HEALTH_WHY_SIZE, "it does not answer: %s", got < 0 ? strerror(errno) : "the connection ended");
      return false;
    }
    have += (size_t)got;
  }
  line[have] = '\0';
  line[strcspn(line, "\r\n")] = '\0';
  snprintf(why, HEALTH_WHY_SIZE, "it answers '%s'", line);
  return strncmp(line, good, sizeof good - 1) == 0;
}

bool srv_health_ask(const char *host, size_t port, char why[HEALTH_WHY_SIZE]) {
  char service_name[16];
  snprintf(service_name, sizeof service_name, "%zu", port);
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *addresses;
  int failure = getaddrinfo(reachable(host), service_name, &hints, &addresses);
  if (failure != 0) {
    snprintf(why, HEALTH_WHY_SIZE, "no address '%.100s': %s", host, gai_strerror(failure));
    return false;
  }
  int file = -1;
  for (const struct addrinfo *address = addresses; address && file < 0; address = address->ai_next)
    file = connect_to(address);
  freeaddrinfo(addresses);
  if (file < 0) {
    snprintf(why, HEALTH_WHY_SIZE, "nothing takes connections at %.100s port %zu: %s", host, port, strerror(errno));
    return false;
  }
  bool well = ask(file, why);
  close(file);
  return well;
}
