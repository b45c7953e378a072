/* finish.c - see finish.h. */
#include "server/store/sqlite/queue/finish.h"

#include "server/base/clock.h"
#include "server/store/common/final_documents.h"
#include "server/store/sqlite/queue/blocks.h"
#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/sqlite/queue/queue.h"
#include "server/store/sqlite/queue/runtime_estimate.h"
#include "server/store/sqlite/queue/texts.h"
#include "server/store/sqlite/results/interrupted_runs.h"
#include "server/store/sqlite/results/results.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- finish ---------------------------------------------------------------------------------------------------- */

typedef struct finish_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  store_end end;     /* the texts are copies */
  store_part *part;  /* the last part of its results; NULL: none, or written */
  uint64_t checksum; /* checksum of all its results */
  size_t stored;     /* bytes that they occupy */
  bool incomplete;   /* true if written results are missing */
  bool refused;      /* the run does not hold the job, and its results are not the job's last */
  bool shown;        /* true if this end ended the job */
} finish_command;

static void finish_free(finish_command *self) {
  store_part_free(&self->store->assemblies, self->part);
  store_end_free(&self->end);
  free(self);
}

static service_status settle_execute(sqlite_command *command, sqlite_db *db) {
  const store_run *run = &((const finish_command *)command)->end.run;
  return sqlite_db_run(db, "UPDATE runs SET settled = 1 WHERE job = ? AND attempt = ?", "ti", run->id,
                       (sqlite3_int64)run->attempt);
}

static void settle_done(sqlite_command *command, service_status status) {
  (void)status; /* the next start settles it */
  finish_free((finish_command *)command);
}

/* After the end: drops results that no job will show, and settles the run if necessary. */
static void settle(finish_command *self) {
  assert(!self->part && !(self->refused && self->shown));
  const store_run *run = &self->end.run;
  bool shows = self->shown && self->end.extent.arrays > 0;
  if (self->refused) sqlite_results_forget(self->store, run->id, run->attempt, run->attempt);
  if (self->shown && run->attempt > 1) sqlite_results_forget(self->store, run->id, 0, run->attempt - 1);
  if (!shows) {
    finish_free(self);
    return;
  }
  self->command.execute = settle_execute;
  self->command.done = settle_done;
  sqlite_writer_post_later(&self->store->results_writer, &self->command);
}

/* Checks whether an end without effect is a repeated one, whose job shows the results of this run. Returns NOT_FOUND
 * otherwise. */
static service_status look_at_shown(sqlite_db *db, finish_command *self) {
  bool wanted;
  service_status status = sqlite_queue_wants(db, &self->end.run, &wanted, &self->shown);
  self->refused = !wanted;
  return status == SERVICE_OK ? SERVICE_NOT_FOUND : status;
}

static service_status end_execute(sqlite_command *command, sqlite_db *db) {
  finish_command *self = (finish_command *)command;
  const store_end *end = &self->end;
  service_status status = sqlite_db_run(
      db,
      "UPDATE jobs SET status = ?3, finished = ?4, report = ?5, error = ?6, progress_t = ?7,"
      " progress_fraction = ?8, evaluations = ?9, shown = ?10, report_checksum = ?11, bytes = bytes + ?12"
      " WHERE id = ?1 AND attempt = ?2 AND status = 'running'",
      "titdttddiiii", end->run.id, (sqlite3_int64)end->run.attempt, job_state_name(end->state), srv_clock_wall(),
      end->report, end->error, end->progress.t, end->progress.fraction, (sqlite3_int64)end->progress.evaluations,
      (sqlite3_int64)(end->extent.arrays > 0 ? end->run.attempt : 0), sqlite_string_checksum(end->report),
      (sqlite3_int64)self->stored + (sqlite3_int64)(end->report ? strlen(end->report) : 0));
  self->refused = false;
  self->shown = true;
  if (status != SERVICE_OK) return status;
  return sqlite3_changes(db->handle) > 0 ? sqlite_runtime_learn(db, end->run.id, end->seconds)
                                         : look_at_shown(db, self);
}

