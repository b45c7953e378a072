/* handover.h - the arrays of a run on their way to whoever keeps them: finished rows while the job runs, the rest at
 * its end. */
#ifndef API_JOBS_HANDOVER_H
#define API_JOBS_HANDOVER_H

#include "api/jobs/job_hooks.h"

#include <jansson.h>

typedef struct api_handover {
  const job_hooks *hooks;
  double share;             /* of the job's work that the run is */
  const mbs_result *result; /* of the run that goes on; NULL before its first row */
  size_t rows;              /* that are final */
  size_t begun, given;      /* arrays that the receiver knows of before the end, and the rows that it has of each */
  bool refused;             /* it has taken one of them not: no more before the end */
} api_handover;

/* The hooks of the run whose rows are handed over. `self` must outlive it. */
mbs_hooks api_handover_hooks(api_handover *self);
/* Hands over what is missing of as many arrays as may be kept; NULL, or the error that says why not of all. */
json_t *api_handover_finish(api_handover *self, const mbs_result *result);

#endif
