/* leases.h - heartbeats and progress of runs, and the return of jobs whose lease has expired. The database's clock
 * measures leases. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_LEASES_H
#define SERVER_STORE_POSTGRES_QUEUE_LEASES_H

#include "server/store/postgres/connection/state.h"

/* Sets the verbs heartbeat and progress of a store. */
void postgres_lease_verbs(srv_store *verbs);

/* The queue writer's `tick`. */
double postgres_leases_tick(postgres_store *store, double now);

#endif
