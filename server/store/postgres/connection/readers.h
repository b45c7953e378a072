/* readers.h - threads that execute reads, each with its own connection; they answer asynchronously.
 *
 * A read answers UNAVAILABLE if the database does not respond, or if there is no connection within a few seconds. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_READERS_H
#define SERVER_STORE_POSTGRES_CONNECTION_READERS_H

#include "server/store/common/run_index.h"
#include "server/store/postgres/connection/db.h"
#include "server/store/postgres/results/blob.h"
#include "server/store/store.h"

#include <pthread.h>

enum { POSTGRES_READERS = 4, POSTGRES_INDEXES = 4 };

struct postgres_store;

typedef struct postgres_reader {
  struct postgres_readers *readers;
  postgres_db db;
  pthread_t thread;
  /* Cached indexes of the last runs: a client reads an array in many slices. */
  store_run_index indexes[POSTGRES_INDEXES];
  size_t next_index; /* the one to replace next */
  postgres_blob blob;
} postgres_reader;

/* A read to execute. It is the first member of the struct that contains its data. */
typedef struct postgres_reading postgres_reading;
struct postgres_reading {
  /* Reads. It is called again with another connection if the connection was lost, and must then have freed its own
   * output. */
  service_status (*execute)(postgres_reading *reading, postgres_reader *reader);
  store_done done;
  void *context;
  struct postgres_store *store;
  double posted; /* monotonic [s] */
  postgres_reading *next;
};

typedef struct postgres_readers {
  postgres_reader readers[POSTGRES_READERS];
  size_t count;
  pthread_mutex_t mutex; /* guards the fields below */
  pthread_cond_t wake;
  postgres_reading *first, **last;
  bool stopping;
} postgres_readers;

bool postgres_readers_start(postgres_readers *readers, postgres_address *address);
/* Posts a malloc'd `reading`, which is freed after its answer; NULL: memory ran out, which is answered as a failure. */
void postgres_readers_post(postgres_readers *readers, postgres_reading *reading, store_done done, void *context);
/* Executes the waiting reads and ends the threads. */
void postgres_readers_stop(postgres_readers *readers);

#endif
