/* job_rows.h - the rows of jobs, each with a checksum of the fields that are reported or that decide how the job ends.
 *
 * A row that differs from its checksum is damaged. Only its id is reported, from a copy in the index of ids. The job is
 * not run, reused, changed or retired; it can be deleted. Code that writes rows needs no special care: the writing
 * connection updates the checksums, and its changes skip damaged rows. */
#ifndef SERVER_STORE_SQLITE_QUEUE_JOB_ROWS_H
#define SERVER_STORE_SQLITE_QUEUE_JOB_ROWS_H

#include "server/store/sqlite/connection/db.h"

#include <stdbool.h>

/* The columns that change and are part of the checksum: not the report, which has its own, nor columns that only affect
 * when a job runs. A migration that adds one must compute all checksums again. */
#define SQLITE_JOB_CHANGING                                                                                      \
  "status, attempt, crashes, interruptions, cancel_requested, shown, created, started, finished, progress_t,"    \
  " progress_fraction, evaluations, model_name, client, name, tags, keep, content_hash, short, analysis, error," \
  " report_checksum, runs"
#define SQLITE_JOB_ROW "seq, id, " SQLITE_JOB_CHANGING

/* Positions of the columns in a query for SQLITE_JOB_ROW, row_checksum, ... */
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

/* Gets the values of the current row of such a query; they are valid until the next step. Returns false if the row is
 * damaged. */
bool sqlite_job_row_read(sqlite3_stmt *query, sqlite3_value *row[ROW_COLUMNS]);

/* SQL expression: true if the row of a name ("jobs") is intact. It reads the row separately, because a statement that
 * finds a row by an index may see the index's columns instead of the row's. */
#define SQLITE_ROW_IS_WHOLE(name)                                   \
  "EXISTS (SELECT 1 FROM jobs AS checked WHERE checked.seq = " name \
  ".seq AND row_checksum IN (0, checksum(" SQLITE_JOB_ROW ")))"
#define SQLITE_JOB_IS_WHOLE SQLITE_ROW_IS_WHOLE("jobs")

/* Makes the writing connection update the checksums and skip damaged rows. */
service_status sqlite_job_rows_keep(sqlite_db *queue);

/* Checks the row of a job. Returns OK, DAMAGED (after logging it) or NOT_FOUND. */
service_status sqlite_job_row_look(sqlite_db *queue, const char *id);

/* Reads the id of a damaged row by a scan of the index of ids; "" if it has none. */
void sqlite_job_row_id(sqlite_db *queue, sqlite3_int64 seq, char id[SERVICE_ID_SIZE]);

/* Makes the indexes agree with damaged rows, because otherwise SQLite cannot delete them; the index of ids stays. */
service_status sqlite_job_rows_reindex(sqlite_db *queue);

/* Checks all rows; calls `damaged` with the job's id and a description for each damaged row. Returns another status
 * than OK if the rows cannot be read to the end. */
service_status sqlite_job_rows_verify(sqlite_db *queue,
                                      void (*damaged)(void *context, const char *job, const char *what), void *context);

#endif
