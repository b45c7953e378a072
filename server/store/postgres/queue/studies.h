/* studies.h - in a transaction: which runs of studies are missing, and who has which block of them. Who changes
 * anything of a study locks its row first. What is done here need not outlast a crash of the database: it is lost in
 * its order, and done again. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_STUDIES_H
#define SERVER_STORE_POSTGRES_QUEUE_STUDIES_H

#include "server/store/postgres/connection/writer.h"

/* The study of `runs` runs has a coordinator, anew or again: what of it is missing is handed out from now on. */
service_status postgres_studies_begin(postgres_writer *writer, const char *id, const char *client, size_t runs);
/* Whether any study has a coordinator. */
service_status postgres_studies_any(postgres_db *db, bool *any);

/* Claims a block for a client: id, attempt, crashes, first and runs of the claim. NOT_READY: nothing is missing. */
service_status postgres_studies_take(postgres_db *db, const char *client, double lease_seconds, store_claim *claim);
/* Renews a lease; LOST: the run has no block. */
service_status postgres_studies_renew(postgres_db *db, const store_run *run, double lease_seconds, store_lease *lease);
/* The block is missing again. NOT_FOUND: the run has none. */
service_status postgres_studies_give_back(postgres_writer *writer, const store_run *run, bool crashed);
/* Gives blocks back whose leases have run out. */
service_status postgres_studies_expire(postgres_writer *writer);
/* The runs of `block` are done, which may be of the block that this run has; what else it has is missing again.
 * NOT_FOUND: the study is over. */
service_status postgres_studies_done(postgres_writer *writer, const store_run *run, const store_block *block);

#endif
