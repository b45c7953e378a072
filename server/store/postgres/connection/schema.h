/* schema.h - the tables in the schema `mbsd` of a database, and which server they are on. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_SCHEMA_H
#define SERVER_STORE_POSTGRES_CONNECTION_SCHEMA_H

#include "server/store/postgres/connection/db.h"

/* Makes the tables where there are none, and applies the migrations postgres-NNNN-*.sql that they lack, all in one
 * transaction; of several servers that start at once one does it. False, with the reason and what to do: it cannot be
 * connected to, is too old, read-only, of another encoding, of a newer mbsd, or behind a pooler that shares sessions.
 */
bool postgres_schema_open(const postgres_address *address, char message[POSTGRES_MESSAGE]);

/* Whether a new connection leads to a database that this program can use: a postgres_db's `begin`. */
bool postgres_schema_check(postgres_db *db);

#endif
