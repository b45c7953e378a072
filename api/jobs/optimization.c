/* optimization.c - see optimization.h. */
#include "api/jobs/optimization.h"

#include "api/base/values.h"
#include "api/documents/report_json.h"
#include "api/jobs/result_stream.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* ---- the report ------------------------------------------------------------------------------------------------ */

/* Returns {"label": number, ...} of row `row`. */
static json_t *row_json(const mbs_optimum *optimum, const char *name, size_t row) {
  const mbs_array *array = mbs_result_array(&optimum->result, name);
  json_t *object = json_object();
  size_t columns = array ? mbs_array_columns(array) : 0;
  for (size_t k = 0; k < columns; k++)
    json_object_set_new(object, array->labels[k], api_json_number(array->data[row * columns + k]));
  return object;
}

static json_t *value_json(const mbs_optimum *optimum, const char *name) {
  return api_json_number(mbs_result_array(&optimum->result, name)->data[optimum->best]);
}

static json_t *best_json(const mbs_optimum *optimum) {
  assert(optimum->has_best && optimum->best < optimum->trials);
  json_t *object = json_object();
  json_object_set_new(object, "index", json_integer((json_int_t)optimum->best));
  json_object_set_new(object, "objective", value_json(optimum, "objective"));
  json_object_set_new(object, "violation", value_json(optimum, "violation"));
  json_object_set_new(object, "parameters", row_json(optimum, "parameters", optimum->best));
  json_object_set_new(object, "outputs", row_json(optimum, "outputs", optimum->best));
  return object;
}

static json_t *failures_json(const mbs_optimum *optimum) {
  json_t *list = json_array();
  for (size_t i = 0; i < optimum->failure_count; i++) {
    json_t *entry = api_error_json(&optimum->failures[i].error);
    json_object_set_new(entry, "count", json_integer((json_int_t)optimum->failures[i].count));
    json_object_set_new(entry, "first", json_integer((json_int_t)optimum->failures[i].first));
    json_array_append_new(list, entry);
  }
  return list;
}

static const char *parameter_name(const mbs_optimum *optimum, size_t j) {
  assert(j < optimum->parameters);
  return mbs_result_array(&optimum->result, "parameters")->labels[j];
}

static json_t *covariance_json(const mbs_optimum *optimum) {
  size_t p = optimum->parameters;
  if (!optimum->covariance) return json_null();
  json_t *matrix = json_array();
  for (size_t i = 0; i < p; i++) {
    json_t *row = json_array();
    for (size_t j = 0; j < p; j++) json_array_append_new(row, api_json_number(optimum->covariance[i * p + j]));
    json_array_append_new(matrix, row);
  }
  return matrix;
}

/* Returns the names of the parameters whose mark equals `wanted`. */
static json_t *names_json(const mbs_optimum *optimum, const bool *marks, bool wanted) {
  json_t *names = json_array();
  for (size_t j = 0; marks && j < optimum->parameters; j++)
    if (marks[j] == wanted) json_array_append_new(names, json_string(parameter_name(optimum, j)));
  return names;
}

/* Returns the combination of parameters that the data does not determine. */
static json_t *dependence_json(const mbs_optimum *optimum) {
  json_t *combination = json_object();
  size_t count = 0, last = 0;
  for (size_t j = 0; j < optimum->parameters; j++) {
    if (optimum->combination[j] == 0) continue;
    json_object_set_new(combination, parameter_name(optimum, j), api_json_number(optimum->combination[j]));
    last = j;
    count++;
  }
  return json_pack("{s:s, s:o, s:o}", "code", "not_identifiable", "detail",
                   count == 1 ? json_sprintf("'%s' has no influence on the fitted quantities at these values",
                                             parameter_name(optimum, last))
                              : json_sprintf("the data do not determine %zu parameters separately: if they change in "
                                             "these proportions, the fitted quantities do not change",
                                             count),
                   "combination", combination);
}

static void add_fit(const mbs_optimum *optimum, json_t *object) {
  json_object_set_new(object, "covariance", covariance_json(optimum));
  json_object_set_new(object, "residual_sd", api_json_number(optimum->residual_sd));
  if (optimum->combination) json_object_set_new(object, "not_identifiable", dependence_json(optimum));
}

