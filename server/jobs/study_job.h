/* study_job.h - the studies that this server coordinates: their blocks, done by whichever worker of whichever server,
 * become the results of one run.
 *
 * It computes nothing, and holds no worker. All of it on the pool's thread, but for study_job_told(). */
#ifndef SERVER_JOBS_STUDY_JOB_H
#define SERVER_JOBS_STUDY_JOB_H

#include "server/jobs/pool_state.h"

/* Whether a claim is a study to be coordinated. */
bool study_job_is(const store_claim *claim);
/* Begins to coordinate it, and takes the claim's document over. */
void study_job_begin(srv_pool *pool, store_claim *claim);
/* Takes the blocks that are there, ends what is done; true: there is more to do at once. */
bool study_job_go_round(srv_pool *pool, double now);
/* Something was kept of a study, or ended. Any thread. */
void study_job_told(srv_pool *pool, const char *id);
/* One is cancelled, or is another's: the run as in pool_run_is(). */
void study_job_stop(srv_pool *pool, const store_run *run, pool_stop stop);
/* Gives all of them back. */
void study_job_drain(srv_pool *pool);
size_t study_job_count(const srv_pool *pool);
/* Lists their runs, at most `room`; returns how many. */
size_t study_job_list(const srv_pool *pool, store_run *runs, size_t room);
/* Frees them, when the store will answer no more. */
void study_job_free(srv_pool *pool);

#endif
