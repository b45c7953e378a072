/* array_reading.c - see array_reading.h. */
#include "server/store/sqlite/results/array_reading.h"

#include "server/store/sqlite/connection/state.h"
#include "server/store/sqlite/queue/job_reading.h"
#include "server/store/sqlite/results/run_loading.h"

#include <stdlib.h>
#include <string.h>

/* Gets the updated index of a run, with the mutex of the reader locked; it replaces the least recently used one. */
static service_status find_index(sqlite_store *self, const store_run *run, store_run_index **index) {
  *index = NULL;
  for (size_t i = 0; i < SQLITE_INDEXES && !*index; i++) {
    store_run_index *known = &self->indexes[i];
    if (known->row != 0 && store_run_is(&known->run, run)) *index = known;
  }
  if (!*index) *index = &self->indexes[self->next_index++ % SQLITE_INDEXES];
  return sqlite_run_load(&self->results_reader.db, run, *index);
}

/* Gets the run that a job shows, or attempt 0 for none. */
static service_status find_run(sqlite_store *self, const char *id, store_run *run, bool *running, bool *succeeded) {
  *run = (store_run){.attempt = 0};
  service_status status = sqlite_job_shown(self, id, &run->attempt, running, succeeded);
  if (status == SERVICE_OK) strncpy(run->id, id, SERVICE_ID_SIZE - 1);
  return status;
}

/* Returns the status of a missing run. A job that succeeded has one, unless it was damaged or just removed; another job
 * may have ended before it had results. */
static service_status missing(bool running, bool succeeded, const store_run *run) {
  if (running) return SERVICE_NOT_READY;
  return succeeded ? store_run_index_damaged(run, NULL) : SERVICE_OK;
}

static service_status read_arrays(sqlite_store *self, const char *id, service_array **list, size_t *count) {
  *list = NULL;
  *count = 0;
  store_run run;
  bool running = false, succeeded = false;
  service_status status = find_run(self, id, &run, &running, &succeeded);
  if (status != SERVICE_OK || run.attempt == 0) return status;
  pthread_mutex_lock(&self->results_reader.mutex);
  store_run_index *index;
  status = find_index(self, &run, &index);
  if (status == SERVICE_OK) status = store_run_index_list(index, running, list, count);
  pthread_mutex_unlock(&self->results_reader.mutex);
  return status == SERVICE_NOT_FOUND ? missing(running, succeeded, &run) : status;
}

/* Returns a status after counting damaged numbers for operators. */
static service_status counted(sqlite_store *self, service_status status) {
  if (status == SERVICE_DAMAGED) atomic_fetch_add(&self->health.wrong_numbers, 1);
  return status;
}

static void arrays(srv_store *verbs, const char *id, service_array **list, size_t *count, store_done done,
                   void *context) {
  done(context, counted((sqlite_store *)verbs, read_arrays((sqlite_store *)verbs, id, list, count)));
}

/* ---- slices ---------------------------------------------------------------------------------------------------- */

static service_status read_rows(sqlite_store *self, const char *id, const char *name, const index_slice *slice) {
  store_run run;
  bool running = false, succeeded = false;
  service_status status = find_run(self, id, &run, &running, &succeeded);
  if (status != SERVICE_OK) return status;
  pthread_mutex_lock(&self->results_reader.mutex);
  store_run_index *index;
  status = find_index(self, &run, &index);
  if (status == SERVICE_OK) {
    const index_array *array = store_run_index_find(index, name);
    status = !store_run_index_has(index, array, slice) ? SERVICE_NOT_FOUND
             : slice->count == 0 || slice->column_count == 0
                 ? SERVICE_OK
                 : sqlite_run_read(&self->results_reader.db, index, array, slice);
  }
  pthread_mutex_unlock(&self->results_reader.mutex);
  return status;
}

static void read_array(srv_store *verbs, const char *id, const char *array, size_t first, size_t stride, size_t count,
                       const size_t *columns, size_t column_count, double *out, store_done done, void *context) {
  index_slice slice = {first, stride, count, columns, column_count, out};
  done(context, counted((sqlite_store *)verbs, read_rows((sqlite_store *)verbs, id, array, &slice)));
}

void sqlite_array_reading_verbs(srv_store *verbs) {
  verbs->arrays = arrays;
  verbs->read = read_array;
}
