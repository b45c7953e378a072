/* run_loading.h - the index of a run (run_index.h) from results.db, and numbers by it. */
#ifndef SERVER_STORE_SQLITE_RESULTS_RUN_LOADING_H
#define SERVER_STORE_SQLITE_RESULTS_RUN_LOADING_H

#include "server/store/common/run_index.h"
#include "server/store/sqlite/connection/db.h"

/* Brings an index up to date for a run; one of another run, or {0}, is made anew. NOT_FOUND: there is no such run.
 * DAMAGED: it differs from its checksums, which is logged. The caller frees it in any case. */
service_status sqlite_run_load(sqlite_db *results, const store_run *run, store_run_index *index);
/* As store_run_index_read(), store_run_index_check(), store_run_index_last_time(). */
service_status sqlite_run_read(sqlite_db *results, const store_run_index *index, const index_array *array,
                               const index_slice *slice);
service_status sqlite_run_check(sqlite_db *results, const store_run_index *index, const index_array *array,
                                uint64_t *bytes);
service_status sqlite_run_last_time(sqlite_db *results, const store_run_index *index, double *t, bool *found);

#endif
