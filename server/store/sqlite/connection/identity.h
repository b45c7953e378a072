/* identity.h - that the two files of a folder belong together. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_IDENTITY_H
#define SERVER_STORE_SQLITE_CONNECTION_IDENTITY_H

#include "server/store/sqlite/connection/db.h"

/* Both files hold the same random id. Files that have none, of a fresh folder or of one that is older than this, get
 * one, unless their jobs show that they are not a pair. False with what to do in `message`. */
bool sqlite_identity_pair(sqlite_db *queue, sqlite_db *results, const char *folder, char message[SQLITE_DB_MESSAGE]);

/* Reads an id; "" where there is none. */
bool sqlite_identity_read(sqlite_db *db, char id[SERVICE_ID_SIZE]);

#endif
