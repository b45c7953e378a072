/* queue.h - the queue's changes: enqueue, claim, requeue, cancel, and what a dead daemon left. */
#ifndef SERVER_STORE_SQLITE_QUEUE_H
#define SERVER_STORE_SQLITE_QUEUE_H

#include "server/store/sqlite/db.h"
#include "server/store/store.h"

/* Sets the verbs of this file. */
void sqlite_queue_verbs(srv_store *verbs);

/* After a daemon's death: what ran is queued again, or ended where it was to be cancelled or died too often. */
service_status sqlite_queue_recover(sqlite_db *queue);

/* The error of a job that is cancelled without a worker to say so; `t`: how far it came. */
#define SQLITE_QUEUE_CANCELLED(t)                                                                  \
  "json_object('code', 'cancelled', 'detail', 'stopped on request', 't', " t ", 'element', NULL, " \
  "'pointer', NULL)"

/* What gives a running job back, which came as far as `t`, or ends it where a cancel was asked for; ?1 is the time. */
#define SQLITE_QUEUE_GIVE_BACK(t)                                                             \
  "UPDATE jobs SET status = CASE cancel_requested WHEN 0 THEN 'queued' ELSE 'cancelled' END," \
  " finished = CASE cancel_requested WHEN 0 THEN 0 ELSE ?1 END,"                              \
  " progress_t = CASE cancel_requested WHEN 0 THEN 0 ELSE coalesce(" t ", 0) END,"            \
  " error = CASE cancel_requested WHEN 0 THEN NULL ELSE " SQLITE_QUEUE_CANCELLED(t) " END"

/* Gives back a running job, or ends it where a cancel was asked for. As the verb. */
service_status sqlite_queue_requeue(sqlite_db *queue, const store_run *run, double t, bool crashed, bool *ended);

#endif
