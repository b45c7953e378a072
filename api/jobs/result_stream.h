/* result_stream.h - the arrays of a run on their way to whoever keeps them: finished rows while the job runs, the rest at
 * its end. */
#ifndef API_JOBS_RESULT_STREAM_H
#define API_JOBS_RESULT_STREAM_H

#include "api/jobs/job_hooks.h"

#include <jansson.h>

typedef struct api_result_stream {
  const job_hooks *hooks;
  double share;             /* of the job's work that the run is */
  const mbs_result *result; /* of the run that goes on; NULL before its first row */
  size_t rows;              /* that are final */
  size_t begun, given;      /* arrays that the receiver knows of before the end, and the rows that it has of each */
  bool refused;             /* it has taken one of them not: no more before the end */
} api_result_stream;

/* The hooks of the run whose rows are handed over. `self` must outlive it. */
mbs_hooks api_result_stream_hooks(api_result_stream *self);
/* Hands over what is missing of as many arrays as may be kept; NULL, or the error that says why not of all. */
json_t *api_result_stream_finish(api_result_stream *self, const mbs_result *result);

#endif
