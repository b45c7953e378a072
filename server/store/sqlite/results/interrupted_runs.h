/* interrupted_runs.h - runs that broke off: how far their results go, and what becomes of them after a start. */
#ifndef SERVER_STORE_SQLITE_RESULTS_INTERRUPTED_RUNS_H
#define SERVER_STORE_SQLITE_RESULTS_INTERRUPTED_RUNS_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

/* After sqlite_queue_recover(): the results of runs that broke off are kept where their jobs show them or wait to be
 * run again; other results that no job shows are dropped. */
service_status sqlite_results_recover(sqlite_db *results, sqlite_db *queue);

/* The time of the last row that all arrays of a run have, where it is `found`. */
service_status sqlite_results_time(sqlite_db *results, const store_run *run, double *t, bool *found);

#endif
