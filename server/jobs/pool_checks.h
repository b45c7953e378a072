/* pool_checks.h - checks of documents in worker processes.
 *
 * Documents that become jobs and documents that are only validated have separate queues and processes: a job does not
 * wait for a large validation of another client. Clients take turns, and a client's large documents leave a process to
 * others. The process that checked a job's document caches its model and is the
 * first choice to run the job. */
#ifndef SERVER_JOBS_POOL_CHECKS_H
#define SERVER_JOBS_POOL_CHECKS_H

#include "api/service.h"

#include <stdbool.h>
#include <stddef.h>

/* Validations may take seconds each, so the queue is short, for one client and for all, and the wait is limited. */
enum { POOL_VALIDATIONS_WAITING = 16, POOL_VALIDATIONS_WAITING_ALL = 64 };
/* Documents up to this size are checked in milliseconds [bytes]. */
enum { POOL_SMALL_DOCUMENT = 64 << 10 };
#define POOL_VALIDATION_PATIENCE 10.0 /* [s] */

typedef struct srv_pool srv_pool;
typedef struct pool_worker pool_worker;
typedef struct srv_check srv_check;
struct srv_check {
  service_document document;
  char client[64];
  char id[SERVICE_ID_SIZE]; /* id of the job that the document becomes */
  /* Called when the check is done, with `status`, and `verdict` if that is OK; on the pool's thread. */
  void (*done)(srv_check *self);
  service_status status;
  service_verdict verdict;
  int crashes;   /* workers that died of this document */
  double posted; /* monotonic [s] */
  srv_check *next;
};

/* Documents of one kind, in order of arrival. */
typedef struct pool_check_line {
  srv_check *first, **last;
  size_t waiting, running;
  char last_client[64]; /* the client whose document was started last; only on the pool's thread */
} pool_check_line;

enum { POOL_CHECK_JOBS, POOL_CHECK_VALIDATIONS, POOL_CHECK_LINES };

typedef struct pool_checks {
  pool_check_line lines[POOL_CHECK_LINES]; /* guarded by the pool's mutex, except `running` */
  bool closed;                             /* guarded by the pool's mutex */
} pool_checks;

void pool_checks_init(pool_checks *checks);
/* Queues a document. Returns SERVICE_PENDING, or why it is refused: BUSY, LATE. Any thread. */
service_status pool_checks_post(srv_pool *pool, srv_check *check);
/* Refuses the waiting and all new documents. Any thread. */
void pool_checks_close(srv_pool *pool);

/* The functions below run on the pool's thread. Refuses documents that have waited too long, and all if the pool is not
 * `ready`; starts the others while workers are free. */
void pool_checks_dispatch(srv_pool *pool, double now, bool ready);
/* Returns true if a document waits or is checked. */
bool pool_checks_busy(srv_pool *pool);
/* Processes the worker's MESSAGE_VERDICT. Returns false if it is invalid. */
bool pool_checks_take_verdict(pool_worker *worker);
/* Processes the death of a worker that checked a document, which is tried once more. `blameless`: the document did not
 * cause it. */
void pool_checks_death(pool_worker *worker, bool blameless);
/* Kills the worker if its time for the document is over. */
void pool_checks_deadline(pool_worker *worker, double now);

/* Returns an idle worker: the one with the job's model, or one without a model, or the one whose model's job came last.
 * NULL if there is none. */
pool_worker *pool_checks_idle_worker(srv_pool *pool, const char *id);

#endif
