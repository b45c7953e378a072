/* result_list.h - the arrays of a job, as the handlers of results share them. */
#ifndef API_RESOURCES_RESULT_LIST_H
#define API_RESOURCES_RESULT_LIST_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct api_result_list {
  service_array *items;
  size_t count;
} api_result_list;

/* The arrays of the job that the route's {id} names; false after answering that there are none. */
bool api_result_list_load(const api_call *call, api_response *response, api_result_list *list);
/* The array of this name; NULL: there is none. */
const service_array *api_result_list_find(const api_result_list *list, const char *name);
/* Numbers in a row of an array. */
size_t api_result_columns(const service_array *array);
/* Whether nothing will be added: the job has ended. */
bool api_result_list_is_complete(const api_result_list *list);
/* Sets the headers that go with every answer about an array: whether it is complete and may be kept by the client, and
 * the checksum of the job's results. */
void api_set_result_headers(api_response *response, bool complete, uint64_t checksum);
/* The tag of something made of results, beside those of the service itself: none while they may still grow. True: the
 * client has it, and the response is finished. */
bool api_results_unchanged(const api_call *call, api_response *response, bool complete, uint64_t checksum,
                           const char *tag);
/* Before an answer begins that takes these rows of an array: reads as many of them as can be read in a few
 * milliseconds, and compares them with their checksums; the rest is compared when it is sent. `budget`: numbers that
 * may be read, less those that were. False after answering that they are damaged. */
bool api_results_check(const api_call *call, api_response *response, const service_array *array, size_t first,
                       size_t stride, size_t count, const size_t *columns, size_t column_count, size_t *budget);
/* The same of whole arrays, from the first on as far as a budget goes. */
bool api_results_check_all(const api_call *call, api_response *response, const api_result_list *list);
/* A budget to begin with. */
enum { API_RESULTS_CHECKED = 1 << 18 };
void api_result_list_free(api_result_list *list);

#endif
