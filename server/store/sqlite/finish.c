/* finish.c - see finish.h. */
#include "server/store/sqlite/finish.h"

#include "server/base/clock.h"
#include "server/store/sqlite/broken.h"
#include "server/store/sqlite/queue.h"
#include "server/store/sqlite/results.h"
#include "server/store/sqlite/state.h"

#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- finish ---------------------------------------------------------------------------------------------------- */

typedef struct finish_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  store_end end;   /* its texts are copies */
  bool incomplete; /* not all that was written is there */
  bool refused;    /* the run does not hold the job, nor are its results the job's last */
  bool shown;      /* it ended the job */
  bool more;       /* of its results to drop */
} finish_command;

static void finish_free(finish_command *self) {
  free((char *)self->end.report);
  free((char *)self->end.error);
  free(self);
}

static service_status settle_execute(sqlite_command *command, sqlite_db *db) {
  finish_command *self = (finish_command *)command;
  const store_run *run = &self->end.run;
  if (self->refused) return sqlite_results_drop(db, run->id, run->attempt, run->attempt, &self->more);
  if (!self->shown) return SERVICE_OK;
  service_status status = sqlite_db_run(db, "UPDATE runs SET settled = 1 WHERE job = ? AND attempt = ?", "ti", run->id,
                                        (sqlite3_int64)run->attempt);
  if (status != SERVICE_OK) return status;
  return sqlite_results_drop(db, run->id, 0, run->attempt - 1, &self->more);
}

static void settle_done(sqlite_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  if (status == SERVICE_OK && self->more) {
    sqlite_writer_post(&self->store->results_writer, command);
  } else {
    finish_free(self);
  }
}

/* An end that comes to nothing may be a repeated one, and the job show the results of this very run. NOT_FOUND. */
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
      " progress_fraction = ?8, evaluations = ?9, shown = ?10"
      " WHERE id = ?1 AND attempt = ?2 AND status = 'running'",
      "titdttddii", end->run.id, (sqlite3_int64)end->run.attempt, job_state_name(end->state), srv_clock_wall(),
      end->report, end->error, end->progress.t, end->progress.fraction, (sqlite3_int64)end->progress.evaluations,
      (sqlite3_int64)(end->extent.arrays > 0 ? end->run.attempt : 0));
  self->refused = false;
  self->shown = true;
  if (status != SERVICE_OK || sqlite3_changes(db->handle) > 0) return status;
  return look_at_shown(db, self);
}

static void end_done(sqlite_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  store_done done = self->done;
  void *context = self->context;
  if (status == SERVICE_OK) {
    sqlite_running_end(&self->store->running, &self->end.run);
    sqlite_watchers_tell(&self->store->watchers, STORE_EVENT_ENDED, self->end.run.id);
  }
  if (status == SERVICE_OK || status == SERVICE_NOT_FOUND) {
    command->execute = settle_execute;
    command->done = settle_done;
    sqlite_writer_post(&self->store->results_writer, command);
  } else {
    finish_free(self); /* the caller tries again */
  }
  done(context, status);
}

/* NOT_FOUND: the run does not hold its job, and that its results are not all there is because they were dropped. */
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

/* Whether all that was written of the run is there. */
static service_status compare_extent(sqlite_db *db, const store_end *end, bool *complete) {
  sqlite3_stmt *query = sqlite_db_query(db,
                                        "SELECT count(*), sum(CASE WHEN a.timeless THEN 0 ELSE a.shape0 END),"
                                        " (SELECT coalesce(sum(length(data)), 0) FROM tiles WHERE run = r.id)"
                                        " FROM runs r JOIN arrays a ON a.run = r.id WHERE r.job = ? AND r.attempt = ?",
                                        "ti", end->run.id, (sqlite3_int64)end->run.attempt);
  if (!query) return SERVICE_FAILED;
  int code = sqlite3_step(query);
  const store_extent *extent = &end->extent;
  *complete = code == SQLITE_ROW && (size_t)sqlite3_column_int64(query, 0) == extent->arrays &&
              (size_t)sqlite3_column_int64(query, 1) == extent->rows &&
              (size_t)sqlite3_column_int64(query, 2) == extent->bytes;
  sqlite3_reset(query);
  return code == SQLITE_ROW ? SERVICE_OK : sqlite_db_failure(db, "finish");
}

