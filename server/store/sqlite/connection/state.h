/* state.h - the state of the SQLite store, shared by its files. */
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

/* A read-only connection for any thread. */
typedef struct sqlite_reader {
  pthread_mutex_t mutex;
  sqlite_db db;
} sqlite_reader;

/* The thread that watches the disk and the databases. */
typedef struct sqlite_health {
  pthread_t thread;
  pthread_mutex_t mutex; /* guards the fields up to `last` */
  pthread_cond_t wake;
  bool stopping;
  srv_storage last;            /* last state, without the faults of sqlite_file_fault */
  char told[SRV_STORAGE_TEXT]; /* the last logged fault; used only by the thread */
  atomic_bool space;           /* the disk has more free bytes than the reserve */
  atomic_int probes;           /* test writes to the databases in progress */
  atomic_size_t wrong_numbers; /* arrays and jobs that differed from their checksums when read */
} sqlite_health;

/* The thread that removes old jobs and returns free space to the disk. */
typedef struct sqlite_maintenance {
  pthread_t thread;
  sqlite_db queue, results; /* connections that only read */
  double keep_days;         /* limit of --keep-days; 0: no limit */
  size_t keep_bytes;        /* limit of --keep-bytes; 0: no limit */
  bool unchecked;           /* large files must be checked first */
  bool over_told;           /* the excess over --keep-bytes was logged */
  double wall_offset;       /* wall clock minus monotonic clock at the start [s] */
} sqlite_maintenance;
/* Number of indexes cached: a client reads an array in many slices. */
enum { SQLITE_INDEXES = 8 };

typedef struct sqlite_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  char *folder;
  sqlite_disk_reserve room;
  int lock; /* owned by the health thread once it is open */
  sqlite_file_fault queue_fault, results_fault;
  sqlite_health health;
  sqlite_maintenance maintenance;
  sqlite_writer queue_writer, results_writer;
  sqlite_reader queue_reader, results_reader;
  store_run_index indexes[SQLITE_INDEXES]; /* guarded by the mutex of results_reader, like next_index */
  size_t next_index;                       /* the one to replace next */
  store_assemblies assemblies;
  atomic_size_t enqueuing; /* jobs being written to the queue */
  atomic_bool claims_stopped;
  double leases_check_at; /* monotonic; used only by the queue's writer */
  store_subscribers subscribers;
  sqlite_running running;
  sqlite_studies studies;
} sqlite_store;

#endif
