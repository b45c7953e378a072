/* runtime_estimate.h - what a kind of job takes, as it was seen. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_RUNTIME_ESTIMATE_H
#define SERVER_STORE_POSTGRES_QUEUE_RUNTIME_ESTIMATE_H

#include "server/store/postgres/connection/db.h"

/* A job that has ended, and what is known of its kind. */
typedef struct postgres_seen {
  int64_t job, kind;
  double span, seconds; /* between its claim and its end */
  const char *report;   /* which may say how long it was computed; NULL: there is none */
  bool known;           /* a rate is known: */
  double rate;          /* of */
  int64_t of;           /* this job */
} postgres_seen;

/* In a transaction: writes a rate [s for a unit of span] where it is another by a factor of two, and which waiting
 * jobs of the kind are short by it. So the end of a job is not a change beside it, and servers do not wait for each
 * other. */
service_status postgres_runtime_learn(postgres_db *db, const postgres_seen *seen);

#endif
