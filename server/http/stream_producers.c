/* stream_producers.c - see stream_producers.h. Runs on the loop's thread, except the production of a part. */
#include "server/http/stream_producers.h"

#include "server/base/clock.h"
#include "server/http/mailbox.h"

#include <assert.h>
#include <stdlib.h>

/* Memory of an active stream: rows read in advance and their times (2 x 128 KiB), their text, the part, and the
 * compressor; rounded up. */
enum { PLACE = 512 << 10, LEAST_PLACES = 2, MOST_PLACES = 4096 };
static const double idle_seconds = 0.5;

size_t http_producers_places(size_t memory) {
  size_t places = memory / PLACE;
  if (places < LEAST_PLACES) return LEAST_PLACES;
  return places < MOST_PLACES ? places : MOST_PLACES;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static void append(http_line *line, http_exchange *self) {
  self->previous_producer = line->last;
  self->next_producer = NULL;
  *(line->last ? &line->last->next_producer : &line->first) = self;
  line->last = self;
}

static void remove_from(http_line *line, http_exchange *self) {
  assert(line->first && line->last);
  *(self->previous_producer ? &self->previous_producer->next_producer : &line->first) = self->next_producer;
  *(self->next_producer ? &self->next_producer->previous_producer : &line->last) = self->previous_producer;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Runs on a thread outside the loop. */
static void make_part(srv_task *task, bool late) {
  http_exchange *self = (http_exchange *)task;
  const api_stream *stream = &self->response.stream;
  self->part = late ? NULL : malloc(self->part_wanted);
  self->part_size = self->part ? stream->read(stream->context, self->part, self->part_wanted) : -1;
  self->part_ready = true;
  srv_service_release(&self->service);
}

/* Starts to produce a part of a stream that has a place. */
static void begin(http_exchange *self) {
  assert(!self->part && !self->part_ready);
  self->sending = HTTP_SENDING_MADE;
  self->task.run = make_part;
  if (!srv_task_queue_post(self->http->reading, &self->task)) make_part(&self->task, true);
}

/* Takes the place among the active streams away from the stream that has been idle longest. */
static void rest_first(srv_http *http) {
  http_exchange *idle = http->idle.first;
  assert(idle && idle->sending == HTTP_SENDING_IDLE);
  remove_from(&http->idle, idle);
  idle->sending = HTTP_SENDING_NOTHING;
  http->places++;
  if (idle->response.stream.rest) idle->response.stream.rest(idle->response.stream.context);
}

/* Gives places to waiting streams while there are any. */
static void hand_out(srv_http *http) {
  while (http->queued.first && (http->places > 0 || http->idle.first)) {
    if (http->places == 0) rest_first(http);
    http_exchange *next = http->queued.first;
    assert(next->sending == HTTP_SENDING_QUEUED && http->places > 0);
    remove_from(&http->queued, next);
    http->places--;
    begin(next);
  }
}

void http_producer_make(http_exchange *self, size_t size) {
  assert(self->sending == HTTP_SENDING_NOTHING || self->sending == HTTP_SENDING_IDLE);
  self->part_wanted = size;
  if (self->sending == HTTP_SENDING_IDLE) {
    remove_from(&self->http->idle, self);
    begin(self);
    return;
  }
  self->sending = HTTP_SENDING_QUEUED;
  append(&self->http->queued, self);
  hand_out(self->http);
}

void http_producer_taken(http_exchange *self) {
  assert(self->sending == HTTP_SENDING_MADE && self->part_ready);
  free(self->part);
  self->part = NULL;
  self->part_ready = false;
  self->sending = HTTP_SENDING_IDLE;
  self->idle_since = srv_clock_monotonic();
  append(&self->http->idle, self);
  hand_out(self->http);
}

void http_producer_leave(http_exchange *self) {
  srv_http *http = self->http;
  if (self->sending == HTTP_SENDING_QUEUED) remove_from(&http->queued, self);
  if (self->sending == HTTP_SENDING_IDLE) remove_from(&http->idle, self);
  if (self->sending == HTTP_SENDING_IDLE || self->sending == HTTP_SENDING_MADE) http->places++;
  self->sending = HTTP_SENDING_NOTHING;
  free(self->part);
  self->part = NULL;
  hand_out(http);
}

void http_producers_suspend(srv_http *http, double now) {
  while (http->idle.first && now - http->idle.first->idle_since > idle_seconds) rest_first(http);
}
