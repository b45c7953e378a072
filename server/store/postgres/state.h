/* state.h - the state of the PostgreSQL store, which its parts share. */
#ifndef SERVER_STORE_POSTGRES_STATE_H
#define SERVER_STORE_POSTGRES_STATE_H

#include "server/store/postgres/health.h"
#include "server/store/postgres/leases.h"
#include "server/store/postgres/readers.h"
#include "server/store/postgres/schema.h"
#include "server/store/postgres/upkeep.h"
#include "server/store/postgres/watching.h"
#include "server/store/postgres/writer.h"
#include "server/store/store.h"

/* Results of runs on their way into the database: assembly.h. */
typedef struct postgres_assemblies {
  pthread_mutex_t mutex; /* guards what follows */
  struct postgres_assembly *first;
} postgres_assemblies;

typedef struct postgres_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  postgres_address address;
  /* Changes of the queue; results, and the changes that come after them. */
  postgres_writer queue_writer, results_writer;
  postgres_readers readers;
  postgres_listener listener;
  postgres_watchers watchers;
  store_watcher own; /* of itself */
  postgres_progress progress;
  postgres_assemblies assemblies;
  postgres_health health;
  postgres_upkeep upkeep;
  atomic_size_t enqueuing; /* jobs on their way into the queue */
  atomic_size_t posted;    /* bytes of results on their way into the database */
  atomic_bool claims_stopped;
  double leases_check_at; /* monotonic; only the queue's writer uses it, as the next */
  double progress_at;
} postgres_store;

#endif
