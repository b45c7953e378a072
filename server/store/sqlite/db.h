/* db.h - one connection to one SQLite file: opening, migrating, and running statements. */
#ifndef SERVER_STORE_SQLITE_DB_H
#define SERVER_STORE_SQLITE_DB_H

#include "api/service.h"

#include <sqlite3.h>

enum { SQLITE_DB_STATEMENTS = 32, SQLITE_DB_MESSAGE = 512 };

typedef struct sqlite_db {
  sqlite3 *handle;
  double full_told; /* when the log was told that the disk is full; 0: never */
  /* Prepared statements, kept under the address of their text. */
  struct {
    const char *sql;
    sqlite3_stmt *statement;
  } statements[SQLITE_DB_STATEMENTS];
} sqlite_db;

/* Opens FOLDER/NAME.db for writing, makes it where it does not exist, and applies the migrations NAME-NNNN-*.sql that
 * it lacks, after a copy of the file. Refuses, with the reason in `message`, a file of a newer version or of another
 * program. */
bool sqlite_db_open(sqlite_db *db, const char *folder, const char *name, char message[SQLITE_DB_MESSAGE]);
/* Opens the same file for reading only. */
bool sqlite_db_open_reader(sqlite_db *db, const char *folder, const char *name, char message[SQLITE_DB_MESSAGE]);
void sqlite_db_close(sqlite_db *db);

/* The statement of a string literal, with its parameters bound: a letter of `kinds` each, `t` for const char * (NULL
 * allowed), `i` for sqlite3_int64, `d` for double, `b` for const void * and size_t. Texts and blobs must live until
 * the statement has run. NULL on failure. The caller steps it and then calls sqlite3_reset(). */
sqlite3_stmt *sqlite_db_query(sqlite_db *db, const char *sql, const char *kinds, ...);
/* Runs such a statement to its end. */
service_status sqlite_db_run(sqlite_db *db, const char *sql, const char *kinds, ...);
/* Runs statements that have no parameters. */
service_status sqlite_db_script(sqlite_db *db, const char *sql);
/* Brings all that was committed into the file and empties its journal, where nobody reads an older state. */
void sqlite_db_checkpoint(sqlite_db *db);
/* The status of the connection's last error, which is logged (of a full disk, once in a while): NO_SPACE, REJECTED
 * where the same statement with the same values would fail for ever, otherwise FAILED. */
service_status sqlite_db_failure(sqlite_db *db, const char *what);
/* A copy of a text column; NULL where the column is. */
char *sqlite_db_text(sqlite3_stmt *statement, int column);

#endif
