/* array_reading.c - see array_reading.h. */
#include "server/store/postgres/results/array_reading.h"

#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/results/results.h"

#include <stdlib.h>
#include <string.h>

typedef struct array_reading {
  postgres_reading reading;
  char id[SERVICE_ID_SIZE];
  service_array **list;
  size_t *count;
  char *name;
  index_slice slice;
} array_reading;

/* The run whose results a job shows. */
typedef struct shown_run {
  store_run run; /* attempt 0: none */
  bool running, succeeded;
} shown_run;

/* Returns NOT_FOUND, or NOT_READY if the job waits. */
static service_status find_run(postgres_db *db, const char *id, shown_run *out) {
  *out = (shown_run){.running = false};
  PGresult *result =
      postgres_db_query(db,
                        "SELECT j.status IS NOT NULL, j.status = 'succeeded', coalesce(q.running, false),"
                        " CASE WHEN j.status IS NULL THEN q.attempt ELSE j.shown END"
                        " FROM jobs j LEFT JOIN queue q USING (id) WHERE id = $1",
                        "t", id);
  if (!result) return postgres_db_failure(db);
  bool found = PQntuples(result) > 0, over = found && postgres_integer(result, 0, 0) != 0;
  if (found) {
    out->succeeded = over && postgres_integer(result, 0, 1) != 0;
    out->running = postgres_integer(result, 0, 2) != 0;
    out->run.attempt = (int)postgres_integer(result, 0, 3);
    memcpy(out->run.id, id, strlen(id) + 1);
  }
  PQclear(result);
  return !found ? SERVICE_NOT_FOUND : over || out->running ? SERVICE_OK : SERVICE_NOT_READY;
}

/* Gets the updated index of a run. One that is not cached replaces the one that was cached first. */
static service_status find_index(postgres_reader *reader, const store_run *run, store_run_index **index) {
  *index = NULL;
  for (size_t i = 0; i < POSTGRES_INDEXES && !*index; i++) {
    store_run_index *known = &reader->indexes[i];
    if (known->row != 0 && store_run_is(&known->run, run)) *index = known;
  }
  if (!*index) *index = &reader->indexes[reader->next_index++ % POSTGRES_INDEXES];
  return postgres_results_index(&reader->db, run, *index);
}

/* Returns the status of a missing run. A job that succeeded has one, unless it was damaged; another job may have ended
 * before it had results. */
static service_status missing(const shown_run *shown) {
  if (shown->running) return SERVICE_NOT_READY;
  return shown->succeeded ? store_run_index_damaged(&shown->run, NULL) : SERVICE_OK;
}

static service_status read_list(array_reading *self, postgres_reader *reader) {
  shown_run shown;
  store_run_index *index;
  service_status status = find_run(&reader->db, self->id, &shown);
  if (status != SERVICE_OK || shown.run.attempt == 0) return status;
  status = find_index(reader, &shown.run, &index);
  if (status == SERVICE_NOT_FOUND) return missing(&shown);
  return status == SERVICE_OK ? store_run_index_list(index, shown.running, self->list, self->count) : status;
}

static service_status read_slice(array_reading *self, postgres_reader *reader) {
  shown_run shown;
  store_run_index *index;
  const index_slice *slice = &self->slice;
  service_status status = find_run(&reader->db, self->id, &shown);
  if (status == SERVICE_OK) status = find_index(reader, &shown.run, &index);
  if (status != SERVICE_OK) return status;
  const index_array *array = store_run_index_find(index, self->name);
  if (!store_run_index_has(index, array, slice)) return SERVICE_NOT_FOUND;
  if (slice->count == 0 || slice->column_count == 0) return SERVICE_OK;
  index_reader blobs = postgres_blob_reader(&reader->blob);
  return store_run_index_read(&blobs, index, array, slice);
}

/* Reads in one transaction, so that a verb sees one state of the database. */
static service_status in_one_state(postgres_reading *reading, postgres_reader *reader,
                                   service_status (*read)(array_reading *self, postgres_reader *reader)) {
  postgres_db *db = &reader->db;
  service_status status = postgres_db_script(db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  if (status != SERVICE_OK) return status;
  status = read((array_reading *)reading, reader);
  if (!db->lost) postgres_db_script(db, "ROLLBACK");
  /* Counts damaged numbers for operators. */
  if (status == SERVICE_DAMAGED) atomic_fetch_add(&reading->store->health.wrong_numbers, 1);
  return status;
}

static service_status list_execute(postgres_reading *reading, postgres_reader *reader) {
  array_reading *self = (array_reading *)reading;
  *self->list = NULL;
  *self->count = 0;
  return in_one_state(reading, reader, read_list);
}

static service_status slice_execute(postgres_reading *reading, postgres_reader *reader) {
  return in_one_state(reading, reader, read_slice);
}

static array_reading *new_reading(srv_store *verbs, const char *id, size_t more) {
  array_reading *self = calloc(1, sizeof *self + more);
  if (!self) return NULL;
  self->reading.store = (postgres_store *)verbs;
  strncpy(self->id, id, sizeof self->id - 1);
  return self;
}

static void arrays(srv_store *verbs, const char *id, service_array **list, size_t *count, store_done done,
                   void *context) {
  array_reading *self = new_reading(verbs, id, 0);
  if (self) {
    self->reading.execute = list_execute;
    self->list = list;
    self->count = count;
  }
  postgres_readers_post(&((postgres_store *)verbs)->readers, self ? &self->reading : NULL, done, context);
}

/* Copies of the columns and of the name follow the reading in memory. */
static void read_array(srv_store *verbs, const char *id, const char *array, size_t first, size_t stride, size_t count,
                       const size_t *columns, size_t column_count, double *out, store_done done, void *context) {
  size_t size = column_count * sizeof *columns, length = strlen(array) + 1;
  array_reading *self = new_reading(verbs, id, size + length);
  if (self) {
    size_t *copies = (size_t *)(self + 1);
    if (size > 0) memcpy(copies, columns, size);
    self->name = (char *)(self + 1) + size;
    memcpy(self->name, array, length);
    self->slice = (index_slice){first, stride, count, copies, column_count, out};
    self->reading.execute = slice_execute;
  }
  postgres_readers_post(&((postgres_store *)verbs)->readers, self ? &self->reading : NULL, done, context);
}

void postgres_array_reading_verbs(srv_store *verbs) {
  verbs->arrays = arrays;
  verbs->read = read_array;
}
