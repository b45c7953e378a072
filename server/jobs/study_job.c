/* study_job.c - see study_job.h. */
#include "server/jobs/study_job.h"

#include "api/base/text.h"
#include "api/jobs/study_results.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/jobs/job_end.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times [s]: after look_seconds without an event the store is asked; progress is reported every tell_seconds, or this
 * share of the study's time if that is longer. */
static const double look_seconds = 1, tell_seconds = 0.25, tell_share = 0.01;

/* Number of missing rows inserted together. */
enum { SKIP_RUNS = 4096 };

struct study_job {
  srv_pool *pool;
  pool_run run;
  size_t runs;              /* number of runs, from the claim */
  api_study_results *total; /* NULL until the block with run 0 */
  double look_at, told_at;
  bool over; /* the job has ended here; it is freed when the store has answered */
  /* The store's answer with the next block; guarded by the pool's mutex. */
  enum { STUDY_IDLE, STUDY_ASKED, STUDY_ANSWERED } state;
  bool due; /* an event of the study arrived */
  service_status status;
  store_block found;
  study_job *next;
};

static size_t taken(const study_job *self) { return self->total ? api_study_results_taken(self->total) : 0; }

bool study_job_is(const store_claim *claim) { return claim->runs > 0 && !claim->run.is_block; }

void study_job_begin(srv_pool *pool, store_claim *claim) {
  assert(study_job_is(claim));
  free(claim->document);
  study_job *self = calloc(1, sizeof *self);
  if (!self) return; /* the job returns when its lease expires */
  double now = srv_clock_monotonic();
  *self = (study_job){.pool = pool,
                      .run = {.run = claim->run, .started = now, .deadline = now + pool->settings.job.seconds},
                      .runs = claim->runs};
  srv_log(SRV_INFO, "study_started",
          (srv_field[]){srv_text("id", claim->run.id),
                        srv_number("attempt", claim->run.attempt),
                        srv_number("runs", (double)claim->runs),
                        {0}});
  pthread_mutex_lock(&pool->mutex);
  self->next = pool->studies;
  pool->studies = self;
  pthread_mutex_unlock(&pool->mutex);
}

static void study_free(study_job *self) {
  api_study_results_free(self->total);
  free(self->found.data);
  free(self->found.report);
  free(self);
}

/* ---- its end ----------------------------------------------------------------------------------------------------- */

/* Ends it in the store; takes ownership of `report` and `error`. */
static void end(study_job *self, job_state state, char *report, char *error) {
  assert(!self->over);
  self->over = true;
  job_end_run(self->pool, &self->run, state, report, error);
}

static void fail(study_job *self, const char *code, const char *detail) {
  end(self, JOB_FAILED, NULL, job_end_error(code, detail, 0));
}

