/* state.h - the state of the SQLite store, which its parts share. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_STATE_H
#define SERVER_STORE_SQLITE_CONNECTION_STATE_H

#include "server/base/storage.h"
#include "server/store/common/assembly.h"
#include "server/store/common/run_index.h"
#include "server/store/common/subscribers.h"
#include "server/store/sqlite/connection/file_faults.h"
#include "server/store/sqlite/connection/writer.h"
#include "server/store/sqlite/operations/disk_reserve.h"
#include "server/store/sqlite/queue/running.h"
#include "server/store/sqlite/queue/studies.h"
#include "server/store/store.h"

#include <stdatomic.h>

/* A connection that only reads, for whichever thread asks. */
typedef struct sqlite_reader {
  pthread_mutex_t mutex;
  sqlite_db db;
} sqlite_reader;

/* What keeps an eye on the disk, on its own thread. */
typedef struct sqlite_health {
  pthread_t thread;
  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t wake;
  bool stopping;
  srv_storage last;            /* what it saw last; without the guards' faults */
  char told[SRV_STORAGE_TEXT]; /* the fault that was logged; only the thread uses it */
  atomic_bool space;           /* whether the disk has more free bytes than the reserve */
  atomic_int probes;           /* looks whether the databases can be written that are under way */
  atomic_size_t wrong_numbers; /* what was read of numbers and jobs and differed from its checksum */
} sqlite_health;

/* What removes old jobs and gives space back, on its own thread. */
typedef struct sqlite_maintenance {
  pthread_t thread;
  sqlite_db queue, results; /* connections of its own, which only read */
  double keep_days;         /* 0: for ever */
  size_t keep_bytes;        /* 0: any number */
  bool unchecked;           /* large files are to be looked through first */
  bool over_told;           /* it was logged that too much is kept */
  double wall_offset;       /* what the wall clock was ahead of the monotonic one at the start */
} sqlite_maintenance;
/* Runs that were read last: a client reads an array in many slices. */
enum { SQLITE_INDEXES = 8 };

typedef struct sqlite_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  char *folder;
  sqlite_disk_reserve room;
  int lock; /* once it is open, the health's thread's */
  sqlite_file_fault queue_fault, results_fault;
  sqlite_health health;
  sqlite_maintenance maintenance;
  sqlite_writer queue_writer, results_writer;
  sqlite_reader queue_reader, results_reader;
  store_run_index indexes[SQLITE_INDEXES]; /* with the mutex of results_reader, as the next */
  size_t next_index;                       /* to be replaced */
  store_assemblies assemblies;
  atomic_size_t enqueuing; /* jobs on their way into the queue */
  atomic_bool claims_stopped;
  double leases_check_at; /* monotonic; only the queue's writer uses it */
  store_subscribers subscribers;
  sqlite_running running;
  sqlite_studies studies;
} sqlite_store;

#endif
