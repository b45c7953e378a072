/* queue.c - see queue.h. */
#include "server/store/sqlite/queue/queue.h"
#include "server/store/common/submission.h"

#include "api/base/text.h"
#include "server/base/clock.h"
#include "server/base/log.h"
#include "server/store/sqlite/connection/state.h"
#include "server/store/sqlite/queue/blocks.h"
#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/sqlite/queue/leases.h"
#include "server/store/sqlite/queue/requeue_sql.h"
#include "server/store/sqlite/queue/runtime_estimate.h"
#include "server/store/sqlite/queue/texts.h"
#include "server/store/sqlite/queue/usage.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A job during which the service died this often is ended: it may be the cause. */
enum { MOST_INTERRUPTIONS = 10 };

/* ---- claim ----------------------------------------------------------------------------------------------------- */

typedef struct claim_command {
  sqlite_command command;
  sqlite_store *store;
  store_claimed claimed;
  void *context;
  bool brief;  /* short jobs only */
  bool ahead;  /* blocks only, and without waiting */
  bool looked; /* it was executed before */
  store_claim claim;
  char *client; /* client of the job; NULL: unknown */
  bool damaged; /* the document is damaged: the job has ended */
} claim_command;

static service_status load_document(sqlite_db *db, sqlite3_int64 seq, store_claim *claim) {
  assert(!claim->document);
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT text, checksum FROM documents WHERE job = ?", "i", seq);
  if (!query) return SERVICE_FAILED;
  service_status status = SERVICE_FAILED;
  if (sqlite3_step(query) == SQLITE_ROW) {
    const void *text = sqlite3_column_blob(query, 0);
    claim->document_size = (size_t)sqlite3_column_bytes(query, 0);
    claim->document = malloc(claim->document_size + 1);
    if (!sqlite_text_is_intact(query, 0, 1)) {
      status = SERVICE_DAMAGED;
    } else if (claim->document) {
      if (text) memcpy(claim->document, text, claim->document_size);
      claim->document[claim->document_size] = '\0';
      status = SERVICE_OK;
    }
  }
  sqlite3_reset(query);
  return status;
}

/* Gets the client that is next, and the number of its running jobs: the client with the fewest running jobs and blocks;
 * of several, the one whose turn is oldest. Returns NOT_READY if no client has anything to claim. The rows are compared
 * here, because SQLite sorts in a temporary table, which costs ten times as much. */
static service_status next_client(sqlite_db *db, bool brief, char **client, size_t *running) {
  sqlite3_stmt *query =
      brief ? sqlite_db_query(db, "SELECT client, running, running, turn FROM clients WHERE short > 0", "")
            : sqlite_db_query(db,
                              "SELECT client, running, running + blocks_busy(client), turn FROM clients"
                              " WHERE queued > 0 OR blocks_wait(client)",
                              "");
  if (!query) return SERVICE_FAILED;
  int code;
  bool found = false;
  sqlite3_int64 least_busy = 0, least_turn = 0;
  while ((code = sqlite3_step(query)) == SQLITE_ROW) {
    sqlite3_int64 busy = sqlite3_column_int64(query, 2), turn = sqlite3_column_int64(query, 3);
    if (found && (busy > least_busy || (busy == least_busy && turn >= least_turn))) continue;
    found = true;
    least_busy = busy;
    least_turn = turn;
    *running = (size_t)sqlite3_column_int64(query, 1);
    free(*client);
    *client = sqlite_db_text(query, 0);
  }
  service_status status = code != SQLITE_DONE ? sqlite_db_failure(db, "claim")
                          : !found            ? SERVICE_NOT_READY
                          : *client           ? SERVICE_OK
                                              : SERVICE_FAILED;
  sqlite3_reset(query);
  return status;
}

static service_status take_turn(sqlite_db *db, const char *client) {
  service_status status = sqlite_db_run(db, "UPDATE turns SET last = last + 2", "");
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(db, "UPDATE clients SET turn = (SELECT last FROM turns) WHERE client = ?", "t", client);
}

