/* study.c - see study.h. */
#include "api/jobs/study.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "api/jobs/failures.h"
#include "api/jobs/handover.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of a run that was not made. */
static const double not_run = -1;

typedef struct study_job {
  mbs_study *study;
  const mbs_study_outline *outline;
  const job_hooks *hooks;
  api_handover handover;
  mbs_hooks host; /* of the job */
  mbs_result result;
  double *parameters, *outputs, *status; /* data of its arrays */
  api_failures failures;
  size_t done; /* runs */
  uint64_t evaluations;
  double started;
  enum { GOING_ON, CANCELLED, OUT_OF_TIME } end;
} study_job;

/* ---- arrays -------------------------------------------------------------------------------------------------- */

static double *add_array(study_job *self, const char *name, const char *doc, size_t columns, const char *const *labels,
                         const char *const *units, int rank) {
  mbs_array *array = &self->result.arrays[self->result.array_count++];
  *array = (mbs_array){.name = name,
                       .unit = "",
                       .doc = doc,
                       .rank = rank,
                       .shape = {self->outline->runs, columns},
                       .labels = labels,
                       .units = units,
                       .timeless = true,
                       .by_run = true};
  array->data = mbs_arena_alloc(self->result.arena, self->outline->runs * columns + 1, sizeof(double));
  return array->data;
}

static bool open_arrays(study_job *self) {
  static const char *const status[] = {"status"}, *const none[] = {""};
  const mbs_study_outline *outline = self->outline;
  const char **plain = mbs_arena_alloc(self->result.arena, outline->parameters + 1, sizeof *plain);
  self->result.arrays = mbs_arena_alloc(self->result.arena, 3, sizeof *self->result.arrays);
  if (!plain || !self->result.arrays) return false;
  for (size_t i = 0; i < outline->parameters; i++) plain[i] = "";
  self->parameters = add_array(self, "parameters", "values of the parameters in each run", outline->parameters,
                               outline->parameter_labels, plain, 2);
  self->outputs = add_array(self, "outputs", "outputs of each run; null where it failed", outline->outputs,
                            outline->output_labels, outline->output_units, 2);
  self->status = add_array(self, "status",
                           "0: it succeeded; above 0: the failure of this number in report.study.failures; -1: it was "
                           "not run",
                           1, status, none, 1);
  if (!self->parameters || !self->outputs || !self->status) return false;
  for (size_t i = 0; i < outline->runs; i++) {
    self->status[i] = not_run;
    mbs_study_point(self->study, i, self->parameters + i * outline->parameters);
  }
  for (size_t i = 0; i < outline->runs * outline->outputs; i++) self->outputs[i] = NAN;
  return true;
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

static double now(const study_job *self) { return self->host.now ? self->host.now(self->host.user) : 0; }

/* The progress of a run as that of the study, which ends all. */
static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  study_job *self = user;
  (void)t;
  double done = ((double)self->done + fraction) / (double)self->outline->runs;
  if (!self->host.progress(self->host.user, 0, done, self->evaluations + evaluations)) self->end = CANCELLED;
  if (self->outline->wall_seconds > 0 && now(self) - self->started > self->outline->wall_seconds)
    self->end = OUT_OF_TIME;
  return self->end == GOING_ON;
}

static double run_now(void *user) { return now(user); }

static void run_all(study_job *self) {
  const mbs_study_outline *outline = self->outline;
  const mbs_hooks hooks = {.user = self, .progress = progress, .now = self->host.now ? run_now : NULL};
  while (self->done < outline->runs && progress(self, NAN, 0, 0)) {
    mbs_error error;
    size_t i = self->done;
    mbs_status status = mbs_study_run(self->study, i, &hooks, self->parameters + i * outline->parameters,
                                      self->outputs + i * outline->outputs, &error);
    self->evaluations += mbs_study_evaluations(self->study);
    if (self->end != GOING_ON && status != MBS_OK) return; /* it was not the run that failed */
    self->status[i] = status == MBS_OK ? 0 : (double)api_failures_add(&self->failures, &error, i);
    self->done++;
    if (self->host.rows) self->host.rows(self->host.user, &self->result, self->done);
  }
}

/* ---- what is said of them ------------------------------------------------------------------------------------ */

