/* backup.c - see backup.h.
 *
 * The two files have no common transaction. The copy consists of three states, which begin within moments: of queue.db,
 * then of results.db, then of queue.db again, which shows the removals in between.
 *
 *     a job that ended in the first state   its results came before: they are in the second, unless it was removed
 *     a job that is not in the third        was removed: it is deleted from the copy
 *     a job that is in the third            its results were not dropped before, so they are in the second
 *     a job that ended after the first      still waits or runs in the copy, and runs again
 *
 * The first start of the copy drops results that no job shows: it examines every run that is not settled, and in the
 * copy none is. */
#include "server/store/sqlite/operations/backup.h"

#include "server/store/sqlite/connection/data_directory.h"
#include "server/store/sqlite/connection/db.h"
#include "server/store/sqlite/operations/integrity_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct backup {
  const char *folder, *target;
  FILE *errors;
  sqlite_db queue, results, after; /* the three states */
} backup;

static bool fail(const backup *self, const char *what, const char *why) {
  fprintf(self->errors, "mbsd: backup to %s failed: %s: %s\n", self->target, what, why);
  return false;
}

/* ---- the folder of the copy ------------------------------------------------------------------------------------ */

static bool is_empty(const char *folder) {
  DIR *list = opendir(folder);
  size_t count = 0;
  for (const struct dirent *entry; list && (entry = readdir(list));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) count++;
  bool empty = list && count == 0;
  if (list) closedir(list);
  return empty;
}

static bool make_target(const backup *self) {
  umask(0077);
  if (!sqlite_data_directory_make(self->target)) return fail(self, "cannot create the folder", strerror(errno));
  if (!is_empty(self->target)) return fail(self, "the folder is not empty", "use an empty or a new folder");
  if (chmod(self->target, 0700) != 0)
    return fail(self, "cannot restrict the permissions of the folder", strerror(errno));
  return true;
}

static void path_of(char path[SQLITE_FOLDER_PATH], const char *folder, const char *name) {
  snprintf(path, SQLITE_FOLDER_PATH, "%s/%s", folder, name);
}

