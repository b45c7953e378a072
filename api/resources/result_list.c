/* result_list.c - see result_list.h. */
#include "api/resources/result_list.h"

#include "api/http/problem.h"

#include <stdio.h>
#include <stdlib.h>

bool api_result_list_load(const api_call *call, api_response *response, api_result_list *list) {
  *list = (api_result_list){0};
  const char *id = call->arguments[0];
  service_status status = call->service->arrays(call->service->context, id, &list->items, &list->count);
  if (status == SERVICE_OK) return true;
  char what[64];
  snprintf(what, sizeof what, status == SERVICE_NOT_READY ? "result of job '%.40s'" : "job '%.40s'", id);
  api_problem_service(call, response, status, what);
  return false;
}

void api_result_list_free(api_result_list *list) {
  for (size_t i = 0; i < list->count; i++) service_array_free(&list->items[i]);
  free(list->items);
  *list = (api_result_list){0};
}
