/* requeue_sql.h - the SQL that gives a running job back to the queue, or ends it where a cancel was asked for. */
#ifndef SERVER_STORE_SQLITE_QUEUE_REQUEUE_SQL_H
#define SERVER_STORE_SQLITE_QUEUE_REQUEUE_SQL_H

/* The error of a job that is cancelled without a worker to say so; `t`: how far it came. */
#define SQLITE_CANCELLED(t)                                                                        \
  "json_object('code', 'cancelled', 'detail', 'stopped on request', 't', " t ", 'element', NULL, " \
  "'pointer', NULL)"

/* What gives a running job back, which came as far as `t`, or ends it where a cancel was asked for; ?1 is the time. */
#define SQLITE_GIVE_BACK(t)                                                                   \
  "UPDATE jobs SET status = CASE cancel_requested WHEN 0 THEN 'queued' ELSE 'cancelled' END," \
  " finished = CASE cancel_requested WHEN 0 THEN 0 ELSE ?1 END,"                              \
  " progress_t = CASE cancel_requested WHEN 0 THEN 0 ELSE coalesce(" t ", 0) END,"            \
  " error = CASE cancel_requested WHEN 0 THEN NULL ELSE " SQLITE_CANCELLED(t) " END"
/* Beside it: shows what a cancelled job has, where its run is over. */
#define SQLITE_SHOW_CANCELLED " shown = CASE cancel_requested WHEN 0 THEN 0 ELSE attempt END"

#endif
