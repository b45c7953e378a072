/* results.h - writing result arrays, and dropping those that nobody will see. */
#ifndef SERVER_STORE_SQLITE_RESULTS_H
#define SERVER_STORE_SQLITE_RESULTS_H

#include "server/store/sqlite/db.h"
#include "server/store/store.h"

/* Sets the verbs of this file. */
void sqlite_results_verbs(srv_store *verbs);

/* Drops a part of a job's results: of the attempt (`only`), or of all others. `more`: call again, in a transaction of
 * its own. */
service_status sqlite_results_drop(sqlite_db *results, const char *job, int attempt, bool only, bool *more);

#endif
