/* event_log.c - see event_log.h. */
#include "server/store/common/event_log.h"

#include "server/base/clock.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Minimum time between two polls of a running job [s]. */
static const double look_seconds = 0.25;

typedef struct event_log_entry {
  uint64_t number;
  service_event_kind kind;
  char id[SERVICE_ID_SIZE];
} event_log_entry;

/* A running job. The fields are numbers of its latest events; 0: none. */
typedef struct event_log_running {
  char id[SERVICE_ID_SIZE];
  uint64_t began, advanced, grown;
  bool dirty, looking; /* a poll is due; a poll is in progress */
  double looked_at;    /* monotonic */
  double t, fraction;
  uint64_t evaluations;
  size_t rows, runs;
} event_log_running;

struct srv_event_log {
  uint64_t life;
  pthread_mutex_t mutex;                  /* guards the fields below */
  uint64_t next;                          /* number of the next event */
  uint64_t forgotten;                     /* number of the last event that is no longer stored */
  event_log_entry events[EVENT_LOG_SIZE]; /* ring buffer */
  size_t first, count;
  event_log_running *running;
  size_t running_count, running_capacity;
};

srv_event_log *srv_event_log_new(void) {
  srv_event_log *event_log = calloc(1, sizeof *event_log);
  if (!event_log) return NULL;
  event_log->life = (uint64_t)(srv_clock_wall() * 1e6);
  event_log->next = 1;
  pthread_mutex_init(&event_log->mutex, NULL);
  return event_log;
}

void srv_event_log_free(srv_event_log *event_log) {
  if (!event_log) return;
  pthread_mutex_destroy(&event_log->mutex);
  free(event_log->running);
  free(event_log);
}

/* ---- recording events -------------------------------------------------------------------------------------------- */

static void copy_id(char to[SERVICE_ID_SIZE], const char *id) {
  memset(to, 0, SERVICE_ID_SIZE);
  memcpy(to, id, strnlen(id, SERVICE_ID_SIZE - 1));
}

static event_log_entry *entry_at(srv_event_log *event_log, size_t i) {
  assert(i < EVENT_LOG_SIZE);
  return &event_log->events[(event_log->first + i) % EVENT_LOG_SIZE];
}

static void remember(srv_event_log *event_log, service_event_kind kind, const char *id) {
  if (event_log->count == EVENT_LOG_SIZE) {
    event_log->forgotten = entry_at(event_log, 0)->number;
    event_log->first = (event_log->first + 1) % EVENT_LOG_SIZE;
    event_log->count--;
  }
  event_log_entry *entry = entry_at(event_log, event_log->count++);
  *entry = (event_log_entry){.number = event_log->next++, .kind = kind};
  copy_id(entry->id, id);
}

static event_log_running *find_running(const srv_event_log *event_log, const char *id) {
  for (size_t i = 0; i < event_log->running_count; i++)
    if (strcmp(event_log->running[i].id, id) == 0) return &event_log->running[i];
  return NULL;
}

static void forget_running(srv_event_log *event_log, const char *id) {
  event_log_running *job = find_running(event_log, id);
  if (job) *job = event_log->running[--event_log->running_count];
}

/* Adds a job whose run begins or is first reported. If memory runs out its progress is not reported. */
static event_log_running *add_running(srv_event_log *event_log, const char *id) {
  if (event_log->running_count == event_log->running_capacity) {
    size_t capacity = 2 * event_log->running_capacity + 16;
    event_log_running *larger = realloc(event_log->running, capacity * sizeof *larger);
    if (!larger) return NULL;
    event_log->running = larger;
    event_log->running_capacity = capacity;
  }
  event_log_running *job = &event_log->running[event_log->running_count++];
  *job = (event_log_running){.began = event_log->next++, .looked_at = -INFINITY};
  copy_id(job->id, id);
  return job;
}

