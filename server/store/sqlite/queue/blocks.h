/* blocks.h - what blocks of studies came to, in results.db, until their study is over. */
#ifndef SERVER_STORE_SQLITE_QUEUE_BLOCKS_H
#define SERVER_STORE_SQLITE_QUEUE_BLOCKS_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs finish_block and block. */
void sqlite_block_verbs(srv_store *verbs);

/* A study has a coordinator: what is not done of it is handed out. */
void sqlite_blocks_begin(sqlite_store *store, const char *id, const char *client, size_t runs);
/* The job has ended or is gone. If it was a study that was under way, its blocks are dropped. Any thread. */
void sqlite_blocks_end(sqlite_store *store, const char *id);

/* Drops those of jobs that are not queued; at the start. */
service_status sqlite_blocks_recover(sqlite_db *results, sqlite_db *queue);

#endif
