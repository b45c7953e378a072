/* job_transitions.h - in a transaction: the ends of jobs, and their return to the queue. Each is one statement, which moves the
 * job out of the queue and writes down what became of it, or does nothing where the run does not hold it. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_JOB_TRANSITIONS_H
#define SERVER_STORE_POSTGRES_QUEUE_JOB_TRANSITIONS_H

#include "server/store/postgres/connection/writer.h"

/* The error of a job that is cancelled without a worker to say so, up to its time. */
#define POSTGRES_CANCELLED(t)                                                                            \
  "json_build_object('code', 'cancelled', 'detail', 'stopped on request', 't', " t ", 'element', NULL, " \
  "'pointer', NULL)::text"

/* Ends a job that the run holds: `shown` is the attempt whose results it shows, which have so many bytes; `ended`: it
 * did. What its kind takes is learned. */
service_status postgres_end(postgres_writer *writer, const store_end *end, int shown, size_t bytes, bool *ended);

/* Gives back a job that the run holds, or ends it where a cancel was asked for, showing the run's results. NOT_FOUND:
 * it does not hold it. */
service_status postgres_give_back(postgres_writer *writer, const store_run *run, double t, bool crashed);

/* Does the same to all jobs whose leases have run out; those that lose it again and again end. */
service_status postgres_take_back(postgres_writer *writer);

/* Ends a job that waits, with the rows of its last attempt; `ended`: it waited. */
service_status postgres_end_waiting(postgres_writer *writer, const char *id, bool *ended);

/* Whether the results of a run that does not hold its job are the job's last: `shown`, or kept until it is run anew. */
service_status postgres_wants(postgres_db *db, const store_run *run, bool *wanted, bool *shown);

#endif
