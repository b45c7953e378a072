/* upkeep.h - a thread that removes old jobs, drops results that nobody will see, keeps the hot tables small, and
 * measures the database. Of several servers each does it; of a removal at once one. */
#ifndef SERVER_STORE_POSTGRES_UPKEEP_H
#define SERVER_STORE_POSTGRES_UPKEEP_H

#include "server/store/postgres/db.h"

#include <pthread.h>

struct postgres_store;

typedef struct postgres_upkeep {
  struct postgres_store *store;
  postgres_db db;    /* reads, and cleans tables up; changes of jobs are the results writer's */
  double keep_days;  /* 0: for ever */
  size_t keep_bytes; /* 0: any number */
  bool over_told;    /* it was logged that too much is kept */
  double sweep_at;   /* monotonic, as the next */
  double measure_at;
  pthread_t thread;
  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t wake;
  bool stopping;
} postgres_upkeep;

/* `keep_days` and `keep_bytes` are set. */
bool postgres_upkeep_start(postgres_upkeep *upkeep, struct postgres_store *store, const postgres_address *address);
/* To be called while the writers still run. */
void postgres_upkeep_stop(postgres_upkeep *upkeep);

#endif
