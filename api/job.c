/* job.c - see job.h. */
#include "job.h"

#include "document.h"
#include "problem.h"
#include "report_json.h"
#include "values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void finish(job_outcome *outcome, const char *status, json_t *error) {
  snprintf(outcome->status, sizeof outcome->status, "%s", status);
  outcome->error = error ? api_json_string(error) : NULL;
}

static json_t *document_error(const char *code, const char *detail) {
  json_t *error = json_object();
  json_object_set_new(error, "code", json_string(code));
  json_object_set_new(error, "detail", api_json_text(detail));
  json_object_set_new(error, "t", json_null());
  json_object_set_new(error, "element", json_null());
  json_object_set_new(error, "pointer", json_null());
  return error;
}

/* The server looked at the document before it was queued; here its limits may differ, or its version. */
static void fail_with_mistakes(const mbs_diagnostics *list, job_outcome *outcome) {
  json_t *error = list->count == 1
                      ? api_error_json(&list->items[0])
                      : document_error(mbs_status_code(MBS_INVALID), "the document has mistakes, see errors");
  json_object_set_new(error, "errors", api_errors_json(list));
  finish(outcome, "failed", error);
}

static size_t bytes_of(const mbs_array *array) { return array->shape[0] * mbs_array_columns(array) * sizeof(double); }

/* Why not all arrays were kept, from the array `first` on. */
static json_t *not_kept(const mbs_result *result, const job_host *host, size_t first, const char *why) {
  size_t wanted = 0;
  double t = NAN;
  for (size_t i = 0; i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    wanted += bytes_of(array);
    if (strcmp(array->name, "T") == 0 && array->shape[0] > 0) t = array->data[array->shape[0] - 1];
  }
  char detail[640];
  if (why) {
    snprintf(detail, sizeof detail, "array '%.100s' and those after it could not be kept: %.400s",
             result->arrays[first].name, why);
  } else {
    snprintf(detail, sizeof detail,
             "the result arrays take %zu bytes, and the service's limit --result lets a job keep %zu; array '%.100s' "
             "and those after it were dropped. Ask for fewer rows (a larger dt, an earlier t_end) or fewer columns "
             "(points, sensors), or start the service with a larger --result",
             wanted, host->array_bytes, result->arrays[first].name);
  }
  json_t *error = document_error("results_not_kept", detail);
  json_object_set_new(error, "t", api_json_number(t));
  return error;
}

/* Hands the arrays to the host, as many as it may keep; NULL, or the error that says why not all. */
static json_t *keep_arrays(const mbs_result *result, const job_host *host) {
  if (host->arrays) host->arrays(host->host, result->arrays, result->array_count);
  size_t left = host->array_bytes > 0 ? host->array_bytes : SIZE_MAX;
  for (size_t i = 0; host->array && i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    if (bytes_of(array) > left) return not_kept(result, host, i, NULL);
    left -= bytes_of(array);
    char *labels = api_json_string(api_json_texts(array->labels, mbs_array_columns(array)));
    const char *why = labels ? host->array(host->host, array, labels) : "out of memory";
    free(labels);
    if (why) return not_kept(result, host, i, why);
  }
  return NULL;
}

static void run(const mbs_model *model, const job_host *host, job_outcome *outcome) {
  const mbs_hooks hooks = {.user = host->host, .progress = host->progress, .now = host->now};
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = mbs_run(model, &hooks, &result, &error);
  json_t *dropped = NULL;
  if (result) {
    outcome->report = api_json_string(api_report_json(&result->report));
    dropped = keep_arrays(result, host);
  }
  mbs_result_free(result);
  if (status == MBS_CANCELLED)
    finish(outcome, "cancelled", api_error_json(&error));
  else if (status != MBS_OK)
    finish(outcome, "failed", api_error_json(&error));
  else if (dropped)
    finish(outcome, "failed", json_incref(dropped));
  else
    finish(outcome, "succeeded", NULL);
  json_decref(dropped);
}

void api_job_run(const char *text, size_t size, const mbs_limits *limits, const job_host *host, job_outcome *outcome) {
  *outcome = (job_outcome){0};
  api_document document;
  api_syntax_error place;
  if (!api_document_parse(text, size, &document, &place)) {
    char detail[320];
    snprintf(detail, sizeof detail, "line %d, column %d: %s", place.line, place.column, place.detail);
    finish(outcome, "failed", document_error("malformed_json", detail));
    return;
  }
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(&document, limits, &list);
  api_document_free(&document);
  if (model)
    run(model, host, outcome);
  else
    fail_with_mistakes(&list, outcome);
  mbs_diagnostics_free(&list);
  mbs_model_free(model);
}

void job_outcome_free(job_outcome *outcome) {
  free(outcome->report);
  free(outcome->error);
  *outcome = (job_outcome){0};
}
