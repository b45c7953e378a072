/* result_list.h - the arrays of a job, as the handlers of results share them. */
#ifndef API_RESOURCES_RESULT_LIST_H
#define API_RESOURCES_RESULT_LIST_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct api_result_list {
  service_array *items;
  size_t count;
} api_result_list;

/* The arrays of the job that the route's {id} names; false after answering that there are none. */
bool api_result_list_load(const api_call *call, api_response *response, api_result_list *list);
void api_result_list_free(api_result_list *list);

#endif
