/* db.h - a connection to the database: connects, reconnects after a loss, and runs statements. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_DB_H
#define SERVER_STORE_POSTGRES_CONNECTION_DB_H

#include "api/service.h"

#include <libpq-fe.h>

enum { POSTGRES_STATEMENTS = 64, POSTGRES_MESSAGE = 512 };

/* Address of a database, for any number of connections. Only `where` may be shown: it contains no password. */
typedef struct postgres_address {
  char **keywords, **values; /* parameters for libpq, terminated by NULL */
  char where[200];           /* "NAME at HOST:PORT as USER" */
} postgres_address;

/* Reads a URL. Returns false with the reason if it is invalid; the message does not contain the URL, which may contain
 * a password. */
bool postgres_address_read(postgres_address *address, const char *url, char message[POSTGRES_MESSAGE]);
void postgres_address_free(postgres_address *address);

typedef struct postgres_db postgres_db;
struct postgres_db {
  const postgres_address *address;
  bool (*begin)(postgres_db *db); /* checks a new connection; on refusal sets `why` */
  PGconn *handle;                 /* connection; NULL: not connected */
  bool lost;                      /* the connection is unusable */
  bool again;                     /* the transaction conflicted with another one and may be tried again */
  char code[6];                   /* SQLSTATE of the last failure */
  char why[POSTGRES_MESSAGE];     /* reason why the last connection failed, with a remedy; "": it succeeded */
  double try_at, pause;           /* time of the next attempt to connect, and pause after it [s]; monotonic */
  const char *statements[POSTGRES_STATEMENTS]; /* prepared statements; the key is the address of their text */
};

/* Connects if there is no connection; after a failure only when the pause has passed, or if `now`. Returns false with
 * `why` on failure. */
bool postgres_db_connect(postgres_db *db, bool now);
void postgres_db_close(postgres_db *db);

/* Runs a statement, a string literal, with its parameters. `kinds` has one letter for each: `t` for const char * (NULL
 * allowed), `i` for int64_t, `d` for double, `f` for a flag (int), `b` for const void * and size_t. The caller frees
 * the result with PQclear(); its values are binary, for the functions below. Returns NULL on failure;
 * postgres_db_failure() has the status. */
PGresult *postgres_db_query(postgres_db *db, const char *sql, const char *kinds, ...);
/* Runs a statement without using its result; `changed` (may be NULL): number of rows that it changed. */
service_status postgres_db_run(postgres_db *db, size_t *changed, const char *sql, const char *kinds, ...);
/* Runs statements that have no parameters and no result. */
service_status postgres_db_script(postgres_db *db, const char *sql);
/* Returns the status of the last failure: NO_SPACE, REJECTED if the same statement with the same values would always
 * fail, otherwise FAILED. */
service_status postgres_db_failure(const postgres_db *db);

/* Return a value of a row: an integer of any width or a boolean; a double; a copy of a text, NULL for NULL. */
int64_t postgres_integer(const PGresult *result, int row, int column);
double postgres_double(const PGresult *result, int row, int column);
char *postgres_text(const PGresult *result, int row, int column);
/* Copies a value into an array of zeros. */
void postgres_copy(const PGresult *result, int row, int column, char *out, size_t size);

#endif
