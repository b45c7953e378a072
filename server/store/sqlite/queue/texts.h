/* texts.h - checksums of the large texts in queue.db, documents and reports; of all else of a job: job_rows.h. */
#ifndef SERVER_STORE_SQLITE_QUEUE_TEXTS_H
#define SERVER_STORE_SQLITE_QUEUE_TEXTS_H

#include "server/store/sqlite/connection/db.h"

#include <stdbool.h>
#include <stddef.h>

/* The checksum of a text as it is kept; 0 of NULL. */
sqlite3_int64 sqlite_text_checksum(const void *text, size_t size);
/* The same of a string, which may be NULL. */
sqlite3_int64 sqlite_string_checksum(const char *text);
/* Whether the text in a column is what was written: the column `checksum` has its checksum, or 0. */
bool sqlite_text_is_intact(sqlite3_stmt *row, int text, int checksum);
/* Tells the log that something of a job ("report") differs from its checksum. DAMAGED. */
service_status sqlite_text_damaged(const char *job, const char *what);

/* Looks through all texts of queue.db; `damaged` is called for each that differs. Not OK: it cannot be read to its
 * end. */
service_status sqlite_texts_verify(sqlite_db *queue, void (*damaged)(void *context, const char *job, const char *what),
                                   void *context);

#endif
