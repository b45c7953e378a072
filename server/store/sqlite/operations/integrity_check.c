/* integrity_check.c - see integrity_check.h. */
#include "server/store/sqlite/operations/integrity_check.h"

#include "server/store/sqlite/connection/data_directory.h"
#include "server/store/sqlite/connection/identity.h"
#include "server/store/sqlite/operations/orphans.h"
#include "server/store/sqlite/operations/verify.h"
#include "server/store/sqlite/queue/job_rows.h"
#include "server/store/sqlite/queue/texts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of lines for one kind of fault. */
enum { MOST_LINES = 100 };

typedef struct looker {
  sqlite_db queue, results;
  const char *folder;
  FILE *out;
  size_t wrong;
  size_t lines; /* lines of the current kind of fault */
  sqlite3_int64 jobs;
} looker;

__attribute__((format(printf, 2, 3))) static void complain(looker *self, const char *format, ...) {
  self->wrong++;
  if (++self->lines > MOST_LINES) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(self->out, format, arguments);
  va_end(arguments);
  fputs(self->lines == MOST_LINES ? "\n... and more errors of this type\n" : "\n", self->out);
}

/* ---- each file by itself --------------------------------------------------------------------------------------- */

/* Runs a pragma whose rows are faults. */
static void run_check(looker *self, sqlite_db *db, const char *name, const char *sql,
                      void (*row)(looker *self, const char *name, sqlite3_stmt *query)) {
  self->lines = 0;
  sqlite3_stmt *query = NULL;
  int code = sqlite3_prepare_v2(db->handle, sql, -1, &query, NULL);
  while (code == SQLITE_OK || code == SQLITE_ROW)
    if ((code = sqlite3_step(query)) == SQLITE_ROW) row(self, name, query);
  if (code != SQLITE_DONE) complain(self, "%s: cannot be read: %s", name, sqlite3_errmsg(db->handle));
  sqlite3_finalize(query);
}

static void integrity_row(looker *self, const char *name, sqlite3_stmt *query) {
  const char *text = (const char *)sqlite3_column_text(query, 0);
  if (!text || strcmp(text, "ok") == 0) return;
  char *copy = strdup(text), *rest = copy;
  for (char *line; copy && (line = strsep(&rest, "\n"));)
    if (*line) complain(self, "%s: %s", name, line);
  free(copy);
}

static void reference_row(looker *self, const char *name, sqlite3_stmt *query) {
  complain(self, "%s: row %lld of %s refers to a missing row of %s", name, (long long)sqlite3_column_int64(query, 1),
           sqlite3_column_text(query, 0), sqlite3_column_text(query, 2));
}

static void look_at_file(looker *self, sqlite_db *db, const char *name, const char *short_name) {
  char what[SQLITE_DB_MESSAGE];
  sqlite3_int64 version = sqlite_db_integer(db, "PRAGMA user_version");
  self->lines = 0;
  if (!sqlite_db_schema_check(db, short_name, what)) complain(self, "%s: %s", name, what);
  if (version > sqlite_db_newest(short_name))
    complain(self, "%s: has version %lld of a newer mbsd", name, (long long)version);
  run_check(self, db, name, "PRAGMA integrity_check(1000)", integrity_row);
  run_check(self, db, name, "PRAGMA foreign_key_check", reference_row);
}

/* ---- references between the databases -------------------------------------------------------------------------- */

static void look_at_pair(looker *self) {
  char ids[2][SERVICE_ID_SIZE];
  if (!sqlite_identity_read(&self->queue, ids[0]) || !sqlite_identity_read(&self->results, ids[1]))
    complain(
        self,
        "the identity of the databases cannot be read: if the folder is from an older mbsd, start mbsd with it once");
  else if (strcmp(ids[0], ids[1]) != 0)
    complain(self, "results.db: does not belong to queue.db in this folder, but to another one");
}

static void job_row(looker *self, const char *name, sqlite3_stmt *query) {
  complain(self, "%s: job %s %s", name, sqlite3_column_text(query, 0), sqlite3_column_text(query, 1));
}

static void usage_row(looker *self, const char *name, sqlite3_stmt *query) {
  complain(self, "%s: the jobs of client %s are counted with %lld bytes, but have %lld", name,
           sqlite3_column_text(query, 0), (long long)sqlite3_column_int64(query, 1),
           (long long)sqlite3_column_int64(query, 2));
}

static void look_at_queue(looker *self) {
  self->jobs = sqlite_db_integer(&self->queue, "SELECT count(*) FROM jobs");
  run_check(self, &self->queue, "queue.db",
            "SELECT id, 'has no document' FROM jobs WHERE NOT EXISTS (SELECT 1 FROM documents WHERE job = jobs.seq)",
            job_row);
  run_check(self, &self->queue, "queue.db",
            "SELECT id, 'has finished without a finish time' FROM jobs"
            " WHERE status NOT IN ('queued', 'running') AND finished = 0",
            job_row);
  run_check(self, &self->queue, "queue.db",
            "SELECT status, 'are counted as ' || jobs || ', but there are '"
            " || (SELECT count(*) FROM jobs WHERE status = counts.status) FROM counts"
            " WHERE jobs <> (SELECT count(*) FROM jobs WHERE status = counts.status)",
            job_row);
  run_check(self, &self->queue, "queue.db",
            "WITH sums AS (SELECT client, sum(bytes) AS bytes FROM jobs GROUP BY client)"
            " SELECT client, u.bytes, coalesce(sums.bytes, 0) FROM client_use u LEFT JOIN sums USING (client)"
            " WHERE u.bytes <> coalesce(sums.bytes, 0)",
            usage_row);
}

