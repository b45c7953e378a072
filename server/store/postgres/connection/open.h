/* open.h - the store in a PostgreSQL database, for any number of daemons on any number of hosts. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_OPEN_H
#define SERVER_STORE_POSTGRES_CONNECTION_OPEN_H

#include "server/store/store.h"

enum { POSTGRES_STORE_MESSAGE = 512 };

typedef struct postgres_store_settings {
  const char *url;      /* postgresql://USER:PASSWORD@HOST:PORT/NAME?... as libpq reads it */
  double lease_seconds; /* of the runs of this server; 0: STORE_LEASE_SECONDS */
  double keep_days;     /* how long a job is kept after its end; 0: for ever */
  size_t keep_bytes;    /* how much the jobs may take together, before those that ended first go; 0: any number */
} postgres_store_settings;

/* Whether an address is one of PostgreSQL's. */
bool postgres_store_is_url(const char *address);

/* Opens the store, and makes its tables where there are none. NULL with the reason, and what to do, in `message`; the
 * password is in no message and no log. In a program that was built without libpq: NULL, which says that. */
srv_store *postgres_store_open(const postgres_store_settings *settings, char message[POSTGRES_STORE_MESSAGE]);

#endif
