/* job_filter.h - which jobs a list is asked for: the query of GET /api/v1/jobs. */
#ifndef API_RESOURCES_JOB_FILTER_H
#define API_RESOURCES_JOB_FILTER_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

/* The parameters that there are, as a name list. */
#define API_JOB_FILTER "status|model_name|since|q|tag"

/* Texts are the call's. False after answering that something has no meaning. */
bool api_job_filter_read(const api_call *call, api_response *response, service_filter *filter);

#endif
