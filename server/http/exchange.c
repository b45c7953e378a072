/* exchange.c - see exchange.h: the head is checked, the body collected, the answer sent. */
#include "server/http/exchange.h"

#include "api/api.h"
#include "api/http/problem.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/http/head_check.h"
#include "server/http/mailbox.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory that all request bodies together may take, beside one of the largest that are allowed. */
static const size_t upload_memory = (size_t)256 << 20;
/* While an answer goes out, each of its parts (at most a block) has this long to leave. */
static const double send_seconds = 60;
enum { STREAM_BLOCK = 64 << 10, SLOWEST_RATE = 8 << 10 /* bytes a second of a whole answer */ };

/* ---- life -------------------------------------------------------------------------------------------------------- */

static void released(srv_service *self) {
  http_mailbox_return((http_exchange *)((char *)self - offsetof(http_exchange, service)));
}

static http_peer *peer_of(struct MHD_Connection *connection) {
  return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Called when the first line of a request is there; what it returns is the exchange of the later calls. */
void *http_exchange_begin(void *context, const char *target, struct MHD_Connection *connection) {
  srv_http *http = context;
  http_exchange *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->http = http;
  self->connection = connection;
  self->peer = peer_of(connection);
  self->references = 1;
  self->began = srv_clock_monotonic();
  self->target = strdup(target);
  srv_service_init(&self->service, http->server, released);
  http->exchanges++;
  return self;
}

static void drop_body(http_exchange *self) {
  self->http->upload_bytes -= self->body_capacity;
  free(self->body);
  self->body = NULL;
  self->body_size = self->body_capacity = 0;
}

static void unreference(http_exchange *self) {
  if (--self->references > 0) return;
  drop_body(self);
  api_response_free(&self->response);
  srv_service_clear(&self->service);
  for (size_t i = 0; i < self->header_count; i++) {
    free((char *)self->headers[i].name);
    free((char *)self->headers[i].value);
  }
  free(self->headers);
  free(self->method);
  free(self->target);
  free(self->part);
  free(self);
}

void http_exchange_end(void *context, struct MHD_Connection *connection, void **exchange,
                       enum MHD_RequestTerminationCode how) {
  srv_http *http = context;
  (void)connection;
  (void)how;
  http_exchange *self = *exchange;
  if (!self) return;
  if (self->peer) self->peer->deadline = srv_clock_monotonic() + http->server->config->request_seconds;
  http->exchanges--;
  unreference(self);
}

/* ---- answering --------------------------------------------------------------------------------------------------- */

static void suspend(http_exchange *self) {
  self->phase = HTTP_WORK;
  self->peer->deadline = INFINITY;
  self->http->suspended++;
  MHD_suspend_connection(self->connection);
}

static void resume(http_exchange *self) {
  self->phase = HTTP_ANSWER;
  self->http->suspended--;
  MHD_resume_connection(self->connection);
}

/* On a task queue's thread. */
static void read_part(srv_task *task, bool late) {
  http_exchange *self = (http_exchange *)task;
  if (!self->part) self->part = malloc(STREAM_BLOCK);
  bool possible = self->part && !late;
  self->part_size = possible ? self->response.stream.read(self->response.stream.context, self->part, STREAM_BLOCK) : -1;
  self->part_sent = 0;
  self->part_ready = true;
  srv_service_release(&self->service);
}

/* Sends what was read beside the loop; where there is nothing, has it read, and sends it after the resume. */
static ssize_t send_part(http_exchange *self, char *buffer, size_t size) {
  if (!self->part_ready) {
    self->task.run = read_part;
    if (!srv_task_queue_post(self->http->reading, &self->task)) return MHD_CONTENT_READER_END_WITH_ERROR;
    suspend(self);
    return 0;
  }
  if (self->part_size == 0) return MHD_CONTENT_READER_END_OF_STREAM;
  if (self->part_size < 0) return MHD_CONTENT_READER_END_WITH_ERROR;
  size_t left = (size_t)self->part_size - self->part_sent, count = left < size ? left : size;
  memcpy(buffer, self->part + self->part_sent, count);
  self->part_sent += count;
  self->part_ready = count < left;
  return (ssize_t)count;
}

static ssize_t read_stream(void *context, uint64_t position, char *buffer, size_t size) {
  http_exchange *self = context;
  (void)position;
  /* To be asked for more means that what came before has left. */
  if (self->peer) self->peer->deadline = srv_clock_monotonic() + send_seconds;
  if (self->http->reading) return send_part(self, buffer, size);
  ssize_t got = self->response.stream.read(self->response.stream.context, buffer, size);
  if (got == 0) return MHD_CONTENT_READER_END_OF_STREAM;
  return got < 0 ? MHD_CONTENT_READER_END_WITH_ERROR : got;
}

static void stream_gone(void *context) { unreference(context); }

static struct MHD_Response *make_response(http_exchange *self) {
  api_response *from = &self->response;
  if (from->stream.read) {
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, self, stream_gone);
    if (response) self->references++;
    return response;
  }
  enum MHD_ResponseMemoryMode mode = from->body_static ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_FREE;
  struct MHD_Response *response = MHD_create_response_from_buffer(from->body_size, from->body, mode);
  if (response && !from->body_static) from->body = NULL; /* it is the response's now */
  return response;
}