/* Drops what there is of a run that ends without results; not what its job shows already. */
static service_status drop_unshown(sqlite_db *db, const store_run *run, bool *more) {
  sqlite3_stmt *query = sqlite_db_query(db, "SELECT 1 FROM runs WHERE job = ? AND attempt = ? AND settled = 1", "ti",
                                        run->id, (sqlite3_int64)run->attempt);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  sqlite3_reset(query);
  if (code == SQLITE_ROW) return SERVICE_OK;
  if (code != SQLITE_DONE) return sqlite_db_failure(db, "finish");
  return sqlite_results_drop(db, run->id, run->attempt, run->attempt, more);
}

/* Puts the time into an error; false without memory. */
static bool set_time(const char **text, double t) {
  json_t *error = json_loads(*text, 0, NULL);
  bool set = error && json_object_set_new(error, "t", json_real(t)) == 0;
  char *changed = set ? json_dumps(error, JSON_COMPACT) : NULL;
  json_decref(error);
  if (!changed) return false;
  free((char *)*text);
  *text = changed;
  return true;
}

/* Of a run that did not succeed: the rows that all of its arrays have. Where its worker did not say how far it came,
 * these do. */
static service_status cut_to_rows(sqlite_db *db, store_end *end) {
  bool found = false;
  service_status status = sqlite_results_cut(db, &end->run);
  if (status == SERVICE_OK && !end->report && end->error)
    status = sqlite_results_time(db, &end->run, &end->progress.t, &found);
  return found && !set_time(&end->error, end->progress.t) ? SERVICE_FAILED : status;
}

static service_status complete_execute(sqlite_command *command, sqlite_db *db) {
  finish_command *self = (finish_command *)command;
  bool complete = true;
  service_status status = SERVICE_OK;
  self->more = false;
  if (self->end.extent.arrays == 0) {
    status = drop_unshown(db, &self->end.run, &self->more);
  } else {
    status = compare_extent(db, &self->end, &complete);
    if (status == SERVICE_OK && self->end.state != JOB_SUCCEEDED) status = cut_to_rows(db, &self->end);
  }
  self->incomplete = !complete;
  return status;
}

static void complete_done(sqlite_command *command, service_status status) {
  finish_command *self = (finish_command *)command;
  if (status == SERVICE_OK && self->more) {
    sqlite_writer_post(&self->store->results_writer, command);
    return;
  }
  if (status != SERVICE_OK) {
    self->done(self->context, status);
    finish_free(self);
    return;
  }
  command->execute = self->incomplete ? holds_execute : end_execute;
  command->done = self->incomplete ? holds_done : end_done;
  sqlite_writer_post(&self->store->queue_writer, command);
}

static void finish(srv_store *verbs, const store_end *end, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  finish_command *self = malloc(sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (finish_command){.command = {complete_execute, complete_done, 0, SERVICE_OK, NULL},
                           .store = store,
                           .done = done,
                           .context = context,
                           .end = *end};
  self->end.report = end->report ? strdup(end->report) : NULL;
  self->end.error = end->error ? strdup(end->error) : NULL;
  if ((end->report && !self->end.report) || (end->error && !self->end.error)) {
    done(context, SERVICE_FAILED);
    finish_free(self);
    return;
  }
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
  bool crashed;
  bool ended; /* because a cancel was asked for */
  bool keep;  /* it is refused, but its results are the job's last: it was repeated */
  bool more;  /* of results to drop */
} requeue_command;

static service_status drop_run_execute(sqlite_command *command, sqlite_db *db) {
  requeue_command *self = (requeue_command *)command;
  return sqlite_results_drop(db, self->run.id, self->run.attempt, self->run.attempt, &self->more);
}

static void drop_run_done(sqlite_command *command, service_status status) {
  requeue_command *self = (requeue_command *)command;
  if (status == SERVICE_OK && self->more) {
    sqlite_writer_post(&self->store->results_writer, command);
  } else {
    free(self);
  }
}

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
  if (status == SERVICE_OK)
    sqlite_watchers_tell(&self->store->watchers, self->ended ? STORE_EVENT_ENDED : STORE_EVENT_QUEUED, self->run.id);
  self->done(self->context, status);
  if (status != SERVICE_NOT_FOUND || self->keep) {
    free(self);
    return;
  }
  command->execute = drop_run_execute;
  command->done = drop_run_done;
  sqlite_writer_post(&self->store->results_writer, command);
}

