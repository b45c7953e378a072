/* pool_checks.c - see pool_checks.h. */
#include "server/jobs/pool_checks.h"

#include "api/base/text.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/jobs/pool_worker.h"
#include "server/jobs/worker.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Documents of one kind that are checked at the same time. */
static const size_t most_running = POOL_CHECKERS / POOL_CHECK_LINES;
static const size_t most_waiting[POOL_CHECK_LINES] = {
    [POOL_CHECK_JOBS] = SIZE_MAX, [POOL_CHECK_VALIDATIONS] = POOL_VALIDATIONS_WAITING_ALL};

/* A document that kills two workers is considered the cause. */
enum { MOST_CRASHES = 1 };

static pool_check_line *line_of(srv_pool *pool, const srv_check *check) {
  return &pool->checks.lines[check->document.purpose == SERVICE_RUN ? POOL_CHECK_JOBS : POOL_CHECK_VALIDATIONS];
}

void pool_checks_init(pool_checks *checks) {
  for (size_t i = 0; i < POOL_CHECK_LINES; i++) checks->lines[i] = (pool_check_line){.last = &checks->lines[i].first};
}

static void finish(srv_check *check, service_status status) {
  assert(status != SERVICE_PENDING);
  check->status = status;
  check->done(check);
}

/* ---- waiting ----------------------------------------------------------------------------------------------------- */

/* Returns true if a client has as many waiting validations as allowed. */
static bool has_many(const pool_check_line *line, const char *client) {
  size_t count = 0;
  for (const srv_check *each = line->first; each; each = each->next) count += strcmp(each->client, client) == 0;
  return count >= POOL_VALIDATIONS_WAITING;
}

service_status pool_checks_post(srv_pool *pool, srv_check *check) {
  pool_check_line *line = line_of(pool, check);
  assert(check->done);
  check->next = NULL;
  check->posted = srv_clock_monotonic();
  pthread_mutex_lock(&pool->mutex);
  bool closed = pool->checks.closed;
  bool full = line->waiting >= most_waiting[line - pool->checks.lines] ||
              (check->document.purpose != SERVICE_RUN && has_many(line, check->client));
  bool taken = !closed && !full;
  if (taken) {
    *line->last = check;
    line->last = &check->next;
    line->waiting++;
  }
  pthread_mutex_unlock(&pool->mutex);
  return taken ? SERVICE_PENDING : closed ? SERVICE_LATE : SERVICE_BUSY;
}

void pool_checks_close(srv_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pool->checks.closed = true;
  pthread_mutex_unlock(&pool->mutex);
}

/* Takes out the first waiting document if it came before `since`, or if all must go; otherwise returns NULL. */
static srv_check *take_first(srv_pool *pool, pool_check_line *line, double since) {
  pthread_mutex_lock(&pool->mutex);
  srv_check *check = line->first;
  if (check && (pool->checks.closed || check->posted <= since)) {
    assert(line->waiting > 0);
    line->first = check->next;
    if (!line->first) line->last = &line->first;
    line->waiting--;
  } else {
    check = NULL;
  }
  pthread_mutex_unlock(&pool->mutex);
  return check;
}

static void reject_expired(srv_pool *pool, double now, bool ready) {
  for (size_t i = 0; i < POOL_CHECK_LINES; i++) {
    double since = i == POOL_CHECK_VALIDATIONS ? now - POOL_VALIDATION_PATIENCE : -1;
    for (srv_check *check; (check = take_first(pool, &pool->checks.lines[i], ready ? since : now));)
      finish(check, ready ? SERVICE_LATE : SERVICE_NO_WORKERS);
  }
}

/* Returns true if a large document of this client is checked now. */
static bool has_large(const srv_pool *pool, const pool_check_line *line, const char *client) {
  for (size_t i = 0; line->running > 0 && i < pool->settings.workers; i++) {
    const srv_check *check = pool->workers[i].check;
    if (check && check->document.size > POOL_SMALL_DOCUMENT && line_of((srv_pool *)pool, check) == line &&
        strcmp(check->client, client) == 0)
      return true;
  }
  return false;
}