#define OLDEST(which)                                                                             \
  "SELECT seq, id, attempt, crashes, runs FROM jobs WHERE status = 'queued' AND client = ?" which \
  " AND " SQLITE_JOB_IS_WHOLE " ORDER BY seq LIMIT 1"

/* Kinds of jobs to claim. */
typedef enum claim_kind { CLAIM_ANY, CLAIM_SHORT, CLAIM_NO_STUDY } claim_kind;

/* Finds the oldest job of a client, with the attempt that its claim will be. Returns NOT_READY if there is none, or the
 * client's counted jobs are damaged. */
static service_status find_oldest(sqlite_db *db, const char *client, claim_kind kind, sqlite3_int64 *seq,
                                  store_claim *claim) {
  sqlite3_stmt *query = kind == CLAIM_SHORT ? sqlite_db_query(db, OLDEST(" AND short = 1"), "t", client)
                        : kind == CLAIM_ANY ? sqlite_db_query(db, OLDEST(""), "t", client)
                                            : sqlite_db_query(db, OLDEST(" AND runs = 0"), "t", client);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  if (code == SQLITE_ROW) {
    *seq = sqlite3_column_int64(query, 0);
    strncpy(claim->run.id, (const char *)sqlite3_column_text(query, 1), SERVICE_ID_SIZE - 1);
    claim->run.attempt = sqlite3_column_int(query, 2) + 1;
    claim->crashes = sqlite3_column_int(query, 3);
    claim->runs = (size_t)sqlite3_column_int64(query, 4);
  }
  sqlite3_reset(query);
  if (code == SQLITE_DONE) return SERVICE_NOT_READY;
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(db, "claim");
}

/* Claims the oldest job of a client. Returns NOT_READY as find_oldest(). */
static service_status claim_oldest(sqlite_db *db, const char *client, claim_kind kind, double lease_seconds,
                                   store_claim *claim) {
  sqlite3_int64 seq = 0;
  service_status status = find_oldest(db, client, kind, &seq, claim);
  if (status != SERVICE_OK) return status;
  status = sqlite_db_run(
      db, "UPDATE jobs SET status = 'running', attempt = ?2, started = ?3, lease_until = ?4 WHERE seq = ?1", "iidd",
      seq, (sqlite3_int64)claim->run.attempt, srv_clock_wall(), srv_clock_monotonic() + lease_seconds);
  if (status == SERVICE_OK) status = take_turn(db, client);
  return status == SERVICE_OK ? load_document(db, seq, claim) : status;
}

/* Claims a block of a client. Returns NOT_READY if there is none. */
static service_status claim_block(sqlite_db *db, sqlite_store *store, const char *client, store_claim *claim) {
  double until = srv_clock_monotonic() + store->verbs.lease_seconds;
  if (!sqlite_studies_take(&store->studies, client, until, claim)) return SERVICE_NOT_READY;
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT seq FROM jobs WHERE id = ?", "t", claim->run.id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  sqlite3_int64 seq = code == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0;
  sqlite3_reset(query);
  if (code != SQLITE_ROW) return code == SQLITE_DONE ? SERVICE_NOT_READY : sqlite_db_failure(db, "claim");
  service_status status = take_turn(db, client);
  return status == SERVICE_OK ? load_document(db, seq, claim) : status;
}

/* Claims for a client: a block of its study or a job, the kind of which fewer run. */
static service_status claim_for(sqlite_db *db, sqlite_store *store, const char *client, size_t running,
                                store_claim *claim) {
  size_t blocks, studies;
  bool waits = sqlite_studies_wait(&store->studies, client);
  sqlite_studies_count(&store->studies, client, &blocks, &studies);
  bool block_first = waits && blocks + studies <= running;
  service_status status = block_first ? claim_block(db, store, client, claim) : SERVICE_NOT_READY;
  if (status == SERVICE_NOT_READY)
    status = claim_oldest(db, client, waits ? CLAIM_NO_STUDY : CLAIM_ANY, store->verbs.lease_seconds, claim);
  return status == SERVICE_NOT_READY && waits && !block_first ? claim_block(db, store, client, claim) : status;
}

