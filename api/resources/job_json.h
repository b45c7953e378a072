/* job_json.h - a stored job as clients see it. */
#ifndef API_RESOURCES_JOB_JSON_H
#define API_RESOURCES_JOB_JSON_H

#include "api/service.h"

#include <jansson.h>
#include <stdbool.h>

enum { API_JOB_SUMMARY = 0, API_JOB_WHOLE = 1 };

/* The job's document; a summary has no report. */
json_t *api_job_json(const service_job *job, int extent);
/* Whether nothing more will happen to the job. */
bool api_job_ended(const service_job *job);

#endif
