/* pool_settings.h - what a pool is started with. */
#ifndef SERVER_JOBS_POOL_SETTINGS_H
#define SERVER_JOBS_POOL_SETTINGS_H

#include <stddef.h>

typedef struct srv_pool_settings {
  size_t workers;
  double job_seconds;  /* wall clock of a job */
  size_t job_memory;   /* bytes */
  size_t rows;         /* most reporting times */
  size_t result_bytes; /* most bytes of result arrays */
} srv_pool_settings;

/* Told, on the pool's thread, that the pool has drained. */
typedef void (*srv_pool_drained)(void *context);

#endif
