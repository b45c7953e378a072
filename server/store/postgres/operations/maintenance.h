/* maintenance.h - a thread that removes old jobs, drops results that no job will show, keeps the busy tables small, and
 * measures the database.
 *
 * Each server runs one; only one of them removes jobs at a time. */
#ifndef SERVER_STORE_POSTGRES_OPERATIONS_MAINTENANCE_H
#define SERVER_STORE_POSTGRES_OPERATIONS_MAINTENANCE_H

#include "server/store/postgres/connection/state.h"

/* Starts the thread. The caller has set `keep_days` and `keep_bytes`. */
bool postgres_maintenance_start(postgres_store *store);
/* Stops the thread, while the writers still run. */
void postgres_maintenance_stop(postgres_store *store);

#endif
