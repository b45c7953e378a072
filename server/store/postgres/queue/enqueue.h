/* enqueue.h - adds jobs, or finds the job with the idempotency key or the same content. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_ENQUEUE_H
#define SERVER_STORE_POSTGRES_QUEUE_ENQUEUE_H

#include "server/store/store.h"

/* Sets the verb enqueue. */
void postgres_enqueue_verbs(srv_store *verbs);

#endif
