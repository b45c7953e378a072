/* enqueue.c - see enqueue.h. */
#include "server/store/postgres/queue/enqueue.h"

#include "server/store/common/result_chunk.h"
#include "server/store/common/submission.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/operations/health.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct enqueue_command {
  postgres_command command;
  postgres_store *store;
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

/* Finds the job of the key. Returns NOT_FOUND or CONFLICT otherwise. Of several transactions with the same key one is
 * executed at a time. */
static service_status find_key(postgres_db *db, enqueue_command *self) {
  const service_submission *job = &self->job;
  service_status status =
      postgres_db_run(db, NULL, "SELECT pg_advisory_xact_lock(hashtextextended($1 || E'\\x1f' || $2, 1835168612))",
                      "tt", job->client, job->idempotency_key);
  if (status == SERVICE_OK)
    status = postgres_db_run(db, NULL, "DELETE FROM keys WHERE client = $1 AND key = $2 AND created < clock() - $3",
                             "ttd", job->client, job->idempotency_key, (double)STORE_KEY_SECONDS);
  if (status != SERVICE_OK) return status;
  PGresult *result =
      postgres_db_query(db,
                        "SELECT j.id, k.body_hash = $3, j.finished > 0 AND j.finished <= k.created FROM keys k"
                        " JOIN jobs j ON j.seq = k.job WHERE k.client = $1 AND k.key = $2",
                        "ttt", job->client, job->idempotency_key, job->body_hash);
  if (!result) return postgres_db_failure(db);
  bool found = PQntuples(result) > 0, same = found && postgres_integer(result, 0, 1) != 0;
  if (found) {
    postgres_copy(result, 0, 0, self->receipt.id, sizeof self->receipt.id);
    self->receipt.replayed = true;
    self->receipt.reused = job->reuse && postgres_integer(result, 0, 2) != 0;
  }
  PQclear(result);
  return !found ? SERVICE_NOT_FOUND : same ? SERVICE_OK : SERVICE_CONFLICT;
}

static service_status keep_key(postgres_db *db, const enqueue_command *self) {
  const service_submission *job = &self->job;
  if (!job->idempotency_key) return SERVICE_OK;
  return postgres_db_run(db, NULL,
                         "INSERT INTO keys (client, key, body_hash, job) SELECT $1, $2, $3, seq FROM jobs"
                         " WHERE id = $4",
                         "tttt", job->client, job->idempotency_key, job->body_hash, self->receipt.id);
}

/* Finds the newest equal job with the name, tags and keep of the submission, as far as given, among the newest
 * thousand. */
static service_status find_equal(postgres_db *db, enqueue_command *self) {
  const service_submission *job = &self->job;
  PGresult *result = postgres_db_query(
      db,
      "SELECT id FROM (SELECT id, seq, name, tags, keep FROM jobs WHERE content_hash = $1"
      " AND status = 'succeeded' AND ($5::text IS NULL OR client = $5) ORDER BY seq DESC LIMIT 1000) AS found"
      " WHERE ($2::text IS NULL OR name = $2) AND ($3::text IS NULL OR tags = $3)"
      " AND keep >= $4::boolean ORDER BY seq DESC LIMIT 1",
      "tttft", job->content_hash, job->name, job->tags, (int)job->keep, job->reuse_own ? job->client : NULL);
  if (!result) return postgres_db_failure(db);
  self->receipt.reused = PQntuples(result) > 0;
  if (self->receipt.reused) postgres_copy(result, 0, 0, self->receipt.id, sizeof self->receipt.id);
  PQclear(result);
  return self->receipt.reused ? SERVICE_OK : SERVICE_NOT_FOUND;
}

/* ---- a new job --------------------------------------------------------------------------------------------------- */

/* Limits of the client, 0: none: $16 queued jobs, $19 bytes, $20 processor time; they are compared as in
 * service_limit_reached(). $21: bytes that this transaction has added. Without a rate a job takes its submitted
 * estimate. */
static const char insert_job[] =
    "WITH used AS (SELECT (SELECT count(*) FROM (SELECT FROM queue WHERE NOT running AND client = $5"
    " LIMIT $16::bigint) AS waiting) AS jobs, coalesce(sum(bytes), 0)::float8 + $21::float8 AS bytes,"
    " coalesce(sum(cpu) FILTER (WHERE day = today()), 0)::float8 AS cpu"
    " FROM client_use WHERE client = $5 AND $19::float8 + $20::float8 > 0),"
    " room AS (SELECT ($16 = 0 OR jobs < $16) AND ($19 = 0 OR bytes + $10::float8 <= $19) AND ($20 = 0 OR cpu < $20)"
    " AS free FROM used),"
    " job AS (INSERT INTO jobs (id, created, model_name, analysis, client, name, tags, keep, content_hash, bytes,"
    " runs) SELECT $1, $2::float8, $3, $4, $5, $6, $7, $8::boolean, $9, $10::bigint, $18::bigint FROM room WHERE "
    "room.free"
    " ON CONFLICT (id) DO NOTHING RETURNING seq),"
    " document AS (INSERT INTO documents (job, checksum, text) SELECT seq, $11::bigint, $12::bytea FROM job),"
    " waits AS (INSERT INTO queue (id, seq, client, short, kind, span, runs, bytes) SELECT $1, seq, $5,"
    " $18::bigint = 0 AND coalesce((SELECT rate * $14::float8 <= $17::float8 FROM costs WHERE kind = $13::bigint"
    " AND kind <> 0), $15::boolean), $13::bigint, $14::float8, $18::bigint, $10::bigint FROM job)"
    " SELECT room.free, EXISTS (SELECT FROM job), used.jobs, used.bytes, used.cpu,"
    " (86400 * (today() + 1))::float8 - clock() FROM room, used";

