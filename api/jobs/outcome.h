/* outcome.h - the outcome of a job. */
#ifndef API_JOBS_OUTCOME_H
#define API_JOBS_OUTCOME_H

#include <stdint.h>

typedef struct job_outcome {
  char status[16]; /* succeeded, failed, cancelled */
  char *report;    /* JSON text, malloc'd; NULL if the model could not be built, or if the hook `report` received it */
  char *error;     /* JSON text, malloc'd; NULL when succeeded: {"code","detail","t","element","pointer","errors"} */
  uint64_t evaluations; /* evaluations in the report; 0: there is no report */
  double seconds;       /* computation time in the report [s]; 0: there is no report */
} job_outcome;

void job_outcome_free(job_outcome *outcome);

#endif
