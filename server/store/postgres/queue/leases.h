/* leases.h - what the holders of leases say: that they live, and how far they are; and taking back jobs whose lease has
 * run out. Leases are counted by the database's clock. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_LEASES_H
#define SERVER_STORE_POSTGRES_QUEUE_LEASES_H

#include "server/store/postgres/connection/state.h"

/* Sets the verbs of this file. */
void postgres_lease_verbs(srv_store *verbs);

/* The queue writer's `tick`. */
double postgres_leases_tick(postgres_store *store, double now);

#endif
