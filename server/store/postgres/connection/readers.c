/* readers.c - see readers.h. */
#include "server/store/postgres/connection/readers.h"

#include "server/base/clock.h"
#include "server/store/postgres/connection/schema.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

/* Time since its post during which a read waits for a new connection [s]. */
static const double patience = 2.5;

/* Connects at most until `db.until`. Without a connection for long, it tries once. */
static bool connect_in_time(postgres_reader *reader) {
  bool long_gone = reader->db.pause >= 1;
  while (!postgres_db_connect(&reader->db, false)) {
    bool silent = atomic_load(&reader->db.address->silent);
    if (silent || long_gone || srv_clock_monotonic() >= reader->db.until) return false;
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  return true;
}

static service_status execute(postgres_reader *reader, postgres_reading *reading) {
  reader->db.until = reading->posted + patience;
  if (!connect_in_time(reader)) return SERVICE_UNAVAILABLE;
  service_status status = reading->execute(reading, reader);
  if (!reader->db.lost) return status;
  if (reader->db.unanswered || !connect_in_time(reader)) return SERVICE_UNAVAILABLE;
  status = reading->execute(reading, reader);
  return reader->db.lost ? SERVICE_UNAVAILABLE : status;
}

static void *reader_thread(void *context) {
  postgres_reader *reader = context;
  postgres_readers *readers = reader->readers;
  for (;;) {
    pthread_mutex_lock(&readers->mutex);
    while (!readers->first && !readers->stopping) pthread_cond_wait(&readers->wake, &readers->mutex);
    postgres_reading *reading = readers->first;
    if (reading) readers->first = reading->next;
    if (!readers->first) readers->last = &readers->first;
    pthread_mutex_unlock(&readers->mutex);
    if (!reading) return NULL;
    service_status status = execute(reader, reading);
    reading->done(reading->context, status);
    free(reading);
  }
}

bool postgres_readers_start(postgres_readers *readers, postgres_address *address) {
  readers->count = 0;
  readers->first = NULL;
  readers->last = &readers->first;
  readers->stopping = false;
  pthread_mutex_init(&readers->mutex, NULL);
  pthread_cond_init(&readers->wake, NULL);
  for (size_t i = 0; i < POSTGRES_READERS; i++) {
    postgres_reader *reader = &readers->readers[i];
    *reader = (postgres_reader){
        .readers = readers, .db = {.address = address, .begin = postgres_schema_check, .seconds = POSTGRES_SECONDS}};
    reader->blob.db = &reader->db;
    if (pthread_create(&reader->thread, NULL, reader_thread, reader) != 0) return false;
    readers->count++;
  }
  return true;
}

void postgres_readers_post(postgres_readers *readers, postgres_reading *reading, store_done done, void *context) {
  if (!reading) {
    done(context, SERVICE_FAILED);
    return;
  }
  assert(reading->execute && done);
  reading->done = done;
  reading->context = context;
  reading->posted = srv_clock_monotonic();
  reading->next = NULL;
  pthread_mutex_lock(&readers->mutex);
  *readers->last = reading;
  readers->last = &reading->next;
  pthread_cond_signal(&readers->wake);
  pthread_mutex_unlock(&readers->mutex);
}

void postgres_readers_stop(postgres_readers *readers) {
  pthread_mutex_lock(&readers->mutex);
  readers->stopping = true;
  pthread_cond_broadcast(&readers->wake);
  pthread_mutex_unlock(&readers->mutex);
  for (size_t i = 0; i < readers->count; i++) {
    postgres_reader *reader = &readers->readers[i];
    pthread_join(reader->thread, NULL);
    postgres_db_close(&reader->db);
    postgres_blob_free(&reader->blob);
    for (size_t k = 0; k < POSTGRES_INDEXES; k++) store_run_index_free(&reader->indexes[k]);
  }
  pthread_cond_destroy(&readers->wake);
  pthread_mutex_destroy(&readers->mutex);
}
