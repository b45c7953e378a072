/* running.h - how far the jobs that run have come.
 *
 * That changes several times a second and is worth nothing after a crash, when they all begin anew; and all readers are
 * in this process. So it stays in memory: progress costs no write, and readers see the last of it. */
#ifndef SERVER_STORE_SQLITE_QUEUE_RUNNING_H
#define SERVER_STORE_SQLITE_QUEUE_RUNNING_H

#include "server/store/store.h"

#include <pthread.h>

typedef struct running_job {
  store_run run;
  store_progress progress;
} running_job;

typedef struct sqlite_running {
  pthread_mutex_t mutex; /* guards what follows */
  running_job *jobs;     /* those whose runs hold them; as many as there are workers */
  size_t count, capacity;
} sqlite_running;

/* The run was claimed; an earlier one of the job is forgotten. */
void sqlite_running_begin(sqlite_running *running, const store_run *run);
/* The run does not hold its job any more; attempt 0: whichever does. */
void sqlite_running_end(sqlite_running *running, const store_run *run);
/* How far a run has come; of one that was not begun, or is over, it is forgotten: false. */
bool sqlite_running_tell(sqlite_running *running, const store_run *run, const store_progress *progress);
/* Puts the progress into a job that was read, where it runs. */
void sqlite_running_show(sqlite_running *running, service_job *job);

#endif
