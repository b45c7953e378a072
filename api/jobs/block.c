/* block.c - see block.h. */
#include "api/jobs/block.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Code under which such a failure is reported: the worker process fails, not the solver. */
#define CRASHED_CODE "worker_crashed"
#define CRASHED_DETAIL "the worker process terminated in every attempt at this run"

typedef struct block_job {
  const api_block *block;
  const mbs_hooks *hooks;
  mbs_study *study;
  const mbs_study_outline *outline;
  api_block_result *result;
  mbs_error failures[MBS_STATUS_COUNT]; /* the first of each kind, in the order of their runs */
  size_t failure_count;
  char *note; /* of the first run that has one; NULL: none */
  size_t noted, first_noted;
  uint64_t evaluations; /* of finished runs */
} block_job;

static double now(const block_job *self) { return self->hooks->now ? self->hooks->now(self->hooks->user) : 0; }

/* Reports the block's progress with the current run's fraction, and the evaluations of all runs. */
static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  const block_job *self = user;
  (void)t;
  double done = ((double)self->result->runs + fraction) / (double)self->block->runs;
  return !self->hooks->progress || self->hooks->progress(self->hooks->user, 0, done, self->evaluations + evaluations);
}

static double run_now(void *user) { return now(user); }

/* Returns the number, from 1, of a failure among those of the block. */
static size_t number_of(block_job *self, const mbs_error *error) {
  size_t i = 0;
  while (i < self->failure_count && self->failures[i].status != error->status) i++;
  assert(i < MBS_STATUS_COUNT);
  if (i == self->failure_count) self->failures[self->failure_count++] = *error;
  return i + 1;
}

/* Returns the count of numbers in a run's gradient. */
static size_t gradient_size(const mbs_study_outline *outline) {
  return outline->gradient ? outline->outputs * outline->parameters : 0;
}

/* Stores the note of a run about its result. */
static void take_note(block_job *self, size_t index) {
  const char *note = mbs_study_note(self->study);
  if (!note || self->noted++ > 0) return;
  self->note = strdup(note);
  self->first_noted = index;
}

/* Makes the next run. Returns false if it was stopped. */
static bool make_run(block_job *self, const mbs_hooks *hooks) {
  assert(self->result->runs < self->block->runs);
  const mbs_study_outline *outline = self->outline;
  size_t index = self->block->first + self->result->runs;
  double *row = self->result->rows + self->result->runs * self->result->columns;
  double *outputs = row + outline->parameters, *gradient = outputs + outline->outputs,
         *status = row + self->result->columns - 1;
  mbs_error error;
  *status = 0;
  mbs_status ended = mbs_study_run(self->study, index, hooks, row, outputs, &error);
  self->evaluations += mbs_study_evaluations(self->study);
  if (ended == MBS_CANCELLED) return false; /* the run was cancelled and did not fail */
  if (outline->gradient) memcpy(gradient, mbs_study_gradient(self->study), gradient_size(outline) * sizeof *gradient);
  if (ended != MBS_OK) *status = (double)number_of(self, &error);
  take_note(self, index);
  self->result->runs++;
  return true;
}

static void make_runs(block_job *self) {
  const mbs_hooks hooks = {.user = self, .progress = progress, .now = self->hooks->now ? run_now : NULL};
  const size_t first = self->block->first;
  double begun = now(self);
  mbs_study_prefetch(self->study, first, first + self->block->runs);
  while (self->result->runs < self->block->runs && progress(self, 0, 0, 0)) {
    const bool late = self->block->seconds > 0 && now(self) - begun >= self->block->seconds;
    if (self->result->runs > 0 && late && !mbs_study_is_computed(self->study, first + self->result->runs)) return;
    if (!make_run(self, &hooks)) return;
  }
}

static void fail_runs(block_job *self) {
  const mbs_study_outline *outline = self->outline;
  for (; self->result->runs < self->block->runs; self->result->runs++) {
    double *row = self->result->rows + self->result->runs * self->result->columns;
    mbs_study_point(self->study, self->block->first + self->result->runs, row);
    for (size_t i = outline->parameters; i + 1 < self->result->columns; i++) row[i] = NAN;
    row[self->result->columns - 1] = 1;
  }
}

