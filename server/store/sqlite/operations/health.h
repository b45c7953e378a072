/* health.h - whether the store can do its work: the folder, its lock, both databases and the disk are looked at twice
 * a second, so that nobody has to ask the disk for each request, and a fault is known before a request meets it. The
 * first sight of a fault and its end are logged, and nothing in between. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_HEALTH_H
#define SERVER_STORE_SQLITE_OPERATIONS_HEALTH_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs of this file. */
void sqlite_health_verbs(srv_store *verbs);

/* Looks once, and then from a thread until it is stopped; the writers run. False when there is no thread. */
bool sqlite_health_start(sqlite_store *store);
/* To be called while the writers still run. */
void sqlite_health_stop(sqlite_store *store);

/* One look: what it finds is what the verb then tells. */
void sqlite_health_look(sqlite_store *store);

#endif
