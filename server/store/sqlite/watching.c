/* watching.c - see watching.h. */
#include "server/store/sqlite/watching.h"

#include "server/store/sqlite/state.h"

static void watch(srv_store *verbs, store_watcher *watcher) {
  sqlite_watchers *watchers = &((sqlite_store *)verbs)->watchers;
  pthread_mutex_lock(&watchers->mutex);
  watcher->next = watchers->first;
  watchers->first = watcher;
  pthread_mutex_unlock(&watchers->mutex);
}

void sqlite_watchers_tell(sqlite_watchers *watchers, store_event event, const char *id) {
  pthread_mutex_lock(&watchers->mutex);
  for (store_watcher *watcher = watchers->first; watcher; watcher = watcher->next)
    watcher->told(watcher->context, event, id);
  pthread_mutex_unlock(&watchers->mutex);
}

void sqlite_watching_verbs(srv_store *verbs) { verbs->watch = watch; }
