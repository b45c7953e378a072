/* sqlite_store.h - what the parts of the SQLite store share. */
#ifndef SRV_SQLITE_STORE_H
#define SRV_SQLITE_STORE_H

#include "sqlite_writer.h"
#include "store.h"

#include <stdatomic.h>

/* A connection that only reads, for whichever thread asks. */
typedef struct sqlite_reader {
  pthread_mutex_t mutex;
  sqlite_db db;
} sqlite_reader;

typedef struct sqlite_store {
  srv_store verbs; /* first: an srv_store * is this struct */
  char *folder;
  size_t reserve;
  int lock;
  sqlite_writer queue_writer, results_writer;
  sqlite_reader queue_reader, results_reader;
  atomic_size_t enqueuing; /* jobs on their way into the queue */
  atomic_size_t backlog;   /* bytes of tiles on their way into the results */
  atomic_bool claims_stopped;
} sqlite_store;

/* Each sets its verbs. */
void sqlite_queue_verbs(srv_store *verbs);
void sqlite_finish_verbs(srv_store *verbs);
void sqlite_results_verbs(srv_store *verbs);
void sqlite_job_reading_verbs(srv_store *verbs);
void sqlite_array_reading_verbs(srv_store *verbs);

/* After a daemon's death: what ran is queued again, or ended where it was to be cancelled or died too often. */
service_status sqlite_queue_recover(sqlite_db *queue);
/* After that: of runs that broke off, what is whole is kept where their jobs show it or wait to be run again; other
 * results that no job shows are dropped. */
service_status sqlite_results_recover(sqlite_db *results, sqlite_db *queue);

/* Of a run that broke off: cuts the arrays with time to the rows that all of them have, and takes out those without
 * time that have not come as a whole. */
service_status sqlite_results_cut(sqlite_db *results, const store_run *run);
/* The time of the last row of a run that was cut, where it is `found`. */
service_status sqlite_results_time(sqlite_db *results, const store_run *run, double *t, bool *found);
/* Gives back a running job, or ends it where a cancel was asked for. As the verb. */
service_status sqlite_queue_requeue(sqlite_db *queue, const store_run *run, double t, bool crashed);

/* Drops a part of a job's results: of the attempt (`only`), or of all others. `more`: call again, in a transaction of
 * its own. */
service_status sqlite_results_drop(sqlite_db *results, const char *job, int attempt, bool only, bool *more);

/* The attempt whose results an ended job shows; 0 where there are none. NOT_FOUND, NOT_READY. */
service_status sqlite_job_shown(sqlite_store *self, const char *id, int *attempt);

#endif