/* Mean, standard deviation and extremes of an output over the runs that succeeded. */
static json_t *statistics_json(const study_job *self, size_t output) {
  size_t columns = self->outline->outputs, count = 0, least = 0, most = 0;
  double mean = 0, squares = 0;
  const double *values = self->outputs + output;
  for (size_t i = 0; i < self->outline->runs; i++) {
    double value = values[i * columns];
    if (self->status[i] != 0) continue;
    if (count == 0 || value < values[least * columns]) least = i;
    if (count == 0 || value > values[most * columns]) most = i;
    double before = value - mean; /* Welford */
    mean += before / (double)++count;
    squares += before * (value - mean);
  }
  json_t *object = json_object();
  json_object_set_new(object, "output", api_json_text(self->outline->output_labels[output]));
  if (count == 0) return object;
  json_object_set_new(object, "mean", api_json_number(mean));
  json_object_set_new(object, "sd", count > 1 ? api_json_number(sqrt(squares / (double)(count - 1))) : json_null());
  json_object_set_new(object, "min", api_json_number(values[least * columns]));
  json_object_set_new(object, "max", api_json_number(values[most * columns]));
  json_object_set_new(object, "argmin", json_integer((json_int_t)least));
  json_object_set_new(object, "argmax", json_integer((json_int_t)most));
  return object;
}

static json_t *study_json(const study_job *self) {
  json_t *object = json_object(), *statistics = json_array();
  for (size_t k = 0; k < self->outline->outputs; k++) json_array_append_new(statistics, statistics_json(self, k));
  json_object_set_new(object, "runs", json_integer((json_int_t)self->outline->runs));
  json_object_set_new(object, "done", json_integer((json_int_t)self->done));
  json_object_set_new(object, "failed", json_integer((json_int_t)self->failures.runs));
  json_object_set_new(object, "failures", api_failures_json(&self->failures));
  json_object_set_new(object, "statistics", statistics);
  return object;
}

/* Why the study did not come to a good end; NULL: it did. */
static json_t *error_json(const study_job *self) {
  char detail[1024];
  size_t runs = self->outline->runs;
  const api_failure *commonest = api_failures_commonest(&self->failures);
  if (self->end == CANCELLED) {
    snprintf(detail, sizeof detail, "cancelled after %zu of %zu runs", self->done, runs);
    return api_plain_error_json("cancelled", detail);
  }
  if (self->end == OUT_OF_TIME) {
    snprintf(detail, sizeof detail, "the limit of %g s (%s) was reached after %zu of %zu runs, which are kept",
             self->outline->wall_seconds, self->outline->wall_name ? self->outline->wall_name : "the wall clock",
             self->done, runs);
    return api_plain_error_json("time_limit", detail);
  }
  if (!commonest || self->failures.runs < runs) return NULL;
  snprintf(detail, sizeof detail, "all %zu runs failed, %zu of them, run %zu the first, because: %s", runs,
           commonest->count, commonest->first, commonest->error.message);
  return api_plain_error_json(mbs_status_code(MBS_ALL_RUNS_FAILED), detail);
}

static void finish(study_job *self, job_outcome *outcome) {
  json_t *error = error_json(self);
  double seconds = now(self) - self->started;
  outcome->report = api_json_string(
      api_study_report_json(mbs_study_report(self->study), study_json(self), self->evaluations, seconds));
  outcome->evaluations = self->evaluations;
  json_t *dropped = api_handover_finish(&self->handover, &self->result);
  if (!error) error = json_incref(dropped);
  json_decref(dropped);
  snprintf(outcome->status, sizeof outcome->status, "%s",
           self->end == CANCELLED ? "cancelled"
           : error                ? "failed"
                                  : "succeeded");
  outcome->error = error ? api_json_string(error) : NULL;
}

void api_study_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome) {
  study_job self = {.hooks = hooks, .handover = {.hooks = hooks}};
  *outcome = (job_outcome){0};
  self.host = api_handover_hooks(&self.handover);
  self.started = now(&self);
  self.study = mbs_study_new(model);
  self.result.arena = mbs_arena_new(0);
  if (self.study) self.outline = mbs_study_outlined(self.study);
  if (self.outline && self.result.arena && open_arrays(&self)) {
    if (hooks->study) hooks->study(hooks->context, self.outline->runs);
    run_all(&self);
    finish(&self, outcome);
  } else {
    snprintf(outcome->status, sizeof outcome->status, "failed");
    outcome->error = api_json_string(api_plain_error_json(mbs_status_code(MBS_NO_MEMORY), "no memory for the study"));
  }
  mbs_study_free(self.study);
  mbs_arena_free(self.result.arena);
}
