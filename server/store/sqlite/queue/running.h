/* running.h - progress of the running jobs.
 *
 * Progress changes several times a second and has no value after a crash, when all jobs run again; and all readers are
 * in this process. So it stays in memory and costs no write. */
#ifndef SERVER_STORE_SQLITE_QUEUE_RUNNING_H
#define SERVER_STORE_SQLITE_QUEUE_RUNNING_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct running_job {
  store_run run;
  store_progress progress;
} running_job;

typedef struct sqlite_running {
  pthread_mutex_t mutex; /* guards the fields below */
  running_job *jobs;     /* jobs that a run holds; as many as there are workers */
  size_t count, capacity;
} sqlite_running;

/* Adds a run that was claimed; forgets an earlier run of the job. */
void sqlite_running_begin(sqlite_running *running, const store_run *run);
/* Removes a run that no longer holds its job; attempt 0: any run of the job. */
void sqlite_running_end(sqlite_running *running, const store_run *run);
/* Records the progress of a run. Returns false if the run is not in the list. */
bool sqlite_running_tell(sqlite_running *running, const store_run *run, const store_progress *progress);
/* Copies the progress into a job that was read, if it runs. */
void sqlite_running_show(sqlite_running *running, service_job *job);

#endif
