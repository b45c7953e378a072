/* answer.c - see answer.h. */
#include "server/http/answer.h"

#include "api/http/problem.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/http/head_check.h"
#include "server/http/raw_response.h"
#include "server/http/stream_producers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Time limit to send each part of an answer [s]. */
static const double send_seconds = 60;
/* Time for a client whose body is refused to read the answer [s]. */
static const double linger_seconds = 10;
enum {
  PART = 32 << 10,
  FOLLOWED_PART = 4 << 10,
  SLOWEST_RATE = 8 << 10 /* minimum rate of a whole answer [bytes/s] */
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

void http_exchange_suspend(http_exchange *self) {
  assert(self->phase == HTTP_BODY || self->phase == HTTP_ANSWER);
  self->phase = HTTP_WORK;
  self->peer->deadline = INFINITY;
  self->http->suspended++;
  MHD_suspend_connection(self->connection);
}

void http_exchange_resume(http_exchange *self) {
  assert(self->phase == HTTP_WORK && self->http->suspended > 0);
  self->phase = HTTP_ANSWER;
  self->http->suspended--;
  MHD_resume_connection(self->connection);
}

static void drop_body(http_exchange *self) {
  assert(self->http->upload_bytes >= self->body_capacity);
  self->http->upload_bytes -= self->body_capacity;
  free(self->body);
  self->body = NULL;
  self->body_size = self->body_capacity = 0;
}

void http_exchange_unreference(http_exchange *self) {
  assert(self->references > 0);
  if (--self->references > 0) return;
  drop_body(self);
  http_producer_leave(self);
  api_response_free(&self->response);
  srv_service_clear(&self->service);
  for (size_t i = 0; i < self->header_count; i++) {
    free((char *)self->headers[i].name);
    free((char *)self->headers[i].value);
  }
  free(self->headers);
  free(self->method);
  free(self->target);
  free(self);
}

/* ---- streams ----------------------------------------------------------------------------------------------------- */

bool http_answer_is_over(const http_exchange *self) {
  const srv_http *http = self->http;
  return self->response.stream.follower && (self->over || http->draining || self->began < http->admitted_from);
}

/* Returns the maximum part of a stream; the library has a buffer of that size for each of many event streams. */
static size_t part_of(const api_stream *stream) { return stream->follower ? FOLLOWED_PART : PART; }

/* Callback of libmicrohttpd for the next bytes, after the previous ones were sent. Passes on a part produced outside
 * the loop; if there is none, starts to produce it and passes it on after the resume. */
static ssize_t next_bytes(void *context, uint64_t position, char *buffer, size_t size) {
  http_exchange *self = context;
  (void)position;
  if (self->peer) self->peer->deadline = srv_clock_monotonic() + send_seconds;
  if (!self->part_ready && self->http->closing) return MHD_CONTENT_READER_END_WITH_ERROR;
  if (!self->part_ready && http_answer_is_over(self)) return MHD_CONTENT_READER_END_OF_STREAM;
  if (!self->part_ready) {
    http_exchange_suspend(self);
    size_t most = part_of(&self->response.stream);
    http_producer_make(self, size < most ? size : most);
    return 0;
  }
  ssize_t got = self->part_size;
  assert(got <= 0 || (size_t)got <= size);
  if (got > 0) memcpy(buffer, self->part, (size_t)got);
  http_producer_taken(self);
  if (got == 0) return MHD_CONTENT_READER_END_OF_STREAM;
  return got < 0 ? MHD_CONTENT_READER_END_WITH_ERROR : got;
}

static void stream_gone(void *context) { http_exchange_unreference(context); }

static struct MHD_Response *make_streamed(http_exchange *self) {
  const api_stream *stream = &self->response.stream;
  uint64_t size = stream->sized ? stream->size : MHD_SIZE_UNKNOWN;
  struct MHD_Response *response =
      MHD_create_response_from_callback(size, part_of(stream), next_bytes, self, stream_gone);
  if (!response) return NULL;
  self->references++;
  /* The library ends a chunked answer to HEAD with a last chunk, which the client would read as the begin of the next
   * answer. */
  if (!stream->sized && strcmp(self->method, "HEAD") == 0)
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
  return response;
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

static struct MHD_Response *make_response(http_exchange *self) {
  api_response *from = &self->response;
  if (from->stream.read) return make_streamed(self);
  enum MHD_ResponseMemoryMode mode = from->body_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE;
  struct MHD_Response *response = MHD_create_response_from_buffer(from->body_size, from->body, mode);
  if (response && !from->body_static) from->body = NULL; /* owned by the response now */
  return response;
}

/* Returns the identifier that a request carries in a header; NULL if there is none, or an invalid one. */
static const char *identifier_of(const http_exchange *self, const char *name) {
  enum { LONGEST = 200 };
  const char *value = srv_head_field(self->headers, self->header_count, name);
  const size_t length = value ? strlen(value) : 0;
  if (length == 0 || length > LONGEST) return NULL;
  for (const char *c = value; *c; c++)
    if (*c <= 0x20 || *c >= 0x7f) return NULL;
  return value;
}

/* Returns the trace context of a request (W3C Trace Context, version 00); NULL if it has none, or an invalid one. */
static const char *trace_of(const http_exchange *self) {
  static const char hex[] = "0123456789abcdef";
  static const size_t lengths[] = {2, 32, 16, 2};
  const char *value = identifier_of(self, "traceparent"), *at = value;
  for (size_t i = 0; at && i < sizeof lengths / sizeof *lengths; i++) {
    if (strspn(at, hex) != lengths[i] || at[lengths[i]] != (i < 3 ? '-' : '\0')) return NULL;
    at += lengths[i] + (i < 3);
  }
  return value;
}

/* Returns the identifiers of the request in its answer, so that both sides find it in their logs. */
static void add_identifiers(http_exchange *self) {
  const char *id = identifier_of(self, "X-Request-Id"), *trace = trace_of(self);
  if (id) api_response_header(&self->response, "X-Request-Id", "%s", id);
  if (trace) api_response_header(&self->response, "traceparent", "%s", trace);
}

/* Refusals because of overload are logged when they begin, not for each request. Requests with an identifier are logged
 * at the level info. */
static void log_answer(const http_exchange *self) {
  int status = self->response.status;
  bool failed = status >= 500 && status != 503 && status != 507;
  char target[256]; /* the part of the target that is logged */
  snprintf(target, sizeof target, "%s", self->target ? self->target : "");
  const char *id = identifier_of(self, "X-Request-Id"), *trace = trace_of(self);
  srv_field fields[8] = {srv_text("method", self->method), srv_text("target", target), srv_number("status", status),
                         srv_number("bytes", (double)self->body_size),
                         srv_number("seconds", srv_clock_monotonic() - self->began)};
  size_t count = 5;
  if (id) fields[count++] = srv_text("request_id", id);
  if (trace) fields[count++] = srv_text("traceparent", trace);
  srv_log(failed ? SRV_WARNING : id || trace ? SRV_INFO : SRV_DEBUG, "http_answer", fields);
}

enum MHD_Result http_answer_send(http_exchange *self) {
  api_response *from = &self->response;
  assert(from->status >= 100 && from->status < 600);
  struct MHD_Response *response = make_response(self);
  if (!response) return MHD_NO;
  add_identifiers(self);
  for (size_t i = 0; i < from->header_count; i++)
    MHD_add_response_header(response, from->headers[i].name, from->headers[i].value);
  if (self->close) MHD_add_response_header(response, "Connection", "close");
  self->peer->deadline = srv_clock_monotonic() + send_seconds + (double)from->body_size / SLOWEST_RATE;
  log_answer(self);
  srv_metrics_answer(self->http->server->metrics, self->method, from->route, from->status,
                     srv_clock_monotonic() - self->began);
  drop_body(self);
  enum MHD_Result result = MHD_queue_response(self->connection, (unsigned)from->status, response);
  MHD_destroy_response(response);
  return result;
}

enum MHD_Result http_answer_refuse(http_exchange *self, int status, const char *detail) {
  self->close = true;
  api_problem_response(&self->response, status, self->target, detail);
  return http_answer_send(self);
}

enum MHD_Result http_answer_refuse_body(http_exchange *self, int status, const char *detail) {
  api_problem_response(&self->response, status, self->target, detail);
  add_identifiers(self);
  log_answer(self);
  drop_body(self);
  http_raw_response(self->http, self->peer, &self->response);
  self->phase = HTTP_LINGER;
  self->peer->deadline = srv_clock_monotonic() + linger_seconds;
  return MHD_YES;
}
