/* vacuum.h - space that was freed inside a file goes back to the disk. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_VACUUM_H
#define SERVER_STORE_SQLITE_OPERATIONS_VACUUM_H

#include "server/store/sqlite/connection/state.h"

/* Whether a file has more to give than new rows will soon fill. `db`: any connection to it. */
bool sqlite_vacuum_due(const sqlite_store *store, sqlite_db *db);
/* Has a writer's file give its free pages back, some in a transaction so that others' come between, and be cut. Any
 * thread. */
void sqlite_vacuum(sqlite_store *store, sqlite_writer *writer);

#endif
