/* pool_queue.h - what the pool has claimed from the store and no worker has yet, and what it asks for.
 *
 * Blocks of studies are claimed ahead, shortly before the block that a worker makes is expected to end, so that he
 * goes on at once and no answer of the database is waited for. Such a block is nobody's: the first worker who is free
 * has it. It is renewed, given back and stopped as all that runs here is. */
#ifndef SERVER_JOBS_POOL_QUEUE_H
#define SERVER_JOBS_POOL_QUEUE_H

#include "server/jobs/pool_state.h"

void pool_queue_init(srv_pool *pool);
void pool_queue_free(srv_pool *pool);

/* Takes what the store has answered; with the pool's mutex. */
void pool_queue_take(srv_pool *pool);
/* Begins studies, and gives jobs and blocks to workers that are free, as many as may run at once. */
void pool_queue_hand_out(srv_pool *pool);
/* Asks the store for as much as workers are free for, or soon will be. Returns after how many milliseconds the next
 * block is to be asked for ahead, at most INT_MAX. */
int pool_queue_ask(srv_pool *pool, double now);
/* Gives back what no worker has: all, or what is of a run. */
void pool_queue_give_back(srv_pool *pool, const store_run *run);

#endif
