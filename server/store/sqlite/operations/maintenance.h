/* maintenance.h - what goes on beside the work: jobs that have been kept for long enough are removed, the oldest first;
 * space that was freed inside the files is given back to the disk; large files are looked through after a start. All
 * of it in small pieces between which others' transactions come, so that nobody waits. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_MAINTENANCE_H
#define SERVER_STORE_SQLITE_OPERATIONS_MAINTENANCE_H

#include "server/store/sqlite/connection/state.h"

/* Starts the thread; the writers and the health's thread run. `unchecked`: a file was too large for a look before it
 * was used. False with the reason in `message`. */
bool sqlite_maintenance_start(sqlite_store *store, bool unchecked, char message[SQLITE_DB_MESSAGE]);
/* To be called while the writers still run. */
void sqlite_maintenance_stop(sqlite_store *store);

#endif
