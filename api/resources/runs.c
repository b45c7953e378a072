/* runs.c - see runs.h. Parameter values are read from the study's array of parameters. */
#include "api/resources/runs.h"

#include "api/base/values.h"
#include "api/http/problem.h"
#include "api/resources/result_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A run of a study, with the arrays of the study. */
typedef struct study_run {
  size_t index;
  api_result_list list;
} study_run;

/* Loads the run that the route names. Returns false after answering with an error. */
static bool load(const api_call *call, api_response *response, study_run *run) {
  const char *text = call->arguments[1];
  char *end;
  errno = 0;
  unsigned long long index = strtoull(text, &end, 10);
  bool number = *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
  *run = (study_run){.index = (size_t)index};
  if (!api_result_list_load(call, response, &run->list)) return false;
  const service_array *status = api_result_list_find(&run->list, "status"),
                      *parameters = api_result_list_find(&run->list, "parameters");
  if (!status || !parameters || !status->by_run)
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "Job '%.40s' is not a study, so it has no runs",
                call->arguments[0]);
  else if (!number || index >= status->shape[0])
    api_problem(call, response, API_PROBLEM_NOT_FOUND, "There is no run '%.40s'; the runs are numbered from 0 to %zu",
                text, status->shape[0] - (status->shape[0] > 0));
  else
    return true;
  api_result_list_free(&run->list);
  return false;
}

/* Reads the run's row of an array, malloc'd. Returns NULL after answering with an error. */
static double *read_row(const api_call *call, api_response *response, const study_run *run, const char *name) {
  const service_array *array = api_result_list_find(&run->list, name);
  size_t count = array ? api_result_columns(array) : 0, *columns = malloc((count + 1) * sizeof *columns);
  double *row = malloc((count + 1) * sizeof *row);
  service_status status = SERVICE_NOT_FOUND;
  for (size_t k = 0; columns && k < count; k++) columns[k] = k;
  if (row && columns && array)
    status =
        call->service->read(call->service->context, call->arguments[0], name, run->index, 1, 1, columns, count, row);
  free(columns);
  if (status == SERVICE_OK) return row;
  free(row);
  api_problem_service(call, response, status, "row of a study");
  return NULL;
}

/* Returns {"label": number, ...} of the run's row; NULL after answering with an error. */
static json_t *read_object(const api_call *call, api_response *response, const study_run *run, const char *name) {
  double *row = read_row(call, response, run, name);
  if (!row) return NULL;
  json_t *labels = api_json_parse(api_result_list_find(&run->list, name)->labels), *object = json_object();
  size_t k;
  json_t *label;
  json_array_foreach(labels, k, label) json_object_set_new(object, json_string_value(label), api_json_number(row[k]));
  json_decref(labels);
  free(row);
  return object;
}

/* Returns {"output": {"parameter": derivative, ...}, ...} from the outputs and parameters of the run; NULL after
 * answering with an error. */
static json_t *read_gradient(const api_call *call, api_response *response, const study_run *run, json_t *outputs,
                             json_t *parameters) {
  double *row = read_row(call, response, run, "gradient");
  if (!row) return NULL;
  json_t *object = json_object(), *value;
  const double *next = row;
  const char *output, *parameter;
  json_object_foreach(outputs, output, value) {
    json_t *slopes = json_object();
    json_object_foreach(parameters, parameter, value) json_object_set_new(slopes, parameter, api_json_number(*next++));
    json_object_set_new(object, output, slopes);
  }
  free(row);
  return object;
}

/* Returns failure number `status`, from 1, of the report; null if the run did not fail or the report does not contain
 * it. */
static json_t *failure_of(const api_call *call, double status) {
  service_job job;
  if (!(status >= 1) || call->service->job(call->service->context, call->arguments[0], &job) != SERVICE_OK)
    return json_null();
  json_t *report = api_json_parse(job.report);
  json_t *failures = json_object_get(json_object_get(report, "study"), "failures");
  json_t *failure = json_incref(json_array_get(failures, (size_t)status - 1));
  json_decref(report);
  service_job_free(&job);
  return failure ? failure : json_null();
}

void api_runs_get(const api_call *call, api_response *response) {
  study_run run;
  if (!load(call, response, &run)) return;
  double *status = read_row(call, response, &run, "status");
  json_t *parameters = status ? read_object(call, response, &run, "parameters") : NULL;
  json_t *outputs = parameters ? read_object(call, response, &run, "outputs") : NULL;
  bool has_gradient = api_result_list_find(&run.list, "gradient") != NULL;
  json_t *gradient = outputs && has_gradient ? read_gradient(call, response, &run, outputs, parameters) : NULL;
  if (outputs && (gradient || !has_gradient)) {
    json_t *answer = json_object();
    json_object_set_new(answer, "run", json_integer((json_int_t)run.index));
    json_object_set_new(answer, "status", json_integer((json_int_t)*status));
    json_object_set(answer, "parameters", parameters);
    json_object_set(answer, "outputs", outputs);
    if (gradient) json_object_set(answer, "gradient", gradient);
    json_object_set_new(answer, "failure", failure_of(call, *status));
    api_respond_json(response, 200, answer);
  }
  json_decref(parameters);
  json_decref(outputs);
  json_decref(gradient);
  free(status);
  api_result_list_free(&run.list);
}

/* Converts the request of a study to that of one run. */
static json_t *single(json_t *request, const json_t *values) {
  json_t *model = json_deep_copy(json_object_get(request, "model")), *answer = json_object();
  json_t *analysis = json_object_get(request, "analysis");
  if (!analysis) analysis = json_object_get(model, "analysis");
  json_object_update_existing(json_object_get(model, "parameters"), (json_t *)values);
  json_object_set_new(answer, "model", model);
  if (analysis) json_object_set(answer, "analysis", analysis);
  return answer;
}

void api_runs_model(const api_call *call, api_response *response) {
  study_run run;
  char *text = NULL;
  size_t size = 0;
  if (!load(call, response, &run)) return;
  json_t *values = read_object(call, response, &run, "parameters");
  service_status status = SERVICE_OK;
  if (values) status = call->service->document(call->service->context, call->arguments[0], &text, &size);
  json_t *request = text ? json_loadb(text, size, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
  if (request)
    api_respond_json(response, 200, single(request, values));
  else if (values)
    api_problem_service(call, response, status == SERVICE_OK ? SERVICE_DAMAGED : status, "document of the study");
  json_decref(request);
  json_decref(values);
  free(text);
  api_result_list_free(&run.list);
}
