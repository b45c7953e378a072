/* claims.c - see claims.h.
 *
 * The numbers of waiting and running jobs of a client are not stored: they are counted in indexes of the queue, which
 * contains only waiting and running jobs. So servers do not wait for each other because of one client. `turns` contains
 * the time of a client's last claim; a server that finds that row locked leaves it to the other server, which writes
 * the same. */
#include "server/store/postgres/queue/claims.h"

#include "server/store/common/result_chunk.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/operations/health.h"
#include "server/store/postgres/queue/job_transitions.h"
#include "server/store/postgres/queue/studies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct claim_command {
  postgres_command command;
  postgres_store *store;
  store_claimed claimed;
  void *context;
  bool brief; /* short jobs only */
  bool ahead; /* blocks only, and without waiting */
  store_claim claim;
  bool damaged; /* the document is damaged: the job has ended */
} claim_command;

/* The clients that have jobs to claim, each with the arrival of its oldest, by steps through an index. `more` restricts
 * the jobs. */
#define CLIENTS(more)                                                                                         \
  "WITH RECURSIVE clients AS ((SELECT client, arrived FROM queue WHERE NOT running" more                      \
  " ORDER BY client, seq LIMIT 1) UNION ALL SELECT next.client, next.arrived FROM clients CROSS JOIN LATERAL" \
  " (SELECT client, arrived FROM queue WHERE NOT running" more " AND client > clients.client"                 \
  " ORDER BY client, seq LIMIT 1) AS next),"

/* Claims the picked job and updates the time of its client's last claim. */
#define TAKE_PICKED                                                                                          \
  " claimed AS (UPDATE queue SET running = true, attempt = attempt + 1, started = clock(),"                  \
  " lease_until = clock() + $1::float8 FROM picked WHERE queue.id = picked.id RETURNING queue.*),"           \
  " free AS (SELECT client FROM turns WHERE client IN (SELECT client FROM claimed) FOR UPDATE SKIP LOCKED)," \
  " turned AS (UPDATE turns SET last = clock() FROM free WHERE turns.client = free.client),"                 \
  " began AS (INSERT INTO turns SELECT client, clock() FROM claimed"                                         \
  " WHERE NOT EXISTS (SELECT FROM turns WHERE turns.client = claimed.client) ON CONFLICT DO NOTHING)"        \
  " SELECT claimed.id, claimed.attempt, claimed.crashes, documents.text, documents.checksum, claimed.runs,"  \
  " claimed.client FROM claimed JOIN documents ON documents.job = claimed.seq"

/* Picks, in the order of clients, the first job that no other server is claiming. A client without a claim waits since
 * the arrival of its oldest job. */
#define CLAIM(more)                                                                                              \
  CLIENTS(more)                                                                                                  \
  " turn AS (SELECT client, coalesce(busy.jobs, 0) AS jobs, greatest(turns.last, arrived) AS since FROM clients" \
  " LEFT JOIN (SELECT client, count(*) AS jobs FROM queue WHERE running GROUP BY client) AS busy USING (client)" \
  " LEFT JOIN turns USING (client) ORDER BY jobs, since, client),"                                               \
  " picked AS (SELECT job.id FROM turn CROSS JOIN LATERAL (SELECT id FROM queue WHERE NOT running" more          \
  " AND client = turn.client ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED) AS job"                                \
  " ORDER BY turn.jobs, turn.since, turn.client LIMIT 1)," TAKE_PICKED

/* The oldest job of a client; if $3, one that is not a study. */
#define CLAIM_OF_CLIENT                                                                                      \
  "WITH picked AS (SELECT id FROM queue WHERE NOT running AND client = $2 AND (runs = 0 OR NOT $3::boolean)" \
  " ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED)," TAKE_PICKED

/* If studies are in progress: the order of clients, with their running jobs and blocks, and whether they have blocks to
 * claim. */
