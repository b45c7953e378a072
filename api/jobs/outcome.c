/* outcome.c - see outcome.h. */
#include "api/jobs/outcome.h"

#include <stdlib.h>

void job_outcome_free(job_outcome *outcome) {
  free(outcome->report);
  free(outcome->error);
  *outcome = (job_outcome){0};
}
