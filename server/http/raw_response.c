/* raw_response.c - see raw_response.h. */
#include "server/http/raw_response.h"

#include "server/base/clock.h"
#include "server/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void print_date(FILE *out) {
  char text[64];
  time_t now = time(NULL);
  struct tm fields;
  if (gmtime_r(&now, &fields) && strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &fields) > 0)
    fprintf(out, "Date: %s\r\n", text);
}

/* Returns the answer as it is sent, malloc'd; NULL if memory runs out. */
static char *print_answer(const api_response *response, bool bodiless, size_t *size) {
  char *text = NULL;
  FILE *out = open_memstream(&text, size);
  if (!out) return NULL;
  fprintf(out, "HTTP/1.1 %d %s\r\n", response->status, MHD_get_reason_phrase_for((unsigned)response->status));
  print_date(out);
  for (size_t i = 0; i < response->header_count; i++)
    fprintf(out, "%s: %s\r\n", response->headers[i].name, response->headers[i].value);
  fprintf(out, "Content-Length: %zu\r\nConnection: close\r\n\r\n", response->body_size);
  if (!bodiless) fwrite(response->body, 1, response->body_size, out);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

void http_raw_response(srv_http *http, http_connection *peer, const api_response *response) {
  bool bodiless = peer->exchange && peer->exchange->method && strcmp(peer->exchange->method, "HEAD") == 0;
  size_t size = 0;
  char *text = print_answer(response, bodiless, &size);
  /* The answer has a few hundred bytes and nothing else is being sent: it fits into the buffer, or the connection ends
   * without it. */
  if (!text || send(peer->socket, text, size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)size)
    srv_log(SRV_DEBUG, "no_raw_response", (srv_field[]){srv_number("status", response->status), {0}});
  free(text);
  shutdown(peer->socket, SHUT_WR);
  const http_exchange *exchange = peer->exchange;
  srv_metrics_answer(http->server->metrics, exchange ? exchange->method : NULL, response->route, response->status,
                     exchange ? srv_clock_monotonic() - exchange->began : 0);
}
