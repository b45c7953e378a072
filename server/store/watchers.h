/* watchers.h - those who are told of events; each engine has such a list. */
#ifndef SERVER_STORE_WATCHERS_H
#define SERVER_STORE_WATCHERS_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct store_watchers {
  pthread_mutex_t mutex; /* guards what follows */
  store_watcher *first;
} store_watchers;

/* Adds a watcher: the verb watch. */
void store_watchers_add(store_watchers *watchers, store_watcher *watcher);
/* Calls all watchers for an event whose change is durable. Any thread may call; the thread that made the change calls
 * before the callback of its verb. */
void store_watchers_tell(store_watchers *watchers, store_event event, const char *id);

#endif
