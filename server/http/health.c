/* health.c - see health.h. */
#include "server/http/health.h"

#include "server/http/listen_socket.h"

#include <errno.h>
#include <jansson.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* Limit for each of connecting, sending and receiving. */
enum { PATIENCE_SECONDS = 2 };

/* Returns the address to connect to for a listening address, which may mean all addresses of the machine. */
static const char *reachable(const char *host) {
  if (strcmp(host, "0.0.0.0") == 0) return "127.0.0.1";
  return strcmp(host, "::") == 0 ? "::1" : host;
}

static int connect_to(int family, const struct sockaddr *address, socklen_t size) {
  int file = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0) return -1;
  const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
  setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(file, address, size) == 0) return file;
  int saved = errno;
  close(file);
  errno = saved;
  return -1;
}

/* Receives up to the end of the connection. Returns false with the reason if there is no answer. */
static bool receive(int file, char *answer, size_t size, char why[HEALTH_WHY_SIZE]) {
  size_t have = 0;
  ssize_t got = 1;
  while (got > 0 && have < size - 1) {
    got = recv(file, answer + have, size - 1 - have, 0);
    if (got < 0 && errno == EINTR)
      got = 1;
    else if (got > 0)
      have += (size_t)got;
  }
  answer[have] = '\0';
  if (have > 0) return true;
  snprintf(why, HEALTH_WHY_SIZE, "it does not respond: %s", got < 0 ? strerror(errno) : "the connection was closed");
  return false;
}

/* Sends the request, and reads the answer: a line of status, and the reason, the `detail` of a problem document. */
static bool ask(int file, const char *path, char why[HEALTH_WHY_SIZE]) {
  char request[128], answer[4096];
  int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
  if (send(file, request, (size_t)size, MSG_NOSIGNAL) != size) {
    snprintf(why, HEALTH_WHY_SIZE, "it does not accept requests: %s", strerror(errno));
    return false;
  }
  if (!receive(file, answer, sizeof answer, why)) return false;
  const char *body = strstr(answer, "\r\n\r\n");
  json_t *problem = body ? json_loads(body, 0, NULL) : NULL;
  const char *detail = json_string_value(json_object_get(problem, "detail"));
  int line = (int)strcspn(answer, "\r\n");
  snprintf(why, HEALTH_WHY_SIZE, "it responded with '%.*s'%s%.300s", line < 100 ? line : 100, answer,
           detail ? ": " : "", detail ? detail : "");
  json_decref(problem);
  return strncmp(answer, "HTTP/1.1 200 ", 13) == 0;
}

static int connect_to_file(const char *path, char why[HEALTH_WHY_SIZE]) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int file = connect_to(AF_UNIX, (const struct sockaddr *)&address, sizeof address);
  if (file < 0) snprintf(why, HEALTH_WHY_SIZE, "cannot connect to unix:%.200s: %s", path, strerror(errno));
  return file;
}

static int connect_to_port(const srv_listen_address *place, char why[HEALTH_WHY_SIZE]) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *addresses;
  int failure = getaddrinfo(reachable(place->host), place->port, &hints, &addresses);
  if (failure != 0) {
    snprintf(why, HEALTH_WHY_SIZE, "unknown address '%.100s': %s", place->host, gai_strerror(failure));
    return -1;
  }
  int file = -1;
  for (const struct addrinfo *address = addresses; address && file < 0; address = address->ai_next)
    file = connect_to(address->ai_family, address->ai_addr, address->ai_addrlen);
  freeaddrinfo(addresses);
  if (file < 0)
    snprintf(why, HEALTH_WHY_SIZE, "cannot connect to %.100s port %s: %s", place->host, place->port, strerror(errno));
  return file;
}

bool srv_health_ask(const srv_config *config, const char *path, char why[HEALTH_WHY_SIZE]) {
  srv_listen_address place;
  if (!srv_listen_socket_address(config, &place, why)) return false;
  int file = place.path ? connect_to_file(place.path, why) : connect_to_port(&place, why);
  if (file < 0) return false;
  bool well = ask(file, path, why);
  close(file);
  return well;
}
