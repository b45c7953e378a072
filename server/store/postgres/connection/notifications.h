/* notifications.h - what this store hears of jobs, from its own transactions and from other servers. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_NOTIFICATIONS_H
#define SERVER_STORE_POSTGRES_CONNECTION_NOTIFICATIONS_H

#include "server/store/postgres/connection/state.h"

/* Between servers only: there is more to claim of a study. */
enum { POSTGRES_EVENT_BLOCKS = STORE_EVENT_MISSED + 1 };

/* Tells the subscribers, and has claims that wait look again when there may be something for them. */
void postgres_notifications_event(postgres_store *store, int event, const char *id);

#endif
