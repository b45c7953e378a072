/* pool_settings.h - settings of a pool. */
#ifndef SERVER_JOBS_POOL_SETTINGS_H
#define SERVER_JOBS_POOL_SETTINGS_H

#include "server/jobs/worker.h"
#include "server/jobs/worker_check.h"

#include <stddef.h>

/* Number of processes besides those for jobs: as many documents are checked at the same time without waiting for
 * jobs. */
enum { POOL_CHECKERS = 4 };

/* Number of short jobs that run in addition to the limit of jobs, so that they do not wait for a long job. */
enum { POOL_SHORT_LANES = 1 };

typedef struct srv_pool_settings {
  size_t workers; /* number of processes */
  size_t jobs;    /* maximum number of running jobs, except short ones; the other processes check documents */
  worker_limits job;
  size_t check_memory;  /* memory of a model that is only validated [bytes] */
  double check_seconds; /* maximum time of a check [s] */
  worker_settings process;
} srv_pool_settings;

/* Called when the pool has drained, on the pool's thread. */
typedef void (*srv_pool_drained)(void *context);

#endif