static void end_done(sqlite_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  store_done done = self->done;
  void *context = self->context;
  if (status == SERVICE_OK) {
    sqlite_running_end(&self->store->running, &self->end.run);
    sqlite_blocks_end(self->store, self->end.run.id);
    store_subscribers_notify(&self->store->subscribers, STORE_EVENT_ENDED, self->end.run.id);
  }
  if (status == SERVICE_OK && self->end.extent.arrays == 0)
    sqlite_results_forget(self->store, self->end.run.id, self->end.run.attempt, self->end.run.attempt);
  if (status == SERVICE_OK || status == SERVICE_NOT_FOUND) {
    settle(self);
  } else {
    if (status == SERVICE_NO_SPACE) sqlite_disk_reserve_give_up(&self->store->room);
    finish_free(self); /* the caller tries again */
  }
  done(context, status);
}

/* Returns NOT_FOUND if the run does not hold its job; then its results are incomplete because they were dropped. */
static service_status holds_execute(sqlite_command *command, sqlite_db *db) {
  finish_command *self = (finish_command *)command;
  const store_run *run = &self->end.run;
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT 1 FROM jobs WHERE id = ? AND attempt = ? AND status = 'running'",
                                        "ti", run->id, (sqlite3_int64)run->attempt);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  sqlite3_reset(query);
  if (code == SQLITE_ROW) return SERVICE_OK;
  return code == SQLITE_DONE ? look_at_shown(db, self) : sqlite_db_failure(db, "finish");
}

static void holds_done(sqlite_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  if (status != SERVICE_OK) {
    end_done(command, status);
    return;
  }
  self->done(self->context, SERVICE_NOT_READY);
  finish_free(self);
}

/* Checks that all written results of the run are stored. */
static service_status compare_extent(sqlite_db *db, finish_command *self) {
  store_extent there;
  service_status status = sqlite_results_seal(db, &self->end.run, &there, &self->checksum, &self->stored);
  self->incomplete = !store_extent_is(&there, &self->end.extent);
  return status;
}

/* Sets the time of a run that did not succeed and whose worker did not report it: the last row that all of its arrays
 * have. */
static service_status tell_time(sqlite_db *db, store_end *end) {
  bool found = false;
  if (end->report || !end->error) return SERVICE_OK;
  service_status status = sqlite_results_time(db, &end->run, &end->progress.t, &found);
  return found && !store_error_set_time(&end->error, end->progress.t) ? SERVICE_FAILED : status;
}

static service_status complete_execute(sqlite_command *command, sqlite_db *db) {
  finish_command *self = (finish_command *)command;
  service_status status = self->part ? sqlite_results_write(db, self->part) : SERVICE_OK;
  if (status == SERVICE_OK) status = compare_extent(db, self);
  if (status == SERVICE_OK && !self->incomplete && self->end.state != JOB_SUCCEEDED) status = tell_time(db, &self->end);
  return status;
}

/* Results that could not be written because the disk is full are dropped; other failures may be temporary. */
static void complete_failed(finish_command *self, service_status status) {
  if (status == SERVICE_NO_SPACE) {
    self->incomplete = true;
    return;
  }
  if (self->part) store_assembly_put_back(&self->store->assemblies, self->part);
  self->part = NULL;
  self->done(self->context, status);
  finish_free(self);
}

static void go_to_queue(finish_command *self) {
  assert(!self->part);
  self->command.execute = self->incomplete ? holds_execute : end_execute;
  self->command.done = self->incomplete ? holds_done : end_done;
  self->command.weight = 0;
  sqlite_writer_post(&self->store->queue_writer, &self->command);
}

static void complete_done(sqlite_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  if (status == SERVICE_OK && !self->incomplete && !store_report_set_checksum(&self->end.report, self->checksum))
    status = SERVICE_FAILED;
  if (status != SERVICE_OK) complete_failed(self, status);
  if (status != SERVICE_OK && status != SERVICE_NO_SPACE) return;
  store_part_free(&self->store->assemblies, self->part);
  self->part = NULL;
  go_to_queue(self);
}

