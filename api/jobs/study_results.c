/* study_results.c - see study_results.h. */
#include "api/jobs/study_results.h"

#include "api/base/array_grow.h"
#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "mbs.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of crashed runs, without any other run, after which the study ends. */
enum { HOPELESS_RUNS = 16 };

/* Mean, standard deviation and extremes of an output over the runs that succeeded. */
typedef struct total_statistics {
  size_t count, least, most; /* runs of the extremes */
  double mean, squares, min, max;
} total_statistics;

typedef struct total_failure {
  json_t *error;
  size_t count, first;
} total_failure;

struct api_study_results {
  json_t *outline; /* "study" of the first report */
  size_t runs, parameters, outputs;
  bool gradient;
  size_t columns, array_count;
  api_study_array arrays[API_STUDY_ARRAYS];
  total_statistics *statistics; /* [outputs] */
  total_failure *failures;      /* ordered by their first runs */
  size_t failure_count, failure_capacity;
  size_t taken, made, failed; /* numbers of runs */
  size_t without;             /* failed runs without outputs */
  char *note;                 /* first note of a run about its result; NULL: none */
  size_t noted, first_noted;  /* number of runs with a note; the first of them */
  uint64_t evaluations;
};

/* ---- the study --------------------------------------------------------------------------------------------------- */

static char *texts_of(json_t *list) { return json_dumps(list, JSON_COMPACT | JSON_ENCODE_ANY); }

static char *empty_texts(size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, json_string(""));
  return api_json_string(list);
}

/* Returns "x by k", the labels of a gradient's columns, output by output. */
static char *gradient_labels(const api_study_results *self) {
  json_t *list = json_array();
  for (size_t i = 0; i < self->outputs; i++)
    for (size_t j = 0; j < self->parameters; j++) {
      const char *output = json_string_value(json_array_get(json_object_get(self->outline, "outputs"), i)),
                 *parameter = json_string_value(json_array_get(json_object_get(self->outline, "parameters"), j));
      json_array_append_new(list, json_sprintf("%s by %s", output ? output : "", parameter ? parameter : ""));
    }
  return api_json_string(list);
}

/* Assigns the next columns of a row to an array whose `columns` are known. Returns false if memory runs out. */
static bool add_array(api_study_results *self, api_study_array array) {
  assert(self->array_count < API_STUDY_ARRAYS && array.columns <= SIZE_MAX - self->columns);
  array.begin = self->columns;
  self->columns += array.columns;
  self->arrays[self->array_count++] = array;
  return array.labels && array.units;
}

static bool describe_arrays(api_study_results *self) {
  size_t p = self->parameters, m = self->outputs;
  json_t *units = json_object_get(self->outline, "parameter_units"); /* an older server wrote none */
  bool good =
      add_array(self, (api_study_array){.name = "parameters",
                                        .doc = "values of the parameters in each run; null if the run was not computed",
                                        .labels = texts_of(json_object_get(self->outline, "parameters")),
                                        .units = units ? texts_of(units) : empty_texts(p),
                                        .rank = 2,
                                        .shape = {p},
                                        .columns = p});
  good = good && add_array(self, (api_study_array){.name = "outputs",
                                                   .doc = "outputs of each run; null if the run failed",
                                                   .labels = texts_of(json_object_get(self->outline, "outputs")),
                                                   .units = texts_of(json_object_get(self->outline, "units")),
                                                   .rank = 2,
                                                   .shape = {m},
                                                   .columns = m});
  if (self->gradient)
    good = good &&
           add_array(self, (api_study_array){.name = "gradient",
                                             .doc = "derivatives of the outputs with respect to the parameters, for "
                                                    "each run; null if an output has no derivative or the run failed",
                                             .labels = gradient_labels(self),
                                             .units = empty_texts(m * p),
                                             .rank = 3,
                                             .shape = {m, p},
                                             .columns = m * p});
  return good && add_array(self, (api_study_array){.name = "status",
                                                   .doc = "0: the run succeeded; above 0: number of its failure in "
                                                          "report.study.failures; -1: the run was not computed",
                                                   .labels = strdup("[\"status\"]"),
                                                   .units = empty_texts(1),
                                                   .rank = 1,
                                                   .columns = 1});
}

api_study_results *api_study_results_new(const char *report) {
  json_t *root = json_loads(report, 0, NULL), *outline = json_object_get(root, "study");
  api_study_results *self = outline ? calloc(1, sizeof *self) : NULL;
  if (self) {
    self->outline = json_incref(outline);
    self->runs = (size_t)json_integer_value(json_object_get(outline, "runs"));
    self->parameters = json_array_size(json_object_get(outline, "parameters"));
    self->outputs = json_array_size(json_object_get(outline, "outputs"));
    self->gradient = json_is_true(json_object_get(outline, "gradient"));
    self->statistics = calloc(self->outputs + 1, sizeof *self->statistics);
  }
  json_decref(root);
  if (self && self->statistics && self->runs > 0 && describe_arrays(self)) return self;
  api_study_results_free(self);
  return NULL;
}

