/* claims.c - see claims.h.
 *
 * Nothing is kept of how many jobs of a client wait and run: it is looked up in indexes of the queue, which hold no more
 * than what waits and runs. So no two servers wait for each other because of one client. When he was last claimed from
 * stands in `turns`; a server that finds that row taken leaves it to the other one, which writes the same. */
#include "server/store/postgres/claims.h"

#include "server/store/packet.h"
#include "server/store/postgres/ends.h"
#include "server/store/postgres/state.h"

#include <stdlib.h>
#include <string.h>

typedef struct claim_command {
  postgres_command command;
  postgres_store *store;
  store_claimed claimed;
  void *context;
  bool brief; /* short jobs only */
  store_claim claim;
  bool damaged; /* its document was: the job has ended */
} claim_command;

/* The clients that have jobs to claim, each with his oldest, by steps through an index; then, in the order of turns, the
 * first job that nobody else is about to claim. Who was never claimed from waits since his oldest job came. `more`
 * narrows the jobs. */
#define CLAIM(more)                                                                                              \
  "WITH RECURSIVE clients AS ((SELECT client, arrived FROM queue WHERE NOT running" more                         \
  " ORDER BY client, seq LIMIT 1) UNION ALL SELECT next.client, next.arrived FROM clients CROSS JOIN LATERAL"    \
  " (SELECT client, arrived FROM queue WHERE NOT running" more " AND client > clients.client"                    \
  " ORDER BY client, seq LIMIT 1) AS next),"                                                                     \
  " turn AS (SELECT client, coalesce(busy.jobs, 0) AS jobs, greatest(turns.last, arrived) AS since FROM clients" \
  " LEFT JOIN (SELECT client, count(*) AS jobs FROM queue WHERE running GROUP BY client) AS busy USING (client)" \
  " LEFT JOIN turns USING (client) ORDER BY jobs, since, client),"                                               \
  " picked AS (SELECT job.id FROM turn CROSS JOIN LATERAL (SELECT id FROM queue WHERE NOT running" more          \
  " AND client = turn.client ORDER BY seq LIMIT 1 FOR UPDATE SKIP LOCKED) AS job"                                \
  " ORDER BY turn.jobs, turn.since, turn.client LIMIT 1),"                                                       \
  " claimed AS (UPDATE queue SET running = true, attempt = attempt + 1, started = clock(),"                      \
  " lease_until = clock() + $1::float8 FROM picked WHERE queue.id = picked.id"                                   \
  " RETURNING queue.id, queue.seq, queue.attempt, queue.crashes, queue.client),"                                 \
  " free AS (SELECT client FROM turns WHERE client IN (SELECT client FROM claimed) FOR UPDATE SKIP LOCKED),"     \
  " turned AS (UPDATE turns SET last = clock() FROM free WHERE turns.client = free.client),"                     \
  " began AS (INSERT INTO turns SELECT client, clock() FROM claimed"                                             \
  " WHERE NOT EXISTS (SELECT FROM turns WHERE turns.client = claimed.client) ON CONFLICT DO NOTHING)"            \
  " SELECT claimed.id, claimed.attempt, claimed.crashes, documents.text, documents.checksum FROM claimed"        \
  " JOIN documents ON documents.job = claimed.seq"

/* Takes what was claimed. DAMAGED: its document is. */
static service_status take_claim(claim_command *self, const PGresult *result) {
  store_claim *claim = &self->claim;
  postgres_copy(result, 0, 0, claim->run.id, SERVICE_ID_SIZE);
  claim->run.attempt = (int)postgres_integer(result, 0, 1);
  claim->crashes = (int)postgres_integer(result, 0, 2);
  claim->document_size = (size_t)PQgetlength(result, 0, 3);
  claim->document = malloc(claim->document_size + 1);
  if (!claim->document) return SERVICE_FAILED;
  memcpy(claim->document, PQgetvalue(result, 0, 3), claim->document_size);
  claim->document[claim->document_size] = '\0';
  bool whole = (int64_t)store_checksum(claim->document, claim->document_size) == postgres_integer(result, 0, 4);
  return whole ? SERVICE_OK : SERVICE_DAMAGED;
}

