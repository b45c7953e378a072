/* jobs.h - /api/v1/jobs: create, list, read, change, cancel and delete jobs. */
#ifndef API_RESOURCES_JOBS_H
#define API_RESOURCES_JOBS_H

#include "api/http/call.h"
#include "api/http/response.h"

void api_jobs_list(const api_call *call, api_response *response);
void api_jobs_post(const api_call *call, api_response *response);
void api_jobs_get(const api_call *call, api_response *response);
void api_jobs_patch(const api_call *call, api_response *response);
void api_jobs_delete(const api_call *call, api_response *response);
void api_jobs_cancel(const api_call *call, api_response *response);
void api_jobs_model(const api_call *call, api_response *response);

#endif
