/* job_end.h - ends jobs: after the worker's report or its death; retries until the store has recorded the end. */
#ifndef SERVER_JOBS_JOB_END_H
#define SERVER_JOBS_JOB_END_H

#include "server/jobs/pool_state.h"

/* Ends a run in the store, with the received rows, and retries until the store has recorded it. Takes ownership of
 * `report` and `error`. */
void job_end_run(srv_pool *pool, const pool_run *run, job_state state, char *report, char *error);
/* Returns the error of a job whose worker could not report it, in the format of api/; malloc'd. */
char *job_end_error(const char *code, const char *detail, double t);
/* Stores the results of the worker's block; `block` and its contents are valid during the call. */
void job_end_block(pool_worker *worker, const store_block *block);
/* Gives a run back to the queue. */
void job_end_give_back(srv_pool *pool, const store_run *run);
/* Processes the worker's report of the end of its job. */
void job_end_outcome(pool_worker *worker, const char *status, const char *report, const char *error);
/* Processes the death of a worker that ran a job; `why`: a description. `blameless`: the job did not cause it. */
void job_end_death(pool_worker *worker, const char *why, bool blameless);
/* Gives back a claimed job that no worker has started. */
void job_end_unstarted(srv_pool *pool, const store_claim *claim);
/* Retries to record the ends that the store refused. */
void job_end_retry(srv_pool *pool, double now);
/* Stops retrying to record the end of a run: its job was removed, or the run does not hold it (attempt 0: no run
 * does). */
void job_end_drop(srv_pool *pool, const store_run *run);
/* Drops the unrecorded ends: the jobs run again after the next start. */
void job_end_forget(srv_pool *pool);

#endif
