/* costs.h - how long jobs take, as it was seen of others of their kind: which of those that wait are short. */
#ifndef SERVER_STORE_SQLITE_COSTS_H
#define SERVER_STORE_SQLITE_COSTS_H

#include "server/store/sqlite/db.h"
#include "server/store/store.h"

/* Whether a job is expected to be short, as 1 or 0. */
service_status sqlite_costs_expect(sqlite_db *queue, const service_cost *cost, sqlite3_int64 *brief);

/* A run has ended: learns of it what jobs of its kind take, and looks at those that wait in the light of that. */
service_status sqlite_costs_learn(sqlite_db *queue, const char *id);

/* Forgets kinds that no job was of for long. */
service_status sqlite_costs_forget(sqlite_db *queue);

#endif
