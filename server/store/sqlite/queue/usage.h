/* usage.h - what clients use of their limits: queued jobs, stored bytes, processor time of today. */
#ifndef SERVER_STORE_SQLITE_QUEUE_USAGE_H
#define SERVER_STORE_SQLITE_QUEUE_USAGE_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs charge and usage of a store. */
void sqlite_usage_verbs(srv_store *verbs);

/* Reads what a client uses, by two searches in small tables. */
service_status sqlite_usage_read(sqlite_db *queue, const char *client, service_usage *out);

/* Sums the bytes of each client's jobs again, which triggers keep. */
service_status sqlite_usage_count(sqlite_db *queue);

/* Adds the results of jobs of older versions to their bytes, and forgets clients that use nothing; at the start. */
service_status sqlite_usage_recover(sqlite_db *queue, sqlite_db *results);

#endif
