/* notifications.h - processes job events of this store's transactions and of other servers. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_NOTIFICATIONS_H
#define SERVER_STORE_POSTGRES_CONNECTION_NOTIFICATIONS_H

#include "server/store/postgres/connection/state.h"

/* Event between servers only: more blocks of a study can be claimed. */
enum { POSTGRES_EVENT_BLOCKS = STORE_EVENT_MISSED + 1 };

/* Notifies the subscribers, and retries the waiting claims if there may be a job for them. */
void postgres_notifications_event(postgres_store *store, int event, const char *id);

#endif
