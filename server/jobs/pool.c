/* pool.c - see pool.h: the pool's thread, and the requests of other threads. */
#include "server/jobs/pool.h"

#include "server/base/clock.h"
#include "server/base/epoll.h"
#include "server/base/log.h"
#include "server/jobs/job_end.h"
#include "server/jobs/pool_queue.h"
#include "server/jobs/pool_state.h"
#include "server/jobs/pool_worker.h"
#include "server/jobs/study_job.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EVENTS_AT_ONCE = 64, TICK_IDLE_MS = 1000, TICK_BUSY_MS = 100, TICK_PAUSED_MS = 10 };
enum { HEARTBEATS_PER_LEASE = 4 };

static const double pause_seconds = 1; /* before a retry */
static const double unready_seconds = 2;
static const double stuck_seconds = 10; /* after this time a store that does not answer no longer delays a drain */

void pool_wake(srv_pool *pool) {
  uint64_t one = 1;
  if (write(pool->wake, &one, sizeof one) < 0) srv_log(SRV_ERROR, "wake_failed", (srv_field[]){{0}});
}

/* ---- the supervisor --------------------------------------------------------------------------------------------- */

static void start_supervisor(srv_pool *pool, double now) {
  if (pool->supervisor.socket >= 0 || now < pool->supervisor_start_at) return;
  pool->supervisor_start_at = now + pause_seconds;
  if (!srv_supervisor_start(&pool->supervisor, &pool->settings.process)) {
    srv_log(SRV_ERROR, "supervisor_failed", (srv_field[]){srv_text("error", strerror(errno)), {0}});
    return;
  }
  unsigned events = 0;
  srv_epoll_set(pool->epoll, pool->supervisor.socket, &events, EPOLLIN, &pool->supervisor);
  srv_log(SRV_DEBUG, "supervisor_started", (srv_field[]){srv_number("pid", pool->supervisor.pid), {0}});
}

/* The kernel kills its workers; their jobs are not the cause. */
static void supervisor_gone(srv_pool *pool) {
  srv_log(SRV_ERROR, "supervisor_ended", (srv_field[]){srv_number("pid", pool->supervisor.pid), {0}});
  close(pool->supervisor.socket);
  pool->supervisor.socket = -1;
  for (size_t i = 0; i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    if (worker->state == POOL_WORKER_STARTING) pool_worker_become(worker, POOL_WORKER_ABSENT);
    if (pool_worker_has_process(worker->state) && !worker->ended) pool_worker_ended(worker, NULL);
  }
}

static void hear_supervisor(srv_pool *pool) {
  supervisor_message message;
  int socket;
  while (srv_supervisor_receive(&pool->supervisor, &message, &socket)) {
    pool_worker *worker = NULL;
    for (size_t i = 0; i < pool->settings.workers && !worker; i++) {
      pool_worker *other = &pool->workers[i];
      bool meant = message.slot >= 0
                       ? other->slot == message.slot
                       : pool_worker_has_process(other->state) && !other->ended && other->pid == message.pid;
      if (meant) worker = other;
    }
    if (!worker) continue;
    if (message.verb == SUPERVISOR_BEGAN && socket >= 0) {
      pool_worker_begin(worker, message.pid, socket);
    } else if (message.slot >= 0) {
      srv_log(SRV_ERROR, "worker_not_started", (srv_field[]){{0}});
      worker->start_at = srv_clock_monotonic() + pause_seconds;
      pool_worker_become(worker, POOL_WORKER_ABSENT);
    } else {
      pool_worker_ended(worker, &message);
    }
  }
  if (errno != EAGAIN && errno != EWOULDBLOCK) supervisor_gone(pool);
}

/* ---- requests of the store --------------------------------------------------------------------------------------- */

/* Called on the store's thread. If memory runs out the next heartbeat repeats the request. */
static void wish(srv_pool *pool, const store_run *run, pool_stop stop) {
  pool_wish *wish = calloc(1, sizeof *wish);
  if (!wish) return;
  *wish = (pool_wish){.run = *run, .stop = stop};
  pthread_mutex_lock(&pool->mutex);
  *pool->wishes_last = wish;
  pool->wishes_last = &wish->next;
  pthread_mutex_unlock(&pool->mutex);
  pool_wake(pool);
}

