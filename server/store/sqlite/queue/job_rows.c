/* job_rows.c - see job_rows.h.
 *
 * The triggers belong to the connection, not to the file: a row changed by another program counts as damaged, unless
 * that program sets its checksum to 0 to show that the change is intended. */
#include "server/store/sqlite/queue/job_rows.h"

#include "server/store/sqlite/connection/row_checksum.h"
#include "server/store/sqlite/queue/texts.h"

#include <stdio.h>

bool sqlite_job_row_read(sqlite3_stmt *query, sqlite3_value *row[ROW_COLUMNS]) {
  for (int i = 0; i < ROW_COLUMNS; i++) row[i] = sqlite3_column_value(query, i);
  if (sqlite3_value_type(row[ROW_CHECKSUM]) != SQLITE_INTEGER) return false;
  sqlite3_int64 known = sqlite3_value_int64(row[ROW_CHECKSUM]);
  return known == 0 || known == sqlite_row_checksum(row, ROW_CHECKSUM);
}

#define SUM_NEW_ROW "BEGIN UPDATE jobs SET row_checksum = checksum(" SQLITE_JOB_ROW ") WHERE seq = new.seq; END;"

service_status sqlite_job_rows_keep(sqlite_db *queue) {
  return sqlite_db_script(
      queue, "CREATE TEMP TRIGGER job_row_made AFTER INSERT ON main.jobs " SUM_NEW_ROW
             "CREATE TEMP TRIGGER job_row_changed AFTER UPDATE OF " SQLITE_JOB_CHANGING " ON main.jobs " SUM_NEW_ROW
             "CREATE TEMP TRIGGER job_row_damaged BEFORE UPDATE OF " SQLITE_JOB_CHANGING
             " ON main.jobs WHEN NOT " SQLITE_ROW_IS_WHOLE("old") " BEGIN SELECT RAISE(IGNORE); END");
}

service_status sqlite_job_row_look(sqlite_db *queue, const char *id) {
  sqlite3_stmt *query = sqlite_db_query(queue, "SELECT " SQLITE_JOB_IS_WHOLE " FROM jobs WHERE id = ?", "t", id);
  int code = query ? sqlite3_step(query) : SQLITE_ERROR;
  bool whole = code == SQLITE_ROW && sqlite3_column_int(query, 0) != 0;
  service_status status = code == SQLITE_ROW    ? SERVICE_OK
                          : code == SQLITE_DONE ? SERVICE_NOT_FOUND
                                                : sqlite_db_failure(queue, "read a job");
  sqlite3_reset(query);
  return status == SERVICE_OK && !whole ? sqlite_text_damaged(id, "row") : status;
}

void sqlite_job_row_id(sqlite_db *queue, sqlite3_int64 seq, char id[SERVICE_ID_SIZE]) {
  sqlite3_stmt *query =
      sqlite_db_query(queue, "SELECT id FROM jobs INDEXED BY sqlite_autoindex_jobs_1 WHERE +seq = ?", "i", seq);
  bool found = query && sqlite3_step(query) == SQLITE_ROW;
  snprintf(id, SERVICE_ID_SIZE, "%s", found ? (const char *)sqlite3_column_text(query, 0) : "");
  sqlite3_reset(query);
}

service_status sqlite_job_rows_reindex(sqlite_db *queue) {
  return sqlite_db_script(queue,
                          "CREATE TEMP TABLE known AS SELECT seq, id FROM jobs INDEXED BY sqlite_autoindex_jobs_1;"
                          "REINDEX main.jobs;"
                          "UPDATE jobs SET id = known.id FROM known WHERE jobs.seq = known.seq AND jobs.id <> known.id;"
                          "DROP TABLE known");
}

service_status sqlite_job_rows_verify(sqlite_db *queue,
                                      void (*damaged)(void *context, const char *job, const char *what),
                                      void *context) {
  sqlite3_stmt *list = sqlite_db_query(queue, "SELECT seq FROM jobs WHERE NOT " SQLITE_JOB_IS_WHOLE, "");
  int code = SQLITE_ERROR;
  while (list && (code = sqlite3_step(list)) == SQLITE_ROW) {
    char id[SERVICE_ID_SIZE];
    sqlite_job_row_id(queue, sqlite3_column_int64(list, 0), id);
    damaged(context, id, "row");
  }
  sqlite3_reset(list);
  return code == SQLITE_DONE ? SERVICE_OK : SERVICE_FAILED;
}
