/* state.h - the state of the PostgreSQL store, which its parts share. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_STATE_H
#define SERVER_STORE_POSTGRES_CONNECTION_STATE_H

#include "server/base/storage.h"
#include "server/store/common/assembly.h"
#include "server/store/common/subscribers.h"
#include "server/store/postgres/connection/readers.h"
#include "server/store/postgres/connection/schema.h"
#include "server/store/postgres/connection/writer.h"
#include "server/store/store.h"

/* What is known of the database, as it was seen last. */
typedef struct postgres_health {
  pthread_mutex_t mutex; /* guards what follows */
  srv_storage last;
  unsigned cut_off;            /* which of the writers have no connection; a flag each */
  double full_until;           /* the database said that its disk is full: until then nothing new is taken; monotonic */
  atomic_size_t wrong_numbers; /* what was read and differed from its checksum */
} postgres_health;

/* How far runs of this server have come since that was last written. */
typedef struct postgres_run_progress {
  store_run run;
  store_progress progress;
} postgres_run_progress;

typedef struct postgres_progress {
  pthread_mutex_t mutex; /* guards what follows */
  postgres_run_progress *runs;
  size_t count, capacity;
} postgres_progress;

/* Who hears of other servers, on its own thread. */
typedef struct postgres_listener {
  struct postgres_store *store;
  postgres_db db;
  pthread_t thread;
  int stop;        /* an eventfd */
  double heard_at; /* when anything was heard last; monotonic */
  double asked_at; /* when it sent itself something that has not come; 0: it has */
} postgres_listener;

/* What removes old jobs and cleans up, on its own thread. */
typedef struct postgres_maintenance {
  struct postgres_store *store;
  postgres_db db;    /* reads, and cleans tables up; changes of jobs are the results writer's */
  double keep_days;  /* 0: for ever */
  size_t keep_bytes; /* 0: any number */
  bool over_told;    /* it was logged that too much is kept */
  double sweep_at;   /* monotonic, as the next */
  double measure_at;
  pthread_t thread;
  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t wake;
  bool stopping;
} postgres_maintenance;

typedef struct postgres_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  postgres_address address;
  /* Changes of the queue; results, and the changes that come after them. */
  postgres_writer queue_writer, results_writer;
  postgres_readers readers;
  postgres_listener listener;
  store_subscribers subscribers;
  postgres_progress progress;
  store_assemblies assemblies;
  postgres_health health;
  postgres_maintenance maintenance;
  atomic_size_t enqueuing; /* jobs on their way into the queue */
  atomic_bool claims_stopped;
  double leases_check_at; /* monotonic; only the queue's writer uses it, as the next */
  double progress_at;
} postgres_store;

#endif
