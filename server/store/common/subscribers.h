/* subscribers.h - those who are told of events; each engine has such a list. */
#ifndef SERVER_STORE_COMMON_SUBSCRIBERS_H
#define SERVER_STORE_COMMON_SUBSCRIBERS_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct store_subscribers {
  pthread_mutex_t mutex; /* guards what follows */
  store_subscriber *first;
} store_subscribers;

/* Adds a subscriber: the verb watch. */
void store_subscribers_add(store_subscribers *subscribers, store_subscriber *subscriber);
/* Calls all subscribers for an event whose change is durable. Any thread may call; the thread that made the change calls
 * before the callback of its verb. */
void store_subscribers_notify(store_subscribers *subscribers, store_event event, const char *id);

#endif
