/* job_json.h - a stored job as JSON for clients. */
#ifndef API_RESOURCES_JOB_JSON_H
#define API_RESOURCES_JOB_JSON_H

#include "api/base/buffer.h"
#include "api/service.h"

#include <stdbool.h>

enum {
  API_JOB_SUMMARY = 0,
  API_JOB_WHOLE = 1,
  API_JOB_REUSED = 2 /* the job replaces an equal one that was requested */
};

/* Appends the job's document to `out`; a summary has no report. `extent` may be a sum of flags; `prefix` stands before
 * the paths of its links. */
void api_job_write(const service_job *job, int extent, const char *prefix, api_buffer *out);
/* Returns true if the job has reached a final state. */
bool api_job_ended(const service_job *job);

#endif
