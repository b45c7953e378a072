/* interrupted_runs.h - interrupted runs: the extent of their results, and their recovery at a start. */
#ifndef SERVER_STORE_SQLITE_RESULTS_INTERRUPTED_RUNS_H
#define SERVER_STORE_SQLITE_RESULTS_INTERRUPTED_RUNS_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

/* Keeps the results of interrupted runs that their jobs show, or whose jobs wait to run again; drops all other results
 * that no job shows. Call after sqlite_queue_recover(). */
service_status sqlite_results_recover(sqlite_db *results, sqlite_db *queue);

/* Gets the time of the last row that all arrays of a run have, if `found`. */
service_status sqlite_results_time(sqlite_db *results, const store_run *run, double *t, bool *found);

#endif