/* Stops the blocks of a job that has ended; does nothing if no block is computed. */
static void stop_blocks(srv_pool *pool, const char *id) {
  pthread_mutex_lock(&pool->mutex);
  bool any = pool->blocks > 0 || pool->blocks_waiting > 0;
  pthread_mutex_unlock(&pool->mutex);
  store_run run = {.is_block = true};
  memcpy(run.id, id, strlen(id) + 1);
  if (any) wish(pool, &run, POOL_STOP_REMOVED);
}

/* Called on the store's thread. */
static void store_notify(void *context, store_event event, const char *id) {
  srv_pool *pool = context;
  store_run run = {.attempt = 0};
  strncpy(run.id, id, SERVICE_ID_SIZE - 1);
  switch (event) {
  case STORE_EVENT_CANCEL: wish(pool, &run, POOL_STOP_CANCELLED); break;
  case STORE_EVENT_REMOVED: wish(pool, &run, POOL_STOP_REMOVED); break;
  case STORE_EVENT_MISSED:
    pthread_mutex_lock(&pool->mutex);
    pool->heartbeat_due = true;
    pthread_mutex_unlock(&pool->mutex);
    pool_wake(pool);
    break;
  case STORE_EVENT_PROGRESS: study_job_notify(pool, id); break;
  case STORE_EVENT_ENDED: stop_blocks(pool, id); break;
  case STORE_EVENT_QUEUED:
  case STORE_EVENT_STARTED: break;
  }
}

/* Called on the store's thread. */
static void renewed(void *context, service_status status, const store_run *runs, const store_lease *leases,
                    size_t count) {
  srv_pool *pool = context;
  assert(status != SERVICE_OK || count == 0 || leases);
  for (size_t i = 0; status == SERVICE_OK && i < count; i++)
    if (leases[i] != STORE_LEASE_HELD)
      wish(pool, &runs[i], leases[i] == STORE_LEASE_LOST ? POOL_STOP_REMOVED : POOL_STOP_CANCELLED);
}

/* Lists the runs whose leases the pool holds, at most `room`. Ends that wait for a retry are included: their jobs must
 * not run again meanwhile. */
static size_t list_runs(srv_pool *pool, store_run *runs, size_t room) {
  size_t count = 0;
  pthread_mutex_lock(&pool->mutex);
  for (const job_ending *ending = pool->retries; ending && count < room; ending = ending->next)
    runs[count++] = ending->end.run;
  pthread_mutex_unlock(&pool->mutex);
  for (size_t i = 0; i < pool->settings.workers && count < room; i++)
    if (pool->workers[i].has_run) runs[count++] = pool->workers[i].run.run;
  for (const pool_claim *entry = pool->claims; entry && count < room; entry = entry->next)
    runs[count++] = entry->claim.run;
  assert(count <= room);
  return count + study_job_list(pool, runs + count, room - count);
}

static void send_heartbeat(srv_pool *pool, double now) {
  pthread_mutex_lock(&pool->mutex);
  bool due = pool->heartbeat_due || now >= pool->heartbeat_at;
  pool->heartbeat_due = false;
  size_t room = pool->settings.workers + pool->claims_count + pool->endings_failing + study_job_count(pool);
  pthread_mutex_unlock(&pool->mutex);
  if (!due) return;
  store_run *runs = malloc((room + 1) * sizeof *runs);
  if (!runs) return; /* the next round is soon */
  pool->heartbeat_at = now + pool->store->lease_seconds / HEARTBEATS_PER_LEASE;
  size_t count = list_runs(pool, runs, room);
  if (count > 0) pool->store->heartbeat(pool->store, runs, count, renewed, pool);
  free(runs);
}

/* ---- the thread ------------------------------------------------------------------------------------------------- */

static void grant_wish(srv_pool *pool, const pool_wish *wish) {
  assert(wish->stop != POOL_STOP_NONE);
  pool_queue_give_back(pool, &wish->run);
  if (wish->stop == POOL_STOP_REMOVED) job_end_drop(pool, &wish->run);
  for (size_t i = 0; i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    if (worker->has_run && pool_run_is(&worker->run.run, &wish->run)) pool_worker_stop(worker, wish->stop);
  }
  study_job_stop(pool, &wish->run, wish->stop);
}

/* Processes the requests of other threads, claims first, because a stop may concern one of them. Returns false to
 * stop. */
static bool take_requests(srv_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  bool go_on = !pool->stopping;
  pool_wish *wishes = pool->wishes;
  pool->wishes = NULL;
  pool->wishes_last = &pool->wishes;
  pool_queue_take(pool);
  pthread_mutex_unlock(&pool->mutex);
  if (wishes) pool_queue_hand_out(pool);
  while (wishes) {
    pool_wish *wish = wishes;
    wishes = wish->next;
    grant_wish(pool, wish);
    free(wish);
  }
  return go_on;
}

