/* pool_state.h - the state of the pool, which its parts share. Only the pool's thread uses it, except where a
 * mutex is named. */
#ifndef SERVER_JOBS_POOL_STATE_H
#define SERVER_JOBS_POOL_STATE_H

#include "server/base/metrics.h"
#include "server/jobs/message.h"
#include "server/jobs/pool_checks.h"
#include "server/jobs/pool_settings.h"
#include "server/jobs/supervisor.h"
#include "server/store/store.h"

#include <pthread.h>

typedef struct srv_pool srv_pool;

/* A job, or a run of a study, that kills more workers is to blame, and not they. */
enum { POOL_MOST_CRASHES = 1 };
enum { POOL_SUPERVISOR_SECONDS = 10 }; /* a supervisor that takes longer to answer hangs */

typedef enum pool_worker_state {
  POOL_WORKER_ABSENT, /* to be started at `start_at` */
  POOL_WORKER_STARTING,
  POOL_WORKER_IDLE,
  POOL_WORKER_CHECKING,
  POOL_WORKER_BUSY, /* runs a job */
  POOL_WORKER_GONE  /* its socket is closed; how it ended is for the supervisor to say */
} pool_worker_state;

/* Why a worker was or will be killed. */
typedef enum pool_stop {
  POOL_STOP_NONE,
  POOL_STOP_CANCELLED,
  POOL_STOP_TIMED_OUT,
  POOL_STOP_DRAINED,
  POOL_STOP_REMOVED,  /* the job is gone, or another run has it */
  POOL_STOP_NOT_KEPT, /* its results are not kept: there is no room for them */
  POOL_STOP_BROKEN    /* it does not speak our language */
} pool_stop;

/* A result array of a run, as far as it has come. */
typedef struct pool_array {
  size_t columns, rows;
  bool whole; /* it is there as a whole or not at all: its rows are counted with those of no other */
} pool_array;

typedef struct pool_run {
  store_run run;
  bool brief;               /* it runs beside as many others as may */
  int crashes;              /* of this job before */
  double started, deadline; /* monotonic */
  double paused_at;         /* while the store is behind: until when the deadline has been put off for that */
  store_progress progress;
  pool_stop stop;
  double kill_at; /* when `stop` is cancelled or removed and the worker has not obeyed */
  bool computed;  /* what is left is to take the rest of its results */
  /* Results so far. */
  pool_array *arrays; /* [extent.arrays], with room for array_capacity */
  size_t array_capacity;
  store_extent extent;
  size_t first, runs; /* of a block */
  bool asked_ahead;   /* for what comes after it */
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
  message_reader in;
  message_builder out;
  size_t out_sent;
  unsigned events;            /* epoll's, as set */
  pool_run run;               /* when `has_run` */
  srv_check *check;           /* when checking, or gone while it was */
  double check_by;            /* when that must be done */
  char kept[SERVICE_ID_SIZE]; /* the job whose model it has; "": none */
  double kept_at;
  double pace; /* seconds that a run of the study took of which it made a block last; 0: not known */
} pool_worker;

/* A job that has ended, on its way into the store. */
typedef struct job_ending {
  srv_pool *pool;
  store_end end;
  char *report, *error;
  double seconds, retry_at; /* retry_at 0: the store has not failed with it */
  bool rejected;            /* the store refused it for good: this is what was put in its place */
  struct job_ending *next;
} job_ending;

/* What the store says is to be stopped, and why: a job is cancelled or removed, or a run has lost its lease. */
typedef struct pool_wish {
  store_run run; /* attempt 0: whichever there is */
  pool_stop stop;
  struct pool_wish *next;
} pool_wish;

typedef struct pool_claim {
  store_claim claim;
  bool brief; /* of the lane of short jobs */
  struct pool_claim *next;
} pool_claim;

/* A study that is coordinated here: study_job.h. */
typedef struct study_job study_job;

struct srv_pool {
  srv_pool_settings settings;
  srv_store *store;
  srv_metrics *metrics;
  srv_pool_drained when_drained;
  void *context;
  store_subscriber subscriber;
  pthread_t thread;
  int epoll, wake;
  srv_supervisor supervisor;
  double supervisor_start_at;
  pool_worker *workers; /* [settings.workers] */
  pool_checks checks;
  pool_claim *claims, **claims_last; /* waiting for a worker */
  size_t claims_count;
  study_job *studies; /* changed with the mutex */
  double claim_at, heartbeat_at;
  bool claims_stopped, drained;

  pthread_mutex_t mutex; /* guards what follows */
  pthread_cond_t alive_changed;
  pool_claim *new_claims, **new_claims_last;
  pool_wish *wishes, **wishes_last;
  job_ending *retries;
  size_t claims_open, short_claims_open, ahead_open, endings_open; /* asked of the store, and not answered */
  size_t endings_failing; /* of those that the store failed with, at least once */
  bool claim_failed, draining, stopping;
  bool heartbeat_due; /* the store may have missed to say something */
  double drain_at;
  size_t alive, busy;
  size_t blocks;         /* that workers make */
  size_t blocks_waiting; /* for their workers */
  double alive_seen;     /* when a worker was alive last */
};

/* Has the pool's thread look at what others left for it. */
void pool_wake(srv_pool *pool);

/* Whether a run is the one that is meant; of attempt 0: any of the job, or of its blocks. */
bool pool_run_is(const store_run *run, const store_run *meant);

#endif