static void finish(srv_store *verbs, const store_end *end, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  assert(end->state >= JOB_SUCCEEDED && end->state < JOB_STATES && !end->run.is_block);
  finish_command *self = malloc(sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (finish_command){.command = {complete_execute, complete_done, 0, SERVICE_OK, NULL, false},
                           .store = store,
                           .done = done,
                           .context = context};
  if (!store_end_copy(end, &self->end)) {
    done(context, SERVICE_FAILED);
    finish_free(self);
    return;
  }
  self->part = store_assembly_take(&store->assemblies, &end->run, &self->incomplete);
  if (end->extent.arrays == 0 || self->incomplete) {
    self->incomplete = end->extent.arrays > 0;
    store_part_free(&store->assemblies, self->part);
    self->part = NULL;
    go_to_queue(self);
    return;
  }
  self->command.weight = self->part ? self->part->chunk.data.size : 0;
  sqlite_writer_post(&store->results_writer, &self->command);
}

/* ---- requeue --------------------------------------------------------------------------------------------------- */

typedef struct requeue_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  store_run run;
  double t;
  store_part *part; /* the last part of its results; may be NULL */
  bool crashed;
  bool ended; /* because a cancel was requested */
  bool keep;  /* the call was repeated: it is refused, but its results are the job's last */
} requeue_command;

static service_status requeue_execute(sqlite_command *command, sqlite_db *db) {
  requeue_command *self = (requeue_command *)command;
  service_status status = sqlite_queue_requeue(db, &self->run, self->t, self->crashed, &self->ended);
  bool shown;
  if (status != SERVICE_NOT_FOUND) return status;
  status = sqlite_queue_wants(db, &self->run, &self->keep, &shown);
  return status == SERVICE_OK ? SERVICE_NOT_FOUND : status;
}

static void requeue_done(sqlite_command *command, service_status status) {
  requeue_command *self = (requeue_command *)command;
  if (status == SERVICE_OK) sqlite_running_end(&self->store->running, &self->run);
  if (status == SERVICE_OK && self->ended) sqlite_blocks_end(self->store, self->run.id);
  if (status == SERVICE_OK && !self->ended) sqlite_studies_pause(&self->store->studies, self->run.id);
  if (status == SERVICE_OK)
    store_subscribers_notify(&self->store->subscribers, self->ended ? STORE_EVENT_ENDED : STORE_EVENT_QUEUED,
                             self->run.id);
  if (status == SERVICE_OK) sqlite_results_forget(self->store, self->run.id, 0, self->run.attempt - 1);
  if (status == SERVICE_NOT_FOUND && !self->keep)
    sqlite_results_forget(self->store, self->run.id, self->run.attempt, self->run.attempt);
  self->done(self->context, status);
  free(self);
}

static service_status keep_execute(sqlite_command *command, sqlite_db *db) {
  requeue_command *self = (requeue_command *)command;
  bool found;
  service_status status = self->part ? sqlite_results_write(db, self->part) : SERVICE_OK;
  return status == SERVICE_OK ? sqlite_results_time(db, &self->run, &self->t, &found) : status;
}

/* The job returns to the queue whatever happened to its results: it runs again. */
static void keep_done(sqlite_command *command, service_status status) {
  requeue_command *self = (requeue_command *)command;
  (void)status;
  store_part_free(&self->store->assemblies, self->part);
  self->part = NULL;
  command->execute = requeue_execute;
  command->done = requeue_done;
  command->weight = 0;
  sqlite_writer_post(&self->store->queue_writer, command);
}

static void requeue_block(sqlite_store *store, const store_run *run, bool crashed, store_done done, void *context) {
  bool had = sqlite_studies_give_back(&store->studies, run, crashed);
  if (had) sqlite_writer_wake(&store->queue_writer);
  done(context, had ? SERVICE_OK : SERVICE_NOT_FOUND);
}

static void requeue(srv_store *verbs, const store_run *run, double t, bool crashed, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  if (run->is_block) {
    requeue_block(store, run, crashed, done, context);
    return;
  }
  requeue_command *self = malloc(sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (requeue_command){.command = {keep_execute, keep_done, 0, SERVICE_OK, NULL, false},
                            .store = store,
                            .done = done,
                            .context = context,
                            .run = *run,
                            .t = t,
                            .crashed = crashed};
  bool refused;
  self->part = store_assembly_take(&store->assemblies, run, &refused);
  self->command.weight = self->part ? self->part->chunk.data.size : 0;
  sqlite_writer_post(&store->results_writer, &self->command);
}

/* ---- remove ---------------------------------------------------------------------------------------------------- */

typedef struct remove_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  bool only_ended; /* only if it has no `keep` */
} remove_command;

