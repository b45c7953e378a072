/* enqueue.c - see enqueue.h. */
#include "server/store/sqlite/queue/enqueue.h"

#include "server/base/clock.h"
#include "server/store/common/submission.h"
#include "server/store/sqlite/connection/state.h"
#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/sqlite/queue/runtime_estimate.h"
#include "server/store/sqlite/queue/texts.h"
#include "server/store/sqlite/queue/usage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct enqueue_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  double created;
  service_submission job;  /* the texts are copies, stored in `texts` */
  service_receipt receipt; /* receipt of the change, which may be undone */
  char *texts;
} enqueue_command;

static void enqueue_free(enqueue_command *self) {
  free(self->texts);
  free(self);
}

/* ---- jobs that exist already ------------------------------------------------------------------------------------- */

/* Copies the job that a query finds to the receipt; its second column tells whether the row is intact. Returns
 * NOT_FOUND or DAMAGED otherwise. */
static service_status found_job(sqlite_db *db, sqlite3_stmt *query, service_receipt *receipt) {
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  if (code == SQLITE_ROW) strncpy(receipt->id, (const char *)sqlite3_column_text(query, 0), sizeof receipt->id - 1);
  bool damaged = code == SQLITE_ROW && !sqlite3_column_int(query, 1);
  service_status status = code == SQLITE_ROW    ? SERVICE_OK
                          : code == SQLITE_DONE ? SERVICE_NOT_FOUND
                                                : sqlite_db_failure(db, "enqueue");
  sqlite3_reset(query);
  return damaged ? sqlite_text_damaged(receipt->id, "row") : status;
}

/* Compares the body of the key (else CONFLICT), and determines whether its answer was a job that had already succeeded:
 * a job added with the key ends after it. */
static service_status compare_key(sqlite_db *db, enqueue_command *self) {
  const service_submission *job = &self->job;
  sqlite3_stmt *query = sqlite_db_query(
      db,
      "SELECT jobs.finished > 0 AND jobs.finished <= keys.created FROM keys JOIN jobs ON jobs.seq = keys.job"
      " WHERE keys.client = ? AND keys.key = ? AND keys.body_hash = ?",
      "ttt", job->client, job->idempotency_key, job->body_hash);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  self->receipt.reused = job->reuse && code == SQLITE_ROW && sqlite3_column_int(query, 0) == 1;
  service_status status = code == SQLITE_ROW    ? SERVICE_OK
                          : code == SQLITE_DONE ? SERVICE_CONFLICT
                                                : sqlite_db_failure(db, "enqueue");
  sqlite3_reset(query);
  return status;
}

/* Removes keys older than a day, then looks up this one. Returns NOT_FOUND, CONFLICT or DAMAGED. */
static service_status find_key(sqlite_db *db, enqueue_command *self) {
  const service_submission *job = &self->job;
  service_status status =
      sqlite_db_run(db, "DELETE FROM keys WHERE created < ?", "d", srv_clock_wall() - STORE_KEY_SECONDS);
  if (status != SERVICE_OK) return status;
  sqlite3_stmt *query = sqlite_db_query(db,
                                        "SELECT id, " SQLITE_JOB_IS_WHOLE " FROM jobs"
                                        " WHERE seq = (SELECT job FROM keys WHERE client = ? AND key = ?)",
                                        "tt", job->client, job->idempotency_key);
  status = found_job(db, query, &self->receipt);
  if (status != SERVICE_OK) return status;
  self->receipt.replayed = true;
  return compare_key(db, self);
}

static service_status keep_key(sqlite_db *db, const enqueue_command *self) {
  const service_submission *job = &self->job;
  if (!job->idempotency_key) return SERVICE_OK;
  return sqlite_db_run(db,
                       "INSERT INTO keys (client, key, body_hash, created, job)"
                       " SELECT ?, ?, ?, ?, seq FROM jobs WHERE id = ?",
                       "tttdt", job->client, job->idempotency_key, job->body_hash, srv_clock_wall(), self->receipt.id);
}

/* Finds the newest equal job with the name, tags and keep of the submission, as far as given. Examines the newest
 * thousand equal jobs only, because others wait for the same connection. */
