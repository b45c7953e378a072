/* feed.c - see feed.h. */
#include "server/store/feed.h"

#include "server/base/clock.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Least time between two looks at a job that runs [s]. */
static const double look_seconds = 0.25;

typedef struct feed_entry {
  uint64_t number;
  service_event_kind kind;
  char id[SERVICE_ID_SIZE];
} feed_entry;

/* A job that runs. Numbers are those of its newest events; 0: there is none. */
typedef struct feed_running {
  char id[SERVICE_ID_SIZE];
  uint64_t began, advanced, grown;
  bool dirty, looking; /* there is something to look at; somebody does */
  double looked_at;    /* monotonic */
  double t, fraction;
  uint64_t evaluations;
  size_t rows, runs;
} feed_running;

struct srv_feed {
  uint64_t life;
  pthread_mutex_t mutex;          /* guards what follows */
  uint64_t next;                  /* number of the next event */
  uint64_t forgotten;             /* number of the last event that is not remembered any more */
  feed_entry events[FEED_EVENTS]; /* a ring */
  size_t first, count;
  feed_running *running;
  size_t running_count, running_capacity;
};

srv_feed *srv_feed_new(void) {
  srv_feed *feed = calloc(1, sizeof *feed);
  if (!feed) return NULL;
  feed->life = (uint64_t)(srv_clock_wall() * 1e6);
  feed->next = 1;
  pthread_mutex_init(&feed->mutex, NULL);
  return feed;
}

void srv_feed_free(srv_feed *feed) {
  if (!feed) return;
  pthread_mutex_destroy(&feed->mutex);
  free(feed->running);
  free(feed);
}

/* ---- what happens ------------------------------------------------------------------------------------------------ */

static void copy_id(char to[SERVICE_ID_SIZE], const char *id) {
  memset(to, 0, SERVICE_ID_SIZE);
  memcpy(to, id, strnlen(id, SERVICE_ID_SIZE - 1));
}

static feed_entry *entry_at(srv_feed *feed, size_t i) {
  assert(i < FEED_EVENTS);
  return &feed->events[(feed->first + i) % FEED_EVENTS];
}

static void remember(srv_feed *feed, service_event_kind kind, const char *id) {
  if (feed->count == FEED_EVENTS) {
    feed->forgotten = entry_at(feed, 0)->number;
    feed->first = (feed->first + 1) % FEED_EVENTS;
    feed->count--;
  }
  feed_entry *entry = entry_at(feed, feed->count++);
  *entry = (feed_entry){.number = feed->next++, .kind = kind};
  copy_id(entry->id, id);
}

static feed_running *find_running(const srv_feed *feed, const char *id) {
  for (size_t i = 0; i < feed->running_count; i++)
    if (strcmp(feed->running[i].id, id) == 0) return &feed->running[i];
  return NULL;
}

static void forget_running(srv_feed *feed, const char *id) {
  feed_running *job = find_running(feed, id);
  if (job) *job = feed->running[--feed->running_count];
}

/* A job whose run begins, or is heard of for the first time. Without memory nobody hears how far it comes. */
static feed_running *add_running(srv_feed *feed, const char *id) {
  if (feed->running_count == feed->running_capacity) {
    size_t capacity = 2 * feed->running_capacity + 16;
    feed_running *larger = realloc(feed->running, capacity * sizeof *larger);
    if (!larger) return NULL;
    feed->running = larger;
    feed->running_capacity = capacity;
  }
  feed_running *job = &feed->running[feed->running_count++];
  *job = (feed_running){.began = feed->next++, .looked_at = -INFINITY};
  copy_id(job->id, id);
  return job;
}

void srv_feed_told(srv_feed *feed, store_event event, const char *id) {
  assert(event == STORE_EVENT_MISSED || id[0]);
  pthread_mutex_lock(&feed->mutex);
  if (event != STORE_EVENT_PROGRESS && event != STORE_EVENT_CANCEL) forget_running(feed, id);
  switch (event) {
  case STORE_EVENT_QUEUED: remember(feed, SERVICE_EVENT_QUEUED, id); break;
  case STORE_EVENT_STARTED:
    add_running(feed, id);
    remember(feed, SERVICE_EVENT_STARTED, id);
    break;
  case STORE_EVENT_PROGRESS: {
    feed_running *job = find_running(feed, id);
    if (!job) job = add_running(feed, id);
    if (job) job->dirty = true;
    break;
  }
  case STORE_EVENT_ENDED: remember(feed, SERVICE_EVENT_DONE, id); break;
  case STORE_EVENT_REMOVED: remember(feed, SERVICE_EVENT_REMOVED, id); break;
  case STORE_EVENT_MISSED: remember(feed, SERVICE_EVENT_MISSED, ""); break;
  case STORE_EVENT_CANCEL: break;
  }
  pthread_mutex_unlock(&feed->mutex);
}

