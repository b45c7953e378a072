/* retention.h - which jobs have been kept for long enough. Only jobs that have ended, and that nobody asked to keep;
 * the one that ended first goes first. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_RETENTION_H
#define SERVER_STORE_SQLITE_OPERATIONS_RETENTION_H

#include "server/store/sqlite/connection/state.h"

/* Removes what is to go, a few jobs at a time, and returns when that is done or the store is about to close. On the
 * thread of the maintenance. */
void sqlite_retention_round(sqlite_store *store);

/* Bytes of the pages that are used in both files. */
double sqlite_retention_used(sqlite_store *store);

#endif
