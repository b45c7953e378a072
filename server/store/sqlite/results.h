/* results.h - writing result arrays, and dropping those that nobody will see. */
#ifndef SERVER_STORE_SQLITE_RESULTS_H
#define SERVER_STORE_SQLITE_RESULTS_H

#include "server/store/sqlite/db.h"
#include "server/store/store.h"

/* Sets the verbs of this file. */
void sqlite_results_verbs(srv_store *verbs);

/* Drops a part of the results of a job's attempts first, ..., last (they count from 1). `more`: call again, in a
 * transaction of its own. */
service_status sqlite_results_drop(sqlite_db *results, const char *job, int first, int last, bool *more);

#endif
