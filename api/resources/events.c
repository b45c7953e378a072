/* events.c - see events.h. */
#include "api/resources/events.h"

#include "api/base/values.h"
#include "api/http/access.h"
#include "api/http/body_stream.h"
#include "api/http/problem.h"
#include "api/resources/job_json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size from which a piece of a stream is sent. */
enum { PIECE = 8 << 10 };
/* Time after which a disconnected client reconnects [ms]. */
enum { RETRY = 2000 };

/* A stream of events. */
typedef struct event_source {
  const service *service;
  service_subscription follower;
  bool one;                 /* true for one job, false for all */
  bool begun, over;         /* the first line is written; the last line is written */
  bool anew;                /* true if the stream begins with the current state */
  service_event_kind stage; /* last sent stage of the one job: QUEUED or STARTED */
  service_event said;       /* last sent progress and rows of the one job */
  char prefix[API_PREFIX_SIZE];
  char owner[64]; /* the client whose jobs alone are shown; "": all jobs */
} event_source;

/* ---- text -------------------------------------------------------------------------------------------------------- */

static const char *name_of(service_event_kind kind) {
  static const char *const names[] = {
      [SERVICE_EVENT_QUEUED] = "queued", [SERVICE_EVENT_STARTED] = "started", [SERVICE_EVENT_PROGRESS] = "progress",
      [SERVICE_EVENT_ROWS] = "rows",     [SERVICE_EVENT_DONE] = "done",       [SERVICE_EVENT_REMOVED] = "removed",
      [SERVICE_EVENT_MISSED] = "missed"};
  assert(kind < sizeof names / sizeof *names && names[kind]);
  return names[kind];
}

static void write_id(const event_source *source, api_buffer *out) {
  assert(source->follower.next > 0);
  api_buffer_print(out, "id: %" PRIx64 "-%" PRIu64 "\n", source->follower.life, source->follower.next - 1);
}

/* Appends an event with JSON data, in which line breaks occur only between values. */
static void write_event(const event_source *source, service_event_kind kind, api_buffer *data, api_buffer *out) {
  assert(source->begun && !source->over);
  for (size_t i = 0; i < data->size; i++)
    if (data->data[i] == '\n' || data->data[i] == '\r') data->data[i] = ' ';
  api_buffer_print(out, "event: %s\n", name_of(kind));
  write_id(source, out);
  api_buffer_text(out, "data: ");
  api_buffer_add(out, data->data, data->size);
  api_buffer_text(out, "\n\n");
  if (data->failed) out->failed = true;
  api_buffer_free(data);
}

static void write_value(const event_source *source, service_event_kind kind, json_t *value, api_buffer *out) {
  api_buffer data = {0};
  api_json_print(value, &data);
  if (data.size > 0) data.size--; /* the newline */
  write_event(source, kind, &data, out);
}

static json_t *id_json(const char *id) {
  json_t *object = json_object();
  json_object_set_new(object, "id", api_json_text(id));
  return object;
}

static json_t *progress_json(const service_event *event) {
  json_t *object = id_json(event->id);
  if (event->runs == 0) json_object_set_new(object, "t", api_json_number(event->t));
  json_object_set_new(object, "fraction", api_json_number(event->fraction));
  json_object_set_new(object, "evaluations", json_integer((json_int_t)event->evaluations));
  return object;
}

static json_t *rows_json(const service_event *event) {
  json_t *object = id_json(event->id);
  json_object_set_new(object, "rows", json_integer((json_int_t)event->rows));
  if (event->runs == 0) json_object_set_new(object, "t", api_json_number(event->t));
  return object;
}

