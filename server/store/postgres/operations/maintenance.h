/* maintenance.h - a thread that removes old jobs, drops results that nobody will see, keeps the hot tables small, and
 * measures the database. Of several servers each does it; of a removal at once one. */
#ifndef SERVER_STORE_POSTGRES_OPERATIONS_MAINTENANCE_H
#define SERVER_STORE_POSTGRES_OPERATIONS_MAINTENANCE_H

#include "server/store/postgres/connection/state.h"

/* `keep_days` and `keep_bytes` of the store's maintenance are set. */
bool postgres_maintenance_start(postgres_store *store);
/* To be called while the writers still run. */
void postgres_maintenance_stop(postgres_store *store);

#endif
