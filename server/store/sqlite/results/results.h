/* results.h - writing parts of results, and dropping those that nobody will see. */
#ifndef SERVER_STORE_SQLITE_RESULTS_RESULTS_H
#define SERVER_STORE_SQLITE_RESULTS_RESULTS_H

#include "server/store/common/result_chunk.h"
#include "server/store/sqlite/connection/state.h"

/* Writes a part of a run. */
service_status sqlite_results_write(sqlite_db *results, const store_part *part);

/* What there is of a run: `there` [arrays, rows, bytes] as its extent, and the checksum of it, which is from now on the
 * run's. */
service_status sqlite_results_seal(sqlite_db *results, const store_run *run, store_extent *there, uint64_t *checksum);

/* Drops a part of the results of a job's attempts first, ..., last (they count from 1). `more`: call again, in a
 * transaction of its own. */
service_status sqlite_results_drop(sqlite_db *results, const char *job, int first, int last, bool *more);

/* Has them dropped, and the space given back to the disk, after what was posted before. Any thread. */
void sqlite_results_forget(sqlite_store *store, const char *job, int first, int last);

#endif
