/* result_list.h - the arrays of a job, shared by the handlers of results. */
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

/* Loads the arrays of the job that the route's {id} names. Returns false after answering that there are none. */
bool api_result_list_load(const api_call *call, api_response *response, api_result_list *list);
/* Returns the array of this name; NULL if there is none. */
const service_array *api_result_list_find(const api_result_list *list, const char *name);
/* Returns the count of numbers in a row of an array. */
size_t api_result_columns(const service_array *array);
/* Returns true if the job has finished, so that no rows will be added. */
bool api_result_list_is_complete(const api_result_list *list);
/* Sets the headers of every response about an array: whether it is complete and may be cached, and the checksum of the
 * job's results. */
void api_set_result_headers(api_response *response, bool complete, uint64_t checksum);
/* Sets the entity tag of a response made from results; sets none while the results may still grow. Returns true if the
 * client has it: the response is then finished. */
bool api_results_unchanged(const api_call *call, api_response *response, bool complete, uint64_t checksum,
                           const char *tag);
/* Checks the rows of an array before a response with them begins: reads as many as `budget` permits and compares them
 * with their checksums; the other rows are checked when they are sent. `budget`: numbers that may still be read,
 * reduced by those that were. Returns false after answering with the error, if they are corrupted or cannot be read. */
bool api_results_check(const api_call *call, api_response *response, const service_array *array, size_t first,
                       size_t stride, size_t count, const size_t *columns, size_t column_count, size_t *budget);
/* Checks whole arrays in this way, from the first one on, within one budget. */
bool api_results_check_all(const api_call *call, api_response *response, const api_result_list *list);
/* Initial budget: numbers that one response reads for its check. */
enum { API_RESULTS_CHECKED = 1 << 18 };
void api_result_list_free(api_result_list *list);

#endif
