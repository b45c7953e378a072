/* db.h - a connection to the database: connects, reconnects after a loss, and runs statements.
 *
 * Every wait for the server has a time limit here. A server that is stopped, or behind a network that drops packets,
 * sends nothing, although the kernel may still acknowledge what it receives. If nothing arrives for `seconds`, the
 * connection counts as lost. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_DB_H
#define SERVER_STORE_POSTGRES_CONNECTION_DB_H

#include "api/service.h"

#include <libpq-fe.h>
#include <stdatomic.h>

enum { POSTGRES_STATEMENTS = 64, POSTGRES_MESSAGE = 512, POSTGRES_HOSTS = 16 };

/* Address of a database, for any number of connections. Only `where` may be shown: it contains no password. */
typedef struct postgres_address {
  char **keywords, **values; /* parameters for libpq, terminated by NULL */
  char where[200];           /* "NAME at HOST:PORT as USER" */
  /* If the address lists several servers: for each its host, hostaddr and port, NULL if the address has none. */
  char *servers[POSTGRES_HOSTS][3];
  size_t server_count;  /* at least 1; the list is empty if it is 1 */
  atomic_size_t server; /* the one that was connected last: connections begin with it */
  atomic_int timeline;  /* highest timeline of a server so far: each standby that takes over begins a new one */
  atomic_uint changes;  /* times that it became silent, or another server took over: no older connection is used */
  atomic_bool silent;   /* the database sends no response: no statement waits for one until it does */
} postgres_address;

/* Reads a URL, and a password (may be NULL) for a URL without one. Returns false with the reason if the URL is invalid;
 * the message does not contain the URL, which may contain a password. */
bool postgres_address_read(postgres_address *address, const char *url, const char *password,
                           char message[POSTGRES_MESSAGE]);
void postgres_address_free(postgres_address *address);

typedef struct postgres_db postgres_db;
struct postgres_db {
  postgres_address *address;
  bool (*begin)(postgres_db *db); /* checks a new connection; on refusal sets `why` */
  double seconds;                 /* time without a response after which a connection is lost [s] */
  bool watches;                   /* it determines `silent` of the address, and therefore waits in spite of it */
  double until;                   /* limit of attempts to connect, monotonic; 0: none */
  PGconn *handle;                 /* connection; NULL: not connected */
  bool lost;                      /* the connection is unusable */
  bool unanswered;                /* it was lost, or could not be made, because the server did not respond */
  bool passing;                   /* it could not be made for a reason that may pass: the server is absent or starts */
  bool again;                     /* the transaction conflicted with another one and may be tried again */
  char code[6];                   /* SQLSTATE of the last failure */
  char why[POSTGRES_MESSAGE];     /* reason why the last connection failed, with a remedy; "": it succeeded */
  double try_at, pause;           /* time of the next attempt to connect, and pause after it [s]; monotonic */
  size_t attempt;                 /* servers tried since the last pause */
  unsigned changes;               /* `changes` of the address when the connection was made */
  const char *statements[POSTGRES_STATEMENTS]; /* prepared statements; the key is the address of their text */
};

/* Time limits of waits for a response [s]: of statements on which requests wait, and of long ones. */
#define POSTGRES_SECONDS 2.0
#define POSTGRES_LONG_SECONDS 30.0

/* Connects if there is no connection; after a failure only when the pause has passed, or if `now`. Tries one server of
 * the address, the next call the next one. Returns false with `why` on failure. */
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
/* Runs statements without preparing them; the caller frees the last result. Returns NULL if the server does not respond
 * or the connection was lost. */
PGresult *postgres_db_simple(postgres_db *db, const char *sql);
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
