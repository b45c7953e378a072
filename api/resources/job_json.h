/* job_json.h - a stored job as clients see it. */
#ifndef API_RESOURCES_JOB_JSON_H
#define API_RESOURCES_JOB_JSON_H

#include "api/base/buffer.h"
#include "api/service.h"

#include <stdbool.h>

enum { API_JOB_SUMMARY = 0, API_JOB_WHOLE = 1 };

/* Adds the job's document to `out`; a summary has no report. */
void api_job_write(const service_job *job, int extent, api_buffer *out);
/* Whether nothing more will happen to the job. */
bool api_job_ended(const service_job *job);

#endif
