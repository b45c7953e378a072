/* leases.h - what the holders of leases say: that they live, and how far they are; and taking back jobs whose lease has
 * run out. Leases are counted by the database's clock. */
#ifndef SERVER_STORE_POSTGRES_LEASES_H
#define SERVER_STORE_POSTGRES_LEASES_H

#include "server/store/store.h"

#include <pthread.h>

struct postgres_store;

/* How far runs of this server have come since that was last written. */
typedef struct postgres_told {
  store_run run;
  store_progress progress;
} postgres_told;

typedef struct postgres_progress {
  pthread_mutex_t mutex; /* guards what follows */
  postgres_told *runs;
  size_t count, capacity;
} postgres_progress;

/* Sets the verbs of this file. */
void postgres_lease_verbs(srv_store *verbs);

/* The queue writer's `tick`. */
double postgres_leases_tick(struct postgres_store *store, double now);

#endif
