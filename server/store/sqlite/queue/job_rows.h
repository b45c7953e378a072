/* job_rows.h - the rows of jobs, each with a checksum of what is told of the job and of what decides over its end.
 *
 * A row that differs from its checksum is damaged. Nothing of it is told but the id, which the index of ids repeats;
 * the job is not run, reused, changed or retired, and goes when it is deleted. Who writes rows need not know: the
 * writing connection keeps the checksums, and its changes pass over damaged rows as if they were not there. */
#ifndef SERVER_STORE_SQLITE_QUEUE_JOB_ROWS_H
#define SERVER_STORE_SQLITE_QUEUE_JOB_ROWS_H

#include "server/store/sqlite/connection/db.h"

#include <stdbool.h>

/* The columns that change, and all that the checksum is of: not the report, which has its own, nor what decides only
 * when a job is run. Who adds one sums all rows anew in its migration. */
#define SQLITE_JOB_CHANGING                                                                                      \
  "status, attempt, crashes, interruptions, cancel_requested, shown, created, started, finished, progress_t,"    \
  " progress_fraction, evaluations, model_name, client, name, tags, keep, content_hash, short, analysis, error," \
  " report_checksum, runs"
#define SQLITE_JOB_ROW "seq, id, " SQLITE_JOB_CHANGING

/* Where they are in a query for SQLITE_JOB_ROW, row_checksum, ... */
typedef enum sqlite_job_column {
  ROW_SEQ,
  ROW_ID,
  ROW_STATUS,
  ROW_ATTEMPT,
  ROW_CRASHES,
  ROW_INTERRUPTIONS,
  ROW_CANCEL_REQUESTED,
  ROW_SHOWN,
  ROW_CREATED,
  ROW_STARTED,
  ROW_FINISHED,
  ROW_PROGRESS_T,
  ROW_PROGRESS_FRACTION,
  ROW_EVALUATIONS,
  ROW_MODEL_NAME,
  ROW_CLIENT,
  ROW_NAME,
  ROW_TAGS,
  ROW_KEEP,
  ROW_CONTENT_HASH,
  ROW_SHORT,
  ROW_ANALYSIS,
  ROW_ERROR,
  ROW_REPORT_CHECKSUM,
  ROW_RUNS,
  ROW_CHECKSUM,
  ROW_COLUMNS
} sqlite_job_column;

/* The values of the row at which such a query is; they last until it goes on. False: the row is damaged. */
bool sqlite_job_row_read(sqlite3_stmt *query, sqlite3_value *row[ROW_COLUMNS]);

/* SQL: whether the row of a name ("jobs") is whole. It is read by itself: a statement that finds a row by an index may
 * see the index's columns for the row's. */
#define SQLITE_ROW_IS_WHOLE(name)                                   \
  "EXISTS (SELECT 1 FROM jobs AS checked WHERE checked.seq = " name \
  ".seq AND row_checksum IN (0, checksum(" SQLITE_JOB_ROW ")))"
#define SQLITE_JOB_IS_WHOLE SQLITE_ROW_IS_WHOLE("jobs")

/* Has the writing connection keep the checksums and leave damaged rows alone. */
service_status sqlite_job_rows_keep(sqlite_db *queue);

/* Whether the row of a job is whole: OK, DAMAGED (the log was told), NOT_FOUND. */
service_status sqlite_job_row_look(sqlite_db *queue, const char *id);

/* Reads the id of a damaged row from the index of ids, which takes as long as that is; "": it has none. */
void sqlite_job_row_id(sqlite_db *queue, sqlite3_int64 seq, char id[SERVICE_ID_SIZE]);

/* Makes the indexes agree with rows that are damaged, without which SQLite cannot delete them; ids stay as they are in
 * their index. */
service_status sqlite_job_rows_reindex(sqlite_db *queue);

/* Looks through all rows; `damaged` is called for each that is, with the job's id and what it is called. Not OK: they
 * cannot be read to their end. */
service_status sqlite_job_rows_verify(sqlite_db *queue,
                                      void (*damaged)(void *context, const char *job, const char *what), void *context);

#endif
