/* verification.h - what vouches for a job's result, where its analysis asks for that. */
#ifndef API_JOBS_VERIFICATION_H
#define API_JOBS_VERIFICATION_H

#include "api/jobs/job_hooks.h"

/* Of the work of a job that is examined the run is about so much. */
#define API_RUN_SHARE 0.3

/* The request body that a job's model was built from. */
typedef struct api_job_source {
  const char *text; /* NULL: it is not at hand */
  size_t size;
  const mbs_limits *limits;
} api_job_source;

/* Examines the result of a run of the model, for its report. MBS_CANCELLED, with `error`; MBS_NO_MEMORY. */
mbs_status api_verify_result(const mbs_model *model, const api_job_source *source, const job_hooks *hooks,
                             mbs_result *result, mbs_error *error);

#endif
