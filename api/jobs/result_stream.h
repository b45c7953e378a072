/* result_stream.h - passes the arrays of a run to the hooks of its job: finished rows while the job runs, the others at
 * its end. */
#ifndef API_JOBS_RESULT_STREAM_H
#define API_JOBS_RESULT_STREAM_H

#include "api/jobs/job_hooks.h"

#include <jansson.h>

typedef struct api_result_stream {
  const job_hooks *hooks;
  double share;             /* fraction of the job's work that this run is */
  const mbs_result *result; /* result of the current run; NULL before its first row */
  size_t rows;              /* number of final rows */
  size_t begun, given;      /* arrays announced before the end, and the rows passed of each */
  bool refused;             /* the receiver rejected an array: nothing more is passed before the end */
} api_result_stream;

/* Returns the hooks of the run whose rows are passed on. `self` must outlive it. */
mbs_hooks api_result_stream_hooks(api_result_stream *self);
/* Passes the missing arrays and rows, as many as the limits permit. Returns NULL, or the error that says why not all
 * were stored. */
json_t *api_result_stream_finish(api_result_stream *self, const mbs_result *result);

#endif