#define TURNS                                                                                          \
  CLIENTS("")                                                                                          \
  " waiting AS (SELECT DISTINCT client FROM studies WHERE coordinated AND EXISTS (SELECT FROM ranges"  \
  " WHERE ranges.job = studies.job AND attempt = 0)),"                                                 \
  " everybody AS (SELECT client, max(arrived) AS arrived FROM (SELECT client, arrived FROM clients"    \
  " UNION ALL SELECT client, 0 FROM waiting) AS both_kinds GROUP BY client),"                          \
  " busy AS (SELECT client, count(*) AS jobs FROM queue WHERE running AND runs = 0 GROUP BY client),"  \
  " held AS (SELECT client, count(*) AS blocks FROM studies JOIN ranges USING (job) WHERE attempt > 0" \
  " GROUP BY client)"                                                                                  \
  " SELECT client, coalesce(jobs, 0), coalesce(blocks, 0), waiting.client IS NOT NULL FROM everybody"  \
  " LEFT JOIN waiting USING (client) LEFT JOIN busy USING (client) LEFT JOIN held USING (client)"      \
  " LEFT JOIN turns USING (client) ORDER BY coalesce(jobs, 0) + coalesce(blocks, 0),"                  \
  " greatest(turns.last, arrived), client LIMIT 32"

/* Reads a claim from the result. Returns DAMAGED if its document is. */
static service_status take_claim(claim_command *self, const PGresult *result) {
  store_claim *claim = &self->claim;
  postgres_copy(result, 0, 0, claim->run.id, SERVICE_ID_SIZE);
  claim->run.attempt = (int)postgres_integer(result, 0, 1);
  claim->crashes = (int)postgres_integer(result, 0, 2);
  claim->runs = (size_t)postgres_integer(result, 0, 5);
  claim->document_size = (size_t)PQgetlength(result, 0, 3);
  claim->document = malloc(claim->document_size + 1);
  if (!claim->document) return SERVICE_FAILED;
  memcpy(claim->document, PQgetvalue(result, 0, 3), claim->document_size);
  claim->document[claim->document_size] = '\0';
  bool whole = (int64_t)store_checksum(claim->document, claim->document_size) == postgres_integer(result, 0, 4);
  return whole ? SERVICE_OK : SERVICE_DAMAGED;
}

/* Ends a job whose document is damaged, without running it. */
static service_status end_damaged(postgres_writer *writer, const store_run *run) {
  const store_end end = {.run = *run,
                         .state = JOB_FAILED,
                         .error = "{\"code\":\"document_damaged\",\"detail\":\"the stored document does not match its "
                                  "checksum; the job was not run. Submit it again\",\"t\":null,\"element\":null,"
                                  "\"pointer\":null}"};
  postgres_health_damaged(writer->store, run->id, "document");
  bool ended;
  return postgres_end(writer, &end, 0, 0, &ended);
}

/* Processes the claim of a job: it runs, and if it is a study it now has a coordinator. */
static service_status begin_job(claim_command *self, postgres_writer *writer, const PGresult *result) {
  service_status status = take_claim(self, result);
  if (status != SERVICE_OK && status != SERVICE_DAMAGED) return status;
  postgres_copy(result, 0, 6, self->claim.client, sizeof self->claim.client);
  postgres_writer_count(writer, JOB_QUEUED, -1, 0);
  postgres_writer_count(writer, JOB_RUNNING, 1, 0);
  self->damaged = status == SERVICE_DAMAGED;
  if (self->damaged) return end_damaged(writer, &self->claim.run);
  if (self->claim.runs > 0) {
    status = postgres_studies_begin(writer, self->claim.run.id, PQgetvalue(result, 0, 6), self->claim.runs);
    writer->studies = WRITER_STUDIES;
  }
  if (status != SERVICE_OK) return status;
  return postgres_writer_notify(writer, STORE_EVENT_STARTED, self->claim.run.id) ? SERVICE_OK : SERVICE_FAILED;
}

