/* last_word.c - see last_word.h. */
#include "server/http/last_word.h"

#include "api/base/buffer.h"
#include "server/base/log.h"

#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void print_date(api_buffer *out) {
  char text[64];
  time_t now = time(NULL);
  struct tm fields;
  if (!gmtime_r(&now, &fields)) return;
  strftime(text, sizeof text, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &fields);
  api_buffer_text(out, text);
}

void http_last_word(srv_http *http, http_peer *peer, const api_response *response) {
  api_buffer text = {0};
  bool bodiless = peer->exchange && peer->exchange->method && strcmp(peer->exchange->method, "HEAD") == 0;
  api_buffer_print(&text, "HTTP/1.1 %d %s\r\n", response->status,
                   MHD_get_reason_phrase_for((unsigned)response->status));
  print_date(&text);
  for (size_t i = 0; i < response->header_count; i++)
    api_buffer_print(&text, "%s: %s\r\n", response->headers[i].name, response->headers[i].value);
  api_buffer_print(&text, "Content-Length: %zu\r\nConnection: close\r\n\r\n", response->body_size);
  if (!bodiless) api_buffer_add(&text, response->body, response->body_size);
  /* A few hundred bytes, and nothing else is on its way: they fit, or the connection just ends. */
  if (text.failed || send(peer->socket, text.data, text.size, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)text.size)
    srv_log(SRV_DEBUG, "no_last_word", (srv_field[]){srv_number("status", response->status), {0}});
  shutdown(peer->socket, SHUT_WR);
  srv_metrics_answer(http->server->metrics, response->status);
  api_buffer_free(&text);
}
