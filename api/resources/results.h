/* results.h - /api/v1/jobs/{id}/results: the list of arrays, one array or a slice of it, and columns of several arrays
 * as one CSV file. */
#ifndef API_RESOURCES_RESULTS_H
#define API_RESOURCES_RESULTS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_results_list(const api_call *call, api_response *response);
void api_results_get(const api_call *call, api_response *response);
void api_results_csv(const api_call *call, api_response *response);

#endif
