/* pool_private.h - what the parts of the pool share. Only the pool's thread uses it, except where a mutex is named. */
#ifndef SRV_POOL_PRIVATE_H
#define SRV_POOL_PRIVATE_H

#include "frame.h"
#include "pool.h"
#include "supervisor.h"

#include <pthread.h>

enum { POOL_SUPERVISOR_SECONDS = 10 }; /* a supervisor that takes longer to answer hangs */

typedef enum pool_worker_state {
  POOL_WORKER_ABSENT, /* to be started at `start_at` */
  POOL_WORKER_STARTING,
  POOL_WORKER_IDLE,
  POOL_WORKER_BUSY,
  POOL_WORKER_GONE /* its socket is closed; how it ended is for the supervisor to say */
} pool_worker_state;

/* Why a worker was or will be killed. */
typedef enum pool_stop {
  POOL_STOP_NONE,
  POOL_STOP_CANCELLED,
  POOL_STOP_TIMED_OUT,
  POOL_STOP_DRAINED,
  POOL_STOP_REMOVED, /* the job is gone, or another run has it */
  POOL_STOP_BROKEN   /* it does not speak our language */
} pool_stop;

/* A result array of a run, as far as it has come. */
typedef struct pool_array {
  size_t columns, rows;
  bool timeless;
} pool_array;

typedef struct pool_run {
  store_run run;
  int crashes;              /* of this job before */
  double started, deadline; /* monotonic */
  double paused_at;         /* while the store is behind: until when the deadline has been put off for that */
  double t, fraction;       /* progress; written under the pool's mutex */
  uint64_t evaluations;
  pool_stop stop;
  double kill_at; /* when `stop` is cancelled or removed and the worker has not obeyed */
  bool computed;  /* what is left is to take the rest of its results */
  /* Results so far. */
  pool_array *arrays; /* [extent.arrays], with room for array_capacity */
  size_t array_capacity;
  store_extent extent;
} pool_run;

typedef struct pool_worker {
  srv_pool *pool;
  int slot;
  pool_worker_state state;
  double start_at, began;
  double word_by; /* while starting or gone: when the supervisor must have said something */
  pid_t pid;
  int socket;   /* -1: closed */
  bool has_run; /* busy, or gone while it was; set by pool_worker_become() */
  bool killed, ended, end_known;
  int end_status; /* as of waitpid(), when known */
  frame_reader in;
  frame_builder out;
  size_t out_sent;
  unsigned events; /* epoll's, as set */
  pool_run run;    /* when `has_run` */
} pool_worker;

/* A job that has ended, on its way into the store. */
typedef struct pool_ending {
  srv_pool *pool;
  store_end end;
  char *report, *error;
  double seconds, retry_at; /* retry_at 0: the store has not failed with it */
  bool rejected;            /* the store refused it for good: this is what was put in its place */
  struct pool_ending *next;
} pool_ending;

/* A wish of another thread. */
typedef struct pool_wish {
  char id[SERVICE_ID_SIZE];
  bool removed;
  struct pool_wish *next;
} pool_wish;

typedef struct pool_claim {
  store_claim claim;
  struct pool_claim *next;
} pool_claim;

struct srv_pool {
  srv_pool_settings settings;
  srv_store *store;
  srv_metrics *metrics;
  srv_pool_ended ended;
  void *context;
  pthread_t thread;
  int epoll, wake;
  srv_supervisor supervisor;
  double supervisor_start_at;
  pool_worker *workers;              /* [settings.workers] */
  pool_claim *claims, **claims_last; /* waiting for a worker */
  size_t claims_count;
  double claim_at, heartbeat_at;
  bool claims_stopped, drained;

  pthread_mutex_t mutex; /* guards what follows, and the progress of runs */
  pthread_cond_t alive_changed;
  pool_claim *new_claims, **new_claims_last;
  pool_wish *wishes, **wishes_last;
  pool_ending *retries;
  size_t claims_open, endings_open; /* asked of the store, and not answered */
  size_t endings_failing;           /* of those that the store failed with, at least once */
  bool claim_failed, draining, stopping;
  double drain_at;
  size_t alive, busy;
  double alive_seen; /* when a worker was alive last */
};

/* ---- pool_worker.c: one worker ----------------------------------------------------------------------------------- */

/* The supervisor started it. */
void pool_worker_begin(pool_worker *worker, pid_t pid, int socket);
/* Sends it a claimed job, whose document it takes over. */
void pool_worker_run(pool_worker *worker, const store_claim *claim);
/* Its socket has something to say. */
void pool_worker_event(pool_worker *worker, unsigned events);
/* It ended, as the supervisor says, or together with the supervisor (`status` is then of no meaning). */
void pool_worker_ended(pool_worker *worker, bool known, int status);
/* Asks it to stop its job; it is killed if it does not. */
void pool_worker_stop(pool_worker *worker, pool_stop stop);
/* Kills it when its time is over; lets it send results as far as the store keeps up. */
void pool_worker_check(pool_worker *worker, double now);

/* ---- pool_end.c: how jobs end ------------------------------------------------------------------------------------ */

/* The worker says how its job ended. */
void pool_end_outcome(pool_worker *worker, const char *status, const char *report, const char *error);
/* The worker is gone while it ran a job: `why` in words. `blameless`: not because of the job. */
void pool_end_death(pool_worker *worker, const char *why, bool blameless);
/* Gives a claimed job back that no worker has begun. */
void pool_end_unstarted(srv_pool *pool, const store_claim *claim);
/* Tries again to write down what the store refused. */
void pool_end_retry(srv_pool *pool, double now);
/* The job is gone: an end of it that the store has refused is not tried again. */
void pool_end_drop(srv_pool *pool, const char *id);
/* Drops what could not be written down: the jobs are done again after the next start. */
void pool_end_forget(srv_pool *pool);

/* ---- pool.c ---------------------------------------------------------------------------------------------------- */

/* Sets what the pool listens to; `events` 0 takes it off. */
void pool_listen(srv_pool *pool, int file, unsigned *current, unsigned events, void *tag);
/* A worker's state changes; the counts for other threads follow. */
void pool_worker_become(pool_worker *worker, pool_worker_state state);

#endif