/* Claims what claim_for() would claim if that is a block. Returns NOT_READY otherwise. */
static service_status claim_next_block_for(sqlite_db *db, sqlite_store *store, const char *client, size_t running,
                                           store_claim *claim) {
  if (!sqlite_studies_wait(&store->studies, client)) return SERVICE_NOT_READY;
  size_t blocks, studies;
  sqlite_studies_count(&store->studies, client, &blocks, &studies);
  if (blocks + studies <= running) return claim_block(db, store, client, claim);
  sqlite3_stmt *query = sqlite_db_query(
      db, "SELECT 1 FROM jobs WHERE status = 'queued' AND client = ?1 AND runs = 0 LIMIT 1", "t", client);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  sqlite3_reset(query);
  if (code != SQLITE_ROW && code != SQLITE_DONE) return sqlite_db_failure(db, "claim");
  return code == SQLITE_ROW ? SERVICE_NOT_READY : claim_block(db, store, client, claim);
}

/* Stops waiting for damaged jobs of a client, so that other clients are next. */
static service_status pass_over(sqlite_db *db, const char *client, bool brief) {
  return brief ? sqlite_db_run(db, "UPDATE clients SET short = 0 WHERE client = ?", "t", client)
               : sqlite_db_run(db, "UPDATE clients SET queued = 0, short = 0 WHERE client = ?", "t", client);
}

/* Claims the next job or block. Returns NOT_READY if there is none. */
static service_status claim_next(sqlite_db *db, claim_command *self) {
  sqlite_store *store = self->store;
  char *client = NULL;
  size_t running = 0;
  service_status status = next_client(db, self->brief, &client, &running);
  if (status == SERVICE_OK && self->ahead) status = claim_next_block_for(db, store, client, running, &self->claim);
  while (status == SERVICE_OK && !self->ahead) {
    status = self->brief ? claim_oldest(db, client, CLAIM_SHORT, store->verbs.lease_seconds, &self->claim)
                         : claim_for(db, store, client, running, &self->claim);
    if (status != SERVICE_NOT_READY || sqlite_studies_wait(&store->studies, client)) break;
    status = pass_over(db, client, self->brief);
    free(client);
    client = NULL;
    if (status == SERVICE_OK) status = next_client(db, self->brief, &client, &running);
  }
  free(self->client);
  self->client = client;
  return status;
}

/* Ends a job whose document is damaged, without running it. */
static service_status end_damaged(sqlite_db *db, const store_run *run) {
  sqlite_text_damaged(run->id, "document");
  return sqlite_db_run(db,
                       "UPDATE jobs SET status = 'failed', finished = ?1, error = json_object('code',"
                       " 'document_damaged', 'detail', 'the stored document differs from its checksum: it was not run;"
                       " post it again', 't', NULL, 'element', NULL, 'pointer', NULL) WHERE id = ?2",
                       "dt", srv_clock_wall(), run->id);
}

/* Gives back the claim. */
static void drop_claim(claim_command *self) {
  if (self->claim.run.is_block) sqlite_studies_give_back(&self->store->studies, &self->claim.run, false);
  free(self->claim.document);
  self->claim = (store_claim){.crashes = 0};
}

static service_status claim_execute(sqlite_command *command, sqlite_db *db) {
  claim_command *self = (claim_command *)command;
  if (atomic_load(&self->store->claims_stopped)) return SERVICE_NOT_FOUND;
  /* If the disk's reserve is reached, waiting claims keep waiting: results could not be stored. */
  service_status none = self->ahead ? SERVICE_NOT_FOUND : SERVICE_NOT_READY;
  if (!self->store->verbs.has_space(&self->store->verbs)) return none;
  drop_claim(self); /* belongs to a transaction that was undone */
  sqlite_leases_check(self->store, db, self->looked);
  self->looked = true;
  service_status status = claim_next(db, self);
  self->damaged = status == SERVICE_DAMAGED && !self->claim.run.is_block;
  if (self->damaged) return end_damaged(db, &self->claim.run);
  return status == SERVICE_NOT_READY ? none : status;
}

