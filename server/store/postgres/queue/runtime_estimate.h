/* runtime_estimate.h - estimates how long a kind of job takes. */
#ifndef SERVER_STORE_POSTGRES_QUEUE_RUNTIME_ESTIMATE_H
#define SERVER_STORE_POSTGRES_QUEUE_RUNTIME_ESTIMATE_H

#include "server/store/postgres/connection/db.h"

/* A job that has ended, and the estimate of its kind. */
typedef struct postgres_seen {
  int64_t job, kind;
  double span, seconds; /* computation time, or else the time between its claim and its end */
  bool known;           /* `rate` is known */
  double rate;          /* time for a unit of span, measured */
  int64_t of;           /* job that it was measured on */
} postgres_seen;

/* Writes a rate [s for a unit of span], inside a transaction, if it differs by a factor of two, and updates which
 * waiting jobs of the kind are short. So the end of a job seldom changes this table, and servers do not wait for each
 * other. */
service_status postgres_runtime_learn(postgres_db *db, const postgres_seen *seen);

#endif