static bool exists(sqlite_db *db, const char *sql, const char *job, sqlite3_int64 attempt) {
  sqlite3_stmt *query = sqlite_db_query(db, sql, "ti", job, attempt);
  bool found = query && sqlite3_step(query) == SQLITE_ROW;
  sqlite3_reset(query);
  return found;
}

/* A job without results may have been removed since the list was made: then it is absent in a transaction that begins
 * after results.db was read. */
static void look_at_shown(looker *self, sqlite3_stmt *list) {
  const char *job = (const char *)sqlite3_column_text(list, 0);
  sqlite3_int64 attempt = sqlite3_column_int64(list, 1);
  if (exists(&self->results, "SELECT 1 FROM runs WHERE job = ? AND attempt = ?", job, attempt)) return;
  sqlite_db fresh;
  char message[SQLITE_DB_MESSAGE];
  if (!sqlite_db_open_reader(&fresh, self->folder, "queue", message)) return;
  if (exists(&fresh, "SELECT 1 FROM jobs WHERE id = ? AND shown = ?", job, attempt))
    complain(self, "results.db: job %s succeeded, but its results are missing", job);
  sqlite_db_close(&fresh);
}

static void look_at_results_of_jobs(looker *self) {
  self->lines = 0;
  sqlite3_stmt *list = sqlite_db_query(&self->queue,
                                       "SELECT id, shown FROM jobs WHERE status = 'succeeded' AND shown > 0"
                                       " AND " SQLITE_JOB_IS_WHOLE,
                                       "");
  int code = SQLITE_ERROR;
  while (list && (code = sqlite3_step(list)) == SQLITE_ROW) look_at_shown(self, list);
  if (code != SQLITE_DONE) complain(self, "queue.db: cannot be read: %s", sqlite3_errmsg(self->queue.handle));
  sqlite3_reset(list);
}

static void look_at_orphans(looker *self) {
  size_t count;
  self->lines = 0;
  if (sqlite_orphans_count(&self->queue, &self->results, &count) != SERVICE_OK)
    complain(self, "results.db: the runs cannot be compared with the jobs");
  else if (count > 0)
    complain(self,
             "results.db: has results of %zu run%s without a job: queue.db is older than results.db, or its log "
             "(queue.db-wal) was lost",
             count, count == 1 ? "" : "s");
}

static void damaged(void *context, const char *job, int attempt, const char *array) {
  if (array)
    complain(context, "results.db: array %s of job %s (attempt %d) does not match its checksum", array, job, attempt);
  else
    complain(context, "results.db: the list of arrays of job %s (attempt %d) does not match its checksum", job,
             attempt);
}

static void damaged_text(void *context, const char *job, const char *what) {
  complain(context, "queue.db: the %s of job %s does not match its checksum", what, job);
}

static void look_at_texts(looker *self) {
  self->lines = 0;
  if (sqlite_texts_verify(&self->queue, damaged_text, self) != SERVICE_OK ||
      sqlite_job_rows_verify(&self->queue, damaged_text, self) != SERVICE_OK)
    complain(self, "queue.db: cannot be read completely: %s", sqlite3_errmsg(self->queue.handle));
}

static void look_at_numbers(looker *self, sqlite_results_check *check) {
  self->lines = 0;
  if (sqlite_results_verify(&self->results, check, damaged, self) != SERVICE_OK)
    complain(self, "results.db: cannot be read completely: %s", sqlite3_errmsg(self->results.handle));
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static bool open_both(looker *self) {
  char message[SQLITE_FOLDER_MESSAGE];
  bool fresh;
  if (!sqlite_data_directory_complete(self->folder, &fresh, message) ||
      (!fresh && (!sqlite_db_open_reader(&self->queue, self->folder, "queue", message) ||
                  !sqlite_db_open_reader(&self->results, self->folder, "results", message)))) {
    complain(self, "%s", message);
    return false;
  }
  if (fresh) complain(self, "%s: the folder has no databases of mbsd", self->folder);
  return !fresh;
}

bool sqlite_integrity_check(const char *folder, FILE *out) {
  looker self = {.folder = folder, .out = out};
  sqlite_results_check check = {0};
  bool opened = open_both(&self);
  if (opened) {
    look_at_file(&self, &self.queue, "queue.db", "queue");
    look_at_file(&self, &self.results, "results.db", "results");
    self.lines = 0;
    look_at_pair(&self);
    look_at_queue(&self);
    look_at_texts(&self);
    look_at_results_of_jobs(&self);
    look_at_orphans(&self);
    look_at_numbers(&self, &check);
    fprintf(out, "%lld jobs, %llu runs with %llu arrays of %llu bytes", (long long)self.jobs,
            (unsigned long long)check.runs, (unsigned long long)check.arrays, (unsigned long long)check.bytes);
    if (check.unchecked > 0) fprintf(out, " (%llu of them without checksums)", (unsigned long long)check.unchecked);
    fputs(": ", out);
  }
  sqlite_db_close(&self.queue);
  sqlite_db_close(&self.results);
  if (self.wrong == 0)
    fputs("no errors found\n", out);
  else
    fprintf(out, "%zu error%s found; restore the folder from a backup\n", self.wrong, self.wrong == 1 ? "" : "s");
  return self.wrong == 0;
}