/* Claims that wait for different things have different functions, see sqlite_writer_post(). */
static service_status claim_short_execute(sqlite_command *command, sqlite_db *db) { return claim_execute(command, db); }

static service_status claim_ahead_execute(sqlite_command *command, sqlite_db *db) { return claim_execute(command, db); }

static void claim_done(sqlite_command *command, service_status status) {
  claim_command *self = (claim_command *)command;
  sqlite_store *store = self->store;
  const store_claim *claim = &self->claim;
  bool runs = status == SERVICE_OK && !self->damaged;
  if (self->client) snprintf(self->claim.client, sizeof self->claim.client, "%s", self->client);
  if (status == SERVICE_OK && self->damaged)
    store_subscribers_notify(&store->subscribers, STORE_EVENT_ENDED, claim->run.id);
  if (!runs) drop_claim(self);
  if (runs && !claim->run.is_block) {
    sqlite_running_begin(&store->running, &claim->run);
    if (claim->runs > 0) sqlite_blocks_begin(store, claim->run.id, self->client, claim->runs);
    store_subscribers_notify(&store->subscribers, STORE_EVENT_STARTED, claim->run.id);
  }
  self->claimed(self->context, runs ? claim : NULL);
  free(self->client);
  free(self);
}

static void begin_claim(srv_store *verbs, bool brief, bool ahead, store_claimed claimed, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  assert(!brief || !ahead);
  claim_command *self = calloc(1, sizeof *self);
  if (!self) {
    claimed(context, NULL);
    return;
  }
  self->command = (sqlite_command){claim_execute, claim_done, 0, SERVICE_OK, NULL, true};
  if (brief) self->command.execute = claim_short_execute;
  if (ahead) self->command.execute = claim_ahead_execute;
  self->store = store;
  self->claimed = claimed;
  self->context = context;
  self->brief = brief;
  self->ahead = ahead;
  sqlite_writer_post(&store->queue_writer, &self->command);
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
  sqlite_store *store = (sqlite_store *)verbs;
  atomic_store(&store->claims_stopped, true);
  sqlite_writer_wake(&store->queue_writer);
}

/* ---- requeue, cancel ------------------------------------------------------------------------------------------- */

/* Runs a change of at most one job that returns a flag. Returns NOT_FOUND if no job was changed. */
static service_status flag_returned(sqlite_db *db, sqlite3_stmt *query, const char *what, bool *flag) {
  *flag = false;
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  bool found = code == SQLITE_ROW;
  if (found) {
    *flag = sqlite3_column_int(query, 0) != 0;
    code = sqlite3_step(query);
  }
  service_status status = code != SQLITE_DONE ? sqlite_db_failure(db, what) : found ? SERVICE_OK : SERVICE_NOT_FOUND;
  sqlite3_reset(query);
  return status;
}

service_status sqlite_queue_requeue(sqlite_db *queue, const store_run *run, double t, bool crashed, bool *ended) {
  sqlite3_stmt *query =
      sqlite_db_query(queue,
                      SQLITE_GIVE_BACK("?5") "," SQLITE_SHOW_CANCELLED ", crashes = crashes + ?2"
                                             " WHERE id = ?3 AND attempt = ?4"
                                             " AND status = 'running'"
                                             " RETURNING status = 'cancelled'",
                      "ditid", srv_clock_wall(), (sqlite3_int64)crashed, run->id, (sqlite3_int64)run->attempt, t);
  return flag_returned(queue, query, "requeue", ended);
}

service_status sqlite_queue_wants(sqlite_db *queue, const store_run *run, bool *wanted, bool *shown) {
  sqlite3_stmt *query = sqlite_db_query(queue,
                                        "SELECT attempt = ?2 AND shown = attempt, attempt = ?2 AND status = 'queued',"
                                        " NOT " SQLITE_JOB_IS_WHOLE " FROM jobs WHERE id = ?1",
                                        "ti", run->id, (sqlite3_int64)run->attempt);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  bool damaged = code == SQLITE_ROW && sqlite3_column_int(query, 2) != 0;
  *shown = code == SQLITE_ROW && !damaged && sqlite3_column_int(query, 0) != 0;
  *wanted = *shown || damaged || (code == SQLITE_ROW && sqlite3_column_int(query, 1) != 0);
  sqlite3_reset(query);
  return code == SQLITE_ROW || code == SQLITE_DONE ? SERVICE_OK : sqlite_db_failure(queue, "results");
}