/* Processes the result of a claim. Returns NOT_READY if it is empty; frees the result. */
static service_status take_job(claim_command *self, postgres_writer *writer, PGresult *result) {
  if (!result) return postgres_db_failure(&writer->db);
  service_status status = PQntuples(result) == 0 ? SERVICE_NOT_READY : begin_job(self, writer, result);
  PQclear(result);
  return status;
}

/* Loads the document of a study whose block was claimed, and updates its client's last claim. */
static const char load_study[] =
    "WITH turned AS (INSERT INTO turns VALUES ($2, clock()) ON CONFLICT (client) DO UPDATE SET last = excluded.last)"
    " SELECT j.id, $3::int, $4::int, d.text, d.checksum, $5::bigint FROM jobs j JOIN documents d ON d.job = j.seq"
    " WHERE j.id = $1";

static service_status take_block(claim_command *self, postgres_writer *writer, const char *client) {
  postgres_db *db = &writer->db;
  store_claim block;
  service_status status = postgres_studies_take(db, client, self->store->verbs.lease_seconds, &block);
  if (status != SERVICE_OK) return status;
  PGresult *result = postgres_db_query(db, load_study, "ttiii", block.run.id, client, (int64_t)block.run.attempt,
                                       (int64_t)block.crashes, (int64_t)block.runs);
  if (!result) return postgres_db_failure(db);
  status = PQntuples(result) > 0 ? take_claim(self, result) : SERVICE_NOT_READY;
  PQclear(result);
  self->claim.run.is_block = true;
  snprintf(self->claim.client, sizeof self->claim.client, "%s", client);
  self->claim.first = block.first;
  /* the coordinator has another copy, and fails because of it */
  return status == SERVICE_DAMAGED ? SERVICE_FAILED : status;
}

/* Claims for a client: a block of its study or a job, the kind of which fewer run. */
static service_status claim_for(claim_command *self, postgres_writer *writer, const PGresult *turns, int row) {
  const char *client = PQgetvalue(turns, row, 0);
  bool waits = postgres_integer(turns, row, 3) != 0;
  bool block_first = waits && postgres_integer(turns, row, 2) <= postgres_integer(turns, row, 1);
  service_status status = block_first ? take_block(self, writer, client) : SERVICE_NOT_READY;
  if (status == SERVICE_NOT_READY)
    status = take_job(
        self, writer,
        postgres_db_query(&writer->db, CLAIM_OF_CLIENT, "dtf", self->store->verbs.lease_seconds, client, (int)waits));
  return status == SERVICE_NOT_READY && waits && !block_first ? take_block(self, writer, client) : status;
}

/* Determines whether a client has a job to claim; if `others`, one that is not a study. */
static service_status has_job(postgres_db *db, const char *client, bool others, bool *has) {
  PGresult *result = postgres_db_query(
      db, "SELECT EXISTS (SELECT FROM queue WHERE NOT running AND client = $1 AND (runs = 0 OR NOT $2::boolean))", "tf",
      client, (int)others);
  if (!result) return postgres_db_failure(db);
  *has = postgres_integer(result, 0, 0) != 0;
  PQclear(result);
  return SERVICE_OK;
}

/* Claims what claim_for() would claim if that is a block. */
static service_status claim_next_block_for(claim_command *self, postgres_writer *writer, const PGresult *turns,
                                           int row) {
  const char *client = PQgetvalue(turns, row, 0);
  bool waits = postgres_integer(turns, row, 3) != 0, has = !waits;
  bool block_first = waits && postgres_integer(turns, row, 2) <= postgres_integer(turns, row, 1);
  service_status status = waits && !block_first ? has_job(&writer->db, client, true, &has) : SERVICE_OK;
  return status != SERVICE_OK ? status : has ? SERVICE_NOT_READY : take_block(self, writer, client);
}

static service_status claim_in_turn(claim_command *self, postgres_writer *writer) {
  PGresult *turns = postgres_db_query(&writer->db, TURNS, "");
  if (!turns) return postgres_db_failure(&writer->db);
  service_status status = SERVICE_NOT_READY;
  if (self->ahead && PQntuples(turns) > 0) status = claim_next_block_for(self, writer, turns, 0);
  for (int row = 0; row < PQntuples(turns) && status == SERVICE_NOT_READY && !self->ahead; row++)
    status = claim_for(self, writer, turns, row);
  PQclear(turns);
  return status;
}

