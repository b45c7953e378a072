/* pool_queue.h - claims of the pool: asks the store for jobs and blocks, and stores them until a worker is free.
 *
 * A block of a study is claimed shortly before a worker is expected to finish its current block, so that the worker
 * continues without waiting for the database. Such a block is assigned to the first free worker. It is renewed, given
 * back and stopped like everything that runs here. */
#ifndef SERVER_JOBS_POOL_QUEUE_H
#define SERVER_JOBS_POOL_QUEUE_H

#include "server/jobs/pool_state.h"

void pool_queue_init(srv_pool *pool);
void pool_queue_free(srv_pool *pool);

/* Takes the claims that the store has answered. The pool's mutex must be locked. */
void pool_queue_take(srv_pool *pool);
/* Starts studies, and gives jobs and blocks to free workers, up to the limit of running jobs. */
void pool_queue_hand_out(srv_pool *pool);
/* Asks the store for jobs for free workers, and for blocks for workers that will soon finish theirs. Returns the time
 * until the next such request for a block is due [ms], at most INT_MAX. */
int pool_queue_ask(srv_pool *pool, double now);
/* Gives back the claims that no worker has started: all, or those of a run. */
void pool_queue_give_back(srv_pool *pool, const store_run *run);

#endif
