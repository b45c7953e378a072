/* broken.h - runs that broke off: what of their results is whole, and what becomes of them after a start. */
#ifndef SERVER_STORE_SQLITE_BROKEN_H
#define SERVER_STORE_SQLITE_BROKEN_H

#include "server/store/sqlite/db.h"
#include "server/store/store.h"

/* After sqlite_queue_recover(): of runs that broke off, what is whole is kept where their jobs show it or wait to be
 * run again; other results that no job shows are dropped. */
service_status sqlite_results_recover(sqlite_db *results, sqlite_db *queue);

/* Of a run that broke off: cuts the arrays with time to the rows that all of them have, and takes out those without
 * time that have not come as a whole. */
service_status sqlite_results_cut(sqlite_db *results, const store_run *run);

/* The time of the last row of a run that was cut, where it is `found`. */
service_status sqlite_results_time(sqlite_db *results, const store_run *run, double *t, bool *found);

#endif
