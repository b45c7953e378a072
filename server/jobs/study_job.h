/* study_job.h - studies coordinated by this server: assembles the results of one run from blocks computed by workers of
 * any server.
 *
 * It computes nothing and needs no worker. All functions run on the pool's thread, except study_job_notify(). */
#ifndef SERVER_JOBS_STUDY_JOB_H
#define SERVER_JOBS_STUDY_JOB_H

#include "server/jobs/pool_state.h"

/* Returns true if a claim is a study to be coordinated. */
bool study_job_is(const store_claim *claim);
/* Starts to coordinate a study; takes ownership of the claim's document. */
void study_job_begin(srv_pool *pool, store_claim *claim);
/* Processes the available blocks and ends completed studies. Returns true if there is more to do immediately. */
bool study_job_go_round(srv_pool *pool, double now);
/* Reports that a block of a study was stored, or that a study ended. Any thread. */
void study_job_notify(srv_pool *pool, const char *id);
/* Stops a study that was cancelled or belongs to another run; `run` as in pool_run_is(). */
void study_job_stop(srv_pool *pool, const store_run *run, pool_stop stop);
/* Gives back all studies. */
void study_job_drain(srv_pool *pool);
size_t study_job_count(const srv_pool *pool);
/* Lists their runs, at most `room`; returns the number. */
size_t study_job_list(const srv_pool *pool, store_run *runs, size_t room);
/* Frees them, when the store will answer no more. */
void study_job_free(srv_pool *pool);

#endif
