/* exchange.c - see exchange.h: checks the header, collects the body, sends the answer. */
#include "server/http/exchange.h"

#include "api/api.h"
#include "api/http/problem.h"
#include "server/base/clock.h"
#include "server/http/answer.h"
#include "server/http/connections.h"
#include "server/http/event_streams.h"
#include "server/http/head_check.h"
#include "server/http/mailbox.h"
#include "server/http/stream_producers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Maximum memory of all request bodies together, in addition to one of the maximum size [bytes]. */
static const size_t upload_memory = (size_t)256 << 20;
enum { LONGEST_TARGET = 8000 }; /* the minimum that RFC 9110, 4.1 recommends */

/* ---- life -------------------------------------------------------------------------------------------------------- */

/* Returns true if an exchange waits for the job that it has added, whose row is durable now. Then the loop need not run
 * before the job ends: the notice of that is in the mailbox after the exchange. Where other servers run jobs, too, it
 * may come before. */
static bool waits_for_new_job(const http_exchange *self) {
  return self->service.submitted && self->service.committed == SERVICE_OK && self->response.wait_id[0] &&
         !self->http->server->store->answers_later;
}

static void released(srv_service *self) {
  http_exchange *exchange = (http_exchange *)((char *)self - offsetof(http_exchange, service));
  http_mailbox_return(exchange, !waits_for_new_job(exchange));
}

static http_connection *peer_of(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Called when the first line of a request has arrived; returns the exchange that the later calls receive. */
void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *connection) {
  srv_http *http = context;
  http_exchange *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->http = http;
  self->connection = connection;
  self->peer = peer_of(connection);
  self->references = 1;
  assert(!self->peer || !self->peer->exchange);
  if (self->peer) self->peer->exchange = self;
  self->began = srv_clock_monotonic();
  self->target = strdup(target);
  srv_service_init(&self->service, http->server, released);
  http->exchanges++;
  return self;
}

void http_exchange_end(void *context, struct MHD_Connection *connection, void **exchange,
                       enum MHD_RequestTerminationCode how) {
  srv_http *http = context;
  (void)connection;
  (void)how;
  http_exchange *self = *exchange;
  if (!self) return;
  if (self->peer) {
    self->peer->exchange = NULL;
    self->peer->heard = http_connection_received(self->peer);
    self->peer->deadline = srv_clock_monotonic() + http->server->config->request_seconds;
  }
  assert(http->exchanges > 0);
  http->exchanges--;
  http_exchange_unreference(self);
}

static bool has_room(const srv_http *http, size_t bytes) {
  return http->upload_bytes + bytes <= upload_memory + http->server->config->body;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

/* A header being copied. */
typedef struct head_copy {
  http_exchange *exchange;
  head_layout *layout;
} head_copy;

static enum MHD_Result collect_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                      const char *value, size_t value_size) {
  http_exchange *self = ((head_copy *)context)->exchange;
  (void)kind;
  srv_head_layout_field(((head_copy *)context)->layout, name, name_size, value, value_size);
  api_header *larger = realloc(self->headers, (self->header_count + 1) * sizeof *larger);
  if (!larger) return MHD_NO;
  self->headers = larger;
  /* A zero byte in a name or value becomes a space, which names must not contain; so no later code cuts a value
   * there. */
  char *copies[2] = {malloc(name_size + 1), malloc(value_size + 1)};
  if (!copies[0] || !copies[1]) {
    free(copies[0]);
    free(copies[1]);
    return MHD_NO;
  }
  for (size_t i = 0; i < name_size; i++) copies[0][i] = name[i] ? name[i] : ' ';
  for (size_t i = 0; i < value_size; i++) copies[1][i] = value[i] ? value[i] : '\x01';
  copies[0][name_size] = copies[1][value_size] = '\0';
  self->headers[self->header_count++] = (api_header){copies[0], copies[1]};
  return MHD_YES;
}

/* Processes a target in absolute form, "http://host/path": its host replaces the Host field (RFC 9112, 3.2.2), and the
 * rest is the target. Returns the fault, or NULL. */
