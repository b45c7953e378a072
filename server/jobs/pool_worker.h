/* pool_worker.h - a worker from the view of the pool: socket, job, deadlines, death. */
#ifndef SERVER_JOBS_POOL_WORKER_H
#define SERVER_JOBS_POOL_WORKER_H

#include "server/jobs/pool_state.h"

/* Returns true if the worker can work or works. */
bool pool_worker_is_alive(pool_worker_state state);
/* Returns true if the supervisor has not yet reported the end of the process. */
bool pool_worker_has_process(pool_worker_state state);
/* Sets a worker's state and updates the counts for other threads. */
void pool_worker_become(pool_worker *worker, pool_worker_state state);

/* Records that the supervisor has started the worker. */
void pool_worker_begin(pool_worker *worker, pid_t pid, int socket);
/* Sends the messages in `out`, as much as possible without waiting; kills the worker if memory runs out. */
void pool_worker_send(pool_worker *worker);
void pool_worker_kill(pool_worker *worker);
/* Sends a claimed job to the worker; takes ownership of its document. */
void pool_worker_run(pool_worker *worker, const store_claim *claim);
/* Returns the time (monotonic) at which the worker is expected to finish its block; INFINITY if it has none, if the
 * block is being stopped, or if the time is unknown. */
double pool_worker_block_end(const pool_worker *worker);
/* Processes events of the worker's socket, or unread bytes (pool_worker_unread()). */
void pool_worker_event(pool_worker *worker, unsigned events);
/* Returns true if received bytes are not processed yet; the socket does not report these as readable. */
bool pool_worker_unread(const pool_worker *worker);
/* Records that the worker ended: reported by the supervisor with the processor time of its life, or together with the
 * supervisor (`end` is NULL). */
void pool_worker_ended(pool_worker *worker, const supervisor_message *end);
/* Requests the worker to stop its job; it is killed if it does not. */
void pool_worker_stop(pool_worker *worker, pool_stop stop);
/* Kills the worker past its deadline; receives results as fast as the store accepts them. */
void pool_worker_check(pool_worker *worker, double now);

#endif
