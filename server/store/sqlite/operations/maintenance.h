/* maintenance.h - background work: removes jobs past their age or size limit, the oldest first; returns free space of
 * the files to the disk; checks large files after a start.
 *
 * It works in small steps, between which other transactions run. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_MAINTENANCE_H
#define SERVER_STORE_SQLITE_OPERATIONS_MAINTENANCE_H

#include "server/store/sqlite/connection/state.h"

/* Starts the thread; the writers and the health thread must run. `unchecked`: a file was too large to be checked before
 * use. Returns false with the reason in `message` on failure. */
bool sqlite_maintenance_start(sqlite_store *store, bool unchecked, char message[SQLITE_DB_MESSAGE]);
/* Stops the thread, while the writers still run. */
void sqlite_maintenance_stop(sqlite_store *store);

#endif
