/* job_end.h - how jobs end: what the worker says, or what its death means; written to the store until it holds. */
#ifndef SERVER_JOBS_JOB_END_H
#define SERVER_JOBS_JOB_END_H

#include "server/jobs/pool_state.h"

/* Ends a run in the store, with the rows that have come, until the store holds it; takes `report` and `error` over. */
void job_end_run(srv_pool *pool, const pool_run *run, job_state state, char *report, char *error);
/* The error of a job that its worker could not report, as api/ writes them; malloc'd. */
char *job_end_error(const char *code, const char *detail, double t);
/* What the worker's block came to; `block` and what is in it last as long as the call. */
void job_end_block(pool_worker *worker, const store_block *block);
/* Gives a run back to the queue. */
void job_end_give_back(srv_pool *pool, const store_run *run);
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
