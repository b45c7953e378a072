/* results.h - writes, finds, reads and drops parts of results in the database. */
#ifndef SERVER_STORE_POSTGRES_RESULTS_RESULTS_H
#define SERVER_STORE_POSTGRES_RESULTS_RESULTS_H

#include "server/store/common/result_chunk.h"
#include "server/store/postgres/connection/state.h"

/* Writes a part of a run; an existing part stays. */
service_status postgres_results_write(postgres_db *db, const store_part *part);

/* Seals a run: sets `there` [arrays, rows, bytes] to its stored extent, `checksum` to the checksum of these results,
 * which is now final, and `stored` to its bytes in the database. */
service_status postgres_results_seal(postgres_db *db, const store_run *run, store_extent *there, uint64_t *checksum,
                                     size_t *stored);

/* Updates the index of a run; an index of another run, or {0}, is rebuilt. Returns NOT_FOUND if there is no such run;
 * DAMAGED, after logging it, if it differs from its checksums. The caller frees the index in any case. */
service_status postgres_results_index(postgres_db *db, const store_run *run, store_run_index *index);

/* Gets the time of the last row of a run; `found`: there is one. */
service_status postgres_results_time(postgres_db *db, const store_run *run, double *t, bool *found);

/* Drops the results of a job's attempts first, ..., last (counted from 1), after the commands posted before. Any
 * thread. */
void postgres_results_forget(postgres_store *store, const char *job, int first, int last);

#endif
