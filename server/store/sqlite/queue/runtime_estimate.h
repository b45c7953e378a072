/* runtime_estimate.h - how long jobs take, as it was seen of others of their kind: which of those that wait are short. */
#ifndef SERVER_STORE_SQLITE_QUEUE_RUNTIME_ESTIMATE_H
#define SERVER_STORE_SQLITE_QUEUE_RUNTIME_ESTIMATE_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

/* Whether a job is expected to be short, as 1 or 0. */
service_status sqlite_runtime_expect(sqlite_db *queue, const service_cost *cost, sqlite3_int64 *brief);

/* A run has ended: learns of it what jobs of its kind take, and looks at those that wait in the light of that. */
service_status sqlite_runtime_learn(sqlite_db *queue, const char *id);

/* Forgets kinds that no job was of for long. */
service_status sqlite_runtime_forget(sqlite_db *queue);

#endif
