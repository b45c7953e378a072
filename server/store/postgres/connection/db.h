/* db.h - one connection to the database: opening it, again where it was lost, and running statements. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_DB_H
#define SERVER_STORE_POSTGRES_CONNECTION_DB_H

#include "api/service.h"

#include <libpq-fe.h>

enum { POSTGRES_STATEMENTS = 64, POSTGRES_MESSAGE = 512 };

/* How to reach a database, for any number of connections. Only `where` is for other eyes: it has no password. */
typedef struct postgres_address {
  char **keywords, **values; /* for libpq, ended by NULL */
  char where[200];           /* "NAME at HOST:PORT as USER" */
} postgres_address;

/* Reads a URL. False, with the reason, where it is none; the URL is not repeated, as it may have a password. */
bool postgres_address_read(postgres_address *address, const char *url, char message[POSTGRES_MESSAGE]);
void postgres_address_free(postgres_address *address);

typedef struct postgres_db postgres_db;
struct postgres_db {
  const postgres_address *address;
  bool (*begin)(postgres_db *db); /* looks at a new connection, and refuses it with `why` */
  PGconn *handle;                 /* NULL: it is not connected */
  bool lost;                      /* the connection is of no use any more */
  bool again;                     /* the transaction failed by the doings of others, and may be tried again */
  char code[6];                   /* of the last failure: SQLSTATE */
  char why[POSTGRES_MESSAGE];     /* it cannot be connected to, and what to do; "": it could be, the last time */
  double try_at, pause;           /* when to connect again, after how long a pause [s]; monotonic */
  const char *statements[POSTGRES_STATEMENTS]; /* that are prepared, under the address of their text */
};

/* Connects where that is not so; after a failure only when a pause is over, unless `now`. False, with `why`. */
bool postgres_db_connect(postgres_db *db, bool now);
void postgres_db_close(postgres_db *db);

/* Runs a statement, a string literal, with its parameters: a letter of `kinds` each, `t` for const char * (NULL
 * allowed), `i` for int64_t, `d` for double, `f` for a flag (int), `b` for const void * and size_t. The result is to be
 * freed by PQclear(), and has its values in binary, for the functions below; NULL on failure, of which
 * postgres_db_failure() tells. */
PGresult *postgres_db_query(postgres_db *db, const char *sql, const char *kinds, ...);
/* The same of a statement whose result is of no interest; `changed` (may be NULL): how many rows it changed. */
service_status postgres_db_run(postgres_db *db, size_t *changed, const char *sql, const char *kinds, ...);
/* Runs statements that have no parameters and no result. */
service_status postgres_db_script(postgres_db *db, const char *sql);
/* The status of the last failure: NO_SPACE, REJECTED where the same statement with the same values would fail for ever,
 * otherwise FAILED. */
service_status postgres_db_failure(const postgres_db *db);

/* Values of a row: of integers of any width and booleans; doubles; copies of texts, NULL of NULL. */
int64_t postgres_integer(const PGresult *result, int row, int column);
double postgres_double(const PGresult *result, int row, int column);
char *postgres_text(const PGresult *result, int row, int column);
/* Into an array of zeros. */
void postgres_copy(const PGresult *result, int row, int column, char *out, size_t size);

#endif