static json_t *study_json(const mbs_optimum *optimum) {
  json_t *object = json_object();
  size_t failed = 0;
  for (size_t i = 0; i < optimum->failure_count; i++) failed += optimum->failures[i].count;
  json_object_set_new(object, "runs", json_integer((json_int_t)optimum->trials));
  json_object_set_new(object, "done", json_integer((json_int_t)optimum->trials));
  json_object_set_new(object, "failed", json_integer((json_int_t)failed));
  json_object_set_new(object, "failures", failures_json(optimum));
  json_object_set_new(object, "statistics", json_array());
  json_object_set_new(object, "evaluations", json_integer((json_int_t)optimum->trials));
  json_object_set_new(object, "limit", json_integer((json_int_t)optimum->limit));
  json_object_set_new(object, "algorithm", api_json_text(optimum->algorithm));
  json_object_set_new(object, "why", api_json_text(optimum->why));
  const bool stopped = optimum->has_best && !optimum->interrupted;
  json_object_set_new(object, "stopped", api_json_text(stopped ? mbs_stop_word(optimum->stopped) : NULL));
  json_object_set_new(object, "without_influence", names_json(optimum, optimum->has_influence, false));
  json_object_set_new(object, "best", optimum->has_best ? best_json(optimum) : json_null());
  if (optimum->at_bound) json_object_set_new(object, "at_bound", names_json(optimum, optimum->at_bound, true));
  if (optimum->fitted) add_fit(optimum, object);
  return object;
}

static char *report_text(const mbs_optimum *optimum, double seconds) {
  json_t *report = api_study_report_json(&optimum->result.report);
  json_object_set_new(report, "evaluations", json_integer((json_int_t)optimum->evaluations));
  json_object_set_new(report, "study", study_json(optimum));
  const mbs_report *own = &optimum->result.report;
  json_object_set_new(report, "notes", api_json_texts(own->notes, own->note_count));
  json_object_set_new(report, "wall_seconds", api_json_number(seconds));
  return api_json_string(report);
}

/* ---- the job --------------------------------------------------------------------------------------------------- */

static json_t *end_json(const mbs_optimum *optimum, mbs_status status, const mbs_error *error) {
  char detail[200];
  if (optimum && status == MBS_CANCELLED) {
    snprintf(detail, sizeof detail, "cancelled after %zu trials", optimum->trials);
    return api_plain_error_json("cancelled", detail);
  }
  if (optimum && status == MBS_TIMED_OUT) {
    snprintf(detail, sizeof detail, "the limit of %g s (%s) was reached after %zu trials; their results are kept",
             optimum->wall_seconds, optimum->wall_name ? optimum->wall_name : "the wall clock", optimum->trials);
    return api_plain_error_json("time_limit", detail);
  }
  return api_error_json(error);
}

void api_optimization_run(const mbs_model *model, const job_hooks *hooks, job_outcome *outcome) {
  api_result_stream handover = {.hooks = hooks, .share = 1};
  const mbs_hooks host = api_result_stream_hooks(&handover);
  double started = hooks->now ? hooks->now(hooks->context) : 0;
  mbs_optimum *optimum;
  mbs_error error;
  *outcome = (job_outcome){0};
  if (hooks->study) hooks->study(hooks->context, mbs_model_trials(model));
  mbs_status status = mbs_optimize(model, &host, &optimum, &error);
  json_t *end = status == MBS_OK ? NULL : end_json(optimum, status, &error);
  if (optimum && optimum->trials > 0) {
    outcome->seconds = hooks->now ? hooks->now(hooks->context) - started : 0;
    outcome->report = report_text(optimum, outcome->seconds);
    outcome->evaluations = optimum->evaluations;
    json_t *dropped = api_result_stream_finish(&handover, &optimum->result);
    if (!end)
      end = dropped;
    else
      json_decref(dropped);
  }
  outcome->error = end ? api_json_string(end) : NULL;
  snprintf(outcome->status, sizeof outcome->status, "%s",
           status == MBS_CANCELLED ? "cancelled"
           : outcome->error        ? "failed"
                                   : "succeeded");
  mbs_optimum_free(optimum);
}
