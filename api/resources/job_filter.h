/* job_filter.h - reads the query of GET /api/v1/jobs, which filters the list of jobs. */
#ifndef API_RESOURCES_JOB_FILTER_H
#define API_RESOURCES_JOB_FILTER_H

#include "api/http/call.h"
#include "api/http/response.h"

#include <stdbool.h>

/* The names of the query parameters, as a name list. */
#define API_JOB_FILTER "status|model_name|owner|since|q|tag"

/* Reads the filter; its texts belong to the call. Returns false after answering that a value is invalid. */
bool api_job_filter_read(const api_call *call, api_response *response, service_filter *filter);

#endif