/* ---- looking ----------------------------------------------------------------------------------------------------- */

bool srv_feed_due(srv_feed *feed, double now, feed_look *look) {
  bool found = false;
  pthread_mutex_lock(&feed->mutex);
  for (size_t i = 0; i < feed->running_count && !found; i++) {
    feed_running *job = &feed->running[i];
    found = job->dirty && !job->looking && now - job->looked_at >= look_seconds;
    if (!found) continue;
    job->dirty = false;
    job->looking = true;
    job->looked_at = now;
    copy_id(look->id, job->id);
    look->began = job->began;
  }
  pthread_mutex_unlock(&feed->mutex);
  return found;
}

static void take_look(srv_feed *feed, feed_running *job, const service_job *seen, size_t rows) {
  bool further = seen->progress_t != job->t || seen->progress_fraction != job->fraction ||
                 seen->progress_evaluations != job->evaluations;
  job->t = seen->progress_t;
  job->fraction = seen->progress_fraction;
  job->evaluations = seen->progress_evaluations;
  job->runs = seen->runs;
  if (further) job->advanced = feed->next++;
  if (rows > job->rows) job->grown = feed->next++;
  if (rows > job->rows) job->rows = rows;
}

void srv_feed_looked(srv_feed *feed, const feed_look *look, const service_job *job, size_t rows) {
  pthread_mutex_lock(&feed->mutex);
  feed_running *running = find_running(feed, look->id);
  if (running && running->began == look->began) {
    assert(running->looking);
    running->looking = false;
    /* Of one that does not run any more a late word may have come. */
    if (job && strcmp(job->status, job_state_name(JOB_RUNNING)) != 0)
      forget_running(feed, look->id);
    else if (job)
      take_look(feed, running, job, rows);
  }
  pthread_mutex_unlock(&feed->mutex);
}

/* ---- following --------------------------------------------------------------------------------------------------- */

void srv_feed_follow(srv_feed *feed, const char *id, service_subscription *follower) {
  *follower = (service_subscription){.life = feed->life, .next = srv_feed_end(feed)};
  if (id) copy_id(follower->id, id);
}

uint64_t srv_feed_end(srv_feed *feed) {
  pthread_mutex_lock(&feed->mutex);
  uint64_t next = feed->next;
  pthread_mutex_unlock(&feed->mutex);
  return next;
}

static bool concerns(const service_subscription *follower, const char *id) {
  return follower->id[0] == '\0' || id[0] == '\0' || strcmp(follower->id, id) == 0;
}

/* The place of the first event with this number or a later one. */
static size_t place_of(srv_feed *feed, uint64_t number) {
  size_t low = 0, high = feed->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (entry_at(feed, middle)->number < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Puts an event of a running job into `event`, where it is the earliest so far. */
static void consider(const service_subscription *follower, const feed_running *job, uint64_t number,
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

/* With the lock: the earliest event for him, which he has not seen after that unless he is asked again. */
static bool find_next(srv_feed *feed, const service_subscription *follower, service_event *event) {
  assert(feed->forgotten < feed->next && feed->count <= FEED_EVENTS);
  *event = (service_event){.kind = SERVICE_EVENT_MISSED, .number = feed->next};
  if (follower->next <= feed->forgotten || follower->next > feed->next || follower->life != feed->life) {
    event->number = feed->next - 1;
    return true;
  }
  for (size_t i = place_of(feed, follower->next); i < feed->count; i++) {
    const feed_entry *entry = entry_at(feed, i);
    if (!concerns(follower, entry->id)) continue;
    *event = (service_event){.kind = entry->kind, .number = entry->number};
    copy_id(event->id, entry->id);
    break;
  }
  for (size_t i = 0; i < feed->running_count; i++) {
    const feed_running *job = &feed->running[i];
    if (!concerns(follower, job->id)) continue;
    consider(follower, job, job->advanced, SERVICE_EVENT_PROGRESS, event);
    consider(follower, job, job->grown, SERVICE_EVENT_ROWS, event);
  }
  return event->number < feed->next;
}

bool srv_feed_next(srv_feed *feed, service_subscription *follower, service_event *event) {
  pthread_mutex_lock(&feed->mutex);
  bool found = find_next(feed, follower, event);
  follower->life = feed->life;
  follower->next = found ? event->number + 1 : feed->next;
  pthread_mutex_unlock(&feed->mutex);
  return found;
}

bool srv_feed_has(srv_feed *feed, service_subscription *follower) {
  service_event event;
  pthread_mutex_lock(&feed->mutex);
  bool found = find_next(feed, follower, &event);
  if (!found) follower->next = feed->next;
  pthread_mutex_unlock(&feed->mutex);
  return found;
}
