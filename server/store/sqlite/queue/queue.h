/* queue.h - the queue's changes after a job is in it: claim, requeue, cancel, change, and what a dead daemon left. */
#ifndef SERVER_STORE_SQLITE_QUEUE_QUEUE_H
#define SERVER_STORE_SQLITE_QUEUE_QUEUE_H

#include "server/store/sqlite/connection/db.h"
#include "server/store/store.h"

/* Sets the verbs of this file. */
void sqlite_queue_verbs(srv_store *verbs);

/* After a daemon's death: what ran is queued again, or ended where it was to be cancelled or died too often. */
service_status sqlite_queue_recover(sqlite_db *queue);

/* Counts anew the jobs of each state, and of each client those that wait and run. */
service_status sqlite_queue_count(sqlite_db *queue);

/* Gives back a running job, or ends it where a cancel was asked for. As the verb. */
service_status sqlite_queue_requeue(sqlite_db *queue, const store_run *run, double t, bool crashed, bool *ended);

/* Whether the results of a run that does not hold its job are the job's last: `shown`, or kept until it is run anew,
 * or because the job is damaged. */
service_status sqlite_queue_wants(sqlite_db *queue, const store_run *run, bool *wanted, bool *shown);

#endif
