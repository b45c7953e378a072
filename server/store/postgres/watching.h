/* watching.h - who is told of what happens to jobs, and hearing of it from other servers.
 *
 * A transaction that changes the state of jobs sends one notification of all of them; a thread with a connection that
 * does nothing else listens. What it may have missed, because the connection was lost, or because something between
 * here and there does not pass notifications on (which it notices by sending itself one now and then), is told as
 * STORE_EVENT_MISSED. */
#ifndef SERVER_STORE_POSTGRES_WATCHING_H
#define SERVER_STORE_POSTGRES_WATCHING_H

#include "server/store/postgres/db.h"
#include "server/store/postgres/writer.h"
#include "server/store/store.h"

#include <pthread.h>

struct postgres_store;

typedef struct postgres_watchers {
  pthread_mutex_t mutex; /* guards what follows */
  store_watcher *first;
} postgres_watchers;

typedef struct postgres_listener {
  struct postgres_store *store;
  postgres_db db;
  pthread_t thread;
  int stop;        /* an eventfd */
  double heard_at; /* when anything was heard last; monotonic */
  double asked_at; /* when it sent itself something that has not come; 0: it has */
} postgres_listener;

void postgres_watchers_add(postgres_watchers *watchers, store_watcher *watcher);
void postgres_watchers_tell(postgres_watchers *watchers, store_event event, const char *id);
void postgres_watchers_tell_all(postgres_watchers *watchers, const postgres_event *events, size_t count);

/* Listens already when it returns. False: there is no thread, or no connection. */
bool postgres_listener_start(postgres_listener *listener, struct postgres_store *store,
                             const postgres_address *address);
void postgres_listener_stop(postgres_listener *listener);

#endif