static void drain(srv_pool *pool, double now) {
  bool running = false;
  for (size_t i = 0; i < pool->settings.workers; i++) running = running || pool->workers[i].has_run;
  pthread_mutex_lock(&pool->mutex);
  bool draining = pool->draining, late = now >= pool->drain_at;
  bool empty = !running && pool->claims_open == 0 && pool->short_claims_open == 0 && pool->ahead_open == 0 &&
               pool->endings_open == 0 && !pool->new_claims;
  pthread_mutex_unlock(&pool->mutex);
  if (!draining) return;
  if (!pool->claims_stopped) pool->store->stop_claims(pool->store);
  pool->claims_stopped = true;
  pool_queue_give_back(pool, NULL);
  study_job_drain(pool);
  for (size_t i = 0; late && i < pool->settings.workers; i++)
    if (pool->workers[i].has_run) pool_worker_stop(&pool->workers[i], POOL_STOP_DRAINED);
  assert(pool->claims_count == 0);
  if (pool->drained || (!empty && now < pool->drain_at + stuck_seconds)) return;
  pool->drained = true;
  pool->when_drained(pool->context);
}

/* Starts missing processes and waiting work; returns how long to wait for events. */
static int go_round(srv_pool *pool) {
  double now = srv_clock_monotonic();
  start_supervisor(pool, now);
  bool paused = false, hangs = false, unread = false;
  for (size_t i = 0; i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    if (worker->state == POOL_WORKER_ABSENT && pool->supervisor.socket >= 0 && now >= worker->start_at) {
      worker->word_by = now + POOL_SUPERVISOR_SECONDS;
      pool_worker_become(worker, POOL_WORKER_STARTING);
      srv_supervisor_send(&pool->supervisor, SUPERVISOR_START, worker->slot, 0);
    }
    bool waits = worker->state == POOL_WORKER_STARTING || worker->state == POOL_WORKER_GONE;
    hangs = hangs || (waits && now >= worker->word_by);
    if (pool_worker_unread(worker)) pool_worker_event(worker, 0);
    pool_worker_check(worker, now);
    unread = unread || pool_worker_unread(worker);
    paused = paused || (worker->socket >= 0 && pool_worker_is_alive(worker->state) && worker->events == 0);
  }
  if (hangs && pool->supervisor.socket >= 0) kill(pool->supervisor.pid, SIGKILL);
  pool_queue_hand_out(pool);
  bool studies = study_job_go_round(pool, now);
  pool_checks_dispatch(pool, now, srv_pool_ready(pool));
  int ahead_ms = pool_queue_ask(pool, now);
  send_heartbeat(pool, now);
  job_end_retry(pool, now);
  drain(pool, now);
  bool checks = pool_checks_busy(pool);
  pthread_mutex_lock(&pool->mutex);
  bool busy = checks || pool->busy > 0 || pool->draining || pool->alive < pool->settings.workers;
  pthread_mutex_unlock(&pool->mutex);
  while (waitpid(-1, NULL, WNOHANG) > 0) continue; /* an old supervisor; as process 1 of a container, its workers too */
  int tick = unread || studies ? 0 : paused ? TICK_PAUSED_MS : busy ? TICK_BUSY_MS : TICK_IDLE_MS;
  return ahead_ms < tick ? ahead_ms : tick;
}

static void *pool_thread(void *context) {
  srv_pool *pool = context;
  struct epoll_event events[EVENTS_AT_ONCE];
  pool->subscriber = (store_subscriber){.notify = store_notify, .context = pool};
  pool->store->subscribe(pool->store, &pool->subscriber);
  while (take_requests(pool)) {
    int count = epoll_wait(pool->epoll, events, EVENTS_AT_ONCE, go_round(pool));
    bool supervisor_spoke = false;
    for (int i = 0; i < count; i++) {
      void *tag = events[i].data.ptr;
      uint64_t ignored;
      if (tag == &pool->supervisor) {
        supervisor_spoke = true;
      } else if (tag == pool) {
        if (read(pool->wake, &ignored, sizeof ignored) < 0) continue;
      } else {
        pool_worker_event(tag, events[i].events);
      }
    }
    /* Last, because it may start workers in slots that older events refer to. */
    if (supervisor_spoke && pool->supervisor.socket >= 0) hear_supervisor(pool);
  }
  return NULL;
}

/* ---- starting and stopping -------------------------------------------------------------------------------------- */

