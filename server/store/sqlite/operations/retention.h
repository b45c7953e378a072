/* retention.h - removes old jobs: only ended jobs without `keep`, the one that ended first first. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_RETENTION_H
#define SERVER_STORE_SQLITE_OPERATIONS_RETENTION_H

#include "server/store/sqlite/connection/state.h"

/* Removes the jobs past the limits, a few at a time; returns when that is done or the store is about to close. On the
 * maintenance thread. */
void sqlite_retention_round(sqlite_store *store);

/* Returns the bytes of the used pages in both files. */
double sqlite_retention_used(sqlite_store *store);

#endif
