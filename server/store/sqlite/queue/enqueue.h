/* enqueue.h - turns a submission into a job, or finds the existing job for it. */
#ifndef SERVER_STORE_SQLITE_QUEUE_ENQUEUE_H
#define SERVER_STORE_SQLITE_QUEUE_ENQUEUE_H

#include "server/store/store.h"

/* Sets the verb enqueue of a store. */
void sqlite_enqueue_verbs(srv_store *verbs);

#endif
