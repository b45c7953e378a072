/* runtime_estimate.h - estimates how long a job takes from earlier jobs of its kind, to find short ones in the
 * queue. */
#ifndef SERVER_STORE_SQLITE_QUEUE_RUNTIME_ESTIMATE_H
#define SERVER_STORE_SQLITE_QUEUE_RUNTIME_ESTIMATE_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

/* Sets `brief` to 1 if a job is expected to be short, otherwise 0. */
service_status sqlite_runtime_expect(sqlite_db *queue, const service_cost *cost, sqlite3_int64 *brief);

/* Updates the estimate of a job's kind after its run has ended, and re-evaluates the waiting jobs of that kind.
 * `seconds`: the computation time; 0: not known. */
service_status sqlite_runtime_learn(sqlite_db *queue, const char *id, double seconds);

/* Forgets kinds without a job for a long time. */
service_status sqlite_runtime_forget(sqlite_db *queue);

#endif
