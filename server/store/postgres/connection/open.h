/* open.h - the store in a PostgreSQL database, for any number of daemons on any number of hosts. */
#ifndef SERVER_STORE_POSTGRES_CONNECTION_OPEN_H
#define SERVER_STORE_POSTGRES_CONNECTION_OPEN_H

#include "server/store/store.h"

enum { POSTGRES_STORE_MESSAGE = 512 };

typedef struct postgres_store_settings {
  const char *url;      /* postgresql://USER:PASSWORD@HOST:PORT/NAME?... in libpq's format */
  const char *password; /* used if the URL has none; NULL: libpq looks for one */
  double lease_seconds; /* leases of this server's runs; 0: STORE_LEASE_SECONDS */
  double keep_days;     /* time that a job is stored after its end; 0: no limit */
  size_t keep_bytes;    /* maximum size of all jobs, beyond which those that ended first are removed; 0: no limit */
} postgres_store_settings;

/* Returns true if an address is a PostgreSQL URL. */
bool postgres_store_is_url(const char *address);

/* Opens the store, and creates its tables if there are none. Returns NULL with the reason and a remedy in `message` on
 * failure, or if the program was built without libpq. `passing` (may be NULL): the reason may pass by itself, because
 * there is no server yet, or it recovers. No message or log contains the password. */
srv_store *postgres_store_open(const postgres_store_settings *settings, char message[POSTGRES_STORE_MESSAGE],
                               bool *passing);

#endif
