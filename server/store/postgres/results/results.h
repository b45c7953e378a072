/* results.h - parts of results in the database: writing, looking for, reading and dropping them. */
#ifndef SERVER_STORE_POSTGRES_RESULTS_RESULTS_H
#define SERVER_STORE_POSTGRES_RESULTS_RESULTS_H

#include "server/store/common/result_chunk.h"
#include "server/store/postgres/connection/state.h"

/* Writes a part of a run; one that is there already stays. */
service_status postgres_results_write(postgres_db *db, const store_part *part);

/* What there is of a run: `there` [arrays, rows, bytes] as its extent, and the checksum of it, which is from now on the
 * run's; the bytes that are stored of it. */
service_status postgres_results_seal(postgres_db *db, const store_run *run, store_extent *there, uint64_t *checksum,
                                     size_t *stored);

/* Brings an index up to date for a run; one of another run, or {0}, is made anew. NOT_FOUND: there is no such run.
 * DAMAGED: it differs from its checksums, which is logged. The caller frees it in any case. */
service_status postgres_results_index(postgres_db *db, const store_run *run, store_run_index *index);

/* The time of the last row of a run; `found`: there is one. */
service_status postgres_results_time(postgres_db *db, const store_run *run, double *t, bool *found);

/* Has the results of a job's attempts first, ..., last dropped (they count from 1), after what was posted before. Any
 * thread. */
void postgres_results_forget(postgres_store *store, const char *job, int first, int last);

#endif
