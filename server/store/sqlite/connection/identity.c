/* identity.c - see identity.h. */
#include "server/store/sqlite/connection/identity.h"

#include "server/base/id.h"

#include <stdio.h>
#include <string.h>

/* Reads one text, "" if there is none. Returns false on failure. */
static bool read_text(sqlite_db *db, const char *sql, const char *value, char text[SERVICE_ID_SIZE]) {
  text[0] = '\0';
  sqlite3_stmt *query = value ? sqlite_db_query(db, sql, "t", value) : sqlite_db_query(db, sql, "");
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  const char *found = code == SQLITE_ROW ? (const char *)sqlite3_column_text(query, 0) : NULL;
  if (found) snprintf(text, SERVICE_ID_SIZE, "%s", found);
  sqlite3_reset(query);
  return code == SQLITE_ROW || code == SQLITE_DONE;
}

bool sqlite_identity_read(sqlite_db *db, char id[SERVICE_ID_SIZE]) {
  return read_text(db, "SELECT id FROM identity", NULL, id);
}

/* Returns true if the last job that succeeded with results has some, and the last results that a job shows have that
 * job. This holds for a pair of files wherever a daemon was interrupted. */
static bool know_each_other(sqlite_db *queue, sqlite_db *results) {
  char job[SERVICE_ID_SIZE], found[SERVICE_ID_SIZE];
  if (!read_text(queue, "SELECT id FROM jobs WHERE status = 'succeeded' AND shown > 0 ORDER BY seq DESC LIMIT 1", NULL,
                 job))
    return false;
  if (job[0] && (!read_text(results, "SELECT job FROM runs WHERE job = ?", job, found) || !found[0])) return false;
  if (!read_text(results, "SELECT job FROM runs WHERE settled = 1 ORDER BY id DESC LIMIT 1", NULL, job)) return false;
  return !job[0] || (read_text(queue, "SELECT id FROM jobs WHERE id = ?", job, found) && found[0]);
}

static bool write_id(sqlite_db *db, const char *id) {
  return sqlite_db_run(db, "INSERT INTO identity (only, id) VALUES (1, ?)", "t", id) == SERVICE_OK;
}

bool sqlite_identity_pair(sqlite_db *queue, sqlite_db *results, const char *folder, char message[SQLITE_DB_MESSAGE]) {
  char ids[2][SERVICE_ID_SIZE], id[SERVICE_ID_SIZE];
  if (!sqlite_identity_read(queue, ids[0]) || !sqlite_identity_read(results, ids[1])) {
    snprintf(message, SQLITE_DB_MESSAGE, "the identity of the databases in %.300s cannot be read", folder);
    return false;
  }
  bool known = ids[0][0] && ids[1][0];
  if (known ? strcmp(ids[0], ids[1]) != 0 : !know_each_other(queue, results)) {
    snprintf(message, SQLITE_DB_MESSAGE,
             "%.200s/results.db does not belong to queue.db in this folder, but to another one: put the matching file "
             "back, or restore both from a backup",
             folder);
    return false;
  }
  if (known) return true;
  memcpy(id, ids[0][0] ? ids[0] : ids[1], sizeof id);
  bool good = (id[0] || srv_id_new(id)) && (ids[0][0] || write_id(queue, id)) && (ids[1][0] || write_id(results, id));
  if (!good) snprintf(message, SQLITE_DB_MESSAGE, "the databases in %.300s cannot be written", folder);
  return good;
}
