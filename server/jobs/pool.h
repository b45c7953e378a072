/* pool.h - the pool of worker processes: claims jobs from the store, has them run, and writes down how they end.
 *
 * One thread owns it all: the supervisor, the workers' sockets, the deadlines. That a job is to be stopped, it hears
 * from the store, whichever server was asked to. */
#ifndef SERVER_JOBS_POOL_H
#define SERVER_JOBS_POOL_H

#include "server/base/metrics.h"
#include "server/jobs/pool_checks.h"
#include "server/jobs/pool_settings.h"
#include "server/store/store.h"

/* Starts the thread and the processes. NULL when that fails. */
srv_pool *srv_pool_start(const srv_pool_settings *settings, srv_store *store, srv_metrics *metrics,
                         srv_pool_drained when_drained, void *context);
/* Waits until a worker is alive, at most `seconds`. */
bool srv_pool_wait_ready(srv_pool *pool, double seconds);

/* Has a document checked; `check` lasts until it is done. SERVICE_PENDING, or why it is not taken: BUSY, LATE. */
service_status srv_pool_check(srv_pool *pool, srv_check *check);
/* Ends all checks as LATE, and takes no more. */
void srv_pool_stop_checks(srv_pool *pool);
/* Takes no more jobs. What runs after `grace` seconds goes back to the queue; called again, the later grace counts. */
void srv_pool_drain(srv_pool *pool, double grace);
/* Ends the thread, and with it the workers. After the pool has drained. */
void srv_pool_stop(srv_pool *pool);
/* Frees the pool. After the store was closed, which may still report to it. */
void srv_pool_free(srv_pool *pool);

/* Whether jobs are worked on: a worker lives, or did two seconds ago. */
bool srv_pool_ready(srv_pool *pool);
/* Whether jobs have ended that the store fails to keep; it is tried again every second. */
bool srv_pool_stuck(srv_pool *pool);
/* How many jobs could run at once now, and how many do. */
void srv_pool_count(srv_pool *pool, size_t *workers, size_t *busy);

#endif
