/* handover.h - the arrays of a run on their way to the host: finished rows while the job runs, the rest at its end. */
#ifndef API_HANDOVER_H
#define API_HANDOVER_H

#include "job.h"

#include <jansson.h>

typedef struct api_handover {
  const job_host *host;
  const mbs_result *result; /* of the run that goes on; NULL before its first row */
  size_t rows;              /* that are final */
  size_t begun, given;      /* arrays that the host knows of before the end, and the rows that it has of each */
  bool refused;             /* it has taken one of them not: no more before the end */
} api_handover;

/* The hooks of the run whose rows go to the host. `self` must outlive it. */
mbs_hooks api_handover_hooks(api_handover *self);
/* Hands over what is missing of as many arrays as the host may keep; NULL, or the error that says why not of all. */
json_t *api_handover_finish(api_handover *self, const mbs_result *result);

#endif