/* Takes out the document that is checked next; NULL if none may be. Clients take turns. A large document waits while
 * another large one of its client is checked, so that no client occupies all processes. */
static srv_check *take_next(srv_pool *pool, pool_check_line *line) {
  srv_check **chosen = NULL;
  pthread_mutex_lock(&pool->mutex);
  for (srv_check **at = &line->first; *at && !pool->checks.closed; at = &(*at)->next) {
    const char *client = (*at)->client;
    const bool same = strcmp(client, line->last_client) == 0;
    if (chosen && same) continue;
    if ((*at)->document.size > POOL_SMALL_DOCUMENT && has_large(pool, line, client)) continue;
    chosen = at;
    if (!same) break;
  }
  srv_check *check = chosen ? *chosen : NULL;
  if (check) {
    *chosen = check->next;
    if (!*chosen) line->last = chosen;
    line->waiting--;
  }
  pthread_mutex_unlock(&pool->mutex);
  if (check) snprintf(line->last_client, sizeof line->last_client, "%s", check->client);
  return check;
}

/* ---- handing out ------------------------------------------------------------------------------------------------- */

static bool is_idle(const pool_worker *worker) {
  return worker->state == POOL_WORKER_IDLE && worker->socket >= 0 && !worker->ended && !worker->killed;
}

/* Returns true if a worker is the better one to lose its model: one without, else the one whose job came last. Jobs
 * start approximately in order of arrival, so the oldest model is needed next. */
static bool has_less_to_lose(const pool_worker *worker, const pool_worker *than) {
  if (!than || !worker->cached_model_job[0] || !than->cached_model_job[0]) return !than || than->cached_model_job[0];
  return worker->cached_at > than->cached_at;
}

pool_worker *pool_checks_idle_worker(srv_pool *pool, const char *id) {
  pool_worker *best = NULL;
  double since = srv_clock_monotonic() - WORKER_KEEP_SECONDS;
  for (size_t i = 0; i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    if (worker->cached_at < since) worker->cached_model_job[0] = '\0'; /* the worker has dropped it */
    if (!is_idle(worker)) continue;
    if (id && strcmp(worker->cached_model_job, id) == 0) return worker;
    if (has_less_to_lose(worker, best)) best = worker;
  }
  return best;
}

static void hand_out(pool_worker *worker, srv_check *check, double now) {
  const srv_pool_settings *settings = &worker->pool->settings;
  message_builder *out = &worker->out;
  assert(is_idle(worker) && !worker->check && out->size == 0);
  worker->check = check;
  worker->check_by = now + settings->check_seconds;
  worker->cached_model_job[0] = '\0';
  line_of(worker->pool, check)->running++;
  pool_worker_become(worker, POOL_WORKER_CHECKING);
  srv_log(SRV_DEBUG, "check_started",
          (srv_field[]){srv_number("worker", worker->pid),
                        srv_text("target", check->document.target),
                        srv_number("bytes", (double)check->document.size),
                        {0}});
  message_begin(out, MESSAGE_CHECK);
  message_put_integer(out, check->document.purpose);
  message_put_integer(out, settings->check_memory);
  worker_limits_put(out, &settings->job);
  message_put_text(out, check->document.target);
  message_put_bytes(out, check->document.text, check->document.size);
  pool_worker_send(worker);
}

void pool_checks_dispatch(srv_pool *pool, double now, bool ready) {
  reject_expired(pool, now, ready);
  for (size_t i = 0; i < POOL_CHECK_LINES; i++) {
    pool_check_line *line = &pool->checks.lines[i];
    while (line->running < most_running) {
      pool_worker *worker = pool_checks_idle_worker(pool, NULL);
      srv_check *check = worker ? take_next(pool, line) : NULL;
      if (!check) break;
      hand_out(worker, check, now);
    }
  }
}

bool pool_checks_busy(srv_pool *pool) {
  bool busy = false;
  pthread_mutex_lock(&pool->mutex);
  for (size_t i = 0; i < POOL_CHECK_LINES; i++)
    busy = busy || pool->checks.lines[i].waiting > 0 || pool->checks.lines[i].running > 0;
  pthread_mutex_unlock(&pool->mutex);
  return busy;
}

