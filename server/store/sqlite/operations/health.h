/* health.h - checks whether the store works: the directory, its lock, both databases and the disk, twice a second.
 *
 * So requests need no disk access for it, and a fault is known before a request meets it. Logs the begin of a fault and
 * its end only. */
#ifndef SERVER_STORE_SQLITE_OPERATIONS_HEALTH_H
#define SERVER_STORE_SQLITE_OPERATIONS_HEALTH_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs has_space and health of a store. */
void sqlite_health_verbs(srv_store *verbs);

/* Checks once, and then from a thread until sqlite_health_stop(); the writers must run. Returns false if the thread
 * cannot be started. */
bool sqlite_health_start(sqlite_store *store);
/* Stops the thread, while the writers still run. */
void sqlite_health_stop(sqlite_store *store);

/* Checks once; the verb health reports the result. */
void sqlite_health_look(sqlite_store *store);

#endif