void srv_event_log_append(srv_event_log *event_log, store_event event, const char *id) {
  assert(event == STORE_EVENT_MISSED || id[0]);
  pthread_mutex_lock(&event_log->mutex);
  if (event != STORE_EVENT_PROGRESS && event != STORE_EVENT_CANCEL) forget_running(event_log, id);
  switch (event) {
  case STORE_EVENT_QUEUED: remember(event_log, SERVICE_EVENT_QUEUED, id); break;
  case STORE_EVENT_STARTED:
    add_running(event_log, id);
    remember(event_log, SERVICE_EVENT_STARTED, id);
    break;
  case STORE_EVENT_PROGRESS: {
    event_log_running *job = find_running(event_log, id);
    if (!job) job = add_running(event_log, id);
    if (job) job->dirty = true;
    break;
  }
  case STORE_EVENT_ENDED: remember(event_log, SERVICE_EVENT_DONE, id); break;
  case STORE_EVENT_REMOVED: remember(event_log, SERVICE_EVENT_REMOVED, id); break;
  case STORE_EVENT_MISSED: remember(event_log, SERVICE_EVENT_MISSED, ""); break;
  case STORE_EVENT_CANCEL: break;
  }
  pthread_mutex_unlock(&event_log->mutex);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

bool srv_event_log_next_poll(srv_event_log *event_log, double now, event_log_poll *look) {
  bool found = false;
  pthread_mutex_lock(&event_log->mutex);
  for (size_t i = 0; i < event_log->running_count && !found; i++) {
    event_log_running *job = &event_log->running[i];
    found = job->dirty && !job->looking && now - job->looked_at >= look_seconds;
    if (!found) continue;
    job->dirty = false;
    job->looking = true;
    job->looked_at = now;
    copy_id(look->id, job->id);
    look->began = job->began;
  }
  pthread_mutex_unlock(&event_log->mutex);
  return found;
}

static void take_look(srv_event_log *event_log, event_log_running *job, const service_job *seen, size_t rows) {
  bool further = seen->progress_t != job->t || seen->progress_fraction != job->fraction ||
                 seen->progress_evaluations != job->evaluations;
  job->t = seen->progress_t;
  job->fraction = seen->progress_fraction;
  job->evaluations = seen->progress_evaluations;
  job->runs = seen->runs;
  if (further) job->advanced = event_log->next++;
  if (rows > job->rows) job->grown = event_log->next++;
  if (rows > job->rows) job->rows = rows;
}

void srv_event_log_poll_done(srv_event_log *event_log, const event_log_poll *look, const service_job *job,
                             size_t rows) {
  pthread_mutex_lock(&event_log->mutex);
  event_log_running *running = find_running(event_log, look->id);
  if (running && running->began == look->began) {
    assert(running->looking);
    running->looking = false;
    /* A late progress event of a job that no longer runs. */
    if (job && strcmp(job->status, job_state_name(JOB_RUNNING)) != 0)
      forget_running(event_log, look->id);
    else if (job)
      take_look(event_log, running, job, rows);
  }
  pthread_mutex_unlock(&event_log->mutex);
}

/* ---- following --------------------------------------------------------------------------------------------------- */

void srv_event_log_subscribe(srv_event_log *event_log, const char *id, service_subscription *follower) {
  *follower = (service_subscription){.life = event_log->life, .next = srv_event_log_end(event_log)};
  if (id) copy_id(follower->id, id);
}

uint64_t srv_event_log_end(srv_event_log *event_log) {
  pthread_mutex_lock(&event_log->mutex);
  uint64_t next = event_log->next;
  pthread_mutex_unlock(&event_log->mutex);
  return next;
}

static bool concerns(const service_subscription *follower, const char *id) {
  return follower->id[0] == '\0' || id[0] == '\0' || strcmp(follower->id, id) == 0;
}

/* Returns the index of the first event with this number or a later one. */
static size_t first_from(srv_event_log *event_log, uint64_t number) {
  size_t low = 0, high = event_log->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (entry_at(event_log, middle)->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Copies an event of a running job to `event` if it is the earliest so far. */
static void consider(const service_subscription *follower, const event_log_running *job, uint64_t number,
                     service_event_kind kind, service_event *event) {
  if (number < follower->next || number >= event->number) return;
  *event = (service_event){.kind = kind,
                           .number = number,
                           .t = job->t,
                           .fraction = job->fraction,
                           .evaluations = job->evaluations,
                           .rows = job->rows,
                           .runs = job->runs};
  copy_id(event->id, job->id);
}

/* Finds the earliest unread event for the subscriber, with the mutex locked. Skips it for later calls unless `next` is
 * reset. */
static bool find_next(srv_event_log *event_log, const service_subscription *follower, service_event *event) {
  assert(event_log->forgotten < event_log->next && event_log->count <= EVENT_LOG_SIZE);
  *event = (service_event){.kind = SERVICE_EVENT_MISSED, .number = event_log->next};
  if (follower->next <= event_log->forgotten || follower->next > event_log->next || follower->life != event_log->life) {
    event->number = event_log->next - 1;
    return true;
  }
  for (size_t i = first_from(event_log, follower->next); i < event_log->count; i++) {
    const event_log_entry *entry = entry_at(event_log, i);
    if (!concerns(follower, entry->id)) continue;
    *event = (service_event){.kind = entry->kind, .number = entry->number};
    copy_id(event->id, entry->id);
    break;
  }
  for (size_t i = 0; i < event_log->running_count; i++) {
    const event_log_running *job = &event_log->running[i];
    if (!concerns(follower, job->id)) continue;
    consider(follower, job, job->advanced, SERVICE_EVENT_PROGRESS, event);
    consider(follower, job, job->grown, SERVICE_EVENT_ROWS, event);
  }
  return event->number < event_log->next;
}

bool srv_event_log_next(srv_event_log *event_log, service_subscription *follower, service_event *event) {
  pthread_mutex_lock(&event_log->mutex);
  bool found = find_next(event_log, follower, event);
  follower->life = event_log->life;
  follower->next = found ? event->number + 1 : event_log->next;
  pthread_mutex_unlock(&event_log->mutex);
  return found;
}

bool srv_event_log_has(srv_event_log *event_log, service_subscription *follower) {
  service_event event;
  pthread_mutex_lock(&event_log->mutex);
  bool found = find_next(event_log, follower, &event);
  if (!found) follower->next = event_log->next;
  pthread_mutex_unlock(&event_log->mutex);
  return found;
}
