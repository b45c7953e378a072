/* queue.c - see queue.h. */
#include "server/store/sqlite/queue.h"

#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sqlite/state.h"

#include <stdlib.h>
#include <string.h>

/* A job during which the service itself died this often is given up: it may be what kills it. */
enum { MOST_INTERRUPTIONS = 10 };

/* The error of a job that is cancelled without a worker to say so; `t`: how far it came. */
#define CANCELLED_ERROR(t)                                                                         \
  "json_object('code', 'cancelled', 'detail', 'stopped on request', 't', " t ", 'element', NULL, " \
  "'pointer', NULL)"

/* A change of one job by its id. */
typedef struct job_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  store_run run;
} job_command;

static void job_command_done(sqlite_command *command, service_status status) {
  job_command *self = (job_command *)command;
  if (self->done) self->done(self->context, status);
  free(self);
}

static void post_job_command(srv_store *verbs, service_status (*execute)(sqlite_command *, sqlite_db *), store_run run,
                             store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  job_command *self = malloc(sizeof *self);
  if (!self) {
    if (done) done(context, SERVICE_FAILED);
    return;
  }
  *self = (job_command){{execute, job_command_done, 0, SERVICE_OK, NULL}, store, done, context, run};
  sqlite_writer_post(&store->queue_writer, &self->command);
}

static service_status changed(sqlite_db *db, service_status status) {
  return status == SERVICE_OK && sqlite3_changes(db->handle) == 0 ? SERVICE_NOT_FOUND : status;
}

/* ---- enqueue --------------------------------------------------------------------------------------------------- */

typedef struct enqueue_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  double created;
  char *document, *model_name, *analysis;
  size_t document_size;
} enqueue_command;

static void enqueue_free(enqueue_command *self) {
  free(self->document);
  free(self->model_name);
  free(self->analysis);
  free(self);
}

static service_status enqueue_execute(sqlite_command *command, sqlite_db *db) {
  enqueue_command *self = (enqueue_command *)command;
  service_status status =
      sqlite_db_run(db, "INSERT INTO jobs (id, status, created, model_name, analysis) VALUES (?, 'queued', ?, ?, ?)",
                    "tdtt", self->id, self->created, self->model_name, self->analysis);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(db, "INSERT INTO documents (job, text) VALUES (?, ?)", "ib",
                       sqlite3_last_insert_rowid(db->handle), (const void *)self->document, self->document_size);
}

static void enqueue_done(sqlite_command *command, service_status status) {
  enqueue_command *self = (enqueue_command *)command;
  atomic_fetch_sub(&self->store->enqueuing, 1);
  self->done(self->context, status);
  enqueue_free(self);
}

