/* finish.h - the end of a run, with its results, and its return to the queue: each one transaction. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_FINISH_H
#define SERVER_STORE_POSTGRES_QUEUE_FINISH_H

#include "server/store/store.h"

/* Sets the verbs finish and requeue. */
void postgres_finish_verbs(srv_store *verbs);

#endif
