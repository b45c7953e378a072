/* watchers.c - see watchers.h. */
#include "server/store/watchers.h"

#include <assert.h>

void store_watchers_add(store_watchers *watchers, store_watcher *watcher) {
  assert(watcher->told);
  pthread_mutex_lock(&watchers->mutex);
  watcher->next = watchers->first;
  watchers->first = watcher;
  pthread_mutex_unlock(&watchers->mutex);
}

void store_watchers_tell(store_watchers *watchers, store_event event, const char *id) {
  assert(event <= STORE_EVENT_MISSED && (event == STORE_EVENT_MISSED) == (id[0] == '\0'));
  pthread_mutex_lock(&watchers->mutex);
  for (store_watcher *watcher = watchers->first; watcher; watcher = watcher->next)
    watcher->told(watcher->context, event, id);
  pthread_mutex_unlock(&watchers->mutex);
}
