/* schema.h - creates and checks the tables in the schema `mbsd` of a database. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_SCHEMA_H
#define SERVER_STORE_POSTGRES_CONNECTION_SCHEMA_H

#include "server/store/postgres/connection/db.h"

/* Creates the tables if there are none, and applies the missing migrations postgres-NNNN-*.sql, all in one transaction;
 * of several servers that start together one does it. Returns false with the reason and a remedy if the database is
 * unreachable, too old, read-only, in another encoding, of a newer mbsd, or behind a pooler that shares sessions;
 * `passing`: the reason may pass by itself. */
bool postgres_schema_open(postgres_address *address, char message[POSTGRES_MESSAGE], bool *passing);

/* Checks that a new connection leads to a database that this program can use: a postgres_db's `begin`. */
bool postgres_schema_check(postgres_db *db);

#endif
