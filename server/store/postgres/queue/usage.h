/* usage.h - what clients use of their limits: queued jobs, stored bytes, processor time of today. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_USAGE_H
#define SERVER_STORE_POSTGRES_QUEUE_USAGE_H

#include "server/store/store.h"

/* Sets the verbs charge and usage of a store. */
void postgres_usage_verbs(srv_store *verbs);

#endif
