/* run_loading.h - loads the index of a run (run_index.h) from results.db, and reads numbers with it. */
#ifndef SERVER_STORE_SQLITE_RESULTS_RUN_LOADING_H
#define SERVER_STORE_SQLITE_RESULTS_RUN_LOADING_H

#include "server/store/common/run_index.h"
#include "server/store/sqlite/connection/db.h"

/* Updates the index of a run; an index of another run, or {0}, is rebuilt. Returns NOT_FOUND if there is no such run;
 * DAMAGED, after logging it, if it differs from its checksums. The caller frees the index in any case. */
service_status sqlite_run_load(sqlite_db *results, const store_run *run, store_run_index *index);
/* Like store_run_index_read(), store_run_index_check() and store_run_index_last_time(). */
service_status sqlite_run_read(sqlite_db *results, const store_run_index *index, const index_array *array,
                               const index_slice *slice);
service_status sqlite_run_check(sqlite_db *results, const store_run_index *index, const index_array *array,
                                uint64_t *bytes);
service_status sqlite_run_last_time(sqlite_db *results, const store_run_index *index, double *t, bool *found);

#endif