/* Ends the study with all its rows. */
static void conclude(study_job *self) {
  double seconds = srv_clock_monotonic() - self->run.started;
  api_study_end how = self->run.stop == POOL_STOP_CANCELLED   ? API_STUDY_CANCELLED
                      : self->run.stop == POOL_STOP_TIMED_OUT ? API_STUDY_OUT_OF_TIME
                                                              : API_STUDY_DONE;
  if (!self->total && how == API_STUDY_CANCELLED) {
    end(self, JOB_CANCELLED, NULL, job_end_error("cancelled", "stopped on request", 0));
  } else if (!self->total) {
    fail(self, "time_limit", "the limit --job-seconds of the service was reached before the first run was complete");
  } else {
    char *report = api_study_results_report(self->total, seconds);
    char *error =
        api_study_results_error(self->total, how, self->pool->settings.job.seconds, "the service's --job-seconds");
    job_state state = how == API_STUDY_CANCELLED ? JOB_CANCELLED : error ? JOB_FAILED : JOB_SUCCEEDED;
    end(self, state, report, error);
  }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void hand_over_heads(study_job *self) {
  srv_store *store = self->pool->store;
  for (size_t i = 0; i < api_study_results_array_count(self->total); i++) {
    const api_study_array *head = &api_study_results_arrays(self->total)[i];
    const store_array array = {
        .position = (int)i,
        .name = head->name,
        .unit = "",
        .doc = head->doc,
        .labels = head->labels,
        .units = head->units,
        .rank = head->rank,
        .shape = {self->runs, head->rank > 1 ? head->shape[0] : 1, head->rank > 2 ? head->shape[1] : 1, 1},
        .timeless = true,
        .columns = head->columns,
        .by_run = true};
    store->array(store, &self->run.run, &array);
    self->run.extent.arrays++;
  }
}

/* Sends an array's columns of rows as a tile. Returns false if memory runs out. */
static bool hand_over_tile(study_job *self, int position, const double *rows, size_t first, size_t runs) {
  srv_store *store = self->pool->store;
  const api_study_array *head = &api_study_results_arrays(self->total)[position];
  size_t columns = api_study_results_columns(self->total), size = runs * head->columns * sizeof(double);
  double *data = size > 0 ? malloc(size) : NULL;
  if (!data) return size == 0;
  for (size_t j = 0; j < head->columns; j++)
    for (size_t i = 0; i < runs; i++) data[j * runs + i] = rows[i * columns + head->begin + j];
  self->run.extent.rows += runs;
  self->run.extent.bytes += size;
  const store_tile tile = {position, first, runs, data, size};
  if (!store->tile(store, &self->run.run, &tile)) self->run.stop = POOL_STOP_NOT_KEPT;
  return true;
}

/* Sends rows that the total has accepted. */
static void hand_over(study_job *self, const double *rows, size_t first, size_t runs) {
  bool good = true;
  size_t count = api_study_results_array_count(self->total);
  for (size_t i = 0; i < count && good; i++) good = hand_over_tile(self, (int)i, rows, first, runs);
  if (!good) self->run.stop = POOL_STOP_NOT_KEPT;
}

static void tell_progress(study_job *self, double now) {
  assert(self->total && self->runs > 0);
  srv_store *store = self->pool->store;
  double pause = tell_share * (now - self->run.started);
  if (now < self->told_at + (pause > tell_seconds ? pause : tell_seconds)) return;
  self->told_at = now;
  self->run.progress = (store_progress){.fraction = (double)taken(self) / (double)self->runs,
                                        .evaluations = api_study_results_evaluations(self->total)};
  store->progress(store, &self->run.run, &self->run.progress);
}

/* Inserts rows for missing runs, up to the run `before`. */
static void skip(study_job *self, size_t before) {
  size_t columns = api_study_results_columns(self->total);
  double *rows = malloc(SKIP_RUNS * columns * sizeof *rows);
  if (!rows) self->run.stop = POOL_STOP_NOT_KEPT;
  for (size_t first = taken(self); rows && first < before; first = taken(self)) {
    size_t runs = before - first < SKIP_RUNS ? before - first : SKIP_RUNS;
    api_study_results_skip(self->total, rows, runs);
    hand_over(self, rows, first, runs);
  }
  free(rows);
}

/* Fails the study if a block could not build the model: the other blocks would fail, too. */
static void fail_as_block(study_job *self, const char *report) {
  json_t *root = json_loads(report, 0, NULL), *error = json_object_get(root, "error");
  if (error)
    end(self, JOB_FAILED, NULL, json_dumps(error, JSON_COMPACT));
  else
    fail(self, "internal", "a worker process returned no results for a part of the study; submit the study again");
  json_decref(root);
}

/* Starts the total with the block that has run 0. Returns false if the study has ended. */
static bool open_total(study_job *self, const store_block *block) {
  self->total = api_study_results_new(block->report);
  if (!self->total || api_study_results_runs(self->total) != self->runs) {
    fail(self, "internal", "the number of runs of the study has changed since it was submitted; submit it again");
    return false;
  }
  size_t bytes = self->runs * api_study_results_columns(self->total) * sizeof(double);
  if (bytes <= self->pool->settings.job.result_bytes) {
    hand_over_heads(self);
    return true;
  }
  char detail[200];
  snprintf(detail, sizeof detail,
           "the results have %zu bytes, but the limit of a job (--result) is %zu; request fewer runs or outputs, or "
           "start the service with a larger --result",
           bytes, self->pool->settings.job.result_bytes);
  fail(self, "results_not_kept", detail);
  return false;
}

/* Processes the new rows of a block. */
static void take_block(study_job *self, const store_block *block) {
  if (block->columns == 0) {
    fail_as_block(self, block->report);
    return;
  }
  if (!self->total && !open_total(self, block)) return;
  size_t first = taken(self), runs = block->first + block->runs - first,
         columns = api_study_results_columns(self->total);
  assert(block->first <= first && first < self->runs);
  double *rows = block->data + (first - block->first) * columns;
  if (block->columns != columns || !api_study_results_take(self->total, rows, runs, block->report)) {
    fail(self, "internal",
         "a worker process returned results of the wrong size for a part of the study; submit the study again");
    return;
  }
  hand_over(self, rows, first, runs);
}

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Called on the store's thread, or before the verb returns. */
static void answered(void *context, service_status status) {
  study_job *self = context;
  srv_pool *pool = self->pool;
  pthread_mutex_lock(&pool->mutex);
  assert(self->state == STUDY_ASKED);
  self->status = status;
  self->state = STUDY_ANSWERED;
  pthread_mutex_unlock(&pool->mutex);
  if (pool->store->answers_later) pool_wake(pool);
}

static bool is_ending(const study_job *self) {
  return self->run.stop == POOL_STOP_CANCELLED || self->run.stop == POOL_STOP_TIMED_OUT;
}

/* Processes an answer. Returns true if there may be another block now. */
static bool take_answer(study_job *self, double now) {
  store_block found = self->found;
  self->found = (store_block){.data = NULL};
  bool there = self->status == SERVICE_OK;
  bool next = there && found.first <= taken(self);
  /* Runs before a later block are missing; without the total there are no rows to insert. */
  if (there && !next && is_ending(self) && self->total) {
    skip(self, found.first);
    next = taken(self) == found.first; /* if memory runs out the results are dropped */
  }
  if (next) take_block(self, &found);
  if (there) {
    free(found.data);
    free(found.report);
  }
  if (next && self->total) tell_progress(self, now);
  bool failed = self->status != SERVICE_OK && self->status != SERVICE_NOT_FOUND;
  if (!next && !failed && is_ending(self)) {
    if (self->total) skip(self, self->runs);
    if (self->run.stop != POOL_STOP_NOT_KEPT) conclude(self);
  }
  if (!next) self->look_at = now + look_seconds;
  return next;
}

static void look_at_end(study_job *self, double now) {
  if (self->over) return;
  if (self->run.stop == POOL_STOP_NONE && now >= self->run.deadline) {
    self->run.stop = POOL_STOP_TIMED_OUT;
    self->look_at = now;
  }
  if (self->run.stop == POOL_STOP_REMOVED)
    self->over = true;
  else if (self->run.stop == POOL_STOP_NOT_KEPT)
    end(self, JOB_FAILED, NULL, NULL);
  else if (self->total && taken(self) == self->runs)
    conclude(self);
  else if (self->total && api_study_results_all_crashed(self->total))
    fail(self, "worker_crashed", "the worker process terminated in every attempt at each of the first runs");
}

/* Makes one step. Returns true if there is more to do immediately. */
static bool go_on(study_job *self, double now) {
  srv_pool *pool = self->pool;
  pthread_mutex_lock(&pool->mutex);
  bool is_answered = self->state == STUDY_ANSWERED, idle = self->state == STUDY_IDLE;
  bool asks = idle && !self->over && (self->due || now >= self->look_at);
  if (is_answered) self->state = STUDY_IDLE;
  if (asks) {
    self->state = STUDY_ASKED;
    self->due = false;
  }
  pthread_mutex_unlock(&pool->mutex);
  bool more = false;
  if (is_answered && !self->over) {
    more = take_answer(self, now);
    if (more) self->look_at = now;
  }
  look_at_end(self, now);
  assert(!asks || self->state == STUDY_ASKED);
  if (asks && !self->over) pool->store->block(pool->store, self->run.run.id, taken(self), &self->found, answered, self);
  return more || (asks && !pool->store->answers_later);
}

bool study_job_go_round(srv_pool *pool, double now) {
  bool more = false;
  for (study_job **link = &pool->studies; *link;) {
    study_job *self = *link;
    bool behind = !self->over && pool->store->is_behind(pool->store, false);
    if (!behind && go_on(self, now)) more = true;
    pthread_mutex_lock(&pool->mutex);
    bool gone = self->over && self->state != STUDY_ASKED;
    if (gone) *link = self->next;
    pthread_mutex_unlock(&pool->mutex);
    if (gone)
      study_free(self);
    else
      link = &self->next;
  }
  return more;
}

void study_job_notify(srv_pool *pool, const char *id) {
  bool any = false;
  pthread_mutex_lock(&pool->mutex);
  for (study_job *self = pool->studies; self; self = self->next)
    if (strcmp(self->run.run.id, id) == 0) any = self->due = true;
  pthread_mutex_unlock(&pool->mutex);
  if (any) pool_wake(pool);
}

void study_job_stop(srv_pool *pool, const store_run *run, pool_stop stop) {
  for (study_job *self = pool->studies; self; self = self->next) {
    bool later = self->run.stop != POOL_STOP_NONE && stop != POOL_STOP_REMOVED;
    if (later || !pool_run_is(&self->run.run, run)) continue;
    self->run.stop = stop;
    self->look_at = 0;
  }
}

void study_job_drain(srv_pool *pool) {
  for (study_job *self = pool->studies; self; self = self->next) {
    if (self->over) continue;
    self->over = true;
    job_end_give_back(pool, &self->run.run);
  }
}

size_t study_job_count(const srv_pool *pool) {
  size_t count = 0;
  for (const study_job *self = pool->studies; self; self = self->next) count++;
  return count;
}

size_t study_job_list(const srv_pool *pool, store_run *runs, size_t room) {
  size_t count = 0;
  for (const study_job *self = pool->studies; self && count < room; self = self->next)
    if (!self->over) runs[count++] = self->run.run;
  return count;
}

void study_job_free(srv_pool *pool) {
  for (study_job *self; (self = pool->studies);) {
    pool->studies = self->next;
    study_free(self);
  }
}
