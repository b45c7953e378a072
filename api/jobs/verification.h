/* verification.h - verifies the result of a job whose analysis requests a certificate. */
#ifndef API_JOBS_VERIFICATION_H
#define API_JOBS_VERIFICATION_H

#include "api/jobs/job_hooks.h"

/* Fraction of a verified job's work that the run itself takes, approximately. */
#define API_RUN_SHARE 0.3

/* The request body from which a job's model was built. */
typedef struct api_job_source {
  const char *text; /* NULL: not available */
  size_t size;
  const mbs_limits *limits;
} api_job_source;

/* Verifies the result of a run of the model and adds the findings to its report. Returns MBS_CANCELLED with `error`, or
 * MBS_NO_MEMORY. */
mbs_status api_verify_result(const mbs_model *model, const api_job_source *source, const job_hooks *hooks,
                             mbs_result *result, mbs_error *error);

#endif
