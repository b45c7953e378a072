/* result_list.c - see result_list.h. */
#include "api/resources/result_list.h"

#include "api/http/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool api_result_list_load(const api_call *call, api_response *response, api_result_list *list) {
  *list = (api_result_list){0};
  const char *id = call->arguments[0];
  service_status status = call->service->arrays(call->service->context, id, &list->items, &list->count);
  if (status == SERVICE_OK) return true;
  char what[80];
  const char *of = status == SERVICE_NOT_READY ? "result of " : status == SERVICE_DAMAGED ? "list of arrays of " : "";
  snprintf(what, sizeof what, "%sjob '%.40s'", of, id);
  api_problem_service(call, response, status, what);
  return false;
}

const service_array *api_result_list_find(const api_result_list *list, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, name) == 0) return &list->items[i];
  return NULL;
}

size_t api_result_columns(const service_array *array) {
  size_t columns = 1;
  for (int i = 1; i < array->rank; i++) columns *= array->shape[i];
  return columns;
}

bool api_result_list_is_complete(const api_result_list *list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->items[i].partial) return false;
  return true;
}

void api_set_result_headers(api_response *response, bool complete, uint64_t checksum) {
  api_response_header(response, "Mbsd-Complete", complete ? "true" : "false");
  if (checksum != 0) api_response_header(response, "Mbsd-Results-Checksum", SERVICE_CHECKSUM, checksum);
  api_response_header(response, "Cache-Control", complete ? "private, no-cache" : "no-store");
}

bool api_results_unchanged(const api_call *call, api_response *response, bool complete, uint64_t checksum,
                           const char *tag) {
  char whole[160];
  if (!complete) return false;
  snprintf(whole, sizeof whole, checksum != 0 ? "%s-%016" PRIx64 : "%s", tag, checksum);
  return api_respond_unchanged(call->request, response, whole);
}

bool api_results_check(const api_call *call, api_response *response, const service_array *array, size_t first,
                       size_t stride, size_t count, const size_t *columns, size_t column_count, size_t *budget) {
  if (column_count == 0 || count == 0 || *budget < column_count) return true;
  size_t rows = *budget / column_count < count ? *budget / column_count : count;
  const service *from = call->service;
  service_status status =
      from->read(from->context, call->arguments[0], array->name, first, stride, rows, columns, column_count, NULL);
  *budget -= rows * column_count;
  if (status == SERVICE_OK) return true;
  char what[200];
  response->header_count = 0; /* the headers of the array no longer apply */
  snprintf(what, sizeof what, "array '%.100s' of job '%.40s'", array->name, call->arguments[0]);
  api_problem_service(call, response, status, what);
  return false;
}

bool api_results_check_all(const api_call *call, api_response *response, const api_result_list *list) {
  size_t budget = API_RESULTS_CHECKED;
  for (size_t i = 0; i < list->count && budget > 0; i++) {
    const service_array *array = &list->items[i];
    size_t width = 1;
    for (int k = 1; k < array->rank; k++) width *= array->shape[k];
    size_t *columns = malloc((width + 1) * sizeof *columns);
    for (size_t k = 0; columns && k < width; k++) columns[k] = k;
    bool fine = columns && api_results_check(call, response, array, 0, 1, array->shape[0], columns, width, &budget);
    if (!columns) api_problem(call, response, API_PROBLEM_INTERNAL, "Out of memory");
    free(columns);
    if (!fine) return false;
  }
  return true;
}

void api_result_list_free(api_result_list *list) {
  for (size_t i = 0; i < list->count; i++) service_array_free(&list->items[i]);
  free(list->items);
  *list = (api_result_list){0};
}
