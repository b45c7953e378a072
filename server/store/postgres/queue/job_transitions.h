/* job_transitions.h - ends jobs and returns them to the queue, inside a transaction.
 *
 * Each is one statement, which moves the job out of the queue and records its end, or does nothing if the run does not
 * hold the job. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_JOB_TRANSITIONS_H
#define SERVER_STORE_POSTGRES_QUEUE_JOB_TRANSITIONS_H

#include "server/store/postgres/connection/writer.h"

/* SQL expression of the error, as JSON text, of a job that was cancelled without a report of its worker; `t`: SQL
 * expression of its time. */
#define POSTGRES_CANCELLED(t)                                                                            \
  "json_build_object('code', 'cancelled', 'detail', 'stopped on request', 't', " t ", 'element', NULL, " \
  "'pointer', NULL)::text"

/* Ends a job that the run holds. `shown`: attempt whose results the job shows, of `bytes` bytes; `ended`: the job was
 * ended. Updates the runtime estimate of the job's kind. */
service_status postgres_end(postgres_writer *writer, const store_end *end, int shown, size_t bytes, bool *ended);

/* Gives back a job that the run holds, or ends it if a cancel was requested, showing the run's results. Returns
 * NOT_FOUND if the run does not hold the job. */
service_status postgres_give_back(postgres_writer *writer, const store_run *run, double t, bool crashed);

/* Does the same for all jobs with an expired lease; ends those that have lost it too often. */
service_status postgres_take_back(postgres_writer *writer);

/* Ends a waiting job, with the rows of its last attempt; `ended`: it was waiting. */
service_status postgres_end_waiting(postgres_writer *writer, const char *id, bool *ended);

/* Determines whether the results of a run that does not hold its job are the job's last results: the job shows them
 * (`shown`), or waits to run again. */
service_status postgres_wants(postgres_db *db, const store_run *run, bool *wanted, bool *shown);

#endif