static service_status find_equal(sqlite_db *db, enqueue_command *self) {
  const service_submission *job = &self->job;
  sqlite3_stmt *query = sqlite_db_query(
      db,
      "SELECT id, 1 FROM (SELECT seq, id, name, tags, keep FROM jobs WHERE content_hash = ?1"
      " AND status = 'succeeded' AND (?5 IS NULL OR client = ?5) ORDER BY seq DESC LIMIT 1000) AS found"
      " WHERE (?2 IS NULL OR name = ?2) AND (?3 IS NULL OR tags = ?3) AND keep >= ?4"
      " AND " SQLITE_ROW_IS_WHOLE("found") " LIMIT 1",
      "tttit", job->content_hash, job->name, job->tags, (sqlite3_int64)job->keep, job->reuse_own ? job->client : NULL);
  service_status status = found_job(db, query, &self->receipt);
  self->receipt.reused = status == SERVICE_OK;
  return status;
}

/* ---- a new job --------------------------------------------------------------------------------------------------- */

static service_status check_limits(sqlite_db *db, enqueue_command *self) {
  const service_submission *job = &self->job;
  service_usage usage;
  service_status status = sqlite_usage_read(db, job->client, &usage);
  if (status != SERVICE_OK) return status;
  return store_limits_allow(job, &usage, &self->receipt) ? SERVICE_OK : SERVICE_CLIENT_FULL;
}

static service_status insert(sqlite_db *db, const enqueue_command *self) {
  const service_submission *job = &self->job;
  sqlite3_int64 brief = 0;
  service_status status = job->runs > 0 ? SERVICE_OK : sqlite_runtime_expect(db, &job->cost, &brief);
  if (status != SERVICE_OK) return status;
  status =
      sqlite_db_run(db,
                    "INSERT INTO jobs (id, status, created, model_name, analysis, client, name, tags, keep,"
                    " content_hash, kind, span, short, runs, bytes)"
                    " VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "tdtttttitidiii", self->id, self->created, job->model_name, job->analysis, job->client, job->name,
                    job->tags, (sqlite3_int64)job->keep, job->content_hash, (sqlite3_int64)job->cost.kind,
                    job->cost.span, brief, (sqlite3_int64)job->runs, (sqlite3_int64)job->document_size);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(db, "INSERT INTO documents (job, text, checksum) VALUES (?, ?, ?)", "ibi",
                       sqlite3_last_insert_rowid(db->handle), (const void *)job->document, job->document_size,
                       sqlite_text_checksum(job->document, job->document_size));
}

static service_status enqueue_execute(sqlite_command *command, sqlite_db *db) {
  enqueue_command *self = (enqueue_command *)command;
  const service_submission *job = &self->job;
  self->receipt = (service_receipt){.replayed = false};
  service_status status = job->idempotency_key ? find_key(db, self) : SERVICE_NOT_FOUND;
  if (status != SERVICE_NOT_FOUND) return status;
  if (job->reuse && job->content_hash) status = find_equal(db, self);
  if (status == SERVICE_NOT_FOUND) {
    memcpy(self->receipt.id, self->id, sizeof self->id);
    status = check_limits(db, self);
    if (status == SERVICE_OK) status = insert(db, self);
  }
  return status == SERVICE_OK ? keep_key(db, self) : status;
}

static void enqueue_done(sqlite_command *command, service_status status) {
  enqueue_command *self = (enqueue_command *)command;
  atomic_fetch_sub(&self->store->enqueuing, 1);
  if ((status == SERVICE_OK || status == SERVICE_CLIENT_FULL) && self->job.receipt) *self->job.receipt = self->receipt;
  if (status == SERVICE_OK && strcmp(self->receipt.id, self->id) == 0)
    store_subscribers_notify(&self->store->subscribers, STORE_EVENT_QUEUED, self->id); /* the job is new */
  self->done(self->context, status);
  enqueue_free(self);
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static void enqueue(srv_store *verbs, const char *id, double created, const service_submission *job, store_done done,
                    void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  assert(strlen(id) < SERVICE_ID_SIZE);
  enqueue_command *self = calloc(1, sizeof *self);
  service_submission copies;
  char *texts = self ? store_submission_copy(job, &copies) : NULL;
  if (!texts) {
    free(self);
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (enqueue_command){.command = {enqueue_execute, enqueue_done, job->document_size, SERVICE_OK, NULL, false},
                            .store = store,
                            .done = done,
                            .context = context,
                            .created = created,
                            .job = copies,
                            .texts = texts};
  memcpy(self->id, id, strlen(id) + 1);
  atomic_fetch_add(&store->enqueuing, 1);
  sqlite_writer_post(&store->queue_writer, &self->command);
}

void sqlite_enqueue_verbs(srv_store *verbs) { verbs->enqueue = enqueue; }