/* Puts the limit that refused a job into the receipt. */
static service_status refuse(enqueue_command *self, const PGresult *result) {
  const service_usage usage = {.used = {[SERVICE_LIMIT_QUEUE] = (double)postgres_integer(result, 0, 2),
                                        [SERVICE_LIMIT_BYTES] = postgres_double(result, 0, 3),
                                        [SERVICE_LIMIT_CPU] = postgres_double(result, 0, 4)},
                               .day_left = postgres_double(result, 0, 5)};
  const bool allowed = store_limits_allow(&self->job, &usage, &self->receipt);
  assert(!allowed);
  (void)allowed;
  return SERVICE_CLIENT_FULL;
}

static service_status insert(postgres_writer *writer, enqueue_command *self) {
  const service_submission *job = &self->job;
  postgres_db *db = &writer->db;
  PGresult *result = postgres_db_query(
      db, insert_job, "tdtttttftiibidfididdd", self->id, self->created, job->model_name, job->analysis, job->client,
      job->name, job->tags, (int)job->keep, job->content_hash, (int64_t)job->document_size,
      (int64_t)store_checksum(job->document, job->document_size), (const void *)job->document, job->document_size,
      job->runs > 0 ? 0 : (int64_t)job->cost.kind, job->cost.span, (int)(job->cost.seconds <= STORE_SHORT_SECONDS),
      (int64_t)job->most[SERVICE_LIMIT_QUEUE], STORE_SHORT_SECONDS, (int64_t)job->runs, job->most[SERVICE_LIMIT_BYTES],
      job->most[SERVICE_LIMIT_CPU], (double)postgres_writer_used(writer, job->client));
  if (!result) return postgres_db_failure(db);
  const bool added = postgres_integer(result, 0, 1) != 0;
  const service_status status = postgres_integer(result, 0, 0) != 0 ? SERVICE_OK : refuse(self, result);
  PQclear(result);
  if (status != SERVICE_OK) return status;
  if (!added) return self->command.in_doubt ? SERVICE_OK : SERVICE_REJECTED;
  postgres_writer_count(writer, JOB_QUEUED, 1, (int64_t)job->document_size);
  if (!postgres_writer_use(writer, job->client, (int64_t)job->document_size, 0)) return SERVICE_FAILED;
  return postgres_writer_notify(writer, STORE_EVENT_QUEUED, self->id) ? SERVICE_OK : SERVICE_FAILED;
}

static service_status enqueue_execute(postgres_command *command, postgres_writer *writer) {
  enqueue_command *self = (enqueue_command *)command;
  const service_submission *job = &self->job;
  postgres_db *db = &writer->db;
  self->receipt = (service_receipt){.replayed = false};
  service_status status = job->idempotency_key ? find_key(db, self) : SERVICE_NOT_FOUND;
  /* The job was added by an earlier attempt whose answer was lost. */
  if (self->command.in_doubt && strcmp(self->receipt.id, self->id) == 0) self->receipt.replayed = false;
  if (status != SERVICE_NOT_FOUND) return status;
  if (job->reuse && job->content_hash) status = find_equal(db, self);
  if (status == SERVICE_NOT_FOUND) {
    memcpy(self->receipt.id, self->id, sizeof self->id);
    status = insert(writer, self);
  }
  return status == SERVICE_OK ? keep_key(db, self) : status;
}

static void enqueue_done(postgres_command *command, service_status status) {
  enqueue_command *self = (enqueue_command *)command;
  atomic_fetch_sub(&self->store->enqueuing, 1);
  if (status == SERVICE_NO_SPACE) postgres_health_full(self->store);
  if ((status == SERVICE_OK || status == SERVICE_CLIENT_FULL) && self->job.receipt) *self->job.receipt = self->receipt;
  self->done(self->context, status);
  enqueue_free(self);
}

static void enqueue(srv_store *verbs, const char *id, double created, const service_submission *job, store_done done,
                    void *context) {
  postgres_store *store = (postgres_store *)verbs;
  assert(strlen(id) < SERVICE_ID_SIZE);
  enqueue_command *self = calloc(1, sizeof *self);
  service_submission copies;
  char *texts = self ? store_submission_copy(job, &copies) : NULL;
  if (!texts) {
    free(self);
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (enqueue_command){.command = {.execute = enqueue_execute, .done = enqueue_done, .weight = job->document_size},
                            .store = store,
                            .done = done,
                            .context = context,
                            .created = created,
                            .job = copies,
                            .texts = texts};
  memcpy(self->id, id, strlen(id) + 1);
  atomic_fetch_add(&store->enqueuing, 1);
  postgres_writer_post(&store->queue_writer, &self->command);
}

void postgres_enqueue_verbs(srv_store *verbs) { verbs->enqueue = enqueue; }