void api_study_results_free(api_study_results *total) {
  if (!total) return;
  for (size_t i = 0; i < total->array_count; i++) {
    free(total->arrays[i].labels);
    free(total->arrays[i].units);
  }
  for (size_t i = 0; i < total->failure_count; i++) json_decref(total->failures[i].error);
  free(total->failures);
  free(total->note);
  free(total->statistics);
  json_decref(total->outline);
  free(total);
}

size_t api_study_results_runs(const api_study_results *total) { return total->runs; }
size_t api_study_results_taken(const api_study_results *total) { return total->taken; }
uint64_t api_study_results_evaluations(const api_study_results *total) { return total->evaluations; }
size_t api_study_results_columns(const api_study_results *total) { return total->columns; }
size_t api_study_results_array_count(const api_study_results *total) { return total->array_count; }
const api_study_array *api_study_results_arrays(const api_study_results *total) { return total->arrays; }

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static const char *code_of(const json_t *error) { return json_string_value(json_object_get(error, "code")); }

/* Returns the number of a failure in the list, from 1; 0 if memory runs out. `run` failed with it. */
static size_t number_of(api_study_results *self, json_t *error, size_t run) {
  const char *code = code_of(error);
  if (!code) return 0;
  for (size_t i = 0; i < self->failure_count; i++)
    if (strcmp(code_of(self->failures[i].error), code) == 0) return i + 1;
  total_failure *all = api_array_grow(self->failures, self->failure_count, &self->failure_capacity, sizeof *all);
  if (!all) return 0;
  self->failures = all;
  all[self->failure_count++] = (total_failure){.error = json_incref(error), .first = run};
  return self->failure_count;
}

static const total_failure *commonest(const api_study_results *self) {
  const total_failure *most = NULL;
  for (size_t i = 0; i < self->failure_count; i++)
    if (!most || self->failures[i].count > most->count) most = &self->failures[i];
  return most;
}

bool api_study_results_all_crashed(const api_study_results *total) {
  const total_failure *most = commonest(total);
  return most && most->count >= HOPELESS_RUNS && most->count == total->made &&
         strcmp(code_of(most->error), "worker_crashed") == 0;
}