typedef struct cancel_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  bool ended, runs; /* the job was queued; the job runs */
} cancel_command;

static service_status cancel_execute(sqlite_command *command, sqlite_db *db) {
  cancel_command *self = (cancel_command *)command;
  self->ended = self->runs = false;
  service_status status = sqlite_job_row_look(db, self->id);
  if (status != SERVICE_OK) return status;
  status =
      sqlite_db_run(db,
                    "UPDATE jobs SET status = 'cancelled', finished = ?1, cancel_requested = 1, shown = attempt, error "
                    "= " SQLITE_CANCELLED("NULL") " WHERE id = ?2 AND status = 'queued'",
                    "dt", srv_clock_wall(), self->id);
  self->ended = status == SERVICE_OK && sqlite3_changes(db->handle) > 0;
  if (status != SERVICE_OK || self->ended) return status;
  sqlite3_stmt *query = sqlite_db_query(
      db, "UPDATE jobs SET cancel_requested = 1 WHERE id = ? RETURNING status = 'running'", "t", self->id);
  return flag_returned(db, query, "cancel", &self->runs);
}

static void cancel_done(sqlite_command *command, service_status status) {
  cancel_command *self = (cancel_command *)command;
  store_subscribers *subscribers = &self->store->subscribers;
  if (status == SERVICE_OK && self->ended) sqlite_blocks_end(self->store, self->id);
  if (status == SERVICE_OK && self->ended) store_subscribers_notify(subscribers, STORE_EVENT_ENDED, self->id);
  if (status == SERVICE_OK && self->runs) store_subscribers_notify(subscribers, STORE_EVENT_CANCEL, self->id);
  self->done(self->context, status);
  free(self);
}