static service_status claim_next(claim_command *self, postgres_writer *writer) {
  postgres_db *db = &writer->db;
  double lease = self->store->verbs.lease_seconds;
  service_status status = SERVICE_OK;
  if (self->ahead) return claim_in_turn(self, writer);
  if (self->brief) return take_job(self, writer, postgres_db_query(db, CLAIM(" AND short"), "d", lease));
  if (writer->studies == WRITER_UNKNOWN) {
    bool any = false;
    status = postgres_studies_any(db, &any);
    writer->studies = any ? WRITER_STUDIES : WRITER_NO_STUDIES;
  }
  if (status != SERVICE_OK) return status;
  if (writer->studies == WRITER_STUDIES) return claim_in_turn(self, writer);
  return take_job(self, writer, postgres_db_query(db, CLAIM(""), "d", lease));
}

static service_status claim_execute(postgres_command *command, postgres_writer *writer) {
  claim_command *self = (claim_command *)command;
  postgres_store *store = self->store;
  if (atomic_load(&store->claims_stopped)) return SERVICE_NOT_FOUND;
  service_status none = self->ahead ? SERVICE_NOT_FOUND : SERVICE_NOT_READY;
  if (self->brief ? writer->none_short : writer->none) return none;
  /* Waiting claims keep waiting: results could not be stored. */
  if (!store->verbs.has_space(&store->verbs)) return none;
  free(self->claim.document); /* belongs to a transaction that was undone */
  self->claim = (store_claim){.crashes = 0};
  self->damaged = false;
  service_status status = claim_next(self, writer);
  if (status == SERVICE_NOT_READY && !self->ahead) writer->none_short = true;
  if (status == SERVICE_NOT_READY && !self->ahead && !self->brief) writer->none = true;
  /* A block may be lost: then it is computed again. */
  command->may_be_lost = status == SERVICE_NOT_READY || (status == SERVICE_OK && self->claim.run.is_block);
  return status == SERVICE_NOT_READY ? none : status;
}

static void claim_done(postgres_command *command, service_status status) {
  claim_command *self = (claim_command *)command;
  bool runs = status == SERVICE_OK && !self->damaged;
  if (!runs) free(self->claim.document);
  self->claimed(self->context, runs ? &self->claim : NULL);
  free(self);
}

static void begin_claim(srv_store *verbs, bool brief, bool ahead, store_claimed claimed, void *context) {
  postgres_store *store = (postgres_store *)verbs;
  claim_command *self = calloc(1, sizeof *self);
  if (!self) {
    claimed(context, NULL);
    return;
  }
  self->command = (postgres_command){.execute = claim_execute, .done = claim_done, .may_be_lost = ahead};
  self->store = store;
  self->claimed = claimed;
  self->context = context;
  self->brief = brief;
  self->ahead = ahead;
  postgres_writer_post(&store->queue_writer, &self->command);
}

static void claim(srv_store *verbs, store_claimed claimed, void *context) {
  begin_claim(verbs, false, false, claimed, context);
}

static void claim_short(srv_store *verbs, store_claimed claimed, void *context) {
  begin_claim(verbs, true, false, claimed, context);
}

static void claim_next_block(srv_store *verbs, store_claimed claimed, void *context) {
  begin_claim(verbs, false, true, claimed, context);
}

static void stop_claims(srv_store *verbs) {
  postgres_store *store = (postgres_store *)verbs;
  atomic_store(&store->claims_stopped, true);
  postgres_writer_look(&store->queue_writer);
}

void postgres_claim_verbs(srv_store *verbs) {
  verbs->claim = claim;
  verbs->claim_short = claim_short;
  verbs->claim_next_block = claim_next_block;
  verbs->stop_claims = stop_claims;
}
