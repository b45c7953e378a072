/* requeue_sql.h - SQL that gives a running job back to the queue, or ends it if a cancel was requested. */
#ifndef SERVER_STORE_SQLITE_QUEUE_REQUEUE_SQL_H
#define SERVER_STORE_SQLITE_QUEUE_REQUEUE_SQL_H

/* Error of a job cancelled without a report of its worker; `t`: the time that it reached. */
#define SQLITE_CANCELLED(t)                                                                        \
  "json_object('code', 'cancelled', 'detail', 'stopped on request', 't', " t ", 'element', NULL, " \
  "'pointer', NULL)"

/* SQL that gives back a running job that reached `t`, or ends it if a cancel was requested; ?1 is the time. */
#define SQLITE_GIVE_BACK(t)                                                                   \
  "UPDATE jobs SET status = CASE cancel_requested WHEN 0 THEN 'queued' ELSE 'cancelled' END," \
  " finished = CASE cancel_requested WHEN 0 THEN 0 ELSE ?1 END,"                              \
  " progress_t = CASE cancel_requested WHEN 0 THEN 0 ELSE coalesce(" t ", 0) END,"            \
  " error = CASE cancel_requested WHEN 0 THEN NULL ELSE " SQLITE_CANCELLED(t) " END"
/* Additional assignment: shows the results of a cancelled job whose run is over. */
#define SQLITE_SHOW_CANCELLED " shown = CASE cancel_requested WHEN 0 THEN 0 ELSE attempt END"

#endif
