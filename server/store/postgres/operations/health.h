/* health.h - whether the store can do its work, as it was seen last: whether the database answers, and how large it is.
 * The beginning of a fault and its end are logged. */
#ifndef SERVER_STORE_POSTGRES_OPERATIONS_HEALTH_H
#define SERVER_STORE_POSTGRES_OPERATIONS_HEALTH_H

#include "server/store/postgres/connection/state.h"

/* Sets the verbs of this file. */
void postgres_health_verbs(srv_store *verbs);

/* A writer has a connection, or has none (any more), and why. Any thread. */
void postgres_health_connected(postgres_store *store, const postgres_writer *writer, bool connected, const char *why);
/* A change failed because the disk is full. Any thread. */
void postgres_health_full(postgres_store *store);
/* What was measured. Any thread. */
void postgres_health_measured(postgres_store *store, const srv_storage *sizes);
/* Something of a job is damaged: the log and the operators' count are told. DAMAGED. */
service_status postgres_health_damaged(postgres_store *store, const char *id, const char *what);

#endif
