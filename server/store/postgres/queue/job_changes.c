/* job_changes.c - see job_changes.h. */
#include "server/store/postgres/queue/job_changes.h"

#include "api/base/text.h"
#include "server/store/common/submission.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/queue/job_transitions.h"
#include "server/store/postgres/results/results.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct job_change_command {
  postgres_command command;
  postgres_store *store;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  service_change change; /* the texts are copies, and so is `expected` */
  service_job expected;
} job_change_command;

static void command_free(job_change_command *self) {
  free((char *)self->change.name);
  free((char *)self->change.tags);
  service_job_free(&self->expected);
  free(self);
}

static void post(srv_store *verbs, const char *id, job_change_command *self, store_done done, void *context) {
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  self->store = (postgres_store *)verbs;
  self->done = done;
  self->context = context;
  strncpy(self->id, id, SERVICE_ID_SIZE - 1);
  postgres_writer_post(&self->store->queue_writer, &self->command);
}

static void command_done(postgres_command *command, service_status status) {
  job_change_command *self = (job_change_command *)command;
  self->done(self->context, status);
  command_free(self);
}

static service_status find_job(postgres_db *db, const char *id) {
  PGresult *result = postgres_db_query(db, "SELECT 1 FROM jobs WHERE id = $1", "t", id);
  if (!result) return postgres_db_failure(db);
  bool found = PQntuples(result) > 0;
  PQclear(result);
  return found ? SERVICE_OK : SERVICE_NOT_FOUND;
}

/* ---- cancel ------------------------------------------------------------------------------------------------------ */

static service_status cancel_execute(postgres_command *command, postgres_writer *writer) {
  job_change_command *self = (job_change_command *)command;
  postgres_db *db = &writer->db;
  PGresult *result = postgres_db_query(db, "SELECT running FROM queue WHERE id = $1 FOR UPDATE", "t", self->id);
  if (!result) return postgres_db_failure(db);
  bool queued = PQntuples(result) > 0, running = queued && postgres_integer(result, 0, 0) != 0, ended;
  PQclear(result);
  if (!queued) return find_job(db, self->id);
  if (!running) return postgres_end_waiting(writer, self->id, &ended);
  service_status status =
      postgres_db_run(db, NULL, "UPDATE queue SET cancel_requested = true WHERE id = $1", "t", self->id);
  if (status != SERVICE_OK) return status;
  return postgres_writer_notify(writer, STORE_EVENT_CANCEL, self->id) ? SERVICE_OK : SERVICE_FAILED;
}

static void cancel(srv_store *verbs, const char *id, store_done done, void *context) {
  job_change_command *self = calloc(1, sizeof *self);
  if (self) self->command = (postgres_command){.execute = cancel_execute, .done = command_done};
  post(verbs, id, self, done, context);
}

/* ---- change ------------------------------------------------------------------------------------------------------ */

static service_status change_execute(postgres_command *command, postgres_writer *writer) {
  const job_change_command *self = (const job_change_command *)command;
  const service_change *change = &self->change;
  size_t changed = 0;
  service_status status =
      postgres_db_run(&writer->db, &changed,
                      "UPDATE jobs SET name = CASE WHEN $2::boolean THEN $3 ELSE name END,"
                      " tags = CASE WHEN $4::boolean THEN $5 ELSE tags END,"
                      " keep = CASE WHEN $6::boolean THEN $7::boolean ELSE keep END WHERE id = $1"
                      " AND (NOT $8::boolean OR (name IS NOT DISTINCT FROM $9::text"
                      " AND tags IS NOT DISTINCT FROM $10::text AND keep = $11::boolean))",
                      "tftftfffttf", self->id, (int)change->set_name, change->name, (int)change->set_tags, change->tags,
                      (int)change->set_keep, (int)change->keep, (int)(change->expected != NULL), self->expected.name,
                      self->expected.tags, (int)self->expected.keep);
  if (status == SERVICE_OK && changed == 0 && change->expected)
    return find_job(&writer->db, self->id) == SERVICE_OK ? SERVICE_CHANGED : SERVICE_NOT_FOUND;
  return status == SERVICE_OK && changed == 0 ? SERVICE_NOT_FOUND : status;
}

static void change(srv_store *verbs, const char *id, const service_change *change, store_done done, void *context) {
  job_change_command *self = calloc(1, sizeof *self);
  if (self) {
    self->command = (postgres_command){.execute = change_execute, .done = command_done};
    self->change = *change;
    self->change.name = api_text_copy(change->name);
    self->change.tags = api_text_copy(change->tags);
  }
  bool whole = self && (!change->name || self->change.name) && (!change->tags || self->change.tags);
  if (whole && change->expected) {
    self->change.expected = &self->expected;
    whole = store_expected_copy(change->expected, &self->expected);
  }
  if (self && !whole) {
    command_free(self);
    self = NULL;
  }
  post(verbs, id, self, done, context);
}

/* ---- remove ------------------------------------------------------------------------------------------------------ */

/* Locks the job's row in the queue first, like all other changes. */
static const char remove_waiting[] = "DELETE FROM queue WHERE id = $1 RETURNING running";
static const char remove_job_row[] = "DELETE FROM jobs WHERE id = $1 RETURNING status, bytes, client";

static service_status remove_execute(postgres_command *command, postgres_writer *writer) {
  job_change_command *self = (job_change_command *)command;
  postgres_db *db = &writer->db;
  PGresult *waiting = postgres_db_query(db, remove_waiting, "t", self->id);
  PGresult *job = waiting ? postgres_db_query(db, remove_job_row, "t", self->id) : NULL;
  if (!job) {
    PQclear(waiting);
    return postgres_db_failure(db);
  }
  bool found = PQntuples(job) > 0, noted = true;
  if (found) {
    job_state state = PQntuples(waiting) == 0           ? job_state_find(PQgetvalue(job, 0, 0))
                      : postgres_integer(waiting, 0, 0) ? JOB_RUNNING
                                                        : JOB_QUEUED;
    const int64_t bytes = postgres_integer(job, 0, 1);
    if (state < JOB_STATES) postgres_writer_count(writer, state, -1, -bytes);
    noted = postgres_writer_use(writer, PQgetvalue(job, 0, 2), -bytes, 0);
  }
  PQclear(waiting);
  PQclear(job);
  if (!found) return SERVICE_NOT_FOUND;
  return noted && postgres_writer_notify(writer, STORE_EVENT_REMOVED, self->id) ? SERVICE_OK : SERVICE_FAILED;
}

static void remove_done(postgres_command *command, service_status status) {
  job_change_command *self = (job_change_command *)command;
  bool made_before = status == SERVICE_NOT_FOUND && command->in_doubt;
  if (status == SERVICE_OK || made_before) {
    store_assembly_forget(&self->store->assemblies, self->id);
    postgres_results_forget(self->store, self->id, 0, INT_MAX);
  }
  command_done(command, made_before ? SERVICE_OK : status);
}

static void remove_job(srv_store *verbs, const char *id, store_done done, void *context) {
  job_change_command *self = calloc(1, sizeof *self);
  if (self) self->command = (postgres_command){.execute = remove_execute, .done = remove_done};
  post(verbs, id, self, done, context);
}

void postgres_job_change_verbs(srv_store *verbs) {
  verbs->cancel = cancel;
  verbs->change = change;
  verbs->remove = remove_job;
}
