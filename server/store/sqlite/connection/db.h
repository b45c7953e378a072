/* db.h - a connection to an SQLite file: opens, migrates, and runs statements. */
#ifndef SERVER_STORE_SQLITE_CONNECTION_DB_H
#define SERVER_STORE_SQLITE_CONNECTION_DB_H

#include "api/service.h"

#include <sqlite3.h>

enum { SQLITE_DB_STATEMENTS = 64, SQLITE_DB_MESSAGE = 512 };

typedef struct sqlite_db {
  sqlite3 *handle;
  bool unchecked;   /* the file was so large that it was opened without sqlite_db_quick_check() */
  double full_told; /* time of the last log message about a full disk; 0: none */
  /* Prepared statements; the key is the address of their text. */
  struct {
    const char *sql;
    sqlite3_stmt *statement;
  } statements[SQLITE_DB_STATEMENTS];
} sqlite_db;

/* Opens FOLDER/NAME.db for writing. Creates it if it is missing and `may_make`, checks it if that is quick, and applies
 * missing migrations NAME-NNNN-*.sql after a copy of the file. Refuses a file of a newer version, of another program or
 * with damage, with the reason in `message`. */
bool sqlite_db_open(sqlite_db *db, const char *folder, const char *name, bool may_make,
                    char message[SQLITE_DB_MESSAGE]);
/* Opens the same file for reading only. */
bool sqlite_db_open_reader(sqlite_db *db, const char *folder, const char *name, char message[SQLITE_DB_MESSAGE]);
/* Returns the newest version of NAME.db that this program knows. */
int sqlite_db_newest(const char *name);
void sqlite_db_close(sqlite_db *db);

/* Runs SQLite's quick_check of the file's pages and rows; it reads all of them. Returns false with SQLite's message on
 * damage. */
bool sqlite_db_quick_check(sqlite_db *db, char what[SQLITE_DB_MESSAGE]);
/* Checks that tables, indexes and triggers of NAME.db are those that the migrations up to its version create; others
 * may exist. Returns false with the first that differs. */
bool sqlite_db_schema_check(sqlite_db *db, const char *name, char what[SQLITE_DB_MESSAGE]);
/* Returns the value of a statement with one integer; -1 on failure. */
sqlite3_int64 sqlite_db_integer(sqlite_db *db, const char *sql);

/* Returns the prepared statement of a string literal, with its parameters bound. `kinds` has one letter for each: `t`
 * for const char * (NULL allowed), `i` for sqlite3_int64, `d` for double, `b` for const void * and size_t. Texts and
 * blobs must exist until the statement has run. Returns NULL on failure. The caller steps the statement and then calls
 * sqlite3_reset(). */
sqlite3_stmt *sqlite_db_query(sqlite_db *db, const char *sql, const char *kinds, ...);
/* Runs such a statement to its end. */
service_status sqlite_db_run(sqlite_db *db, const char *sql, const char *kinds, ...);
/* Steps one statement without parameters; the caller logs failures. */
service_status sqlite_db_step(sqlite_db *db, const char *sql);
/* Runs statements that have no parameters. */
service_status sqlite_db_script(sqlite_db *db, const char *sql);
/* Logs the connection's last error (a full disk only once in a while) and returns its status: NO_SPACE, REJECTED if the
 * same statement with the same values would always fail, otherwise FAILED. */
service_status sqlite_db_failure(sqlite_db *db, const char *what);
/* Returns a copy of a text column; NULL if the column is NULL. */
char *sqlite_db_text(sqlite3_stmt *statement, int column);

#endif