/* A job whose document is not what was sent is not run. */
static service_status end_damaged(postgres_writer *writer, const store_run *run) {
  const store_end end = {.run = *run,
                         .state = JOB_FAILED,
                         .error = "{\"code\":\"document_damaged\",\"detail\":\"the stored document differs from its"
                                  " checksum: it was not run; post it again\",\"t\":null,\"element\":null,"
                                  "\"pointer\":null}"};
  postgres_health_damaged(writer->store, run->id, "document");
  bool ended;
  return postgres_end(writer, &end, 0, 0, &ended);
}

/* Has the document's own size in its counts already. */
static service_status claim_next(claim_command *self, postgres_writer *writer) {
  PGresult *result = self->brief
                         ? postgres_db_query(&writer->db, CLAIM(" AND short"), "d", self->store->verbs.lease_seconds)
                         : postgres_db_query(&writer->db, CLAIM(""), "d", self->store->verbs.lease_seconds);
  if (!result) return postgres_db_failure(&writer->db);
  service_status status = PQntuples(result) == 0 ? SERVICE_NOT_READY : take_claim(self, result);
  PQclear(result);
  if (status == SERVICE_NOT_READY) writer->none_short = true;
  if (status == SERVICE_NOT_READY && !self->brief) writer->none = true;
  if (status != SERVICE_OK && status != SERVICE_DAMAGED) return status;
  postgres_writer_count(writer, JOB_QUEUED, -1, 0);
  postgres_writer_count(writer, JOB_RUNNING, 1, 0);
  self->damaged = status == SERVICE_DAMAGED;
  if (self->damaged) return end_damaged(writer, &self->claim.run);
  return postgres_writer_tell(writer, STORE_EVENT_STARTED, self->claim.run.id) ? SERVICE_OK : SERVICE_FAILED;
}

static service_status claim_execute(postgres_command *command, postgres_writer *writer) {
  claim_command *self = (claim_command *)command;
  postgres_store *store = self->store;
  if (atomic_load(&store->claims_stopped)) return SERVICE_NOT_FOUND;
  if (self->brief ? writer->none_short : writer->none) return SERVICE_NOT_READY;
  /* What waits goes on waiting: its results could not be kept. */
  if (!store->verbs.has_space(&store->verbs)) return SERVICE_NOT_READY;
  free(self->claim.document); /* of a transaction that was undone */
  self->claim = (store_claim){.crashes = 0};
  return claim_next(self, writer);
}

static void claim_done(postgres_command *command, service_status status) {
  claim_command *self = (claim_command *)command;
  bool runs = status == SERVICE_OK && !self->damaged;
  if (!runs) free(self->claim.document);
  self->claimed(self->context, runs ? &self->claim : NULL);
  free(self);
}

static void begin_claim(srv_store *verbs, bool brief, store_claimed claimed, void *context) {
  postgres_store *store = (postgres_store *)verbs;
  claim_command *self = calloc(1, sizeof *self);
  if (!self) {
    claimed(context, NULL);
    return;
  }
  self->command = (postgres_command){.execute = claim_execute, .done = claim_done, .may_be_lost = false};
  self->store = store;
  self->claimed = claimed;
  self->context = context;
  self->brief = brief;
  postgres_writer_post(&store->queue_writer, &self->command);
}

static void claim(srv_store *verbs, store_claimed claimed, void *context) {
  begin_claim(verbs, false, claimed, context);
}

static void claim_short(srv_store *verbs, store_claimed claimed, void *context) {
  begin_claim(verbs, true, claimed, context);
}

static void stop_claims(srv_store *verbs) {
  postgres_store *store = (postgres_store *)verbs;
  atomic_store(&store->claims_stopped, true);
  postgres_writer_look(&store->queue_writer);
}

void postgres_claim_verbs(srv_store *verbs) {
  verbs->claim = claim;
  verbs->claim_short = claim_short;
  verbs->stop_claims = stop_claims;
}
