/* finish.c - see finish.h. */
#include "server/store/postgres/queue/finish.h"

#include "server/store/common/final_documents.h"
#include "server/store/postgres/connection/state.h"
#include "server/store/postgres/operations/health.h"
#include "server/store/postgres/queue/job_transitions.h"
#include "server/store/postgres/queue/studies.h"
#include "server/store/postgres/results/results.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- finish ---------------------------------------------------------------------------------------------------- */

typedef struct finish_command {
  postgres_command command;
  postgres_store *store;
  store_done done;
  void *context;
  store_end end;    /* the texts are copies */
  store_part *part; /* the last part of its results; NULL: none */
  bool incomplete;  /* true if written results are missing */
  bool held;        /* the run holds the job */
  bool refused;     /* the run does not hold the job, and its results are not the job's last */
  bool shown;       /* true if this end ended the job */
} finish_command;

static void finish_free(finish_command *self) {
  store_part_free(&self->store->assemblies, self->part);
  store_end_free(&self->end);
  free(self);
}

/* Locks the job's row in the queue. Returns NOT_FOUND if the run does not hold it. */
static service_status hold(postgres_db *db, const store_run *run) {
  PGresult *result =
      postgres_db_query(db, "SELECT 1 FROM queue WHERE id = $1 AND attempt = $2::int AND running FOR UPDATE", "ti",
                        run->id, (int64_t)run->attempt);
  if (!result) return postgres_db_failure(db);
  bool held = PQntuples(result) > 0;
  PQclear(result);
  return held ? SERVICE_OK : SERVICE_NOT_FOUND;
}

/* Checks whether an end without effect is a repeated one, whose job shows the results of this run. Returns NOT_FOUND
 * otherwise; OK if this end was made before. */
static service_status look_at_shown(finish_command *self, postgres_db *db) {
  bool wanted;
  service_status status = postgres_wants(db, &self->end.run, &wanted, &self->shown);
  self->refused = !wanted;
  if (status != SERVICE_OK) return status;
  return self->shown && self->command.in_doubt ? SERVICE_OK : SERVICE_NOT_FOUND;
}

/* Writes the remaining results, and checks that all are stored. */
static service_status complete(finish_command *self, postgres_db *db, uint64_t *checksum, size_t *stored) {
  store_extent there;
  service_status status = self->part ? postgres_results_write(db, self->part) : SERVICE_OK;
  if (status == SERVICE_OK) status = postgres_results_seal(db, &self->end.run, &there, checksum, stored);
  if (status != SERVICE_OK) return status;
  return store_extent_is(&there, &self->end.extent) ? SERVICE_OK : SERVICE_NOT_FOUND;
}

/* Adds facts on the results to the end's texts. Sets the time of a run that did not succeed and whose worker did not
 * report it: the last row that all of its arrays have. */
static service_status tell_results(store_end *end, postgres_db *db, uint64_t checksum) {
  bool found = false;
  service_status status = SERVICE_OK;
  if (end->state != JOB_SUCCEEDED && !end->report && end->error)
    status = postgres_results_time(db, &end->run, &end->progress.t, &found);
  if (status != SERVICE_OK) return status;
  if (found && !store_error_set_time(&end->error, end->progress.t)) return SERVICE_FAILED;
  return store_report_set_checksum(&end->report, checksum) ? SERVICE_OK : SERVICE_FAILED;
}

static service_status end_with_results(finish_command *self, postgres_writer *writer) {
  uint64_t checksum = 0;
  size_t stored = 0;
  store_end end;
  assert(self->held && self->end.extent.arrays > 0);
  service_status status = complete(self, &writer->db, &checksum, &stored);
  self->incomplete = status == SERVICE_NOT_FOUND;
  if (status != SERVICE_OK) return status;
  /* A copy, because this transaction may be executed again. */
  bool copied = store_end_copy(&self->end, &end), ended;
  status = copied ? tell_results(&end, &writer->db, checksum) : SERVICE_FAILED;
  if (status == SERVICE_OK) status = postgres_end(writer, &end, end.run.attempt, stored, &ended);
  store_end_free(&end);
  return status;
}

static service_status finish_execute(postgres_command *command, postgres_writer *writer) {
  finish_command *self = (finish_command *)command;
  bool results = self->end.extent.arrays > 0, ended;
  self->refused = self->shown = false;
  service_status status = hold(&writer->db, &self->end.run);
  self->held = status == SERVICE_OK;
  if (status == SERVICE_NOT_FOUND) return look_at_shown(self, &writer->db);
  if (status != SERVICE_OK || (results && self->incomplete)) return status;
  status = results ? end_with_results(self, writer) : postgres_end(writer, &self->end, 0, 0, &ended);
  self->shown = status == SERVICE_OK;
  return status;
}