static const char *take_authority(http_exchange *self) {
  size_t length;
  const char *authority = srv_head_authority(self->target, &length);
  if (!authority) return NULL;
  if (length == 0 || memchr(authority, '@', length)) return "The request address must contain a host and no user name";
  char *host = strndup(authority, length);
  const char *rest = authority + length;
  size_t size = strlen(rest) + 2;
  char *target = malloc(size);
  if (!host || !target) {
    free(host);
    free(target);
    return "The service is out of memory; try again later";
  }
  snprintf(target, size, "%s%s", rest[0] == '/' ? "" : "/", rest);
  free(self->target);
  self->target = target;
  for (size_t i = 0; i < self->header_count; i++) {
    if (strcasecmp(self->headers[i].name, "Host") != 0) continue;
    free((char *)self->headers[i].value);
    self->headers[i].value = host;
    return NULL;
  }
  free(host); /* HTTP/1.0 without a Host */
  return NULL;
}

/* Refuses a request because of its header; if a body follows, reads data for a while. */
static enum MHD_Result refuse_head(http_exchange *self, int status, const char *detail) {
  const char *length = srv_head_field(self->headers, self->header_count, "Content-Length");
  bool body = self->chunked || (length && strcmp(length, "0") != 0);
  return body ? http_answer_refuse_body(self, status, detail) : http_answer_refuse(self, status, detail);
}

static enum MHD_Result refuse_large(http_exchange *self) {
  char detail[128];
  snprintf(detail, sizeof detail, "The request body is larger than the limit of %zu bytes (--body)",
           self->http->server->config->body);
  return refuse_head(self, 413, detail);
}

/* Copies the header out of the library's memory. Returns false if memory runs out. */
static bool copy_head(http_exchange *self, const char *method, head_layout *layout) {
  int headers = MHD_get_connection_values_n(self->connection, MHD_HEADER_KIND, NULL, NULL);
  head_copy copy = {self, layout};
  MHD_get_connection_values_n(self->connection, MHD_HEADER_KIND, collect_header, &copy);
  self->method = strdup(method);
  return self->method && self->target && (int)self->header_count == headers;
}

