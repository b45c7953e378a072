/* vacuum.h - returns free space inside a file to the disk. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_VACUUM_H
#define SERVER_STORE_SQLITE_OPERATIONS_VACUUM_H

#include "server/store/sqlite/connection/state.h"

/* Returns true if a file has more free space than new rows will soon use. `db`: any connection to it. */
bool sqlite_vacuum_due(const sqlite_store *store, sqlite_db *db);
/* Makes a writer free the unused pages of its file, a few in each transaction so that other transactions run between,
 * and truncate the file. Any thread. */
void sqlite_vacuum(sqlite_store *store, sqlite_writer *writer);

#endif
