/* watchers.c - see watchers.h. */
#include "server/store/postgres/watchers.h"

void postgres_watchers_add(postgres_watchers *watchers, store_watcher *watcher) {
  pthread_mutex_lock(&watchers->mutex);
  watcher->next = watchers->first;
  watchers->first = watcher;
  pthread_mutex_unlock(&watchers->mutex);
}

void postgres_watchers_tell(postgres_watchers *watchers, store_event event, const char *id) {
  pthread_mutex_lock(&watchers->mutex);
  for (store_watcher *watcher = watchers->first; watcher; watcher = watcher->next)
    watcher->told(watcher->context, event, id);
  pthread_mutex_unlock(&watchers->mutex);
}
