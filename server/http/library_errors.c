/* library_errors.c - see library_errors.h. */
#include "server/http/library_errors.h"

#include "api/http/problem.h"
#include "server/http/connections.h"
#include "server/http/raw_response.h"

#include <stdio.h>

static bool is_head_whole(const http_exchange *exchange) {
  return MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) != NULL;
}

/* Returns true if the library reads lines from this connection: of a header, or between the chunks of a body. */
static bool is_heard(const http_connection *peer) {
  const http_exchange *exchange = peer->exchange;
  return !exchange || exchange->phase == HTTP_HEAD || (exchange->phase == HTTP_BODY && exchange->chunked);
}

/* Finds the client that the library means; NULL: unknown. `large`: one that has sent much. */
static http_connection *find_culprit(const srv_http *http, bool large) {
  http_connection *found = NULL, *last = NULL;
  uint64_t most = 0;
  size_t count = 0;
  for (http_connection *peer = http->peers; peer; peer = peer->next) {
    if (!is_heard(peer)) continue;
    if (peer->exchange && peer->exchange->phase == HTTP_HEAD && is_head_whole(peer->exchange)) return peer;
    uint64_t unseen = http_connection_received(peer) - peer->heard;
    if (peer == http->last_body && peer->exchange && peer->exchange->phase == HTTP_BODY) last = peer;
    if (unseen == 0) continue;
    count++;
    if (unseen > most) found = peer;
    if (unseen > most) most = unseen;
  }
  if (count == 0) return last; /* the fault is behind a part of a body that came with it */
  return count == 1 || large ? found : NULL;
}

static const char *detail_of(unsigned status) {
  switch (status) {
  case 413: return "The request body, or a chunk of it, is too long";
  case 414: return "The first line of the request is too long";
  case 431: return "The header of the request is too large";
  case 505: return "The service supports HTTP/1.1 and HTTP/1.0";
  default: return "The request is not valid HTTP/1.1 (RFC 9112)";
  }
}

void http_library_logged(srv_http *http, const char *line) {
  unsigned status;
  if (sscanf(line, "Error processing request (HTTP response code is %u", &status) != 1) return;
  http_connection *peer = find_culprit(http, status == 431 || status == 414);
  if (!peer) return;
  api_response response;
  api_problem_response(&response, (int)status, peer->exchange ? peer->exchange->target : NULL, detail_of(status));
  http_raw_response(http, peer, &response);
  api_response_free(&response);
}