/* ---- their end --------------------------------------------------------------------------------------------------- */

/* Separates a worker from its document. */
static srv_check *release(pool_worker *worker) {
  srv_check *check = worker->check;
  assert(check && line_of(worker->pool, check)->running > 0);
  worker->check = NULL;
  line_of(worker->pool, check)->running--;
  return check;
}

/* Reads the fields of a verdict after its status. Returns false if memory runs out. */
static bool read_verdict(message_cursor *cursor, service_verdict *verdict) {
  char **const places[] = {&verdict->text, &verdict->model_name, &verdict->analysis, &verdict->name, &verdict->tags};
  bool whole = true;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *text = message_take_text(cursor);
    *places[i] = api_text_copy(text);
    whole = whole && (!text || *places[i]);
  }
  verdict->keep = message_take_integer(cursor) != 0;
  verdict->reuse = message_take_integer(cursor) != 0;
  const char *hash = message_take_text(cursor);
  snprintf(verdict->content_hash, sizeof verdict->content_hash, "%s", hash ? hash : "");
  verdict->cost.kind = message_take_integer(cursor);
  verdict->cost.span = message_take_number(cursor);
  verdict->cost.seconds = message_take_number(cursor);
  verdict->runs = message_take_integer(cursor);
  return whole;
}

bool pool_checks_take_verdict(pool_worker *worker) {
  assert(worker->state == POOL_WORKER_CHECKING);
  message_cursor cursor = message_open(&worker->in);
  int status = (int)message_take_integer(&cursor);
  service_verdict verdict = {.status = status};
  bool whole = read_verdict(&cursor, &verdict);
  bool broken = cursor.failed || status < 0 || status >= 600 || (status != 0 && whole && !verdict.text);
  if (broken) {
    service_verdict_free(&verdict);
    return false;
  }
  srv_check *check = release(worker);
  check->verdict = verdict;
  if (status == 0 && check->document.purpose == SERVICE_RUN) {
    memcpy(worker->cached_model_job, check->id, sizeof worker->cached_model_job);
    worker->cached_at = srv_clock_monotonic();
  }
  pool_worker_become(worker, POOL_WORKER_IDLE);
  finish(check, whole ? SERVICE_OK : SERVICE_FAILED);
  return true;
}

/* Puts a document back at the front of its queue. */
static void put_back(srv_pool *pool, srv_check *check) {
  pool_check_line *line = line_of(pool, check);
  pthread_mutex_lock(&pool->mutex);
  check->next = line->first;
  if (!line->first) line->last = &check->next;
  line->first = check;
  line->waiting++;
  pthread_mutex_unlock(&pool->mutex);
}

void pool_checks_death(pool_worker *worker, bool blameless) {
  srv_pool *pool = worker->pool;
  bool too_long = worker->killed && srv_clock_monotonic() >= worker->check_by;
  srv_check *check = release(worker);
  pthread_mutex_lock(&pool->mutex);
  bool closed = pool->checks.closed;
  pthread_mutex_unlock(&pool->mutex);
  if (closed || too_long)
    finish(check, closed ? SERVICE_LATE : SERVICE_TOO_LONG);
  else if (blameless || check->crashes++ < MOST_CRASHES)
    put_back(pool, check);
  else
    finish(check, SERVICE_DIED);
}

void pool_checks_deadline(pool_worker *worker, double now) {
  assert(worker->state == POOL_WORKER_CHECKING && worker->check);
  pthread_mutex_lock(&worker->pool->mutex);
  bool over = worker->pool->checks.closed || now >= worker->check_by;
  pthread_mutex_unlock(&worker->pool->mutex);
  if (!over || worker->killed) return;
  srv_log(SRV_WARNING, "check_given_up",
          (srv_field[]){srv_number("worker", worker->pid),
                        srv_text("target", worker->check->document.target),
                        srv_number("bytes", (double)worker->check->document.size),
                        {0}});
  pool_worker_kill(worker);
}
