/* study.c - see study.h. */
#include "api/jobs/study.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "api/jobs/block.h"
#include "api/jobs/result_stream.h"
#include "api/jobs/study_results.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of runs in a block, and its intended duration [s]: rows are passed on after each block. As long as no
 * other processes take part, a block has at most this multiple of the runs before it. */
enum { BLOCK_RUNS = 4096, MOST_GROWTH = 8 };
static const double block_seconds = 0.05;

/* Time that this process works alone before it offers runs to others, and smallest remaining time for that [s]: each
 * other process needs some milliseconds to start. */
static const double alone_seconds = 0.05, worth_seconds = 0.1;

typedef struct study_job {
  const mbs_model *model;
  const job_hooks *hooks;
  mbs_study *study;
  const mbs_study_outline *outline;
  api_result_stream handover;
  mbs_hooks host; /* hooks of the job */
  mbs_result result;
  api_study_results *total; /* NULL: no block is finished yet */
  size_t block_runs;        /* size of the block that is made here */
  size_t together;          /* number of runs that are made together */
  bool asked;               /* true if other processes make runs */
  size_t shared;            /* the first run that they make */
  double started;
  api_study_end end;
} study_job;

/* ---- arrays -------------------------------------------------------------------------------------------------- */

/* Parses a JSON list of texts into the arena of the result. Returns NULL if memory runs out. */
static const char *const *texts_in(const study_job *self, const char *list) {
  json_t *items = json_loads(list, 0, NULL);
  size_t count = json_array_size(items);
  const char **texts = mbs_arena_alloc(self->result.arena, count + 1, sizeof *texts);
  bool good = items && texts;
  for (size_t i = 0; good && i < count; i++) {
    texts[i] = mbs_arena_text(self->result.arena, json_string_value(json_array_get(items, i)));
    good = texts[i] != NULL;
  }
  json_decref(items);
  return good ? texts : NULL;
}

static bool add_array(study_job *self, const api_study_array *head) {
  assert(self->result.array_count < api_study_results_array_count(self->total));
  size_t runs = self->outline->runs;
  mbs_array *array = &self->result.arrays[self->result.array_count++];
  *array = (mbs_array){.name = head->name,
                       .unit = "",
                       .doc = head->doc,
                       .rank = head->rank,
                       .shape = {runs, head->shape[0], head->shape[1]},
                       .labels = texts_in(self, head->labels),
                       .units = texts_in(self, head->units),
                       .timeless = true,
                       .by_run = true};
  array->data = mbs_arena_alloc(self->result.arena, runs * head->columns + 1, sizeof(double));
  return array->labels && array->units && array->data;
}

/* Creates the arrays from the description in the results of the study. */
static bool open_arrays(study_job *self) {
  size_t count = api_study_results_array_count(self->total);
  self->result.arrays = mbs_arena_alloc(self->result.arena, count, sizeof *self->result.arrays);
  bool good = self->result.arrays != NULL;
  for (size_t i = 0; good && i < count; i++) good = add_array(self, &api_study_results_arrays(self->total)[i]);
  return good;
}

