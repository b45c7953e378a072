/* studies.h - studies in progress: their missing runs, and the holders of their blocks.
 *
 * The data is in memory: all holders of blocks are in this process, and the results are in results.db, where they are
 * looked up when a study starts again (blocks.h). Any thread may call. */
#ifndef SERVER_STORE_SQLITE_QUEUE_STUDIES_H
#define SERVER_STORE_SQLITE_QUEUE_STUDIES_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

#include <pthread.h>

typedef struct sqlite_studies {
  pthread_mutex_t mutex; /* guards the fields below */
  struct sqlite_study *first;
} sqlite_studies;

void sqlite_studies_init(sqlite_studies *studies);
void sqlite_studies_free(sqlite_studies *studies);

/* ---- studies ----------------------------------------------------------------------------------------------------- */

/* Starts the study of `runs` runs: it has a coordinator, for the first time or again, and its missing runs are handed
 * out from now on. A study that was started before keeps its state. Returns false if memory runs out. */
bool sqlite_studies_begin(sqlite_studies *studies, const char *id, const char *client, size_t runs);
/* Pauses a study: it has no coordinator now. */
void sqlite_studies_pause(sqlite_studies *studies, const char *id);
/* Ends a study. Returns false if it was not in progress. */
bool sqlite_studies_end(sqlite_studies *studies, const char *id);
bool sqlite_studies_has(sqlite_studies *studies, const char *id);

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Claims a block for a client: sets id, attempt, crashes, first and runs of the claim. Returns false if no run is
 * missing. */
bool sqlite_studies_take(sqlite_studies *studies, const char *client, double lease_until, store_claim *claim);
/* Renews a lease. Returns false if the run has no block. */
bool sqlite_studies_renew(sqlite_studies *studies, const store_run *run, double lease_until);
/* Marks the block of a run as missing again. Returns false if the run has no block. */
bool sqlite_studies_give_back(sqlite_studies *studies, const store_run *run, bool crashed);
/* Gives back the blocks whose leases have expired. */
void sqlite_studies_expire(sqlite_studies *studies, double now);
/* Marks the runs of `block`, which may be a part of this run's block, as done; the rest of its block is missing again.
 * Returns true if it is the first block that a run has done since the study was last started. */
bool sqlite_studies_done(sqlite_studies *studies, const store_run *run, const store_block *block);
/* Returns true if a run is missing or computed now, if the study is unknown, or if it has no such run. */
bool sqlite_studies_expect(sqlite_studies *studies, const char *id, size_t run);
/* Marks a run as missing, unless it is computed now. */
void sqlite_studies_miss(sqlite_studies *studies, const char *id, size_t run);

/* ---- whose turn it is -------------------------------------------------------------------------------------------- */

/* Returns true if a client has a study with missing runs. */
bool sqlite_studies_wait(sqlite_studies *studies, const char *client);
/* Counts the blocks of a client being computed, and its studies with a coordinator. */
void sqlite_studies_count(sqlite_studies *studies, const char *client, size_t *blocks, size_t *coordinated);
/* Adds the SQL functions blocks_wait(client) and blocks_busy(client): the amount that a client's blocks add to its
 * running jobs. */
bool sqlite_studies_functions(sqlite_studies *studies, sqlite3 *handle);

#endif
