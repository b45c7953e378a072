/* db.h - one connection to one SQLite file: opening, migrating, and running statements. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_DB_H
#define SERVER_STORE_SQLITE_CONNECTION_DB_H

#include "api/service.h"

#include <sqlite3.h>

enum { SQLITE_DB_STATEMENTS = 64, SQLITE_DB_MESSAGE = 512 };

typedef struct sqlite_db {
  sqlite3 *handle;
  bool unchecked;   /* the file was so large that it was opened without sqlite_db_quick_check() */
  double full_told; /* when the log was told that the disk is full; 0: never */
  /* Prepared statements, kept under the address of their text. */
  struct {
    const char *sql;
    sqlite3_stmt *statement;
  } statements[SQLITE_DB_STATEMENTS];
} sqlite_db;

/* Opens FOLDER/NAME.db for writing, makes it where it does not exist and `may_make`, looks through it where that is
 * quick, and applies the migrations NAME-NNNN-*.sql that it lacks, after a copy of the file. Refuses, with the reason
 * in `message`, a file of a newer version or of another program, and one that is damaged. */
bool sqlite_db_open(sqlite_db *db, const char *folder, const char *name, bool may_make,
                    char message[SQLITE_DB_MESSAGE]);
/* Opens the same file for reading only. */
bool sqlite_db_open_reader(sqlite_db *db, const char *folder, const char *name, char message[SQLITE_DB_MESSAGE]);
/* The newest version of NAME.db that this program knows. */
int sqlite_db_newest(const char *name);
void sqlite_db_close(sqlite_db *db);

/* SQLite's quick_check: whether the file's pages and rows are whole; it reads all of them. False with what it says. */
bool sqlite_db_quick_check(sqlite_db *db, char what[SQLITE_DB_MESSAGE]);
/* Whether tables, indexes and triggers of NAME.db are what the migrations up to its version make; beside them there may
 * be others. False with the first that is not. */
bool sqlite_db_schema_check(sqlite_db *db, const char *name, char what[SQLITE_DB_MESSAGE]);
/* The value of a statement that gives one integer; -1 on failure. */
sqlite3_int64 sqlite_db_integer(sqlite_db *db, const char *sql);

/* The statement of a string literal, with its parameters bound: a letter of `kinds` each, `t` for const char * (NULL
 * allowed), `i` for sqlite3_int64, `d` for double, `b` for const void * and size_t. Texts and blobs must live until
 * the statement has run. NULL on failure. The caller steps it and then calls sqlite3_reset(). */
sqlite3_stmt *sqlite_db_query(sqlite_db *db, const char *sql, const char *kinds, ...);
/* Runs such a statement to its end. */
service_status sqlite_db_run(sqlite_db *db, const char *sql, const char *kinds, ...);
/* Steps one statement without parameters; who asks logs what failed. */
service_status sqlite_db_step(sqlite_db *db, const char *sql);
/* Runs statements that have no parameters. */
service_status sqlite_db_script(sqlite_db *db, const char *sql);
/* The status of the connection's last error, which is logged (of a full disk, once in a while): NO_SPACE, REJECTED
 * where the same statement with the same values would fail for ever, otherwise FAILED. */
service_status sqlite_db_failure(sqlite_db *db, const char *what);
/* A copy of a text column; NULL where the column is. */
char *sqlite_db_text(sqlite3_stmt *statement, int column);

#endif
