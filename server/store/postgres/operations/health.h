/* health.h - last known state of the store: the database answers, its jobs and its size. Logs the begin of a fault and
 * its end. */
#ifndef SERVER_STORE_POSTGRES_OPERATIONS_HEALTH_H
#define SERVER_STORE_POSTGRES_OPERATIONS_HEALTH_H

#include "server/store/postgres/connection/state.h"

/* Sets the verbs has_space and health of a store. */
void postgres_health_verbs(srv_store *verbs);

/* Records that a writer, or the listener (NULL), has a connection, or has lost it, and why. Any thread. */
void postgres_health_connected(postgres_store *store, const postgres_writer *writer, bool connected, const char *why);
/* Records that a change failed because the disk is full. Any thread. */
void postgres_health_full(postgres_store *store);
/* Reads the number of jobs in each state, and records it. */
service_status postgres_health_count(postgres_store *store, postgres_db *db, size_t jobs[JOB_STATES]);
/* Records measured sizes. Any thread. */
void postgres_health_measured(postgres_store *store, const srv_storage *sizes);
/* Logs and counts damaged data of a job. Returns DAMAGED. */
service_status postgres_health_damaged(postgres_store *store, const char *id, const char *what);

#endif
