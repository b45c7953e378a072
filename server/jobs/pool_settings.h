/* pool_settings.h - what a pool is started with. */
#ifndef SERVER_JOBS_POOL_SETTINGS_H
#define SERVER_JOBS_POOL_SETTINGS_H

#include "server/jobs/worker.h"
#include "server/jobs/worker_check.h"

#include <stddef.h>

/* Processes beyond those for jobs: documents are checked by as many at once, and never wait for a job. */
enum { POOL_CHECKERS = 3 };

/* Short jobs that run beside as many others as may: they do not wait for a long one to end. */
enum { POOL_SHORT_LANES = 1 };

typedef struct srv_pool_settings {
  size_t workers; /* processes */
  size_t jobs;    /* most of them that run jobs at once, but for short ones; the others check documents */
  worker_limits job;
  size_t check_memory;  /* bytes of a model that is only looked at */
  double check_seconds; /* wall clock of a check */
  worker_settings process;
} srv_pool_settings;

/* Told, on the pool's thread, that the pool has drained. */
typedef void (*srv_pool_drained)(void *context);

#endif
