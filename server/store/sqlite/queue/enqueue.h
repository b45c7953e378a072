/* enqueue.h - a submission becomes a job, or finds the one that it stands for. */
#ifndef SERVER_STORE_SQLITE_QUEUE_ENQUEUE_H
#define SERVER_STORE_SQLITE_QUEUE_ENQUEUE_H

#include "server/store/store.h"

/* Sets the verbs of this file. */
void sqlite_enqueue_verbs(srv_store *verbs);

#endif
