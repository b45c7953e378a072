/* module.c - see module.h. */
#include "module.h"

#include "answers.h"
#include "api/base/clock.h"
#include "api/base/values.h"
#include "api/documents/validation.h"
#include "api/jobs/job.h"

#include <stdlib.h>
#include <string.h>

/* ---- documents --------------------------------------------------------------------------------------------------- */

int module_validate(const char *text, size_t size, bool scene) {
  api_document document;
  if (!answer_begin(text, size, &document)) return answer_status();
  mbs_diagnostics list = {0};
  json_t *answer = api_document_validate(&document, &module_limits, scene, &list);
  if (answer)
    answer_json(answer);
  else
    answer_errors(&list, document.root);
  api_document_free(&document);
  return answer_status();
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static const char *hand_over(void *context, const mbs_array *array, const char *labels, const char *units) {
  (void)context;
  json_t *shape = json_array(), *object = json_object();
  for (int i = 0; i < array->rank; i++) json_array_append_new(shape, json_integer((json_int_t)array->shape[i]));
  json_object_set_new(object, "name", api_json_text(array->name));
  json_object_set_new(object, "shape", shape);
  json_object_set_new(object, "units", api_json_parse(units));
  json_object_set_new(object, "labels", api_json_parse(labels));
  json_object_set_new(object, "unit", api_json_text(array->unit));
  json_object_set_new(object, "description", api_json_text(array->doc));
  json_object_set_new(object, "timeless", json_boolean(array->timeless));
  char *text = api_json_string(object);
  if (!text) return "out of memory";
  page_array(text, strlen(text), array->data, array->shape[0] * mbs_array_columns(array));
  free(text);
  return NULL;
}

static json_t *outcome_json(const job_outcome *outcome) {
  json_t *answer = json_object();
  json_object_set_new(answer, "status", json_string(outcome->status));
  json_object_set_new(answer, "report", api_json_parse(outcome->report));
  json_object_set_new(answer, "error", api_json_parse(outcome->error));
  return answer;
}

/* Builds the model of a document and frees the document. Returns NULL if the document is invalid; its errors are
 * then the answer. */
static mbs_model *model_of(api_document *document) {
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(document, &module_limits, &list);
  if (model)
    mbs_diagnostics_free(&list);
  else
    answer_errors(&list, document->root);
  api_document_free(document);
  return model;
}

/* Runs a document like a job, and frees the document. */
static int run(api_document *document) {
  mbs_model *model = model_of(document);
  if (!model) return answer_status();
  const job_hooks hooks = {.now = api_now, .array = hand_over};
  job_outcome outcome;
  api_job_run_model(model, &(api_job_source){0}, &hooks, &outcome);
  answer_json(outcome_json(&outcome));
  job_outcome_free(&outcome);
  mbs_model_free(model);
  return answer_status();
}

int module_run(const char *text, size_t size) {
  api_document document;
  return answer_begin(text, size, &document) ? run(&document) : answer_status();
}

/* The time limit of a run, and the fraction that was completed. */
typedef struct attempt {
  double deadline, fraction;
} attempt;

static bool within_time(void *context, double t, double fraction, uint64_t evaluations) {
  (void)t;
  (void)evaluations;
  attempt *self = context;
  self->fraction = fraction;
  return api_now(NULL) < self->deadline;
}

int module_attempt(const char *text, size_t size, double seconds) {
  attempt self = {.deadline = api_now(NULL) + seconds};
  api_document document;
  if (!answer_begin(text, size, &document)) return answer_status();
  mbs_model *model = model_of(&document);
  if (!model) return answer_status();
  const job_hooks hooks = {.context = &self, .now = api_now, .progress = within_time, .array = hand_over};
  job_outcome outcome = {.status = "cancelled"};
  const bool is_study = mbs_model_runs(model) > 0 || mbs_model_trials(model) > 0;
  if (!is_study) api_job_run_model(model, &(api_job_source){0}, &hooks, &outcome);
  json_t *answer = outcome_json(&outcome);
  if (!is_study) json_object_set_new(answer, "fraction", json_real(self.fraction));
  answer_json(answer);
  job_outcome_free(&outcome);
  mbs_model_free(model);
  return answer_status();
}

int module_assemble(const char *text, size_t size) {
  api_document document, assembly;
  if (!answer_begin(text, size, &document)) return answer_status();
  api_document_assembly(&document, &assembly);
  api_document_free(&document);
  return run(&assembly);
}
