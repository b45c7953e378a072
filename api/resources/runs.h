/* runs.h - single runs of a study: the result of a run, and a document that consists of this run alone. */
#ifndef API_RESOURCES_RUNS_H
#define API_RESOURCES_RUNS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_runs_get(const api_call *call, api_response *response);
void api_runs_model(const api_call *call, api_response *response);

#endif
