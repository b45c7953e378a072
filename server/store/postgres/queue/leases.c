/* leases.c - see leases.h. */
#include "server/store/postgres/queue/leases.h"

#include "api/base/array_grow.h"
#include "api/base/buffer.h"
#include "server/base/clock.h"
#include "server/store/common/renewal.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/queue/job_transitions.h"
#include "server/store/postgres/queue/studies.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Number of checks for expired leases in the time of a lease, and maximum time between checks [s]. */
enum { CHECKS_PER_LEASE = 4 };
static const double check_seconds = 1;

/* Interval at which progress of all runs of this server is written [s]. */
static const double progress_seconds = 0.3;

/* ---- heartbeat ------------------------------------------------------------------------------------------------- */

typedef struct heartbeat_command {
  postgres_command command;
  double lease_seconds;
  store_renewal renewal;
} heartbeat_command;

/* Locks in the order of ids, like all changes that lock several rows. */
static const char renew_leases[] =
    "WITH wanted AS (SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n')::int[])"
    " AS wanted (id, attempt)),"
    " held AS (SELECT queue.id FROM queue JOIN wanted USING (id, attempt) WHERE running ORDER BY queue.id"
    " FOR UPDATE OF queue)"
    " UPDATE queue SET lease_until = clock() + $3::float8 FROM held WHERE queue.id = held.id"
    " RETURNING queue.id, queue.attempt, queue.cancel_requested";

/* Writes the runs as two texts of lines. */
static bool list_runs(const store_renewal *renewal, api_buffer *ids, api_buffer *attempts) {
  for (size_t i = 0; i < renewal->count; i++) {
    if (renewal->runs[i].is_block) continue;
    api_buffer_print(ids, "%s%s", ids->size > 0 ? "\n" : "", renewal->runs[i].id);
    api_buffer_print(attempts, "%s%d", attempts->size > 0 ? "\n" : "", renewal->runs[i].attempt);
  }
  api_buffer_add(ids, "", 1);
  api_buffer_add(attempts, "", 1);
  return !ids->failed && !attempts->failed;
}

static void take_leases(store_renewal *renewal, const PGresult *result) {
  for (size_t i = 0; i < renewal->count; i++)
    if (!renewal->runs[i].is_block) renewal->leases[i] = STORE_LEASE_LOST;
  for (int row = 0; row < PQntuples(result); row++) {
    store_run run = {.attempt = (int)postgres_integer(result, row, 1)};
    postgres_copy(result, row, 0, run.id, sizeof run.id);
    store_lease lease = postgres_integer(result, row, 2) ? STORE_LEASE_CANCELLED : STORE_LEASE_HELD;
    for (size_t i = 0; i < renewal->count; i++)
      if (!renewal->runs[i].is_block && store_run_is(&renewal->runs[i], &run)) renewal->leases[i] = lease;
  }
}

static service_status heartbeat_execute(postgres_command *command, postgres_writer *writer) {
  heartbeat_command *self = (heartbeat_command *)command;
  store_renewal *renewal = &self->renewal;
  if (renewal->count == 0) return SERVICE_OK;
  api_buffer ids = {0}, attempts = {0};
  bool listed = list_runs(renewal, &ids, &attempts);
  PGresult *result =
      listed ? postgres_db_query(&writer->db, renew_leases, "ttd", ids.data, attempts.data, self->lease_seconds) : NULL;
  api_buffer_free(&ids);
  api_buffer_free(&attempts);
  if (!result) return listed ? postgres_db_failure(&writer->db) : SERVICE_FAILED;
  take_leases(renewal, result);
  PQclear(result);
  service_status status = SERVICE_OK;
  for (size_t i = 0; i < renewal->count && status == SERVICE_OK; i++)
    if (renewal->runs[i].is_block)
      status = postgres_studies_renew(&writer->db, &renewal->runs[i], self->lease_seconds, &renewal->leases[i]);
  return status;
}

static void heartbeat_done(postgres_command *command, service_status status) {
  heartbeat_command *self = (heartbeat_command *)command;
  store_renewal_answer(&self->renewal, status);
  free(self);
}

static void heartbeat(srv_store *verbs, const store_run *runs, size_t count, store_renewed renewed, void *context) {
  postgres_store *store = (postgres_store *)verbs;
  heartbeat_command *self = malloc(sizeof *self);
  if (!self || !store_renewal_init(&self->renewal, runs, count, renewed, context)) {
    free(self);
    renewed(context, SERVICE_FAILED, runs, NULL, count);
    return;
  }
  self->command = (postgres_command){.execute = heartbeat_execute, .done = heartbeat_done, .may_be_lost = true};
  self->lease_seconds = store->verbs.lease_seconds;
  postgres_writer_post(&store->queue_writer, &self->command);
}

/* ---- leases that have run out ------------------------------------------------------------------------------------ */

static service_status expire_execute(postgres_command *command, postgres_writer *writer) {
  size_t before = writer->event_count;
  service_status status = postgres_take_back(writer);
  if (status == SERVICE_OK) status = postgres_studies_expire(writer);
  command->may_be_lost = writer->event_count == before; /* then there was nothing to give back */
  return status;
}

static void free_command(postgres_command *command, service_status status) {
  (void)status; /* the change is tried again soon */
  free(command);
}