static json_t *failures_json(const api_study_results *self) {
  json_t *list = json_array();
  for (size_t i = 0; i < self->failure_count; i++) {
    const total_failure *each = &self->failures[i];
    json_t *entry = json_copy(each->error);
    json_object_set_new(entry, "count", json_integer((json_int_t)each->count));
    json_object_set_new(entry, "first", json_integer((json_int_t)each->first));
    json_array_append_new(list, entry);
  }
  return list;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void add_value(total_statistics *self, double value, size_t run) {
  assert(self->count <= run);
  if (self->count == 0 || value < self->min) self->min = value, self->least = run;
  if (self->count == 0 || value > self->max) self->max = value, self->most = run;
  double before = value - self->mean; /* Welford's algorithm */
  self->mean += before / (double)++self->count;
  self->squares += before * (value - self->mean);
}

/* Adds the next run. Returns false if its status is not in its report. */
static bool take_run(api_study_results *self, double *row, json_t *failures) {
  const double *outputs = row + self->parameters;
  double *status = row + self->columns - 1;
  bool has_outputs = *status == 0 || !isnan(outputs[0]); /* a run without a derivative has outputs nevertheless */
  for (size_t k = 0; k < self->outputs && has_outputs; k++) add_value(&self->statistics[k], outputs[k], self->taken);
  if (*status != 0) {
    bool listed = *status >= 1 && *status <= (double)json_array_size(failures);
    size_t number = listed ? number_of(self, json_array_get(failures, (size_t)*status - 1), self->taken) : 0;
    if (number == 0) return false;
    self->failures[number - 1].count++;
    self->failed++;
    self->without += !has_outputs;
    *status = (double)number;
  }
  self->made++;
  self->taken++;
  return true;
}

static void take_note(api_study_results *self, const json_t *note) {
  const char *text = json_string_value(json_object_get(note, "text"));
  if (!text) return;
  self->noted += (size_t)json_integer_value(json_object_get(note, "runs"));
  if (self->note) return;
  self->note = strdup(text);
  self->first_noted = (size_t)json_integer_value(json_object_get(note, "first"));
}

bool api_study_results_take(api_study_results *total, double *rows, size_t runs, const char *report) {
  assert(total->taken <= total->runs);
  size_t columns = api_study_results_columns(total);
  json_t *root = json_loads(report, 0, NULL), *failures = json_object_get(root, "failures");
  bool good = root && runs <= total->runs - total->taken;
  for (size_t i = 0; good && i < runs; i++) good = take_run(total, rows + i * columns, failures);
  total->evaluations += (uint64_t)json_integer_value(json_object_get(root, "evaluations"));
  if (good) take_note(total, json_object_get(root, "note"));
  json_decref(root);
  return good;
}

void api_study_results_skip(api_study_results *total, double *rows, size_t runs) {
  size_t columns = api_study_results_columns(total);
  for (size_t i = 0; i < runs; i++) {
    for (size_t j = 0; j + 1 < columns; j++) rows[i * columns + j] = NAN;
    rows[i * columns + columns - 1] = -1;
  }
  total->taken += runs;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static json_t *statistics_json(const api_study_results *self, size_t output) {
  const total_statistics *of = &self->statistics[output];
  json_t *object = json_object();
  json_object_set(object, "output", json_array_get(json_object_get(self->outline, "outputs"), output));
  if (of->count == 0) return object;
  double variance = of->squares / (double)(of->count - 1);
  json_object_set_new(object, "mean", api_json_number(of->mean));
  json_object_set_new(object, "sd", of->count > 1 ? api_json_number(sqrt(variance)) : json_null());
  json_object_set_new(object, "min", api_json_number(of->min));
  json_object_set_new(object, "max", api_json_number(of->max));
  json_object_set_new(object, "argmin", json_integer((json_int_t)of->least));
  json_object_set_new(object, "argmax", json_integer((json_int_t)of->most));
  return object;
}

static json_t *study_json(const api_study_results *self) {
  json_t *object = json_object(), *statistics = json_array();
  for (size_t k = 0; k < self->outputs; k++) json_array_append_new(statistics, statistics_json(self, k));
  json_object_set_new(object, "runs", json_integer((json_int_t)self->runs));
  json_object_set_new(object, "done", json_integer((json_int_t)self->made));
  json_object_set_new(object, "failed", json_integer((json_int_t)self->failed));
  json_object_set_new(object, "failures", failures_json(self));
  json_object_set_new(object, "statistics", statistics);
  json_object_set(object, "alone", json_object_get(self->outline, "alone")); /* if present */
  return object;
}

static json_t *notes_json(const api_study_results *self) {
  json_t *list = json_array();
  if (self->note && self->runs == 1) json_array_append_new(list, json_string(self->note));
  if (self->note && self->runs > 1)
    json_array_append_new(list, json_sprintf("in %zu of %zu runs, first in run %zu: %s", self->noted, self->runs,
                                             self->first_noted, self->note));
  return list;
}

char *api_study_results_report(const api_study_results *total, double wall_seconds) {
  assert(total->failed <= total->made && total->made <= total->taken);
  json_t *report = json_copy(json_object_get(total->outline, "report"));
  json_object_set_new(report, "evaluations", json_integer((json_int_t)total->evaluations));
  json_object_set_new(report, "study", study_json(total));
  json_object_set_new(report, "notes", notes_json(total));
  json_object_set_new(report, "wall_seconds", api_json_number(wall_seconds));
  return api_json_string(report);
}

static json_t *error_json(const api_study_results *self, api_study_end end, double limit, const char *limit_name) {
  char detail[1024];
  const total_failure *most = commonest(self);
  if (end == API_STUDY_CANCELLED) {
    snprintf(detail, sizeof detail, "cancelled after %zu of %zu runs", self->made, self->runs);
    return api_plain_error_json("cancelled", detail);
  }
  if (end == API_STUDY_OUT_OF_TIME) {
    snprintf(detail, sizeof detail, "the limit of %g s (%s) was reached after %zu of %zu runs; their results are kept",
             limit, limit_name ? limit_name : "the wall clock", self->made, self->runs);
    return api_plain_error_json("time_limit", detail);
  }
  if (end == API_STUDY_ALL_CRASHED) {
    snprintf(detail, sizeof detail,
             "stopped after %zu of %zu runs, whose results are kept: the worker process terminated in every attempt at "
             "several consecutive runs",
             self->made, self->runs);
    return api_plain_error_json("worker_crashed", detail);
  }
  if (!most || self->without < self->made) return NULL;
  const char *why = json_string_value(json_object_get(most->error, "detail"));
  snprintf(detail, sizeof detail, "all %zu runs failed; the most frequent error (%zu runs, first in run %zu): %s",
           self->made, most->count, most->first, why ? why : code_of(most->error));
  return api_plain_error_json(mbs_status_code(MBS_ALL_RUNS_FAILED), detail);
}

char *api_study_results_error(const api_study_results *total, api_study_end end, double limit, const char *limit_name) {
  json_t *error = error_json(total, end, limit, limit_name);
  return error ? api_json_string(error) : NULL;
}
