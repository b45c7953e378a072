/* pool.h - the pool of worker processes: claims jobs from the store, runs them, and records their ends.
 *
 * One thread owns the supervisor, the workers' sockets and the deadlines. The store notifies it of jobs to stop,
 * whichever server received the request. */
#ifndef SERVER_JOBS_POOL_H
#define SERVER_JOBS_POOL_H

#include "server/base/metrics.h"
#include "server/jobs/pool_checks.h"
#include "server/jobs/pool_settings.h"
#include "server/store/store.h"

/* Starts the thread and the processes. Returns NULL on failure. */
srv_pool *srv_pool_start(const srv_pool_settings *settings, srv_store *store, srv_metrics *metrics,
                         srv_pool_drained when_drained, void *context);
/* Waits until a worker is alive, at most `seconds`. */
bool srv_pool_wait_ready(srv_pool *pool, double seconds);

/* Checks a document; `check` must exist until it is done. Returns SERVICE_PENDING, or why it is refused: BUSY, LATE. */
service_status srv_pool_check(srv_pool *pool, srv_check *check);
/* Ends all checks as LATE, and refuses new ones. */
void srv_pool_stop_checks(srv_pool *pool);
/* Stops claiming jobs. Jobs that still run after `grace` seconds return to the queue; a second call sets a new
 * grace. */
void srv_pool_drain(srv_pool *pool, double grace);
/* Ends the thread and the workers, after the pool has drained. */
void srv_pool_stop(srv_pool *pool);
/* Frees the pool, after the store was closed, because the store may call it until then. */
void srv_pool_free(srv_pool *pool);

/* Returns true if jobs can run: a worker is alive, or was within the last two seconds. */
bool srv_pool_ready(srv_pool *pool);
/* Returns true if the store has failed to record the ends of some jobs; the pool retries every second. */
bool srv_pool_stuck(srv_pool *pool);
/* Counts the jobs that could run now, and those that do. */
void srv_pool_count(srv_pool *pool, size_t *workers, size_t *busy);

#endif
