/* watching.h - telling watchers of events. With one server on the database, all of them are made here. */
#ifndef SERVER_STORE_SQLITE_WATCHING_H
#define SERVER_STORE_SQLITE_WATCHING_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct sqlite_watchers {
  pthread_mutex_t mutex;
  store_watcher *first;
} sqlite_watchers;

/* As the verb watch. */
void sqlite_watchers_add(sqlite_watchers *watchers, store_watcher *watcher);
/* Tells of an event whose change is durable. Any thread, but only the one that made the change before its callback. */
void sqlite_watchers_tell(sqlite_watchers *watchers, store_event event, const char *id);

#endif
