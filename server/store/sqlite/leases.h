/* leases.h - renewing leases, and taking back jobs whose lease has run out. */
#ifndef SERVER_STORE_SQLITE_LEASES_H
#define SERVER_STORE_SQLITE_LEASES_H

#include "server/store/sqlite/state.h"

/* Sets the verb of this file. */
void sqlite_lease_verbs(srv_store *verbs);

/* Has jobs taken back, where a part of a lease's time has passed since the last look. On the queue's writer. */
void sqlite_leases_check(sqlite_store *store);

#endif
