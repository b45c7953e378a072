/* postgres_stub.c - replaces the PostgreSQL store in a program built without libpq: opening fails with that reason. */
#include "server/store/postgres/connection/open.h"

#include <stdio.h>
#include <string.h>

bool postgres_store_is_url(const char *address) {
  return strncmp(address, "postgresql://", 13) == 0 || strncmp(address, "postgres://", 11) == 0;
}

srv_store *postgres_store_open(const postgres_store_settings *settings, char message[POSTGRES_STORE_MESSAGE],
                               bool *passing) {
  (void)settings;
  if (passing) *passing = false;
  snprintf(message, POSTGRES_STORE_MESSAGE,
           "this mbsd was built without PostgreSQL: install libpq-dev and rebuild it, or use --data without --store");
  return NULL;
}