static service_status cut_execute(sqlite_command *command, sqlite_db *db) {
  requeue_command *self = (requeue_command *)command;
  bool found;
  service_status status = sqlite_results_cut(db, &self->run);
  if (status == SERVICE_OK) status = sqlite_results_time(db, &self->run, &self->t, &found);
  if (status != SERVICE_OK) return status;
  return sqlite_results_drop(db, self->run.id, 0, self->run.attempt - 1, &self->more);
}

/* The job goes back whatever became of its results: it is done again. */
static void cut_done(sqlite_command *command, service_status status) {
  requeue_command *self = (requeue_command *)command;
  if (status == SERVICE_OK && self->more) {
    sqlite_writer_post(&self->store->results_writer, command);
    return;
  }
  command->execute = requeue_execute;
  command->done = requeue_done;
  sqlite_writer_post(&self->store->queue_writer, command);
}

static void requeue(srv_store *verbs, const store_run *run, double t, bool crashed, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  requeue_command *self = malloc(sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (requeue_command){.command = {cut_execute, cut_done, 0, SERVICE_OK, NULL},
                            .store = store,
                            .done = done,
                            .context = context,
                            .run = *run,
                            .t = t,
                            .crashed = crashed};
  sqlite_writer_post(&store->results_writer, &self->command);
}

/* ---- remove ---------------------------------------------------------------------------------------------------- */

typedef struct remove_command {
  sqlite_command command;
  sqlite_store *store;
  store_done done;
  void *context;
  char id[SERVICE_ID_SIZE];
  bool more;
} remove_command;

static service_status drop_execute(sqlite_command *command, sqlite_db *db) {
  remove_command *self = (remove_command *)command;
  return sqlite_results_drop(db, self->id, 0, INT_MAX, &self->more);
}

static void drop_done(sqlite_command *command, service_status status) {
  remove_command *self = (remove_command *)command;
  if (status == SERVICE_OK && self->more) {
    sqlite_writer_post(&self->store->results_writer, command);
  } else {
    free(self);
  }
}

static service_status remove_execute(sqlite_command *command, sqlite_db *db) {
  const remove_command *self = (const remove_command *)command;
  service_status status = sqlite_db_run(db, "DELETE FROM jobs WHERE id = ?", "t", self->id);
  return status == SERVICE_OK && sqlite3_changes(db->handle) == 0 ? SERVICE_NOT_FOUND : status;
}

static void remove_done(sqlite_command *command, service_status status) {
  remove_command *self = (remove_command *)command;
  if (status == SERVICE_OK) {
    store_run run = {.attempt = 0};
    memcpy(run.id, self->id, sizeof run.id);
    sqlite_running_end(&self->store->running, &run);
    sqlite_watchers_tell(&self->store->watchers, STORE_EVENT_REMOVED, self->id);
  }
  self->done(self->context, status);
  if (status != SERVICE_OK) {
    free(self);
    return;
  }
  command->execute = drop_execute;
  command->done = drop_done;
  sqlite_writer_post(&self->store->results_writer, command);
}

static service_status unsettle_execute(sqlite_command *command, sqlite_db *db) {
  const remove_command *self = (const remove_command *)command;
  return sqlite_db_run(db, "UPDATE runs SET settled = 0 WHERE job = ?", "t", self->id);
}

static void unsettle_done(sqlite_command *command, service_status status) {
  remove_command *self = (remove_command *)command;
  if (status != SERVICE_OK) {
    self->done(self->context, status);
    free(self);
    return;
  }
  command->execute = remove_execute;
  command->done = remove_done;
  sqlite_writer_post(&self->store->queue_writer, command);
}

static void remove_job(srv_store *verbs, const char *id, store_done done, void *context) {
  sqlite_store *store = (sqlite_store *)verbs;
  remove_command *self = calloc(1, sizeof *self);
  if (!self) {
    done(context, SERVICE_FAILED);
    return;
  }
  *self = (remove_command){.command = {unsettle_execute, unsettle_done, 0, SERVICE_OK, NULL},
                           .store = store,
                           .done = done,
                           .context = context};
  strncpy(self->id, id, SERVICE_ID_SIZE - 1);
  sqlite_writer_post(&store->results_writer, &self->command);
}

void sqlite_finish_verbs(srv_store *verbs) {
  verbs->finish = finish;
  verbs->requeue = requeue;
  verbs->remove = remove_job;
}
