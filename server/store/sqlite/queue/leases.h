/* leases.h - heartbeats and progress of runs, and the return of jobs whose lease has expired.
 *
 * Leases use the monotonic clock: a jump of the wall clock expires none. The times of an earlier daemon do not matter,
 * because its running jobs are given back at the start. */
#ifndef SERVER_STORE_SQLITE_QUEUE_LEASES_H
#define SERVER_STORE_SQLITE_QUEUE_LEASES_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs heartbeat and progress of a store. */
void sqlite_lease_verbs(srv_store *verbs);

/* Gives back the blocks whose lease has expired, and soon the jobs. `again`: only if no check was made for a fraction
 * of a lease. On the queue's writer. */
void sqlite_leases_check(sqlite_store *store, sqlite_db *db, bool again);

#endif
