/* blocks.h - results of blocks of studies in results.db, until their study ends. */
#ifndef SERVER_STORE_SQLITE_QUEUE_BLOCKS_H
#define SERVER_STORE_SQLITE_QUEUE_BLOCKS_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs finish_block and block. */
void sqlite_block_verbs(srv_store *verbs);

/* Starts to hand out the missing runs of a study: it has a coordinator. */
void sqlite_blocks_begin(sqlite_store *store, const char *id, const char *client, size_t runs);
/* Drops the blocks of a job that has ended or was removed, if it was a study in progress. Any thread. */
void sqlite_blocks_end(sqlite_store *store, const char *id);

/* Drops the blocks of jobs that are not queued; at the start. */
service_status sqlite_blocks_recover(sqlite_db *results, sqlite_db *queue);

#endif