/* Copies rows first, first + 1, ... of all arrays from those of a block. */
static void put_rows(study_job *self, const double *rows, size_t first, size_t runs) {
  assert(first + runs <= self->outline->runs);
  size_t columns = api_study_results_columns(self->total);
  for (size_t k = 0; k < self->result.array_count; k++) {
    const api_study_array *head = &api_study_results_arrays(self->total)[k];
    double *to = self->result.arrays[k].data + first * head->columns;
    for (size_t i = 0; i < runs; i++)
      memcpy(to + i * head->columns, rows + i * columns + head->begin, head->columns * sizeof(double));
  }
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

static double now(const study_job *self) { return self->host.now ? self->host.now(self->host.user) : 0; }

static size_t taken(const study_job *self) { return self->total ? api_study_results_taken(self->total) : 0; }

static uint64_t evaluations(const study_job *self) {
  return self->total ? api_study_results_evaluations(self->total) : 0;
}

/* Offers runs to other processes. Returns false if there are none. */
static bool ask(const study_job *self, size_t first, size_t end, double run_seconds) {
  assert(first < end && end <= self->outline->runs);
  const job_share share = {self->model, first, end - first, self->together, run_seconds};
  return self->hooks->share(self->hooks->context, &share);
}

/* Offers the runs after the block that is made here, if they take long enough; `done` runs of all are finished. */
static void share(study_job *self, double done) {
  size_t next = taken(self) + self->block_runs, left = self->outline->runs - next;
  if (self->asked || !self->hooks->share || left == 0) return;
  double elapsed = now(self) - self->started;
  if (elapsed < alone_seconds || elapsed / done * (double)left < worth_seconds) return;
  self->asked = true;
  if (ask(self, next, self->outline->runs, done > 0 ? elapsed / done : 0)) self->shared = next;
}

/* Reports the number of finished runs; this may cancel the study. */
static void tell(study_job *self, double done, uint64_t count) {
  double fraction = done / (double)self->outline->runs;
  if (!self->host.progress(self->host.user, 0, fraction, count)) self->end = API_STUDY_CANCELLED;
  if (self->outline->wall_seconds > 0 && now(self) - self->started > self->outline->wall_seconds)
    self->end = API_STUDY_OUT_OF_TIME;
}

/* Reports the progress of a block as that of the study; this may cancel both. */
static bool progress(void *user, double t, double fraction, uint64_t count) {
  study_job *self = user;
  (void)t;
  double done = (double)taken(self) + fraction * (double)self->block_runs;
  tell(self, done, evaluations(self) + count);
  share(self, done);
  return self->end == API_STUDY_DONE;
}

static double block_now(void *user) { return now(user); }

/* Adds the result of a block. Returns false if memory runs out. */
static bool take_block(study_job *self, const api_block_result *made) {
  size_t first = taken(self);
  if (!made->report) return false;
  if (!self->total) {
    self->total = api_study_results_new(made->report);
    if (!self->total || !open_arrays(self)) return false;
  }
  if (!api_study_results_take(self->total, made->rows, made->runs, made->report)) return false;
  put_rows(self, made->rows, first, made->runs);
  if (self->host.rows && made->runs > 0) self->host.rows(self->host.user, &self->result, taken(self));
  return true;
}

/* Returns the number of runs in the next block that is made here. */
static size_t block_size(const study_job *self) {
  assert(taken(self) < self->shared && self->together > 0);
  size_t done = taken(self), left = self->shared - done, size = BLOCK_RUNS;
  double elapsed = now(self) - self->started;
  if (self->hooks->share && !self->asked) {
    double spare = elapsed < alone_seconds ? alone_seconds - elapsed : alone_seconds;
    double runs = done > 0 ? fmin(spare / elapsed, MOST_GROWTH) * (double)done : 0;
    size = (size_t)fmin(fmax(runs, (double)self->together), BLOCK_RUNS);
  }
  return left < size ? left : size;
}

static bool make_block(study_job *self) {
  const mbs_hooks hooks = {.user = self, .progress = progress, .now = self->host.now ? block_now : NULL};
  self->block_runs = block_size(self);
  const api_block block = {.first = taken(self), .runs = self->block_runs, .seconds = block_seconds};
  api_block_result made;
  api_block_run(self->study, &block, &hooks, &made);
  bool good = take_block(self, &made), rest = good && made.runs < block.runs;
  api_block_result_free(&made);
  self->block_runs = 0;
  if (rest && self->end == API_STUDY_DONE && self->shared < self->outline->runs) {
    ask(self, taken(self), self->shared, 0);
    self->shared = taken(self);
  }
  return good;
}

static bool take_shared(study_job *self) {
  api_block_result made = {0};
  double ahead = 0;
  job_shared found = self->hooks->shared(self->hooks->context, taken(self), &made, &ahead);
  tell(self, (double)taken(self) + ahead, evaluations(self));
  if (found == JOB_SHARED_ALL_CRASHED) self->end = API_STUDY_ALL_CRASHED;
  bool good = found != JOB_SHARED_FAILED && (found != JOB_SHARED_BLOCK || take_block(self, &made));
  api_block_result_free(&made);
  return good;
}

static bool run_blocks(study_job *self) {
  bool good = true;
  self->shared = self->outline->runs;
  self->together = mbs_study_prefetch(self->study, 0, self->outline->runs);
  while (good && self->end == API_STUDY_DONE && taken(self) < self->outline->runs)
    good = taken(self) < self->shared ? make_block(self) : take_shared(self);
  return good;
}

/* Fills the rows of runs that were not made. */
static bool fill_rest(study_job *self) {
  assert(self->total);
  size_t first = taken(self), left = self->outline->runs - first;
  double *rows = calloc(left * api_study_results_columns(self->total) + 1, sizeof *rows);
  if (!rows) return false;
  api_study_results_skip(self->total, rows, left);
  put_rows(self, rows, first, left);
  free(rows);
  return true;
}

/* ---- its end --------------------------------------------------------------------------------------------------- */

static void finish(study_job *self, job_outcome *outcome) {
  outcome->report = api_study_results_report(self->total, now(self) - self->started);
  outcome->evaluations = evaluations(self);
  outcome->error =
      api_study_results_error(self->total, self->end, self->outline->wall_seconds, self->outline->wall_name);
  json_t *dropped = api_result_stream_finish(&self->handover, &self->result);
  if (dropped && !outcome->error) outcome->error = api_json_string(json_incref(dropped));
  json_decref(dropped);
  snprintf(outcome->status, sizeof outcome->status, "%s",
           self->end == API_STUDY_CANCELLED ? "cancelled"
           : outcome->error                 ? "failed"
                                            : "succeeded");
}

static void fail(job_outcome *outcome) {
  snprintf(outcome->status, sizeof outcome->status, "failed");
  outcome->error = api_json_string(api_plain_error_json(mbs_status_code(MBS_NO_MEMORY), "out of memory for the study"));
}

void api_study_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome) {
  study_job self = {.model = model, .hooks = hooks, .handover = {.hooks = hooks}};
  *outcome = (job_outcome){0};
  self.handover.share = 1;
  self.host = api_result_stream_hooks(&self.handover);
  self.started = now(&self);
  self.study = mbs_study_new(model);
  self.result.arena = mbs_arena_new(0);
  if (self.study) self.outline = mbs_study_info_of(self.study);
  if (self.outline && hooks->study) hooks->study(hooks->context, self.outline->runs);
  if (self.outline && self.result.arena && run_blocks(&self) && fill_rest(&self))
    finish(&self, outcome);
  else
    fail(outcome);
  api_study_results_free(self.total);
  mbs_study_free(self.study);
  mbs_arena_free(self.result.arena);
}
