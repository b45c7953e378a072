/* event_streams.c - see event_streams.h. Runs on the loop's thread, except the polls of jobs. */
#include "server/http/event_streams.h"

#include "server/base/clock.h"
#include "server/http/answer.h"
#include "server/http/mailbox.h"
#include "server/http/stream_producers.h"
#include "server/store/common/wait.h"

#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Time without acknowledgement by the client after which its connection ends [ms]. */
enum { SILENCE = 60000 };

/* ---- waiting connections ----------------------------------------------------------------------------------------- */

/* The library does not read from the sockets of suspended connections, so epoll reports when a client leaves. */
static void listen_to_end(const http_exchange *self, int operation) {
  struct epoll_event event = {.events = EPOLLRDHUP, .data.fd = self->peer->socket};
  epoll_ctl(self->http->epoll, operation, self->peer->socket, &event);
}

static void append(http_exchange *self) {
  http_line *line = &self->http->following;
  self->previous_producer = line->last;
  self->next_producer = NULL;
  *(line->last ? &line->last->next_producer : &line->first) = self;
  line->last = self;
  self->quiet_at = srv_clock_monotonic() + self->http->server->config->heartbeat;
  atomic_fetch_add(&self->http->followers, 1);
  listen_to_end(self, EPOLL_CTL_ADD);
}

static void stop_following(http_exchange *self) {
  http_line *line = &self->http->following;
  assert(line->first && line->last);
  *(self->previous_producer ? &self->previous_producer->next_producer : &line->first) = self->next_producer;
  *(self->next_producer ? &self->next_producer->previous_producer : &line->last) = self->previous_producer;
  atomic_fetch_sub(&self->http->followers, 1);
  listen_to_end(self, EPOLL_CTL_DEL);
}

/* Produces the next part of a stream. */
static void go_on(http_exchange *self) {
  stop_following(self);
  http_producer_make(self, self->part_wanted);
}

static void finish(http_exchange *self) {
  stop_following(self);
  self->over = true;
  http_exchange_resume(self);
}

static bool has_news(http_exchange *self) {
  return srv_event_log_has(self->http->server->event_log, self->response.stream.follower);
}

void http_event_stream_wait(http_exchange *self) {
  assert(self->phase == HTTP_WORK && self->response.stream.follower);
  http_producer_leave(self);
  self->part_ready = false;
  const unsigned silence = SILENCE;
  setsockopt(self->peer->socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
  append(self);
  /* Checked again because an event added before `followers` was incremented may not have woken the loop. */
  if (http_answer_is_over(self))
    finish(self);
  else if (has_news(self))
    go_on(self);
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

/* Resumes the streams that have an event. */
static void wake(srv_http *http, bool of_all) {
  for (http_exchange *self = http->following.first, *next; self; self = next) {
    next = self->next_producer;
    bool all = self->response.stream.follower->id[0] == '\0';
    if ((of_all || !all) && has_news(self)) go_on(self);
  }
}

void http_event_streams_wake(srv_http *http) {
  if (!http->following.first) return;
  uint64_t end = srv_event_log_end(http->server->event_log);
  if (end == http->followed) return;
  http->followed = end;
  wake(http, false);
}

void http_event_streams_left(srv_http *http, int socket) {
  for (http_exchange *self = http->following.first; self; self = self->next_producer) {
    if (self->peer->socket != socket) continue;
    finish(self);
    return;
  }
}

void http_event_streams_end(srv_http *http) {
  while (http->following.first) finish(http->following.first);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

/* A poll of a running job, outside the loop. */
typedef struct progress_look {
  srv_task task; /* first */
  srv_http *http;
  event_log_poll look;
} progress_look;

/* Returns the readable rows of all arrays with time. */
static size_t count_rows(srv_store *store, const char *id) {
  service_array *list = NULL;
  size_t count = 0;
  store_wait wait = STORE_WAIT_INIT;
  store->arrays(store, id, &list, &count, store_wait_done, &wait);
  if (store_wait_for(&wait) != SERVICE_OK) return 0;
  return service_arrays_rows(list, count);
}

static void look_at_progress(srv_task *task, bool late) {
  progress_look *self = (progress_look *)task;
  srv_http *http = self->http;
  srv_store *store = http->server->store;
  service_job job;
  store_wait wait = STORE_WAIT_INIT;
  service_status status = SERVICE_FAILED;
  if (!late) {
    store->get(store, self->look.id, &job, store_wait_done, &wait);
    status = store_wait_for(&wait);
  }
  bool good = status == SERVICE_OK;
  srv_event_log_poll_done(http->server->event_log, &self->look, good ? &job : NULL,
                          good ? count_rows(store, self->look.id) : 0);
  if (good) service_job_free(&job);
  free(self);
  http_mailbox_wake(http);
  atomic_fetch_sub(&http->looks, 1);
}

static void begin_looks(srv_http *http, double now) {
  event_log_poll look;
  while (srv_event_log_next_poll(http->server->event_log, now, &look)) {
    progress_look *self = calloc(1, sizeof *self);
    if (!self) {
      srv_event_log_poll_done(http->server->event_log, &look, NULL, 0);
      return;
    }
    *self = (progress_look){.task.run = look_at_progress, .http = http, .look = look};
    atomic_fetch_add(&http->looks, 1);
    if (!srv_task_queue_post(http->reading, &self->task)) look_at_progress(&self->task, true);
  }
}

void http_event_streams_sweep(srv_http *http, double now) {
  if (!http->following.first) return;
  begin_looks(http, now);
  uint64_t end = srv_event_log_end(http->server->event_log);
  if (end != http->swept_to) wake(http, true);
  http->swept_to = end;
  while (http->following.first && http->following.first->quiet_at <= now) {
    http_exchange *self = http->following.first;
    self->response.stream.follower->quiet = true;
    go_on(self);
  }
}
