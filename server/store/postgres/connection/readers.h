/* readers.h - threads that read, each with a connection: what reads is answered later, on one of them. */
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
  /* Runs that were read last: a client reads an array in many slices. */
  store_run_index indexes[POSTGRES_INDEXES];
  size_t next_index; /* to be replaced */
  postgres_blob blob;
} postgres_reader;

/* Something to read. It is the first member of the struct that holds what it needs. */
typedef struct postgres_reading postgres_reading;
struct postgres_reading {
  /* Reads; where the connection was lost it is called again with another one, and what it has made by then was freed by
   * itself. */
  service_status (*execute)(postgres_reading *reading, postgres_reader *reader);
  store_done done;
  void *context;
  struct postgres_store *store;
  postgres_reading *next;
};

typedef struct postgres_readers {
  postgres_reader readers[POSTGRES_READERS];
  size_t count;
  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t wake;
  postgres_reading *first, **last;
  bool stopping;
} postgres_readers;

bool postgres_readers_start(postgres_readers *readers, const postgres_address *address);
/* `reading` is malloc'd, and freed when it was answered; NULL: there was no memory for it. */
void postgres_readers_post(postgres_readers *readers, postgres_reading *reading, store_done done, void *context);
/* Reads what waits, and ends the threads. */
void postgres_readers_stop(postgres_readers *readers);

#endif
