/* identity.h - checks that the two files of a data directory belong together. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_IDENTITY_H
#define SERVER_STORE_SQLITE_CONNECTION_IDENTITY_H

#include "server/store/sqlite/connection/db.h"

/* Checks that both files contain the same random id. Gives an id to files without one (of a fresh or an older
 * directory), unless their jobs show that they are not a pair. Returns false with a remedy in `message` if they do not
 * belong together. */
bool sqlite_identity_pair(sqlite_db *queue, sqlite_db *results, const char *folder, char message[SQLITE_DB_MESSAGE]);

/* Reads an id; "" if there is none. */
bool sqlite_identity_read(sqlite_db *db, char id[SERVICE_ID_SIZE]);

#endif