/* Returns the data that study_results.h needs about the study. */
static json_t *outline_json(const block_job *self) {
  const mbs_study_outline *outline = self->outline;
  json_t *object = json_object();
  json_object_set_new(object, "report", api_study_report_json(mbs_study_report(self->study)));
  json_object_set_new(object, "runs", json_integer((json_int_t)outline->runs));
  json_object_set_new(object, "parameters", api_json_texts(outline->parameter_labels, outline->parameters));
  json_object_set_new(object, "parameter_units", api_json_texts(outline->parameter_units, outline->parameters));
  json_object_set_new(object, "outputs", api_json_texts(outline->output_labels, outline->outputs));
  json_object_set_new(object, "gradient", json_boolean(outline->gradient));
  json_object_set_new(object, "units", api_json_texts(outline->output_units, outline->outputs));
  if (outline->alone) json_object_set_new(object, "alone", json_string(outline->alone));
  return object;
}

static json_t *failures_json(const block_job *self) {
  json_t *list = json_array();
  if (self->block->crashed) json_array_append_new(list, api_plain_error_json(CRASHED_CODE, CRASHED_DETAIL));
  for (size_t i = 0; i < self->failure_count; i++) json_array_append_new(list, api_error_json(&self->failures[i]));
  return list;
}

static json_t *note_json(const block_job *self) {
  json_t *object = json_object();
  json_object_set_new(object, "text", api_json_text(self->note));
  json_object_set_new(object, "runs", json_integer((json_int_t)self->noted));
  json_object_set_new(object, "first", json_integer((json_int_t)self->first_noted));
  return object;
}

static char *report_text(const block_job *self) {
  json_t *object = json_object();
  json_object_set_new(object, "failures", failures_json(self));
  json_object_set_new(object, "evaluations", json_integer((json_int_t)self->evaluations));
  if (self->note) json_object_set_new(object, "note", note_json(self));
  if (self->block->first == 0) json_object_set_new(object, "study", outline_json(self));
  return api_json_string(object);
}

void api_block_run(mbs_study *study, const api_block *block, const mbs_hooks *hooks, api_block_result *result) {
  block_job self = {
      .block = block, .hooks = hooks, .study = study, .outline = mbs_study_info_of(study), .result = result};
  assert(block->runs > 0 && block->first < self.outline->runs && block->runs <= self.outline->runs - block->first);
  *result =
      (api_block_result){.columns = self.outline->parameters + self.outline->outputs + gradient_size(self.outline) + 1};
  result->rows = calloc(block->runs * result->columns, sizeof(double));
  if (!result->rows) return;
  if (block->crashed)
    fail_runs(&self);
  else
    make_runs(&self);
  result->report = report_text(&self);
  free(self.note);
}

void api_block_fail(json_t *error, api_block_result *result) {
  json_t *object = json_object();
  json_object_set_new(object, "error", error);
  *result = (api_block_result){.failed = true, .report = api_json_string(object)};
}

/* ---- the hooks of a process -------------------------------------------------------------------------------------- */

static bool host_progress(void *user, double t, double fraction, uint64_t evaluations) {
  const job_hooks *hooks = user;
  return !hooks->progress || hooks->progress(hooks->context, t, fraction, evaluations);
}

static double host_now(void *user) {
  const job_hooks *hooks = user;
  return hooks->now(hooks->context);
}

void api_block_run_model(const mbs_model *model, const api_block *block, const job_hooks *hooks,
                         api_block_result *result) {
  const mbs_hooks host = {.user = (void *)hooks, .progress = host_progress, .now = hooks->now ? host_now : NULL};
  size_t runs = mbs_model_runs(model);
  assert(block->runs > 0);
  *result = (api_block_result){.runs = 0};
  mbs_study *study =
      runs > 0 && block->first < runs && block->runs <= runs - block->first ? mbs_study_new(model) : NULL;
  if (study)
    api_block_run(study, block, &host, result);
  else
    api_block_fail(api_plain_error_json(mbs_status_code(MBS_NO_MEMORY), "out of memory for the study"), result);
  mbs_study_free(study);
}

void api_block_result_free(api_block_result *result) {
  free(result->rows);
  free(result->report);
  *result = (api_block_result){.runs = 0};
}
