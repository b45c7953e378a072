/* connections.c - see connections.h. */
#include "server/http/connections.h"

#include "api/http/problem.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/http/raw_response.h"

#include <linux/tcp.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* Unsent bytes of an answer that the kernel buffers for a slow client. */
enum { UNSENT_BYTES = 64 << 10 };
/* Limit of connections of an address if --client-connections is 0, and the number beyond the limit that receive 429. */
enum { CLIENT_CONNECTIONS = 256, TOLD_CONNECTIONS = 32 };

/* Gets the numeric address of a connection; "unix" for a unix socket; "" if unknown. */
static void find_address(http_connection *peer, struct MHD_Connection *connection) {
  const struct sockaddr *from = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr;
  if (from && from->sa_family == AF_UNIX) {
    memcpy(peer->address, "unix", sizeof "unix");
    return;
  }
  socklen_t size = from && from->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
  if (!from || getnameinfo(from, size, peer->address, HTTP_ADDRESS_SIZE, NULL, 0, NI_NUMERICHOST) != 0)
    peer->address[0] = '\0';
}

static bool is_loopback(const char *address) {
  return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 || strncmp(address, "::ffff:127.", 11) == 0;
}

/* Returns the limit of connections of an address. A proxy on this machine serves many clients, so by default the
 * loopback interface has no limit; nor have sockets without an address. */
static size_t limit_of(const srv_http *http, const char *address) {
  size_t given = http->server->config->client_connections;
  if (address[0] == '\0' || strcmp(address, "unix") == 0) return SIZE_MAX;
  if (given > 0) return given;
  return is_loopback(address) ? SIZE_MAX : CLIENT_CONNECTIONS;
}

static size_t count_of(const srv_http *http, const char *address) {
  size_t count = 0;
  for (const http_connection *peer = http->peers; peer; peer = peer->next) count += strcmp(peer->address, address) == 0;
  return count;
}

/* Answers connections beyond the limit with 429, and closes them at once if there are many. */
static void check_limit(srv_http *http, http_connection *peer) {
  size_t limit = limit_of(http, peer->address);
  size_t count = limit == SIZE_MAX ? 0 : count_of(http, peer->address);
  peer->too_many = count > limit;
  if (count <= limit || count - limit <= TOLD_CONNECTIONS) return;
  api_response response;
  api_problem_response(&response, 429, NULL, "Too many open connections from this address (--client-connections)");
  http_raw_response(http, peer, &response);
  api_response_free(&response);
  shutdown(peer->socket, SHUT_RDWR);
}

static void begin(srv_http *http, http_connection *peer, struct MHD_Connection *connection) {
  peer->socket = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  find_address(peer, connection);
  peer->deadline = srv_clock_monotonic() + http->server->config->request_seconds;
  peer->next = http->peers;
  if (peer->next) peer->next->previous = peer;
  http->peers = peer;
  atomic_fetch_add(&http->server->connections, 1);
  const int unsent = UNSENT_BYTES;
  setsockopt(peer->socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
  check_limit(http, peer);
}

static void end(srv_http *http, http_connection *peer) {
  if (peer->previous)
    peer->previous->next = peer->next;
  else
    http->peers = peer->next;
  if (peer->next) peer->next->previous = peer->previous;
  atomic_fetch_sub(&http->server->connections, 1);
  free(peer);
}

void http_connections_changed(void *context, struct MHD_Connection *connection, void **socket_context,
                              enum MHD_ConnectionNotificationCode code) {
  srv_http *http = context;
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    http_connection *peer = calloc(1, sizeof *peer);
    *socket_context = peer;
    if (peer) begin(http, peer, connection);
  } else if (*socket_context) {
    end(http, *socket_context);
  }
}

uint64_t http_connection_received(const http_connection *peer) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(peer->socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  return info.tcpi_bytes_received;
}

void http_connections_sweep(srv_http *http, double now) {
  for (http_connection *peer = http->peers; peer; peer = peer->next) {
    if (now < peer->deadline) continue;
    peer->deadline = INFINITY;
    shutdown(peer->socket, SHUT_RDWR);
    srv_log(SRV_DEBUG, "client_too_slow", (srv_field[]){srv_number("socket", peer->socket), {0}});
  }
}