void srv_pool_free(srv_pool *pool) {
  pool_queue_free(pool);
  for (pool_wish *wish; (wish = pool->wishes);) {
    pool->wishes = wish->next;
    free(wish);
  }
  job_end_forget(pool);
  for (size_t i = 0; pool->workers && i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    if (worker->socket >= 0) close(worker->socket);
    free(worker->run.arrays);
    message_reader_free(&worker->in);
    message_builder_free(&worker->out);
  }
  study_job_free(pool);
  if (pool->epoll >= 0) close(pool->epoll);
  if (pool->wake >= 0) close(pool->wake);
  pthread_cond_destroy(&pool->alive_changed);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->workers);
  free(pool);
}

static void init_lists(srv_pool *pool) {
  pool_checks_init(&pool->checks);
  pool_queue_init(pool);
  pool->wishes_last = &pool->wishes;
  for (size_t i = 0; i < pool->settings.workers; i++)
    pool->workers[i] = (pool_worker){.pool = pool, .slot = (int)i, .socket = -1};
}

srv_pool *srv_pool_start(const srv_pool_settings *settings, srv_store *store, srv_metrics *metrics,
                         srv_pool_drained when_drained, void *context) {
  assert(settings->workers > 0 && settings->jobs > 0 && store && metrics);
  srv_pool *pool = calloc(1, sizeof *pool);
  if (!pool) return NULL;
  *pool = (srv_pool){.settings = *settings,
                     .store = store,
                     .metrics = metrics,
                     .when_drained = when_drained,
                     .context = context,
                     .epoll = epoll_create1(EPOLL_CLOEXEC),
                     .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                     .supervisor = {.socket = -1},
                     .alive_seen = srv_clock_monotonic(),
                     .workers = calloc(settings->workers, sizeof *pool->workers)};
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&pool->alive_changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_init(&pool->mutex, NULL);
  bool good = pool->workers && pool->epoll >= 0 && pool->wake >= 0;
  if (good) {
    unsigned events = 0;
    init_lists(pool);
    srv_epoll_set(pool->epoll, pool->wake, &events, EPOLLIN, pool);
    good = pthread_create(&pool->thread, NULL, pool_thread, pool) == 0;
  }
  if (good) return pool;
  srv_pool_free(pool);
  return NULL;
}

void srv_pool_stop(srv_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  assert(!pool->stopping);
  pool->stopping = true;
  pthread_mutex_unlock(&pool->mutex);
  pool_wake(pool);
  pthread_join(pool->thread, NULL);
  if (pool->supervisor.socket >= 0) {
    close(pool->supervisor.socket);
    waitpid(pool->supervisor.pid, NULL, 0);
  }
}

/* ---- other threads ---------------------------------------------------------------------------------------------- */

bool srv_pool_wait_ready(srv_pool *pool, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds;
  pthread_mutex_lock(&pool->mutex);
  while (pool->alive == 0 && pthread_cond_timedwait(&pool->alive_changed, &pool->mutex, &until) == 0) continue;
  bool ready = pool->alive > 0;
  pthread_mutex_unlock(&pool->mutex);
  return ready;
}

service_status srv_pool_check(srv_pool *pool, srv_check *check) {
  service_status status = pool_checks_post(pool, check);
  if (status == SERVICE_PENDING) pool_wake(pool);
  return status;
}

void srv_pool_stop_checks(srv_pool *pool) {
  pool_checks_close(pool);
  pool_wake(pool);
}

void srv_pool_drain(srv_pool *pool, double grace) {
  pthread_mutex_lock(&pool->mutex);
  pool->draining = true;
  pool->drain_at = srv_clock_monotonic() + grace;
  pthread_mutex_unlock(&pool->mutex);
  pool_wake(pool);
}

bool srv_pool_ready(srv_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  bool ready = pool->alive > 0 || srv_clock_monotonic() - pool->alive_seen < unready_seconds;
  pthread_mutex_unlock(&pool->mutex);
  return ready;
}

bool srv_pool_stuck(srv_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  bool stuck = pool->endings_failing > 0;
  pthread_mutex_unlock(&pool->mutex);
  return stuck;
}

void srv_pool_count(srv_pool *pool, size_t *workers, size_t *busy) {
  pthread_mutex_lock(&pool->mutex);
  *workers = pool->alive < pool->settings.jobs ? pool->alive : pool->settings.jobs;
  *busy = pool->busy;
  pthread_mutex_unlock(&pool->mutex);
}
