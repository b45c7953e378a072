/* health.h - whether the store can do its work, as it was seen last: whether the database answers, and how large it is.
 * The beginning of a fault and its end are logged. */
#ifndef SERVER_STORE_POSTGRES_HEALTH_H
#define SERVER_STORE_POSTGRES_HEALTH_H

#include "server/base/storage.h"
#include "server/store/store.h"

#include <pthread.h>
#include <stdatomic.h>

struct postgres_store;

typedef struct postgres_health {
  pthread_mutex_t mutex; /* guards what follows */
  srv_storage last;
  bool faulty;
  double full_until;           /* the database said that its disk is full: until then nothing new is taken; monotonic */
  atomic_size_t wrong_numbers; /* what was read and differed from its checksum */
} postgres_health;

/* Sets the verbs of this file. */
void postgres_health_verbs(srv_store *verbs);

/* A writer has a connection, or has none (any more), and why. Any thread. */
void postgres_health_connected(struct postgres_store *store, bool connected, const char *why);
/* A change failed because the disk is full. Any thread. */
void postgres_health_full(struct postgres_store *store);
/* What was measured. Any thread. */
void postgres_health_measured(struct postgres_store *store, const srv_storage *sizes);
/* Something of a job is damaged: the log and the operators' count are told. DAMAGED. */
service_status postgres_health_damaged(struct postgres_store *store, const char *id, const char *what);

#endif
