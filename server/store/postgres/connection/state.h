/* state.h - the state of the PostgreSQL store, shared by its files. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_STATE_H
#define SERVER_STORE_POSTGRES_CONNECTION_STATE_H

#include "server/base/storage.h"
#include "server/store/common/assembly.h"
#include "server/store/common/subscribers.h"
#include "server/store/postgres/connection/readers.h"
#include "server/store/postgres/connection/schema.h"
#include "server/store/postgres/connection/writer.h"
#include "server/store/store.h"

/* Last known state of the database. */
typedef struct postgres_health {
  pthread_mutex_t mutex; /* guards the fields below */
  srv_storage last;
  unsigned cut_off;            /* flags of the writers, and of the listener, without a connection */
  size_t jobs[JOB_STATES];     /* last known number of jobs in each state */
  bool counted;                /* `jobs` is known */
  double full_until;           /* the database's disk is full: no new jobs until then; monotonic */
  atomic_size_t wrong_numbers; /* data that differed from its checksum when read */
} postgres_health;

/* Progress of a run of this server that is not written yet. */
typedef struct postgres_run_progress {
  store_run run;
  store_progress progress;
} postgres_run_progress;

typedef struct postgres_progress {
  pthread_mutex_t mutex; /* guards the fields below */
  postgres_run_progress *runs;
  size_t count, capacity;
} postgres_progress;

/* The thread that receives events of other servers, and determines whether the database responds. */
typedef struct postgres_listener {
  struct postgres_store *store;
  postgres_db db;
  pthread_t thread;
  int stop;        /* an eventfd */
  double heard_at; /* time of the last notification; monotonic */
  double asked_at; /* time at which it sent a test to itself that has not arrived; 0: none pending */
  double count_at; /* time at which it reads the number of jobs next */
} postgres_listener;

/* The thread that removes old jobs and cleans up. */
typedef struct postgres_maintenance {
  struct postgres_store *store;
  postgres_db db;    /* reads, and cleans tables; the results writer changes jobs */
  double keep_days;  /* limit of --keep-days; 0: no limit */
  size_t keep_bytes; /* limit of --keep-bytes; 0: no limit */
  bool over_told;    /* the excess over --keep-bytes was logged */
  double sweep_at;   /* monotonic, like measure_at */
  double measure_at;
  pthread_t thread;
  pthread_mutex_t mutex; /* guards the fields below */
  pthread_cond_t wake;
  bool stopping;
} postgres_maintenance;

typedef struct postgres_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  postgres_address address;
  /* Writers of the queue, and of results with the changes that follow them. */
  postgres_writer queue_writer, results_writer;
  postgres_readers readers;
  postgres_listener listener;
  store_subscribers subscribers;
  postgres_progress progress;
  store_assemblies assemblies;
  postgres_health health;
  postgres_maintenance maintenance;
  atomic_size_t enqueuing; /* jobs being written to the queue */
  atomic_bool claims_stopped;
  double leases_check_at; /* monotonic; used only by the queue's writer, like progress_at */
  double progress_at;
} postgres_store;

#endif