static bool sync_file(const backup *self, const char *name) {
  char path[SQLITE_FOLDER_PATH];
  path_of(path, self->target, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  bool good = file >= 0 && fsync(file) == 0;
  if (!good) fail(self, path, strerror(errno));
  if (file >= 0) close(file);
  return good;
}

/* Flushes the names in the directory, and its own name. */
static bool sync_folders(const backup *self) {
  char parent[SQLITE_FOLDER_PATH];
  snprintf(parent, sizeof parent, "%s/..", self->target);
  if (sqlite_data_directory_sync(self->target) && sqlite_data_directory_sync(parent)) return true;
  return fail(self, "cannot write it to the disk", strerror(errno));
}

static void remove_files(const backup *self, const char *ending) {
  char path[SQLITE_FOLDER_PATH];
  snprintf(path, sizeof path, "%s/queue.db%s", self->target, ending);
  unlink(path);
  snprintf(path, sizeof path, "%s/results.db%s", self->target, ending);
  unlink(path);
}

/* Removes side files of a reader: an empty log and its index. */
static void tidy(const backup *self) {
  remove_files(self, "-wal");
  remove_files(self, "-shm");
}

static void remove_copy(const backup *self) {
  tidy(self);
  remove_files(self, "-journal");
  remove_files(self, "");
  rmdir(self->target);
}

/* ---- the states ------------------------------------------------------------------------------------------------ */

/* Opens a file and holds its current state. */
static bool hold(const backup *self, sqlite_db *db, const char *name) {
  char message[SQLITE_DB_MESSAGE];
  if (!sqlite_db_open_reader(db, self->folder, name, message)) return fail(self, name, message);
  if (sqlite_db_script(db, "BEGIN") == SERVICE_OK && sqlite_db_integer(db, "SELECT count(*) FROM sqlite_schema") > 0)
    return true;
  return fail(self, name, sqlite3_errmsg(db->handle));
}

static bool hold_states(backup *self) {
  char message[SQLITE_FOLDER_MESSAGE];
  bool fresh;
  if (!sqlite_data_directory_complete(self->folder, &fresh, message)) return fail(self, "nothing to copy", message);
  if (fresh) return fail(self, self->folder, "the folder has no databases of mbsd; set the folder with --data");
  return hold(self, &self->queue, "queue") && hold(self, &self->results, "results") &&
         hold(self, &self->after, "queue");
}

/* ---- copying --------------------------------------------------------------------------------------------------- */

/* Copies a state to a file of the target, which stays open. */
static bool copy_state(const backup *self, sqlite_db *state, const char *name, sqlite3 **copy) {
  char path[SQLITE_FOLDER_PATH];
  path_of(path, self->target, name);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  if (sqlite3_open_v2(path, copy, flags, NULL) != SQLITE_OK) return fail(self, name, sqlite3_errmsg(*copy));
  sqlite3_backup *work = sqlite3_backup_init(*copy, "main", state->handle, "main");
  int code = work ? sqlite3_backup_step(work, -1) : SQLITE_ERROR;
  if (work) sqlite3_backup_finish(work);
  return code == SQLITE_DONE || fail(self, name, sqlite3_errmsg(*copy));
}

static bool change_copy(const backup *self, sqlite3 *copy, const char *name, const char *sql) {
  return sqlite3_exec(copy, sql, NULL, NULL, NULL) == SQLITE_OK || fail(self, name, sqlite3_errmsg(copy));
}

/* Returns true if a job was not removed since. */
static bool still_there(sqlite_db *after, const char *id) {
  sqlite3_stmt *query = sqlite_db_query(after, "SELECT 1 FROM jobs WHERE id = ?", "t", id);
  bool found = query && sqlite3_step(query) == SQLITE_ROW;
  sqlite3_reset(query);
  return found;
}

/* The SQL function for still_there() in the copy of queue.db. */
static void still_there_function(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  const char *id = (const char *)sqlite3_value_text(values[0]);
  sqlite3_result_int(context, id && still_there(sqlite3_user_data(context), id));
}

static bool take_out_removed(backup *self, sqlite3 *copy) {
  return (sqlite3_create_function_v2(copy, "still_there", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, &self->after,
                                     still_there_function, NULL, NULL, NULL) == SQLITE_OK ||
          fail(self, "queue.db", sqlite3_errmsg(copy))) &&
         change_copy(self, copy, "queue.db", "PRAGMA foreign_keys = ON; DELETE FROM jobs WHERE NOT still_there(id)");
}

static bool copy_both(backup *self) {
  sqlite3 *queue = NULL, *results = NULL;
  bool good = copy_state(self, &self->queue, "queue.db", &queue) && take_out_removed(self, queue) &&
              copy_state(self, &self->results, "results.db", &results) &&
              change_copy(self, results, "results.db", "UPDATE runs SET settled = 0");
  /* A sync does not make durable what a failed close left unwritten. */
  if (sqlite3_close(queue) != SQLITE_OK && good) good = fail(self, "queue.db", "cannot close the file");
  if (sqlite3_close(results) != SQLITE_OK && good) good = fail(self, "results.db", "cannot close the file");
  return good && sync_file(self, "queue.db") && sync_file(self, "results.db") && sync_folders(self);
}

/* Writes the time of the backup, which the daemon reports. */
static void note_time(const char *folder) {
  char path[SQLITE_FOLDER_PATH];
  path_of(path, folder, "backed-up");
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  futimens(file, NULL);
  close(file);
}

bool sqlite_back_up(const char *folder, const char *target, FILE *out, FILE *errors) {
  backup self = {.folder = folder, .target = target, .errors = errors};
  if (!make_target(&self)) return false;
  bool good = hold_states(&self) && copy_both(&self);
  sqlite_db_close(&self.queue);
  sqlite_db_close(&self.results);
  sqlite_db_close(&self.after);
  if (good && !sqlite_integrity_check(target, out)) good = fail(&self, "the copy is damaged", "see mbsd --check");
  if (!good) {
    remove_copy(&self);
    return false;
  }
  tidy(&self);
  note_time(folder);
  fprintf(out, "backup of %s written to %s\n", folder, target);
  return true;
}
