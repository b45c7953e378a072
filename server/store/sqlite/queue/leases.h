/* leases.h - what the holders of leases say: that they live, and how far they are; and taking back jobs whose lease has
 * run out. They are counted by the monotonic clock: a wall clock that jumps takes nobody's job, and what the last
 * daemon counted is of no matter, because what ran then is given back at the start. */
#ifndef SERVER_STORE_SQLITE_QUEUE_LEASES_H
#define SERVER_STORE_SQLITE_QUEUE_LEASES_H

#include "server/store/sqlite/connection/state.h"

/* Sets the verbs of this file. */
void sqlite_lease_verbs(srv_store *verbs);

/* Has jobs taken back whose lease has run out. Any thread. */
void sqlite_leases_expire(sqlite_store *store);
/* The same, where nobody has looked for a part of a lease's time. On the queue's writer. */
void sqlite_leases_check(sqlite_store *store);

#endif
