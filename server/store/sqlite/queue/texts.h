/* texts.h - checksums of the large texts in queue.db, documents and reports. For other fields of a job see
 * job_rows.h. */
#ifndef SERVER_STORE_SQLITE_QUEUE_TEXTS_H
#define SERVER_STORE_SQLITE_QUEUE_TEXTS_H

#include "server/store/sqlite/connection/db.h"

#include <stdbool.h>
#include <stddef.h>

/* Returns the checksum of a text as stored; 0 for NULL. */
sqlite3_int64 sqlite_text_checksum(const void *text, size_t size);
/* Returns the checksum of a string, which may be NULL. */
sqlite3_int64 sqlite_string_checksum(const char *text);
/* Returns true if the text in a column is intact: the column `checksum` contains its checksum, or 0. */
bool sqlite_text_is_intact(sqlite3_stmt *row, int text, int checksum);
/* Logs that a field of a job ("report") differs from its checksum. Returns DAMAGED. */
service_status sqlite_text_damaged(const char *job, const char *what);

/* Checks all texts of queue.db; calls `damaged` for each that differs. Returns another status than OK if the database
 * cannot be read to the end. */
service_status sqlite_texts_verify(sqlite_db *queue, void (*damaged)(void *context, const char *job, const char *what),
                                   void *context);

#endif