static void finish_done(postgres_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  postgres_store *store = self->store;
  const store_run *run = &self->end.run;
  bool results = self->end.extent.arrays > 0;
  if (status == SERVICE_NO_SPACE) postgres_health_full(store);
  if ((status == SERVICE_OK || status == SERVICE_NOT_FOUND) && self->held && self->incomplete)
    status = SERVICE_NOT_READY;
  if (status == SERVICE_OK || status == SERVICE_NOT_FOUND) {
    if (self->refused || (status == SERVICE_OK && !results))
      postgres_results_forget(store, run->id, run->attempt, run->attempt);
    if (self->shown && run->attempt > 1) postgres_results_forget(store, run->id, 0, run->attempt - 1);
  } else if (self->part && status != SERVICE_NOT_READY && status != SERVICE_REJECTED) {
    store_assembly_put_back(&store->assemblies, self->part);
    self->part = NULL;
  }
  self->done(self->context, status);
  finish_free(self);
}

static void finish(srv_store *verbs, const store_end *end, store_done done, void *context) {
  postgres_store *store = (postgres_store *)verbs;
  assert(end->state >= JOB_SUCCEEDED && end->state < JOB_STATES && !end->run.is_block);
  finish_command *self = malloc(sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (finish_command){
      .command = {.execute = finish_execute, .done = finish_done}, .store = store, .done = done, .context = context};
  if (!store_end_copy(end, &self->end)) {
    done(context, SERVICE_FAILED);
    finish_free(self);
    return;
  }
  self->part = store_assembly_take(&store->assemblies, &end->run, &self->incomplete);
  if (end->extent.arrays == 0) {
    self->incomplete = false;
    store_part_free(&self->store->assemblies, self->part);
    self->part = NULL;
  }
  self->command.weight = self->part ? self->part->chunk.data.size : 0;
  postgres_writer_post(&store->results_writer, &self->command);
}

/* ---- requeue --------------------------------------------------------------------------------------------------- */

typedef struct requeue_command {
  postgres_command command;
  postgres_store *store;
  store_done done;
  void *context;
  store_run run;
  double t;
  store_part *part; /* the last part of its results; may be NULL */
  bool crashed;
  bool keep; /* the call was repeated: it is refused, but its results are the job's last */
} requeue_command;

static service_status requeue_execute(postgres_command *command, postgres_writer *writer) {
  requeue_command *self = (requeue_command *)command;
  postgres_db *db = &writer->db;
  bool found, shown;
  double t = self->t;
  service_status status = hold(db, &self->run);
  if (status == SERVICE_OK && self->part) status = postgres_results_write(db, self->part);
  if (status == SERVICE_OK) status = postgres_results_time(db, &self->run, &t, &found);
  if (status == SERVICE_OK) status = postgres_give_back(writer, &self->run, t, self->crashed);
  if (status != SERVICE_NOT_FOUND) return status;
  status = postgres_wants(db, &self->run, &self->keep, &shown);
  if (status != SERVICE_OK) return status;
  return self->keep && self->command.in_doubt ? SERVICE_OK : SERVICE_NOT_FOUND;
}

static void requeue_done(postgres_command *command, service_status status) {
  requeue_command *self = (requeue_command *)command;
  const store_run *run = &self->run;
  if (status == SERVICE_OK) postgres_results_forget(self->store, run->id, 0, run->attempt - 1);
  if (status == SERVICE_NOT_FOUND && !self->keep)
    postgres_results_forget(self->store, run->id, run->attempt, run->attempt);
  if (status == SERVICE_FAILED || status == SERVICE_NO_SPACE) {
    if (self->part) store_assembly_put_back(&self->store->assemblies, self->part);
    self->part = NULL;
  }
  self->done(self->context, status);
  store_part_free(&self->store->assemblies, self->part);
  free(self);
}

/* ---- blocks of studies ------------------------------------------------------------------------------------------- */

static service_status requeue_block_execute(postgres_command *command, postgres_writer *writer) {
  const requeue_command *self = (const requeue_command *)command;
  return postgres_studies_give_back(writer, &self->run, self->crashed);
}

static void requeue_block_done(postgres_command *command, service_status status) {
  requeue_command *self = (requeue_command *)command;
  self->done(self->context, status);
  free(self);
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static void requeue(srv_store *verbs, const store_run *run, double t, bool crashed, store_done done, void *context) {
  postgres_store *store = (postgres_store *)verbs;
  requeue_command *self = malloc(sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (requeue_command){.command = {.execute = requeue_execute, .done = requeue_done},
                            .store = store,
                            .done = done,
                            .context = context,
                            .run = *run,
                            .t = t,
                            .crashed = crashed};
  bool refused;
  if (run->is_block) {
    self->command.execute = requeue_block_execute;
    self->command.done = requeue_block_done;
  } else {
    self->part = store_assembly_take(&store->assemblies, run, &refused);
    self->command.weight = self->part ? self->part->chunk.data.size : 0;
  }
  postgres_writer_post(&store->results_writer, &self->command);
}

void postgres_finish_verbs(srv_store *verbs) {
  verbs->finish = finish;
  verbs->requeue = requeue;
}