/* That nothing is taken at present is logged where it begins, not for each request that is told so. */
static void log_answer(const http_exchange *self) {
  int status = self->response.status;
  bool failed = status >= 500 && status != 503 && status != 507;
  srv_log(failed ? SRV_WARNING : SRV_DEBUG, "http_answer",
          (srv_field[]){srv_text("method", self->method),
                        srv_text("target", self->target),
                        srv_number("status", status),
                        srv_number("bytes", (double)self->body_size),
                        srv_number("seconds", srv_clock_monotonic() - self->began),
                        {0}});
}

static enum MHD_Result send_answer(http_exchange *self) {
  api_response *from = &self->response;
  struct MHD_Response *response = make_response(self);
  if (!response) return MHD_NO;
  for (size_t i = 0; i < from->header_count; i++)
    MHD_add_response_header(response, from->headers[i].name, from->headers[i].value);
  if (self->close) MHD_add_response_header(response, "Connection", "close");
  self->peer->deadline = srv_clock_monotonic() + send_seconds + (double)from->body_size / SLOWEST_RATE;
  log_answer(self);
  srv_metrics_answer(self->http->server->metrics, from->status);
  drop_body(self);
  enum MHD_Result result = MHD_queue_response(self->connection, (unsigned)from->status, response);
  MHD_destroy_response(response);
  return result;
}

/* Answers with a problem; what is left of the request is not read. */
static enum MHD_Result refuse(http_exchange *self, int status, const char *detail) {
  self->close = true;
  api_problem_response(&self->response, status, self->target, detail);
  return send_answer(self);
}

