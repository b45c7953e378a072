/* job_end.h - how jobs end: what the worker says, or what its death means; written to the store until it holds. */
#ifndef SERVER_JOBS_JOB_END_H
#define SERVER_JOBS_JOB_END_H

#include "server/jobs/pool_state.h"

/* The worker says how its job ended. */
void job_end_outcome(pool_worker *worker, const char *status, const char *report, const char *error);
/* The worker is gone while it ran a job: `why` in words. `blameless`: not because of the job. */
void job_end_death(pool_worker *worker, const char *why, bool blameless);
/* Gives a claimed job back that no worker has begun. */
void job_end_unstarted(srv_pool *pool, const store_claim *claim);
/* Tries again to write down what the store refused. */
void job_end_retry(srv_pool *pool, double now);
/* The job is gone, or the run does not hold it (attempt 0: none does): an end that failed is not tried again. */
void job_end_drop(srv_pool *pool, const store_run *run);
/* Drops what could not be written down: the jobs are done again after the next start. */
void job_end_forget(srv_pool *pool);

#endif
