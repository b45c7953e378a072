/* job.c - see job.h. */
#include "job.h"

#include "document.h"
#include "problem.h"
#include "report_json.h"
#include "values.h"

#include <stdio.h>
#include <stdlib.h>

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

/* Hands the arrays to the host; false when it cannot keep one. */
static bool keep_arrays(const mbs_result *result, const job_host *host) {
  for (size_t i = 0; host->array && i < result->array_count; i++) {
    const mbs_array *array = &result->arrays[i];
    size_t columns = 1;
    for (int k = 1; k < array->rank; k++) columns *= array->shape[k];
    char *labels = api_json_string(api_json_texts(array->labels, columns));
    bool kept = labels && host->array(host->host, array, labels);
    free(labels);
    if (!kept) return false;
  }
  return true;
}

static void run(const mbs_model *model, const job_host *host, job_outcome *outcome) {
  const mbs_hooks hooks = {.user = host->host, .progress = host->progress, .now = host->now};
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = mbs_run(model, &hooks, &result, &error);
  bool kept = true;
  if (result) {
    outcome->report = api_json_string(api_report_json(&result->report));
    kept = keep_arrays(result, host);
  }
  mbs_result_free(result);
  if (status == MBS_CANCELLED)
    finish(outcome, "cancelled", api_error_json(&error));
  else if (status != MBS_OK)
    finish(outcome, "failed", api_error_json(&error));
  else if (!kept)
    finish(outcome, "failed", document_error("results_not_kept", "the results could not be kept"));
  else
    finish(outcome, "succeeded", NULL);
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
