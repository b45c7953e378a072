/* orphans.h - results without a job: queue.db is older than results.db, or its log was lost. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_ORPHANS_H
#define SERVER_STORE_SQLITE_OPERATIONS_ORPHANS_H

#include "server/store/sqlite/connection/db.h"

#include <stddef.h>

/* Counts the settled runs that their job does not show. Runs of jobs being removed are not settled: the next start
 * drops them. The connections must read nothing else meanwhile; other connections may write. */
service_status sqlite_orphans_count(sqlite_db *queue, sqlite_db *results, size_t *count);

#endif
