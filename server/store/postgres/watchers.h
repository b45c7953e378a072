/* watchers.h - who is told of what happens to jobs. */
#ifndef SERVER_STORE_POSTGRES_WATCHERS_H
#define SERVER_STORE_POSTGRES_WATCHERS_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct postgres_watchers {
  pthread_mutex_t mutex; /* guards what follows */
  store_watcher *first;
} postgres_watchers;

void postgres_watchers_add(postgres_watchers *watchers, store_watcher *watcher);
void postgres_watchers_tell(postgres_watchers *watchers, store_event event, const char *id);

#endif
