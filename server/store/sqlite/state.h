/* state.h - the state of the SQLite store, which its parts share. */
#ifndef SERVER_STORE_SQLITE_STATE_H
#define SERVER_STORE_SQLITE_STATE_H

#include "server/store/sqlite/room.h"
#include "server/store/sqlite/run_index.h"
#include "server/store/sqlite/running.h"
#include "server/store/sqlite/watching.h"
#include "server/store/sqlite/writer.h"
#include "server/store/store.h"

#include <stdatomic.h>

/* A connection that only reads, for whichever thread asks. */
typedef struct sqlite_reader {
  pthread_mutex_t mutex;
  sqlite_db db;
} sqlite_reader;

/* Results of runs on their way into the file: assembly.h. */
typedef struct sqlite_assemblies {
  pthread_mutex_t mutex; /* guards what follows */
  struct sqlite_assembly *first;
} sqlite_assemblies;

/* Runs that were read last: a client reads an array in many slices. */
enum { SQLITE_INDEXES = 8 };

typedef struct sqlite_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  char *folder;
  size_t reserve;
  sqlite_room room;
  int lock;
  sqlite_writer queue_writer, results_writer;
  sqlite_reader queue_reader, results_reader;
  sqlite_run_index indexes[SQLITE_INDEXES]; /* with the mutex of results_reader, as the next */
  size_t next_index;                        /* to be replaced */
  sqlite_assemblies assemblies;
  atomic_size_t enqueuing; /* jobs on their way into the queue */
  atomic_size_t backlog;   /* bytes of results on their way into the file */
  atomic_bool claims_stopped;
  double leases_check_at; /* monotonic; only the queue's writer uses it */
  sqlite_watchers watchers;
  sqlite_running running;
} sqlite_store;

#endif
