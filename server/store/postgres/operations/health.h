/* health.h - last known state of the store: the database answers, and its size. Logs the begin of a fault and its
 * end. */
#ifndef SERVER_STORE_POSTGRES_OPERATIONS_HEALTH_H
#define SERVER_STORE_POSTGRES_OPERATIONS_HEALTH_H

#include "server/store/postgres/connection/state.h"

/* Sets the verbs has_space and health of a store. */
void postgres_health_verbs(srv_store *verbs);

/* Records that a writer has a connection, or has lost it, and why. Any thread. */
void postgres_health_connected(postgres_store *store, const postgres_writer *writer, bool connected, const char *why);
/* Records that a change failed because the disk is full. Any thread. */
void postgres_health_full(postgres_store *store);
/* Records measured sizes. Any thread. */
void postgres_health_measured(postgres_store *store, const srv_storage *sizes);
/* Logs and counts damaged data of a job. Returns DAMAGED. */
service_status postgres_health_damaged(postgres_store *store, const char *id, const char *what);

#endif
