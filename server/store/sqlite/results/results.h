/* results.h - writes parts of results, and drops results that no job will show. */
#ifndef SERVER_STORE_SQLITE_RESULTS_RESULTS_H
#define SERVER_STORE_SQLITE_RESULTS_RESULTS_H

#include "server/store/common/result_chunk.h"
#include "server/store/sqlite/connection/state.h"

/* Writes a part of a run. */
service_status sqlite_results_write(sqlite_db *results, const store_part *part);

/* Seals a run: sets `there` [arrays, rows, bytes] to its stored extent, `checksum` to the checksum of these results,
 * which is now final, and `stored` to the bytes that they occupy. */
service_status sqlite_results_seal(sqlite_db *results, const store_run *run, store_extent *there, uint64_t *checksum,
                                   size_t *stored);

/* Drops a portion of the results of a job's attempts first, ..., last (counted from 1). `more`: call again, in a
 * separate transaction. */
service_status sqlite_results_drop(sqlite_db *results, const char *job, int first, int last, bool *more);

/* Drops the results of attempts first, ..., last and returns the space to the disk, after the commands posted before.
 * Any thread. */
void sqlite_results_forget(sqlite_store *store, const char *job, int first, int last);

#endif