/* Retries a removal on a full disk after the file `room` was deleted: a removal frees space and must not fail for lack
 * of it. Returns true if it is tried again. */
static bool remove_again(remove_command *self, service_status status, sqlite_writer *writer) {
  if (status != SERVICE_NO_SPACE || !sqlite_disk_reserve_give_up(&self->store->room)) return false;
  sqlite_writer_post(writer, &self->command);
  return true;
}

static service_status delete_ended(sqlite_db *db, const char *id) {
  service_status status = sqlite_db_run(db, "DELETE FROM jobs WHERE id = ? AND finished > 0 AND keep = 0", "t", id);
  return status == SERVICE_OK && sqlite3_changes(db->handle) == 0 ? SERVICE_NOT_FOUND : status;
}

/* A damaged row may be counted in a wrong state: the jobs are counted again. */
static service_status delete_any(sqlite_db *db, const char *id) {
  service_status status = sqlite_job_row_look(db, id);
  bool damaged = status == SERVICE_DAMAGED;
  if (damaged) status = sqlite_job_rows_reindex(db);
  if (status == SERVICE_OK) status = sqlite_db_run(db, "DELETE FROM jobs WHERE id = ?", "t", id);
  return status == SERVICE_OK && damaged ? sqlite_queue_count(db) : status;
}

static service_status remove_execute(sqlite_command *command, sqlite_db *db) {
  const remove_command *self = (const remove_command *)command;
  return self->only_ended ? delete_ended(db, self->id) : delete_any(db, self->id);
}

static void remove_done(sqlite_command *command, service_status status) {
  remove_command *self = (remove_command *)command;
  if (remove_again(self, status, &self->store->queue_writer)) return;
  if (status == SERVICE_OK) {
    store_run run = {.attempt = 0};
    memcpy(run.id, self->id, sizeof run.id);
    sqlite_running_end(&self->store->running, &run);
    sqlite_blocks_end(self->store, self->id);
    store_subscribers_notify(&self->store->subscribers, STORE_EVENT_REMOVED, self->id);
  }
  if (status == SERVICE_OK) {
    store_assembly_forget(&self->store->assemblies, self->id);
    sqlite_results_forget(self->store, self->id, 0, INT_MAX);
  }
  self->done(self->context, status);
  free(self);
}

static service_status unsettle_execute(sqlite_command *command, sqlite_db *db) {
  const remove_command *self = (const remove_command *)command;
  return sqlite_db_run(db, "UPDATE runs SET settled = 0 WHERE job = ?", "t", self->id);
}

static void unsettle_done(sqlite_command *command, service_status status) {
  remove_command *self = (remove_command *)command;
  if (remove_again(self, status, &self->store->results_writer)) return;
  if (status != SERVICE_OK) {
    self->done(self->context, status);
    free(self);
    return;
  }
  command->execute = remove_execute;
  command->done = remove_done;
  sqlite_writer_post(&self->store->queue_writer, command);
}

static void begin_removal(sqlite_store *store, const char *id, bool only_ended, store_done done, void *context) {
  remove_command *self = calloc(1, sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (remove_command){.command = {unsettle_execute, unsettle_done, 0, SERVICE_OK, NULL, false},
                           .store = store,
                           .done = done,
                           .context = context,
                           .only_ended = only_ended};
  strncpy(self->id, id, SERVICE_ID_SIZE - 1);
  sqlite_writer_post(&store->results_writer, &self->command);
}

static void remove_job(srv_store *verbs, const char *id, store_done done, void *context) {
  begin_removal((sqlite_store *)verbs, id, false, done, context);
}

void sqlite_remove_ended(sqlite_store *store, const char *id, store_done done, void *context) {
  begin_removal(store, id, true, done, context);
}

void sqlite_finish_verbs(srv_store *verbs) {
  verbs->finish = finish;
  verbs->requeue = requeue;
  verbs->remove = remove_job;
}