static void expire(postgres_store *store) {
  postgres_command *command = malloc(sizeof *command);
  if (!command) return;
  *command = (postgres_command){.execute = expire_execute, .done = free_command, .may_be_lost = true};
  postgres_writer_post(&store->queue_writer, command);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

typedef struct progress_command {
  postgres_command command;
  postgres_run_progress *runs;
  size_t count;
} progress_command;

/* Resets the count of interruptions of a study that progresses between them: it is not the one that kills its
 * servers. */
static const char write_progress[] =
    "WITH told AS (SELECT * FROM unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n')::int[],"
    " string_to_array($3, E'\\n')::float8[], string_to_array($4, E'\\n')::float8[],"
    " string_to_array($5, E'\\n')::bigint[]) AS told (id, attempt, t, fraction, evaluations))"
    ", gets_on AS (UPDATE queue SET interruptions = 0 FROM told JOIN progress p USING (id) WHERE queue.id = told.id"
    " AND queue.attempt = told.attempt AND running AND queue.runs > 0 AND interruptions > 0"
    " AND told.fraction > p.fraction)"
    " INSERT INTO progress SELECT told.* FROM told JOIN queue USING (id, attempt) WHERE running ORDER BY told.id"
    " ON CONFLICT (id) DO UPDATE SET attempt = excluded.attempt, t = excluded.t, fraction = excluded.fraction,"
    " evaluations = excluded.evaluations RETURNING id";

enum { PROGRESS_COLUMNS = 5 };

static bool list_progress(const progress_command *self, api_buffer columns[PROGRESS_COLUMNS]) {
  bool good = true;
  for (size_t i = 0; i < self->count; i++) {
    const postgres_run_progress *told = &self->runs[i];
    const char *separator = i > 0 ? "\n" : "";
    api_buffer_print(&columns[0], "%s%s", separator, told->run.id);
    api_buffer_print(&columns[1], "%s%d", separator, told->run.attempt);
    api_buffer_print(&columns[2], "%s%.17g", separator, told->progress.t);
    api_buffer_print(&columns[3], "%s%.17g", separator, told->progress.fraction);
    api_buffer_print(&columns[4], "%s%lld", separator, (long long)told->progress.evaluations);
  }
  for (int i = 0; i < PROGRESS_COLUMNS; i++) {
    api_buffer_add(&columns[i], "", 1);
    good = good && !columns[i].failed;
  }
  return good;
}

static service_status progress_execute(postgres_command *command, postgres_writer *writer) {
  const progress_command *self = (const progress_command *)command;
  api_buffer columns[PROGRESS_COLUMNS] = {{0}};
  bool good = list_progress(self, columns);
  PGresult *result = good ? postgres_db_query(&writer->db, write_progress, "ttttt", columns[0].data, columns[1].data,
                                              columns[2].data, columns[3].data, columns[4].data)
                          : NULL;
  for (int i = 0; i < PROGRESS_COLUMNS; i++) api_buffer_free(&columns[i]);
  if (!result) return good ? postgres_db_failure(&writer->db) : SERVICE_FAILED;
  for (int row = 0; row < PQntuples(result); row++)
    good = postgres_writer_notify(writer, STORE_EVENT_PROGRESS, PQgetvalue(result, row, 0)) && good;
  PQclear(result);
  return good ? SERVICE_OK : SERVICE_FAILED;
}

static void progress_done(postgres_command *command, service_status status) {
  progress_command *self = (progress_command *)command;
  (void)status; /* newer progress will follow */
  free(self->runs);
  free(self);
}

/* Posts the collected progress. */
static void flush_progress(postgres_store *store) {
  postgres_progress *progress = &store->progress;
  progress_command *self = malloc(sizeof *self);
  if (!self) return;
  *self = (progress_command){.command = {.execute = progress_execute, .done = progress_done, .may_be_lost = true}};
  pthread_mutex_lock(&progress->mutex);
  self->runs = progress->runs;
  self->count = progress->count;
  progress->runs = NULL;
  progress->count = progress->capacity = 0;
  pthread_mutex_unlock(&progress->mutex);
  if (self->count > 0)
    postgres_writer_post(&store->queue_writer, &self->command);
  else
    progress_done(&self->command, SERVICE_OK);
}

static void note_progress(postgres_progress *list, const store_run *run, const store_progress *progress) {
  pthread_mutex_lock(&list->mutex);
  size_t i = 0;
  while (i < list->count && !store_run_is(&list->runs[i].run, run)) i++;
  postgres_run_progress *runs =
      i < list->count ? list->runs : api_array_grow(list->runs, i, &list->capacity, sizeof *runs);
  if (runs) {
    list->runs = runs;
    runs[i] = (postgres_run_progress){*run, *progress};
    if (i == list->count) list->count++;
  }
  pthread_mutex_unlock(&list->mutex);
}

static void progress(srv_store *verbs, const store_run *run, const store_progress *now) {
  postgres_store *store = (postgres_store *)verbs;
  assert(!run->is_block); /* a block reports no progress */
  note_progress(&store->progress, run, now);
  store_assembly_flush(&store->assemblies, run);
}

/* ---- the clock --------------------------------------------------------------------------------------------------- */

double postgres_leases_tick(postgres_store *store, double now) {
  double each = store->verbs.lease_seconds / CHECKS_PER_LEASE;
  if (each > check_seconds) each = check_seconds;
  if (now >= store->leases_check_at) {
    store->leases_check_at = now + each;
    expire(store);
  }
  if (now >= store->progress_at) {
    store->progress_at = now + progress_seconds;
    flush_progress(store);
  }
  return store->progress_at < store->leases_check_at ? store->progress_at : store->leases_check_at;
}

void postgres_lease_verbs(srv_store *verbs) {
  verbs->heartbeat = heartbeat;
  verbs->progress = progress;
}