static bool has_room(const srv_http *http, size_t bytes) {
  return http->upload_bytes + bytes <= upload_memory + http->server->config->body;
}

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static enum MHD_Result collect_header(void *context, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                      const char *value, size_t value_size) {
  http_exchange *self = context;
  (void)kind;
  api_header *larger = realloc(self->headers, (self->header_count + 1) * sizeof *larger);
  if (!larger) return MHD_NO;
  self->headers = larger;
  /* A zero byte in a name or value becomes a space, which names may not have; values are cut by nobody then. */
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

static enum MHD_Result look_at_head(http_exchange *self, const char *method) {
  const srv_config *config = self->http->server->config;
  self->method = strdup(method);
  int headers = MHD_get_connection_values_n(self->connection, MHD_HEADER_KIND, NULL, NULL);
  MHD_get_connection_values_n(self->connection, MHD_HEADER_KIND, collect_header, self);
  if (!self->method || !self->target || (int)self->header_count != headers)
    return refuse(self, 503, "The server is out of memory");
  const char *complaint = srv_head_complaint(self->headers, self->header_count);
  if (complaint) return refuse(self, 400, complaint);
  const char *length = srv_head_field(self->headers, self->header_count, "Content-Length");
  size_t expected = length ? strtoull(length, NULL, 10) : 0;
  if (expected > config->body) {
    char detail[128];
    snprintf(detail, sizeof detail, "A body may have at most %zu bytes", config->body);
    return refuse(self, 413, detail);
  }
  if (!has_room(self->http, expected)) return refuse(self, 503, "Too many uploads at once");
  self->phase = HTTP_BODY;
  self->peer->deadline = srv_clock_monotonic() + config->request_seconds;
  return MHD_YES;
}

/* ---- the body ---------------------------------------------------------------------------------------------------- */

/* False: too large, or no memory. Without a Content-Length there is no clean way to refuse half way: it is dropped. */
static bool add_to_body(http_exchange *self, const char *data, size_t size) {
  srv_http *http = self->http;
  if (size > http->server->config->body - self->body_size) return false;
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
  api_request request = {.method = self->method,
                         .target = self->target,
                         .headers = self->headers,
                         .header_count = self->header_count,
                         .body = self->body,
                         .body_size = self->body_size,
                         .client = self->peer->address,
                         .waited = self->waited,
                         .wait_id = self->waited ? self->wait_id : NULL,
                         .service = &self->service.verbs};
  api_handle(&request, &self->response);
}

/* Whether the service is at work for the request, which comes back from there. */
static bool is_under_way(const http_exchange *self) { return self->response.pending || self->service.submitted; }

/* On the loop's thread or a task queue's. */
static void run_task(srv_task *task, bool late) {
  http_exchange *self = (http_exchange *)task;
  if (late)
    api_problem_response(&self->response, 503, self->target, "The service is about to stop");
  else
    handle(self);
  srv_service_release(&self->service);
}

/* The exchange is suspended. Its request is handled, here or, where the store may keep one waiting, beside the loop; it
 * comes back when that is done, and whatever the service has begun for it. */
static void handle_suspended(http_exchange *self) {
  srv_task_queue *queue = self->http->reading;
  self->phase = HTTP_WORK;
  self->task.run = run_task;
  if (!queue || !srv_task_queue_post(queue, &self->task)) run_task(&self->task, queue != NULL);
}

static void wait_for_job(http_exchange *self) {
  srv_http *http = self->http;
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
  if (self->previous)
    self->previous->next = self->next;
  else
    self->http->waiting = self->next;
  if (self->next) self->next->previous = self->previous;
  api_response_free(&self->response);
  self->waited = true;
  handle_suspended(self);
}

/* A look at a job that somebody waits for. */
typedef struct job_look {
  srv_http *http;
  char id[SERVICE_ID_SIZE];
  service_job job;
} job_look;

/* On any thread, at once or later. Where there is no such job, or no answer, to wait is of no use either. */
static void looked(void *context, service_status status) {
  job_look *self = context;
  job_state state = status == SERVICE_OK ? job_state_find(self->job.status) : JOB_STATES;
  if (state != JOB_QUEUED && state != JOB_RUNNING) http_mailbox_job_ended(self->http, self->id);
  if (status == SERVICE_OK) service_job_free(&self->job);
  free(self);
}

void http_exchange_look(http_exchange *self) {
  srv_store *store = self->http->server->store;
  job_look *look = calloc(1, sizeof *look);
  if (!look) return; /* it waits until it is told, or its time is over */
  look->http = self->http;
  memcpy(look->id, self->wait_id, sizeof look->id);
  store->get(store, look->id, &look->job, looked, look);
}

/* The exchange is suspended, and its response known: it goes out, or waits for a job. */
static void settle(http_exchange *self) {
  if (!self->response.wait_id[0]) {
    resume(self);
    return;
  }
  wait_for_job(self);
  if (self->http->drained)
    http_exchange_wake(self);
  else
    http_exchange_look(self); /* the job may have ended while nobody listened */
}

/* The answer says that a job was accepted; it was not. */
static void take_back(http_exchange *self) {
  int status = 500;
  const char *detail = "The database did not take the job: it was not accepted";
  if (self->service.committed == SERVICE_NO_SPACE) {
    status = 507;
    detail = "The disk is full: the job was not accepted";
  } else if (self->service.committed == SERVICE_UNAVAILABLE) {
    status = 503;
    detail = "The data folder has a fault, which /readyz names: the job was not accepted";
  }
  api_response_free(&self->response);
  api_problem_response(&self->response, status, self->target, detail);
}

void http_exchange_returned(http_exchange *self) {
  srv_service_resume(&self->service);
  if (self->response.pending) {
    api_response_free(&self->response);
    handle_suspended(self);
    return;
  }
  if (self->service.submitted && self->service.committed != SERVICE_OK) take_back(self);
  settle(self);
}

static enum MHD_Result start_work(http_exchange *self) {
  if (self->http->reading) {
    suspend(self);
    handle_suspended(self);
    return MHD_YES;
  }
  handle(self);
  if (!is_under_way(self) && !self->response.wait_id[0]) return send_answer(self);
  suspend(self);
  srv_service_release(&self->service);
  return MHD_YES;
}

/* libmicrohttpd calls this when the head is there, for every part of the body, at the end of it, and after a resume. */
enum MHD_Result http_exchange_step(void *context, struct MHD_Connection *connection, const char *url,
                                   const char *method, const char *version, const char *data, size_t *size,
                                   void **exchange) {
  (void)context;
  (void)connection;
  (void)url;
  (void)version;
  http_exchange *self = *exchange;
  if (!self) return MHD_NO;
  if (self->phase == HTTP_HEAD) return look_at_head(self, method);
  if (self->phase == HTTP_ANSWER) return send_answer(self);
  if (*size == 0) return start_work(self);
  bool good = add_to_body(self, data, *size);
  *size = 0;
  return good ? MHD_YES : MHD_NO;
}
