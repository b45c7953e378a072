/* studies.h - studies that are under way: which of their runs are missing, and who has which block of them.
 *
 * It is in memory: all who have blocks are this process's, and what they came to is in results.db, where it is looked
 * up when a study is begun again (blocks.h). Any thread may call. */
#ifndef SERVER_STORE_SQLITE_QUEUE_STUDIES_H
#define SERVER_STORE_SQLITE_QUEUE_STUDIES_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

#include <pthread.h>

typedef struct sqlite_studies {
  pthread_mutex_t mutex; /* guards what follows */
  struct sqlite_study *first;
} sqlite_studies;

void sqlite_studies_init(sqlite_studies *studies);
void sqlite_studies_free(sqlite_studies *studies);

/* ---- studies ----------------------------------------------------------------------------------------------------- */

/* The study of `runs` runs has a coordinator, anew or again: what of it is missing is handed out from now on. Of one
 * that was begun before what was known stays. False without memory. */
bool sqlite_studies_begin(sqlite_studies *studies, const char *id, const char *client, size_t runs);
/* It has none for now. */
void sqlite_studies_pause(sqlite_studies *studies, const char *id);
/* It is over. False: it was not under way. */
bool sqlite_studies_end(sqlite_studies *studies, const char *id);
bool sqlite_studies_has(sqlite_studies *studies, const char *id);

/* ---- blocks ------------------------------------------------------------------------------------------------------ */

/* Claims a block for a client: id, attempt, crashes, first and runs of the claim. False: nothing is missing. */
bool sqlite_studies_take(sqlite_studies *studies, const char *client, double lease_until, store_claim *claim);
/* Renews a lease; false: the run has no block. */
bool sqlite_studies_renew(sqlite_studies *studies, const store_run *run, double lease_until);
/* The block is missing again. False: the run has none. */
bool sqlite_studies_give_back(sqlite_studies *studies, const store_run *run, bool crashed);
/* Gives blocks back whose leases have run out. */
void sqlite_studies_expire(sqlite_studies *studies, double now);
/* The runs of `block` are done, which may be of the block that this run has; what else it has is missing again. Returns
 * whether it is the first block that a run has done since the study was begun, anew or again. */
bool sqlite_studies_done(sqlite_studies *studies, const store_run *run, const store_block *block);
/* Whether a run is missing, or somebody has it. */
bool sqlite_studies_expect(sqlite_studies *studies, const char *id, size_t run);
/* A run is not done: it is missing, unless somebody has it. */
void sqlite_studies_miss(sqlite_studies *studies, const char *id, size_t run);

/* ---- whose turn it is -------------------------------------------------------------------------------------------- */

/* Whether a client has a study of which runs are missing. */
bool sqlite_studies_wait(sqlite_studies *studies, const char *client);
/* How many blocks of a client are computed, and how many studies of his have a coordinator. */
void sqlite_studies_count(sqlite_studies *studies, const char *client, size_t *blocks, size_t *coordinated);
/* Adds the SQL functions blocks_wait(client) and blocks_busy(client): what his blocks add to his jobs that run. */
bool sqlite_studies_functions(sqlite_studies *studies, sqlite3 *handle);

#endif
