/* studies.h - missing runs of studies and holders of their blocks, inside a transaction.
 *
 * A change of a study locks its row first. These changes may be lost if the database crashes: they are lost in order,
 * and the blocks are computed again. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_STUDIES_H
#define SERVER_STORE_POSTGRES_QUEUE_STUDIES_H

#include "server/store/postgres/connection/writer.h"

/* Starts the study of `runs` runs: it has a coordinator, for the first time or again, and its missing runs are handed
 * out from now on. */
service_status postgres_studies_begin(postgres_writer *writer, const char *id, const char *client, size_t runs);
/* Sets `any` to true if a study has a coordinator. */
service_status postgres_studies_any(postgres_db *db, bool *any);

/* Claims a block for a client: sets id, attempt, crashes, first and runs of the claim. Returns NOT_READY if no run is
 * missing. */
service_status postgres_studies_take(postgres_db *db, const char *client, double lease_seconds, store_claim *claim);
/* Renews a lease; LOST: the run has no block. */
service_status postgres_studies_renew(postgres_db *db, const store_run *run, double lease_seconds, store_lease *lease);
/* Marks the block of a run as missing again. Returns NOT_FOUND if the run has no block. */
service_status postgres_studies_give_back(postgres_writer *writer, const store_run *run, bool crashed);
/* Gives back the blocks whose leases have expired. */
service_status postgres_studies_expire(postgres_writer *writer);
/* Marks the runs of `block`, which may be a part of this run's block, as done; the rest of its block is missing again.
 * Returns NOT_FOUND if the study is over. */
service_status postgres_studies_done(postgres_writer *writer, const store_run *run, const store_block *block);

#endif
