/* pool_checks.h - documents on their way through worker processes that look for their mistakes.
 *
 * Those that become jobs and those that are only validated wait apart, and each kind has processes of its own: a job
 * does not wait for somebody's large validation. The model of a document that becomes a job stays with its process,
 * which is the first that is asked to run it. */
#ifndef SERVER_JOBS_POOL_CHECKS_H
#define SERVER_JOBS_POOL_CHECKS_H

#include "api/service.h"

#include <stdbool.h>
#include <stddef.h>

/* Validations may take seconds each, so few wait, and not for long. */
enum { POOL_VALIDATIONS_WAITING = 16 };
#define POOL_VALIDATION_PATIENCE 10.0 /* [s] */

typedef struct srv_pool srv_pool;
typedef struct pool_worker pool_worker;
typedef struct srv_check srv_check;
struct srv_check {
  service_document document;
  char id[SERVICE_ID_SIZE]; /* of the job that it becomes */
  /* It is done, in `status`, and if that is OK `verdict`; on the pool's thread. */
  void (*done)(srv_check *self);
  service_status status;
  service_verdict verdict;
  int crashes;   /* workers that died of it */
  double posted; /* monotonic [s] */
  srv_check *next;
};

/* Documents of one kind, in the order in which they came. */
typedef struct pool_check_line {
  srv_check *first, **last;
  size_t waiting, running;
} pool_check_line;

enum { POOL_CHECK_JOBS, POOL_CHECK_VALIDATIONS, POOL_CHECK_LINES };

typedef struct pool_checks {
  pool_check_line lines[POOL_CHECK_LINES]; /* guarded by the pool's mutex, but for `running` */
  bool closed;                             /* so is this */
} pool_checks;

void pool_checks_init(pool_checks *checks);
/* Any thread: SERVICE_PENDING, or why the document is not taken: BUSY, LATE. */
service_status pool_checks_post(srv_pool *pool, srv_check *check);
/* Any thread: what waits is turned away, and nothing is taken any more. */
void pool_checks_close(srv_pool *pool);

/* The rest is the pool's thread's. Turns away what has waited for too long, and all if the pool is not `ready`; hands
 * out what can be begun. */
void pool_checks_dispatch(srv_pool *pool, double now, bool ready);
/* Whether any wait or run. */
bool pool_checks_busy(srv_pool *pool);
/* The worker's MESSAGE_VERDICT; false where it is none. */
bool pool_checks_take_verdict(pool_worker *worker);
/* The worker is gone while it checked a document, which is tried once more. `blameless`: not because of the
 * document. */
void pool_checks_death(pool_worker *worker, bool blameless);
/* Kills the worker if its time for the document is over. */
void pool_checks_deadline(pool_worker *worker, double now);

/* An idle worker: the one that keeps the job's model, or one that keeps none, or the one that keeps the model of the
 * job that came last. NULL where there is none. */
pool_worker *pool_checks_idle_worker(srv_pool *pool, const char *id);

#endif
