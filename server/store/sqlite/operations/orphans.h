/* orphans.h - results that no job leads to: queue.db is older than results.db, or its log was lost. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_ORPHANS_H
#define SERVER_STORE_SQLITE_OPERATIONS_ORPHANS_H

#include "server/store/sqlite/connection/db.h"

#include <stddef.h>

/* Counts the runs that are settled and whose job does not show them. Those of jobs that are being removed are not
 * settled: a start drops what is left of them. Connections that read nothing else meanwhile; others may write. */
service_status sqlite_orphans_count(sqlite_db *queue, sqlite_db *results, size_t *count);

#endif
