/* outcome.h - how a job ended. */
#ifndef API_JOBS_OUTCOME_H
#define API_JOBS_OUTCOME_H

#include <stdint.h>

typedef struct job_outcome {
  char status[16]; /* succeeded, failed, cancelled */
  char *report;    /* JSON text, malloc'd; NULL where the model could not be built, or the hooks took it */
  char *error;     /* JSON text, malloc'd; NULL when succeeded: {"code","detail","t","element","pointer","errors"} */
  uint64_t evaluations; /* that the report tells; 0 without one */
} job_outcome;

void job_outcome_free(job_outcome *outcome);

#endif
