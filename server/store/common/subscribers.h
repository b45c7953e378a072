/* subscribers.h - the list of subscribers to events; each engine has one. */
#ifndef SERVER_STORE_COMMON_SUBSCRIBERS_H
#define SERVER_STORE_COMMON_SUBSCRIBERS_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct store_subscribers {
  pthread_mutex_t mutex; /* guards the fields below */
  store_subscriber *first;
} store_subscribers;

/* Adds a subscriber: the verb subscribe. */
void store_subscribers_add(store_subscribers *subscribers, store_subscriber *subscriber);
/* Notifies all subscribers of an event whose change is durable. Any thread may call; the thread that made the change
 * calls before the callback of its verb. */
void store_subscribers_notify(store_subscribers *subscribers, store_event event, const char *id);

#endif