static void cancel(srv_store *verbs, const char *id, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  cancel_command *self = calloc(1, sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (cancel_command){.command = {cancel_execute, cancel_done, 0, SERVICE_OK, NULL, false},
                           .store = store,
                           .done = done,
                           .context = context};
  strncpy(self->id, id, SERVICE_ID_SIZE - 1);
  sqlite_writer_post(&store->queue_writer, &self->command);
}

/* ---- change ---------------------------------------------------------------------------------------------------- */

typedef struct change_command {
  sqlite_command command;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  service_change change; /* the texts are copies, and so is `expected` */
  service_job expected;
} change_command;

static void change_free(change_command *self) {
  free((char *)self->change.name);
  free((char *)self->change.tags);
  service_job_free(&self->expected);
  free(self);
}

/* Returns CHANGED if the job is not as the change expects. */
static service_status compare_expected(sqlite_db *db, const change_command *self) {
  const service_job *expected = &self->expected;
  sqlite3_stmt *query =
      sqlite_db_query(db, "SELECT 1 FROM jobs WHERE id = ?1 AND name IS ?2 AND tags IS ?3 AND keep = ?4", "ttti",
                      self->id, expected->name, expected->tags, (sqlite3_int64)expected->keep);
  if (!query) return SERVICE_FAILED;
  const int code = sqlite3_step(query);
  sqlite3_reset(query);
  return code == SQLITE_ROW ? SERVICE_OK : code == SQLITE_DONE ? SERVICE_CHANGED : sqlite_db_failure(db, "change");
}

static service_status change_execute(sqlite_command *command, sqlite_db *db) {
  const change_command *self = (change_command *)command;
  const service_change *change = &self->change;
  service_status status = sqlite_job_row_look(db, self->id);
  if (status == SERVICE_OK && change->expected) status = compare_expected(db, self);
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(
      db,
      "UPDATE jobs SET name = CASE ?2 WHEN 0 THEN name ELSE ?3 END, tags = CASE ?4 WHEN 0 THEN tags ELSE ?5 END,"
      " keep = CASE ?6 WHEN 0 THEN keep ELSE ?7 END WHERE id = ?1",
      "tititii", self->id, (sqlite3_int64)change->set_name, change->name, (sqlite3_int64)change->set_tags, change->tags,
      (sqlite3_int64)change->set_keep, (sqlite3_int64)change->keep);
}

static void change_done(sqlite_command *command, service_status status) {
  change_command *self = (change_command *)command;
  self->done(self->context, status);
  change_free(self);
}

static void change(srv_store *verbs, const char *id, const service_change *change, store_done done, void *context) {
  change_command *self = calloc(1, sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (change_command){.command = {change_execute, change_done, 0, SERVICE_OK, NULL, false},
                           .done = done,
                           .context = context,
                           .change = *change};
  strncpy(self->id, id, SERVICE_ID_SIZE - 1);
  self->change.name = api_text_copy(change->name);
  self->change.tags = api_text_copy(change->tags);
  bool whole = (!change->name || self->change.name) && (!change->tags || self->change.tags);
  if (change->expected) {
    self->change.expected = &self->expected;
    whole = store_expected_copy(change->expected, &self->expected) && whole;
  }
  if (!whole) {
    change_done(&self->command, SERVICE_FAILED);
    return;
  }
  sqlite_writer_post(&((sqlite_store *)verbs)->queue_writer, &self->command);
}

/* ---- recovery -------------------------------------------------------------------------------------------------- */

/* Recounts the numbers that triggers update. With wrong ones a client without jobs could be chosen next, which would
 * block all others. */
static service_status count_clients(sqlite_db *queue) {
  service_status status = sqlite_db_run(queue, "DELETE FROM clients", "");
  if (status != SERVICE_OK) return status;
  return sqlite_db_run(queue,
                       "INSERT INTO clients SELECT client, sum(status = 'queued'), sum(status = 'queued' AND short),"
                       " sum(status = 'running'), -1 FROM jobs WHERE status IN ('queued', 'running') GROUP BY client",
                       "");
}

service_status sqlite_queue_count(sqlite_db *queue) {
  service_status status =
      sqlite_db_run(queue, "UPDATE counts SET jobs = (SELECT count(*) FROM jobs WHERE status = counts.status)", "");
  if (status == SERVICE_OK) status = sqlite_usage_count(queue);
  return status == SERVICE_OK ? count_clients(queue) : status;
}

service_status sqlite_queue_recover(sqlite_db *queue) {
  double now = srv_clock_wall();
  service_status status =
      sqlite_db_run(queue,
                    "UPDATE jobs SET status = 'failed', finished = ?1, error = '{\"code\":\"interrupted\",\"detail\":"
                    "\"the service terminated in every attempt at this job\"}', shown = attempt"
                    " WHERE status = 'running' AND cancel_requested = 0 AND interruptions >= ?2",
                    "di", now, (sqlite3_int64)MOST_INTERRUPTIONS - 1);
  if (status != SERVICE_OK) return status;
  status = sqlite_db_run(queue,
                         SQLITE_GIVE_BACK("NULL") "," SQLITE_SHOW_CANCELLED
                                                  ", interruptions = interruptions + 1 WHERE status = 'running'",
                         "d", now);
  int count = sqlite3_changes(queue->handle);
  if (status == SERVICE_OK && count > 0)
    srv_log(SRV_WARNING, "jobs_interrupted", (srv_field[]){srv_number("jobs", count), {0}});
  if (status == SERVICE_OK) status = count_clients(queue);
  return status == SERVICE_OK ? sqlite_runtime_forget(queue) : status;
}

void sqlite_queue_verbs(srv_store *verbs) {
  verbs->claim = claim;
  verbs->claim_short = claim_short;
  verbs->claim_next_block = claim_next_block;
  verbs->stop_claims = stop_claims;
  verbs->cancel = cancel;
  verbs->change = change;
}
