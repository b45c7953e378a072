/* equations.c - see equations.h. A worker derives the equations, like a check of a document. For a job, the worker
 * receives the job's document and the row of its results that is nearest to the requested time. */
#include "api/resources/equations.h"

#include "api/base/values.h"
#include "api/checks/equations_query.h"
#include "api/http/problem.h"
#include "api/resources/request_validation.h"
#include "api/resources/result_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void api_equations_post(const api_call *call, api_response *response) {
  const api_request *request = call->request;
  service_verdict verdict = {0};
  api_equations_query query;
  if (!api_equations_query_read(call, &call->target, response, &query)) return;
  const service_document document = {
      .text = request->body, .size = request->body_size, .target = request->target, .purpose = SERVICE_DERIVE};
  api_request_validate_document(call, response, &document, api_equations_media_type(query.format), &verdict);
  service_verdict_free(&verdict);
}

/* ---- of a job ------------------------------------------------------------------------------------------------ */

/* Reads all columns of `count` rows of an array, from `first` on, malloc'd. Returns NULL after answering with an
 * error. */
static double *read_rows(const api_call *call, api_response *response, const service_array *array, size_t first,
                         size_t count) {
  size_t width = array->rank > 1 ? array->shape[1] : 1, *columns = malloc((width + 1) * sizeof *columns);
  double *rows = malloc((count * width + 1) * sizeof *rows);
  service_status status = SERVICE_FAILED;
  for (size_t k = 0; columns && k < width; k++) columns[k] = k;
  if (columns && rows)
    status = call->service->read(call->service->context, call->arguments[0], array->name, first, 1, count, columns,
                                 width, rows);
  free(columns);
  if (status == SERVICE_OK) return rows;
  free(rows);
  api_problem_service(call, response, status, "state of the job");
  return NULL;
}

/* Reads the requested time; NaN if none. Returns false after answering that it is invalid. */
static bool read_time(const api_call *call, api_response *response, double *t) {
  const char *text = api_target_query(&call->target, "t");
  char *end = NULL;
  *t = text ? strtod(text, &end) : NAN;
  if (!text || (*text && *end == '\0' && isfinite(*t))) return true;
  api_problem(call, response, API_PROBLEM_BAD_REQUEST, "The query parameter t must be a time in seconds; got '%.60s'",
              text);
  return false;
}

/* Returns the row nearest to a time; the first one if no time is given. */
static size_t nearest_row(const double *times, size_t count, double t) {
  size_t nearest = 0;
  for (size_t k = 1; k < count; k++)
    if (fabs(times[k] - t) < fabs(times[nearest] - t)) nearest = k;
  return nearest;
}

static json_t *row_json(const api_call *call, api_response *response, const service_array *array, size_t row) {
  double *values = read_rows(call, response, array, row, 1);
  json_t *numbers = values ? api_json_numbers(values, array->rank > 1 ? array->shape[1] : 1) : NULL;
  free(values);
  return numbers;
}

/* Returns {"t", "q", "v"} of the row; NULL after answering with an error. */
static json_t *read_state(const api_call *call, api_response *response, const api_result_list *list, double t) {
  const service_array *T = api_result_list_find(list, "T"), *q = api_result_list_find(list, "theta"),
                      *v = api_result_list_find(list, "theta_d");
  if (!T || !q || !v || T->shape[0] == 0) {
    api_problem(call, response, API_PROBLEM_NOT_FOUND,
                "Job '%.40s' did not store the arrays theta and theta_d, which contain its states", call->arguments[0]);
    return NULL;
  }
  double *times = read_rows(call, response, T, 0, T->shape[0]);
  if (!times) return NULL;
  size_t row = nearest_row(times, T->shape[0], isnan(t) ? times[0] : t);
  json_t *at = json_pack("{s:f}", "t", times[row]);
  free(times);
  json_t *positions = row_json(call, response, q, row);
  json_t *velocities = positions ? row_json(call, response, v, row) : NULL;
  if (positions) json_object_set_new(at, "q", positions);
  if (velocities) json_object_set_new(at, "v", velocities);
  if (velocities) return at;
  json_decref(at);
  return NULL;
}

/* Returns the job's document with that state beside its model; NULL after answering with an error. */
static char *compose(const api_call *call, api_response *response, json_t *at) {
  char *text = NULL;
  size_t size = 0;
  service_status status = call->service->document(call->service->context, call->arguments[0], &text, &size);
  json_t *root = text ? json_loadb(text, size, JSON_DECODE_INT_AS_REAL, NULL) : NULL;
  free(text);
  if (!root) {
    json_decref(at);
    api_problem_service(call, response, status == SERVICE_OK ? SERVICE_DAMAGED : status, "document of the job");
    return NULL;
  }
  json_t *model = json_object_get(root, "model"), *analysis = model ? json_object_get(root, "analysis") : NULL;
  json_t *wrapped = json_pack("{s:O, s:o}", "model", model ? model : root, "at", at);
  const char *sparse = api_target_query(&call->target, "sparse");
  if (analysis) json_object_set(wrapped, "analysis", analysis);
  if (sparse) json_object_set_new(wrapped, "sparse", json_boolean(strcmp(sparse, "true") == 0));
  json_decref(root);
  return api_json_string(wrapped);
}

void api_equations_of_job(const api_call *call, api_response *response) {
  api_equations_query query;
  api_result_list list;
  double t;
  if (!api_equations_query_read(call, &call->target, response, &query) || !read_time(call, response, &t) ||
      !api_result_list_load(call, response, &list))
    return;
  json_t *at = read_state(call, response, &list, t);
  char *text = at ? compose(call, response, at) : NULL;
  api_result_list_free(&list);
  if (!text) return;
  service_verdict verdict = {0};
  const service_document document = {
      .text = text, .size = strlen(text), .target = call->request->target, .purpose = SERVICE_DERIVE, .own = text};
  api_request_validate_document(call, response, &document, api_equations_media_type(query.format), &verdict);
  service_verdict_free(&verdict);
}
