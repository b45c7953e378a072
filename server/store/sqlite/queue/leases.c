/* leases.c - see leases.h. */
#include "server/store/sqlite/queue/leases.h"

#include "api/base/array_grow.h"
#include "server/base/clock.h"
#include "server/store/common/renewal.h"
#include "server/store/sqlite/queue/blocks.h"
#include "server/store/sqlite/queue/requeue_sql.h"

#include <stdlib.h>
#include <string.h>

/* Number of checks for expired leases in the time of a lease while claims wait. */
enum { CHECKS_PER_LEASE = 4 };

/* ---- heartbeat ------------------------------------------------------------------------------------------------- */

typedef struct heartbeat_command {
  sqlite_command command;
  sqlite_store *store;
  store_renewal renewal;
} heartbeat_command;

static service_status renew(sqlite_db *db, const store_run *run, double until, store_lease *lease) {
  sqlite3_stmt *query = sqlite_db_query(db,
                                        "UPDATE jobs SET lease_until = ?1 WHERE id = ?2 AND attempt = ?3"
                                        " AND status = 'running' RETURNING cancel_requested",
                                        "dti", until, run->id, (sqlite3_int64)run->attempt);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  *lease = code != SQLITE_ROW                  ? STORE_LEASE_LOST
           : sqlite3_column_int(query, 0) == 0 ? STORE_LEASE_HELD
                                               : STORE_LEASE_CANCELLED;
  if (code == SQLITE_ROW) code = sqlite3_step(query);
  service_status status = code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(db, "heartbeat");
  sqlite3_reset(query);
  return status;
}

static service_status heartbeat_execute(sqlite_command *command, sqlite_db *db) {
  heartbeat_command *self = (heartbeat_command *)command;
  double until = srv_clock_monotonic() + self->store->verbs.lease_seconds;
  service_status status = SERVICE_OK;
  sqlite_studies *studies = &self->store->studies;
  for (size_t i = 0; i < self->renewal.count && status == SERVICE_OK; i++) {
    const store_run *run = &self->renewal.runs[i];
    store_lease *lease = &self->renewal.leases[i];
    if (run->is_block)
      *lease = sqlite_studies_renew(studies, run, until) ? STORE_LEASE_HELD : STORE_LEASE_LOST;
    else
      status = renew(db, run, until, lease);
  }
  return status;
}

static void heartbeat_done(sqlite_command *command, service_status status) {
  heartbeat_command *self = (heartbeat_command *)command;
  store_renewal_answer(&self->renewal, status);
  free(self);
}

static void heartbeat(srv_store *verbs, const store_run *runs, size_t count, store_renewed renewed, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  heartbeat_command *self = malloc(sizeof *self);
  if (!self || !store_renewal_init(&self->renewal, runs, count, renewed, context)) {
    free(self);
    renewed(context, SERVICE_FAILED, runs, NULL, count);
    return;
  }
  self->command = (sqlite_command){heartbeat_execute, heartbeat_done, 0, SERVICE_OK, NULL, false};
  self->store = store;
  sqlite_writer_post(&store->queue_writer, &self->command);
}

/* ---- leases that have run out ------------------------------------------------------------------------------------ */

typedef struct taken_run {
  store_run run;
  bool ended; /* cancelled; otherwise it is queued again */
} taken_run;

typedef struct expire_command {
  sqlite_command command;
  sqlite_store *store;
  taken_run *taken;
  size_t count, capacity;
} expire_command;

static service_status note_taken(expire_command *self, sqlite3_stmt *row) {
  taken_run *all = api_array_grow(self->taken, self->count, &self->capacity, sizeof *all);
  if (!all) return SERVICE_FAILED;
  self->taken = all;
  taken_run *taken = &all[self->count++];
  *taken = (taken_run){{.attempt = sqlite3_column_int(row, 1)}, sqlite3_column_int(row, 2) != 0};
  strncpy(taken->run.id, (const char *)sqlite3_column_text(row, 0), SERVICE_ID_SIZE - 1);
  return SERVICE_OK;
}

static service_status expire_execute(sqlite_command *command, sqlite_db *db) {
  expire_command *self = (expire_command *)command;
  self->count = 0; /* a transaction that was undone may have set it */
  sqlite3_stmt *query = sqlite_db_query(db,
                                        SQLITE_GIVE_BACK("NULL") " WHERE status = 'running' AND lease_until < ?2"
                                                                 " RETURNING id, attempt, status = 'cancelled'",
                                        "dd", srv_clock_wall(), srv_clock_monotonic());
  if (!query) return SERVICE_FAILED;
  service_status status = SERVICE_OK;
  int code = SQLITE_ROW;
  while (status == SERVICE_OK && (code = sqlite3_step(query)) == SQLITE_ROW) status = note_taken(self, query);
  if (status == SERVICE_OK && code != SQLITE_DONE) status = sqlite_db_failure(db, "leases");
  sqlite3_reset(query);
  return status;
}

static void expire_done(sqlite_command *command, service_status status) {
  expire_command *self = (expire_command *)command;
  for (size_t i = 0; status == SERVICE_OK && i < self->count; i++) {
    const taken_run *taken = &self->taken[i];
    sqlite_running_end(&self->store->running, &taken->run);
    if (taken->ended)
      sqlite_blocks_end(self->store, taken->run.id);
    else
      sqlite_studies_pause(&self->store->studies, taken->run.id);
    store_subscribers_notify(&self->store->subscribers, taken->ended ? STORE_EVENT_ENDED : STORE_EVENT_QUEUED,
                             taken->run.id);
  }
  free(self->taken);
  free(self);
}

static void expire(sqlite_store *store) {
  expire_command *self = calloc(1, sizeof *self);
  if (!self) return; /* a later check does it */
  /* A power failure may lose this change: the next start does the same for every running job. */
  self->command = (sqlite_command){expire_execute, expire_done, 0, SERVICE_OK, NULL, true};
  self->store = store;
  sqlite_writer_post(&store->queue_writer, &self->command);
}

/* Returns true if the lease of a running job has expired. */
static bool has_expired(sqlite_db *db, double now) {
  sqlite3_stmt *query =
      sqlite_db_query(db, "SELECT 1 FROM jobs WHERE status = 'running' AND lease_until < ? LIMIT 1", "d", now);
  bool found = query && sqlite3_step(query) == SQLITE_ROW;
  sqlite3_reset(query);
  return found;
}

void sqlite_leases_check(sqlite_store *store, sqlite_db *db, bool again) {
  double now = srv_clock_monotonic();
  if (again && now < store->leases_check_at) return;
  store->leases_check_at = now + store->verbs.lease_seconds / CHECKS_PER_LEASE;
  sqlite_studies_expire(&store->studies, now);
  if (has_expired(db, now)) expire(store);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

static void progress(srv_store *verbs, const store_run *run, const store_progress *now) {
  sqlite_store *store = (sqlite_store *)verbs;
  if (sqlite_running_tell(&store->running, run, now))
    store_subscribers_notify(&store->subscribers, STORE_EVENT_PROGRESS, run->id);
  store_assembly_flush(&store->assemblies, run);
}

void sqlite_lease_verbs(srv_store *verbs) {
  verbs->heartbeat = heartbeat;
  verbs->progress = progress;
}