static enum MHD_Result look_at_head(http_exchange *self, const char *method, const char *version) {
  const srv_config *config = self->http->server->config;
  head_layout layout = srv_head_layout(method, version);
  if (!copy_head(self, method, &layout)) return refuse_head(self, 503, "The service is out of memory; try again later");
  size_t size = MHD_get_connection_info(self->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)->header_size;
  self->chunked = srv_head_field(self->headers, self->header_count, "Transfer-Encoding") != NULL;
  if (self->peer->too_many)
    return refuse_head(self, 429, "Too many open connections from this address (--client-connections)");
  const char *complaint = srv_head_layout_complaint(&layout, size);
  if (!complaint) complaint = srv_head_complaint(self->headers, self->header_count);
  if (!complaint) complaint = take_authority(self);
  if (complaint) return refuse_head(self, 400, complaint);
  if (strlen(self->target) > LONGEST_TARGET) {
    self->target[LONGEST_TARGET / 100] = '\0'; /* the answer contains it */
    return refuse_head(self, 414, "The request address is too long");
  }
  const char *expectation = srv_head_field(self->headers, self->header_count, "Expect");
  if (expectation && strcasecmp(expectation, "100-continue") != 0)
    return refuse_head(self, 417, "The header Expect may only be 100-continue");
  const char *length = srv_head_field(self->headers, self->header_count, "Content-Length");
  size_t expected = length ? strtoull(length, NULL, 10) : 0;
  if (expected > config->body) return refuse_large(self);
  if (!has_room(self->http, expected)) return refuse_head(self, 503, "Too many concurrent uploads; try again later");
  self->phase = HTTP_BODY;
  self->peer->deadline = srv_clock_monotonic() + config->request_seconds;
  return MHD_YES;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* Adds a part to the body. Returns false if memory runs out. */
static bool add_to_body(http_exchange *self, const char *data, size_t size) {
  srv_http *http = self->http;
  assert(self->body_size <= self->body_capacity && self->body_size + size <= http->server->config->body);
  if (self->body_size + size > self->body_capacity) {
    size_t capacity = 2 * self->body_capacity + size;
    if (capacity > http->server->config->body) capacity = http->server->config->body;
    if (!has_room(http, capacity - self->body_capacity)) return false;
    char *larger = realloc(self->body, capacity);
    if (!larger) return false;
    http->upload_bytes += capacity - self->body_capacity;
    self->body = larger;
    self->body_capacity = capacity;
  }
  memcpy(self->body + self->body_size, data, size);
  self->body_size += size;
  return true;
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

static void handle(http_exchange *self) {
  assert(self->method && self->target && self->peer);
  api_request request = {.method = self->method,
                         .target = self->target,
                         .headers = self->headers,
                         .header_count = self->header_count,
                         .body = self->body,
                         .body_size = self->body_size,
                         .client = self->peer->address,
                         .beside = self->beside,
                         .waited = self->waited,
                         .wait_id = self->waited ? self->wait_id : NULL,
                         .service = &self->service.verbs};
  api_handle(&request, &self->response);
}

/* Returns true if the request will be processed again, or waits for the service. */
static bool is_under_way(const http_exchange *self) {
  return self->response.pending || self->response.beside || self->service.submitted;
}

/* Runs on the loop's thread or a task queue's. */
static void run_task(srv_task *task, bool late) {
  http_exchange *self = (http_exchange *)task;
  if (late)
    api_problem_response(&self->response, 503, self->target, "The service is shutting down");
  else
    handle(self);
  srv_service_release(&self->service);
}

/* Processes the request of a suspended exchange, here or outside the loop; the exchange returns when that and all
 * operations of the service for it are complete. */
static void handle_suspended(http_exchange *self) {
  self->phase = HTTP_WORK;
  self->task.run = run_task;
  if (!self->beside || !srv_task_queue_post(self->http->reading, &self->task)) run_task(&self->task, self->beside);
}

static void wait_for_job(http_exchange *self) {
  srv_http *http = self->http;
  assert(self->response.wait_id[0]);
  self->phase = HTTP_WAIT;
  memcpy(self->wait_id, self->response.wait_id, sizeof self->wait_id);
  double longest = http->server->config->wait;
  double seconds = self->response.wait_seconds < longest ? self->response.wait_seconds : longest;
  self->wait_until = srv_clock_monotonic() + seconds;
  self->previous = NULL;
  self->next = http->waiting;
  if (self->next) self->next->previous = self;
  http->waiting = self;
}

void http_exchange_wake(http_exchange *self) {
  assert(self->phase == HTTP_WAIT);
  if (self->previous)
    self->previous->next = self->next;
  else
    self->http->waiting = self->next;
  if (self->next) self->next->previous = self->previous;
  api_response_free(&self->response);
  self->waited = true;
  handle_suspended(self);
}

/* A query for a job that a request waits for. */
typedef struct job_look {
  srv_http *http;
  char id[SERVICE_ID_SIZE];
  service_job job;
} job_look;

/* Called on any thread, now or later. If there is no such job, or no answer, waiting is useless, too. */
static void looked(void *context, service_status status) {
  job_look *self = context;
  job_state state = status == SERVICE_OK ? job_state_find(self->job.status) : JOB_STATES;
  if (state != JOB_QUEUED && state != JOB_RUNNING) http_mailbox_job_ended(self->http, self->id);
  if (status == SERVICE_OK) service_job_free(&self->job);
  free(self);
}

void http_exchange_look(http_exchange *self) {
  assert(self->phase == HTTP_WAIT && self->wait_id[0]);
  srv_store *store = self->http->server->store;
  job_look *look = calloc(1, sizeof *look);
  if (!look) return; /* the exchange waits for an event or its deadline */
  look->http = self->http;
  memcpy(look->id, self->wait_id, sizeof look->id);
  store->get(store, look->id, &look->job, looked, look);
}

/* Continues a suspended exchange whose response, or next part, is known: sends it, or waits for a job. */
static void continue_suspended(http_exchange *self) {
  if (self->part_ready && self->part_size == API_STREAM_WAIT) {
    http_event_stream_wait(self);
    return;
  }
  if (self->part_ready && self->part_size == API_STREAM_AGAIN) {
    http_producer_taken(self);
    http_producer_make(self, self->part_wanted);
    return;
  }
  if (!self->response.wait_id[0]) {
    http_exchange_resume(self);
    return;
  }
  const bool is_new = waits_for_new_job(self);
  wait_for_job(self);
  if (self->http->drained)
    http_exchange_wake(self);
  else if (!is_new)
    http_exchange_look(self); /* the job may have ended before the exchange was in the list */
}

/* Replaces an answer that accepted a job which was not stored. */
static void take_back(http_exchange *self) {
  static const struct {
    service_status why;
    int status;
    const char *detail;
  } reasons[] = {
      {SERVICE_NO_SPACE, 507, "The disk is full; the job was not accepted"},
      {SERVICE_UNAVAILABLE, 503, "The storage has a fault, reported at /readyz; the job was not accepted"},
      {SERVICE_FAILED, 500, "The database could not store the job; it was not accepted"},
  };
  if (self->service.committed == SERVICE_CLIENT_FULL) {
    const api_request request = {.target = self->target};
    api_response_free(&self->response);
    api_problem_limit(&(api_call){.request = &request}, &self->response, &self->service.receipt);
    return;
  }
  size_t i = 0;
  while (reasons[i].why != SERVICE_FAILED && reasons[i].why != self->service.committed) i++;
  api_response_free(&self->response);
  api_problem_response(&self->response, reasons[i].status, self->target, reasons[i].detail);
}

void http_exchange_returned(http_exchange *self) {
  assert(self->phase == HTTP_WORK);
  srv_service_resume(&self->service);
  if (self->response.pending || self->response.beside) {
    self->beside |= self->response.beside;
    api_response_free(&self->response);
    handle_suspended(self);
    return;
  }
  if (self->service.submitted && self->service.committed != SERVICE_OK) take_back(self);
  continue_suspended(self);
}

static enum MHD_Result start_work(http_exchange *self) {
  assert(self->phase == HTTP_BODY);
  self->beside = self->http->server->store->answers_later && !api_is_probe(self->target);
  if (self->beside) {
    http_exchange_suspend(self);
    handle_suspended(self);
    return MHD_YES;
  }
  handle(self);
  if (!is_under_way(self) && !self->response.wait_id[0]) return http_answer_send(self);
  http_exchange_suspend(self);
  srv_service_release(&self->service);
  return MHD_YES;
}

/* Processes a part of the body; drops it if the body was refused. */
static enum MHD_Result take_body(http_exchange *self, const char *data, size_t size) {
  if (self->chunked) self->peer->heard = http_connection_received(self->peer);
  self->http->last_body = self->peer;
  if (self->phase == HTTP_LINGER) return MHD_YES;
  if (size > self->http->server->config->body - self->body_size) return refuse_large(self);
  if (add_to_body(self, data, size)) return MHD_YES;
  return http_answer_refuse_body(self, 503, "Not enough memory for the request body; try again later");
}

/* Called by libmicrohttpd after the header, for every part of the body, at its end, and after a resume. */
enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *data, size_t *size,
                                   void **exchange) {
  (void)context;
  (void)connection;
  (void)url;
  http_exchange *self = *exchange;
  if (!self) return MHD_NO;
  if (self->phase == HTTP_HEAD) return look_at_head(self, method, version);
  if (self->phase == HTTP_ANSWER) return http_answer_send(self);
  if (*size == 0) return self->phase == HTTP_LINGER ? MHD_NO : start_work(self);
  size_t part = *size;
  *size = 0;
  return take_body(self, data, part);
}