static void enqueue(srv_store *verbs, const char *id, double created, const service_submission *job, store_done done,
                    void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  enqueue_command *self = calloc(1, sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (enqueue_command){.command = {enqueue_execute, enqueue_done, job->document_size, SERVICE_OK, NULL},
                            .store = store,
                            .done = done,
                            .context = context,
                            .created = created,
                            .document = malloc(job->document_size + 1),
                            .document_size = job->document_size,
                            .model_name = job->model_name ? strdup(job->model_name) : NULL,
                            .analysis = job->analysis ? strdup(job->analysis) : NULL};
  memcpy(self->id, id, strlen(id) + 1);
  if (!self->document || (job->model_name && !self->model_name) || (job->analysis && !self->analysis)) {
    done(context, SERVICE_FAILED);
    enqueue_free(self);
    return;
  }
  memcpy(self->document, job->document, job->document_size);
  atomic_fetch_add(&store->enqueuing, 1);
  sqlite_writer_post(&store->queue_writer, &self->command);
}

/* ---- claim ----------------------------------------------------------------------------------------------------- */

typedef struct claim_command {
  sqlite_command command;
  sqlite_store *store;
  store_claimed claimed;
  void *context;
  double leases_checked; /* when expired leases were last looked for */
  store_claim claim;
} claim_command;

/* What gives a running job back, which came as far as `t`. */
#define GIVE_BACK(t)                                                                          \
  "UPDATE jobs SET status = CASE cancel_requested WHEN 0 THEN 'queued' ELSE 'cancelled' END," \
  " finished = CASE cancel_requested WHEN 0 THEN 0 ELSE ?1 END,"                              \
  " progress_t = CASE cancel_requested WHEN 0 THEN 0 ELSE coalesce(" t ", 0) END,"            \
  " error = CASE cancel_requested WHEN 0 THEN NULL ELSE " CANCELLED_ERROR(t) " END"
/* And shows what a cancelled one has, where its run is over. */
#define SHOW_CANCELLED " shown = CASE cancel_requested WHEN 0 THEN 0 ELSE attempt END"

static service_status expire_leases(claim_command *self, sqlite_db *db, double now) {
  if (now - self->leases_checked < STORE_LEASE_SECONDS / 4.0) return SERVICE_OK;
  self->leases_checked = now;
  return sqlite_db_run(db, GIVE_BACK("NULL") " WHERE status = 'running' AND lease_until < ?1", "d", now);
}

static service_status load_document(sqlite_db *db, sqlite3_int64 seq, store_claim *claim) {
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT text FROM documents WHERE job = ?", "i", seq);
  if (!query) return SERVICE_FAILED;
  service_status status = SERVICE_FAILED;
  if (sqlite3_step(query) == SQLITE_ROW) {
    const void *text = sqlite3_column_blob(query, 0);
    claim->document_size = (size_t)sqlite3_column_bytes(query, 0);
    claim->document = malloc(claim->document_size + 1);
    if (claim->document) {
      if (text) memcpy(claim->document, text, claim->document_size);
      claim->document[claim->document_size] = '\0';
      status = SERVICE_OK;
    }
  }
  sqlite3_reset(query);
  return status;
}

/* Claims the oldest queued job. NOT_READY: there is none. */
static service_status claim_oldest(sqlite_db *db, double now, store_claim *claim) {
  sqlite3_stmt *query =
      sqlite_db_query(db,
                      "UPDATE jobs SET status = 'running', attempt = attempt + 1, started = ?1, lease_until = ?2"
                      " WHERE seq = (SELECT seq FROM jobs WHERE status = 'queued' ORDER BY seq LIMIT 1)"
                      " RETURNING seq, id, attempt, crashes",
                      "dd", now, now + STORE_LEASE_SECONDS);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  sqlite3_int64 seq = 0;
  if (code == SQLITE_ROW) {
    seq = sqlite3_column_int64(query, 0);
    strncpy(claim->run.id, (const char *)sqlite3_column_text(query, 1), SERVICE_ID_SIZE - 1);
    claim->run.attempt = sqlite3_column_int(query, 2);
    claim->crashes = sqlite3_column_int(query, 3);
    sqlite3_step(query);
  }
  sqlite3_reset(query);
  if (code == SQLITE_DONE) return SERVICE_NOT_READY;
  if (code != SQLITE_ROW) return sqlite_db_failure(db, "claim");
  return load_document(db, seq, claim);
}

static service_status claim_execute(sqlite_command *command, sqlite_db *db) {
  claim_command *self = (claim_command *)command;
  if (atomic_load(&self->store->claims_stopped)) return SERVICE_NOT_FOUND;
  /* With the disk's reserve reached, what waits goes on waiting: its results could not be kept. */
  if (!self->store->verbs.has_space(&self->store->verbs)) return SERVICE_NOT_READY;
  free(self->claim.document); /* of a transaction that was undone */
  self->claim = (store_claim){.crashes = 0};
  double now = srv_clock_wall();
  service_status status = expire_leases(self, db, now);
  if (status == SERVICE_OK) status = claim_oldest(db, now, &self->claim);
  return status;
}

static void claim_done(sqlite_command *command, service_status status) {
  claim_command *self = (claim_command *)command;
  if (status != SERVICE_OK) free(self->claim.document);
  self->claimed(self->context, status == SERVICE_OK ? &self->claim : NULL);
  free(self);
}

static void claim(srv_store *verbs, store_claimed claimed, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  claim_command *self = calloc(1, sizeof *self);
  if (!self) {
    claimed(context, NULL);
    return;
  }
  self->command = (sqlite_command){claim_execute, claim_done, 0, SERVICE_OK, NULL};
  self->store = store;
  self->claimed = claimed;
  self->context = context;
  sqlite_writer_post(&store->queue_writer, &self->command);
}

static service_status nothing_execute(sqlite_command *command, sqlite_db *db) {
  (void)command;
  (void)db;
  return SERVICE_OK;
}

static void stop_claims(srv_store *verbs) {
  atomic_store(&((sqlite_store *)verbs)->claims_stopped, true);
  /* Any command makes the writer look at the claims that wait. */
  post_job_command(verbs, nothing_execute, (store_run){.attempt = 0}, NULL, NULL);
}

/* ---- heartbeat ------------------------------------------------------------------------------------------------- */

static service_status heartbeat_execute(sqlite_command *command, sqlite_db *db) {
  job_command *self = (job_command *)command;
  return sqlite_db_run(db, "UPDATE jobs SET lease_until = ?1 WHERE id = ?2 AND attempt = ?3 AND status = 'running'",
                       "dti", srv_clock_wall() + STORE_LEASE_SECONDS, self->run.id, (sqlite3_int64)self->run.attempt);
}

static void heartbeat(srv_store *verbs, const store_run *runs, size_t count) {
  for (size_t i = 0; i < count; i++) post_job_command(verbs, heartbeat_execute, runs[i], NULL, NULL);
}

/* ---- requeue, cancel ------------------------------------------------------------------------------------------- */

service_status sqlite_queue_requeue(sqlite_db *queue, const store_run *run, double t, bool crashed) {
  return changed(queue, sqlite_db_run(queue,
                                      GIVE_BACK("?5") "," SHOW_CANCELLED ", crashes = crashes + ?2"
                                                      " WHERE id = ?3 AND attempt = ?4 AND status = 'running'",
                                      "ditid", srv_clock_wall(), (sqlite3_int64)crashed, run->id,
                                      (sqlite3_int64)run->attempt, t));
}

static service_status cancel_execute(sqlite_command *command, sqlite_db *db) {
  job_command *self = (job_command *)command;
  service_status status =
      sqlite_db_run(db,
                    "UPDATE jobs SET status = 'cancelled', finished = ?1, cancel_requested = 1, shown = attempt, error "
                    "= " CANCELLED_ERROR("NULL") " WHERE id = ?2 AND status = 'queued'",
                    "dt", srv_clock_wall(), self->run.id);
  if (status != SERVICE_OK || sqlite3_changes(db->handle) > 0) return status;
  return changed(db, sqlite_db_run(db, "UPDATE jobs SET cancel_requested = 1 WHERE id = ?", "t", self->run.id));
}

static void cancel(srv_store *verbs, const char *id, store_done done, void *context) {
  store_run run = {.attempt = 0};
  strncpy(run.id, id, SERVICE_ID_SIZE - 1);
  post_job_command(verbs, cancel_execute, run, done, context);
}

/* ---- recovery -------------------------------------------------------------------------------------------------- */

service_status sqlite_queue_recover(sqlite_db *queue) {
  double now = srv_clock_wall();
  service_status status =
      sqlite_db_run(queue,
                    "UPDATE jobs SET status = 'failed', finished = ?1, error = '{\"code\":\"interrupted\",\"detail\":"
                    "\"the service died each time it ran this job\"}', shown = attempt"
                    " WHERE status = 'running' AND cancel_requested = 0 AND interruptions >= ?2",
                    "di", now, (sqlite3_int64)MOST_INTERRUPTIONS - 1);
  if (status != SERVICE_OK) return status;
  status = sqlite_db_run(
      queue, GIVE_BACK("NULL") "," SHOW_CANCELLED ", interruptions = interruptions + 1 WHERE status = 'running'", "d",
      now);
  int count = sqlite3_changes(queue->handle);
  if (status == SERVICE_OK && count > 0)
    srv_log(SRV_WARNING, "jobs_interrupted", (srv_field[]){srv_number("jobs", count), {0}});
  return status;
}

void sqlite_queue_verbs(srv_store *verbs) {
  verbs->enqueue = enqueue;
  verbs->claim = claim;
  verbs->stop_claims = stop_claims;
  verbs->heartbeat = heartbeat;
  verbs->cancel = cancel;
}
