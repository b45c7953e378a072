/* pool_worker.h - one worker as the pool sees it: its socket, its job, its deadlines, its death. */
#ifndef SERVER_JOBS_POOL_WORKER_H
#define SERVER_JOBS_POOL_WORKER_H

#include "server/jobs/pool_state.h"

/* Whether it can work, or does. */
bool pool_worker_is_alive(pool_worker_state state);
/* Whether the supervisor has yet to say how it ended. */
bool pool_worker_has_process(pool_worker_state state);
/* A worker's state changes; the counts for other threads follow. */
void pool_worker_become(pool_worker *worker, pool_worker_state state);

/* The supervisor started it. */
void pool_worker_begin(pool_worker *worker, pid_t pid, int socket);
/* Sends what was put together in `out`, as far as it goes at once; the worker is killed where there is no memory. */
void pool_worker_send(pool_worker *worker);
void pool_worker_kill(pool_worker *worker);
/* Sends it a claimed job, whose document it takes over. */
void pool_worker_run(pool_worker *worker, const store_claim *claim);
/* When it is expected to end the block that it makes (monotonic); INFINITY: it makes none, or nobody knows. */
double pool_worker_block_end(const pool_worker *worker);
/* Its socket has something to say, or had (pool_worker_unread()). */
void pool_worker_event(pool_worker *worker, unsigned events);
/* Whether something of it is received and not taken yet, of which the socket will not tell again. */
bool pool_worker_unread(const pool_worker *worker);
/* It ended, as the supervisor says, or together with the supervisor (`status` is then of no meaning). */
void pool_worker_ended(pool_worker *worker, bool known, int status);
/* Asks it to stop its job; it is killed if it does not. */
void pool_worker_stop(pool_worker *worker, pool_stop stop);
/* Kills it when its time is over; lets it send results as far as the store keeps up. */
void pool_worker_check(pool_worker *worker, double now);

#endif