/* Returns the data of a job in the events of all jobs. */
static json_t *line_json(const service_job *job, const char *status) {
  json_t *object = id_json(job->id);
  json_object_set_new(object, "status", api_json_text(status));
  json_object_set_new(object, "model_name", api_json_text(job->model_name));
  json_object_set_new(object, "error", api_json_parse(job->error));
  return object;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Appends progress since the last report. */
static void tell_progress(event_source *source, const service_event *event, api_buffer *out) {
  service_event *said = &source->said;
  if (event->kind == SERVICE_EVENT_ROWS) {
    if (source->one && event->rows <= said->rows) return;
    said->rows = event->rows;
    write_value(source, event->kind, rows_json(event), out);
    return;
  }
  bool same = event->t == said->t && event->fraction == said->fraction && event->evaluations == said->evaluations;
  if (source->one && same) return;
  said->t = event->t;
  said->fraction = event->fraction;
  said->evaluations = event->evaluations;
  write_value(source, event->kind, progress_json(event), out);
}

/* Appends the state of a job. Only the last state may be sent twice: as the current state, and as an event. */
static void tell_stage(event_source *source, service_event_kind kind, const service_job *job, api_buffer *out) {
  if (source->one && kind != SERVICE_EVENT_DONE) {
    if (source->stage == kind) return;
    source->stage = kind;
    source->said = (service_event){0};
  }
  if (source->one && kind == SERVICE_EVENT_DONE) {
    api_buffer data = {0};
    api_job_write(job, API_JOB_WHOLE, source->prefix, &data);
    write_event(source, kind, &data, out);
    source->over = true;
    return;
  }
  const char *status = kind == SERVICE_EVENT_QUEUED    ? "queued"
                       : kind == SERVICE_EVENT_STARTED ? "running"
                                                       : job->status;
  write_value(source, kind, line_json(job, status), out);
}

static void tell_removed(event_source *source, const char *id, api_buffer *out) {
  write_value(source, SERVICE_EVENT_REMOVED, id_json(id), out);
  source->over = source->one;
}

/* Returns the number of rows of the arrays with time of a running job; 0 if there are none yet. */
static size_t readable_rows(const service *from, const char *id) {
  service_array *list = NULL;
  size_t count = 0;
  if (from->arrays(from->context, id, &list, &count) != SERVICE_OK) return 0;
  return service_arrays_rows(list, count);
}

/* Appends the current state of the one job. Returns false if it cannot be read. */
static bool tell_state(event_source *source, api_buffer *out) {
  const service *from = source->service;
  service_job job;
  service_status status = from->job(from->context, source->follower.id, &job);
  if (status == SERVICE_NOT_FOUND) tell_removed(source, source->follower.id, out);
  if (status != SERVICE_OK) return status == SERVICE_NOT_FOUND;
  bool runs = strcmp(job.status, "running") == 0;
  tell_stage(source,
             api_job_ended(&job) ? SERVICE_EVENT_DONE
             : runs              ? SERVICE_EVENT_STARTED
                                 : SERVICE_EVENT_QUEUED,
             &job, out);
  if (runs) {
    service_event now = {.kind = SERVICE_EVENT_PROGRESS,
                         .t = job.progress_t,
                         .fraction = job.progress_fraction,
                         .evaluations = job.progress_evaluations,
                         .runs = job.runs,
                         .rows = readable_rows(from, job.id)};
    memcpy(now.id, job.id, sizeof now.id);
    tell_progress(source, &now, out);
    now.kind = SERVICE_EVENT_ROWS;
    tell_progress(source, &now, out);
  }
  service_job_free(&job);
  return true;
}

/* Determines whether the stream shows an event: a client with the right `own` sees its jobs only, and the ids of jobs
 * that were removed. Returns false if the service does not answer. */
static bool find_shown(const event_source *source, const service_event *event, bool *shown) {
  *shown = true;
  if (!source->owner[0] || event->kind == SERVICE_EVENT_REMOVED || event->kind == SERVICE_EVENT_MISSED) return true;
  service_job job = {0};
  service_status status = source->service->job(source->service->context, event->id, &job);
  *shown = status == SERVICE_OK && strcmp(job.client, source->owner) == 0;
  service_job_free(&job);
  return status == SERVICE_OK || status == SERVICE_NOT_FOUND;
}

/* Appends an event. Returns false if the service does not answer. */
static bool tell_event(event_source *source, const service_event *event, api_buffer *out) {
  const service *from = source->service;
  bool shown;
  if (!find_shown(source, event, &shown)) return false;
  if (!shown) return true;
  switch (event->kind) {
  case SERVICE_EVENT_PROGRESS:
  case SERVICE_EVENT_ROWS: tell_progress(source, event, out); return true;
  case SERVICE_EVENT_REMOVED: tell_removed(source, event->id, out); return true;
  case SERVICE_EVENT_MISSED:
    write_value(source, event->kind, json_object(), out);
    source->stage = SERVICE_EVENT_MISSED;
    return !source->one || tell_state(source, out);
  default: break;
  }
  service_job job;
  service_status status = from->job(from->context, event->id, &job);
  if (status == SERVICE_NOT_FOUND) return true; /* the next event will report that it was removed */
  if (status != SERVICE_OK) return false;
  tell_stage(source, event->kind, &job, out);
  service_job_free(&job);
  return true;
}

/* ---- the stream -------------------------------------------------------------------------------------------------- */

static bool begin(event_source *source, api_buffer *out) {
  source->begun = true;
  api_buffer_print(out, "retry: %d\n", RETRY);
  if (source->anew) write_id(source, out);
  api_buffer_text(out, "\n");
  return !source->anew || !source->one || tell_state(source, out);
}

/* Appends a comment, and the number of the last event. */
static void tell_quiet(event_source *source, api_buffer *out) {
  source->follower.quiet = false;
  api_buffer_text(out, ": nothing new\n");
  write_id(source, out);
  api_buffer_text(out, "\n");
}

static int fill(void *context, api_buffer *out) {
  event_source *source = context;
  const service *from = source->service;
  if (!source->begun && !begin(source, out)) return -1;
  while (!source->over && out->size < PIECE) {
    service_event event;
    service_status status = from->event(from->context, &source->follower, &event);
    if (status == SERVICE_NOT_READY) break;
    if (status != SERVICE_OK || !tell_event(source, &event, out)) return -1;
  }
  if (source->over) return 0;
  if (out->size == 0 && source->follower.quiet) tell_quiet(source, out);
  source->follower.quiet = false;
  return out->size > 0 ? 1 : API_STREAM_WAIT;
}

static void close_source(void *context) { free(context); }

/* Parses an event id "1a2b-17": continues after event 17 of that start of the service. An invalid id matches no start,
 * so that missed events are reported. */
static void go_on_behind(service_subscription *follower, const char *last) {
  follower->life = follower->next = 0;
  char *end;
  uint64_t life = strtoull(last, &end, 16);
  if (end == last || *end != '-') return;
  const char *number = end + 1;
  uint64_t seen = strtoull(number, &end, 10);
  if (end == number || *end != '\0' || seen == UINT64_MAX) return;
  follower->life = life;
  follower->next = seen + 1;
}

/* Returns true if the client has received the end of a job, so that no events will follow. */
static bool has_seen_all(const api_call *call, const service_job *job, const service_subscription *follower) {
  service_subscription copy = *follower;
  service_event event;
  return job && api_job_ended(job) && call->service->event(call->service->context, &copy, &event) == SERVICE_NOT_READY;
}

/* Answers with a stream of the events of a job, or of all (NULL). */
static void respond_events(const api_call *call, api_response *response, const service_job *job) {
  service_subscription follower;
  service_status status = call->service->follow(call->service->context, job ? job->id : NULL, &follower);
  if (status != SERVICE_OK) {
    api_problem_service(call, response, status, "events");
    return;
  }
  const char *last = api_request_header(call->request, "Last-Event-ID");
  if (last && last[0]) go_on_behind(&follower, last);
  event_source *source = calloc(1, sizeof *source);
  if (!source) {
    api_respond_no_memory(response);
    return;
  }
  *source =
      (event_source){.service = call->service, .follower = follower, .one = job != NULL, .anew = !last || !last[0]};
  source->stage = SERVICE_EVENT_MISSED; /* nothing was sent */
  memcpy(source->prefix, call->prefix, sizeof source->prefix);
  const char *owner = api_access_only_owner(call);
  if (owner && !job) snprintf(source->owner, sizeof source->owner, "%s", owner);
  if (!source->anew && has_seen_all(call, job, &follower)) {
    free(source);
    api_respond_empty(response, 204); /* a browser does not reconnect then */
    return;
  }
  const api_source body = {.context = source, .fill = fill, .close = close_source, .follower = &source->follower};
  api_respond_source(response, 200, "text/event-stream", &body);
  api_response_header(response, "Cache-Control", "no-store");
  api_response_header(response, "X-Accel-Buffering", "no"); /* nginx then passes events on immediately */
}

void api_events_of_all(const api_call *call, api_response *response) { respond_events(call, response, NULL); }

void api_events_of_job(const api_call *call, api_response *response) {
  service_job job;
  const char *id = call->arguments[0];
  service_status status = call->service->job(call->service->context, id, &job);
  if (status != SERVICE_OK) {
    char what[64];
    snprintf(what, sizeof what, "job '%.40s'", id);
    api_problem_service(call, response, status, what);
    return;
  }
  respond_events(call, response, &job);
  service_job_free(&job);
}
