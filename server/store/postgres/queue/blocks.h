/* blocks.h - results of blocks of studies, until their study ends. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_BLOCKS_H
#define SERVER_STORE_POSTGRES_QUEUE_BLOCKS_H

#include "server/store/store.h"

/* Sets the verbs finish_block and block. */
void postgres_block_verbs(srv_store *verbs);

#endif
