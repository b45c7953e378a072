/* pool_state.h - the state of the pool, shared by its files. Only the pool's thread uses it, except where a mutex is
 * named. */
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

/* Number of crashes after which the job, or the run of a study, is considered the cause. */
enum { POOL_MOST_CRASHES = 1 };
enum { POOL_SUPERVISOR_SECONDS = 10 }; /* a supervisor that takes longer to answer hangs */

typedef enum pool_worker_state {
  POOL_WORKER_ABSENT, /* not running; starts at `start_at` */
  POOL_WORKER_STARTING,
  POOL_WORKER_IDLE,
  POOL_WORKER_CHECKING,
  POOL_WORKER_BUSY, /* runs a job */
  POOL_WORKER_GONE  /* the socket is closed; the supervisor will report how the worker ended */
} pool_worker_state;

/* Reason why a worker was or will be killed. */
typedef enum pool_stop {
  POOL_STOP_NONE,
  POOL_STOP_CANCELLED,
  POOL_STOP_TIMED_OUT,
  POOL_STOP_DRAINED,
  POOL_STOP_REMOVED,  /* the job was removed, or another run holds it */
  POOL_STOP_NOT_KEPT, /* results cannot be stored: the disk is full */
  POOL_STOP_BROKEN    /* the worker's messages are invalid */
} pool_stop;

/* The received part of a result array of a run. */
typedef struct pool_array {
  size_t columns, rows;
  bool whole; /* valid only if complete: its rows are not compared with those of other arrays */
} pool_array;

typedef struct pool_run {
  store_run run;
  char client[64];          /* sender of the job */
  double cpu_before;        /* processor time that the worker had used when it began [s]; -1: unknown */
  bool brief;               /* a short job that runs in addition to the limit */
  int crashes;              /* earlier crashes of this job */
  double started, deadline; /* monotonic */
  double paused_at;         /* while the store is behind, the deadline moves on; time of the last such move */
  store_progress progress;
  pool_stop stop;
  double kill_at; /* time to kill a worker that has not obeyed `stop` (cancelled or removed) */
  bool computed;  /* the job is computed; only results remain to be received */
  double seconds; /* computation time, once the worker has reported it; 0: not known [s] */
  /* Received results. */
  pool_array *arrays; /* [extent.arrays], capacity array_capacity */
  size_t array_capacity;
  store_extent extent;
  size_t first, runs; /* runs of a block */
  bool asked_ahead;   /* the next block was claimed early */
} pool_run;

typedef struct pool_worker {
  srv_pool *pool;
  int slot;
  pool_worker_state state;
  double start_at, began;
  double word_by; /* while starting or gone: deadline for the supervisor's message */
  pid_t pid;
  int socket;   /* -1: closed */
  bool has_run; /* busy, or gone during a run; set by pool_worker_become() */
  bool killed, ended, end_known;
  int end_status;     /* status from waitpid(), if known */
  double end_seconds; /* processor time of its life, if known [s] */
  message_reader in;
  message_builder out;
  size_t out_sent;
  unsigned events;                        /* events set in epoll */
  pool_run run;                           /* valid if `has_run` */
  srv_check *check;                       /* while checking, or gone during a check */
  double check_by;                        /* deadline of the check */
  char cached_model_job[SERVICE_ID_SIZE]; /* the job whose model is cached; "": none */
  double cached_at;                       /* monotonic [s] */
  double pace;                            /* time per run in its last block of the current study [s]; 0: unknown */
} pool_worker;

/* The end of a job that is being recorded in the store. */
typedef struct job_ending {
  srv_pool *pool;
  store_end end;
  char *report, *error;
  double seconds, retry_at; /* retry_at 0: the store has not failed to record it */
  bool rejected;            /* the store refused it permanently: this is its replacement */
  struct job_ending *next;
} job_ending;

/* A request of the store to stop a job, and why: it is cancelled or removed, or a run has lost its lease. */
typedef struct pool_wish {
  store_run run; /* attempt 0: any run of the job */
  pool_stop stop;
  struct pool_wish *next;
} pool_wish;

typedef struct pool_claim {
  store_claim claim;
  bool brief; /* claimed as a short job */
  struct pool_claim *next;
} pool_claim;

/* A study coordinated by this server: study_job.h. */
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
  study_job *studies; /* changed with the mutex locked */
  double claim_at, heartbeat_at;
  bool claims_stopped, drained;

  pthread_mutex_t mutex; /* guards the fields below */
  pthread_cond_t alive_changed;
  pool_claim *new_claims, **new_claims_last;
  pool_wish *wishes, **wishes_last;
  job_ending *retries;
  size_t claims_open, short_claims_open, ahead_open, endings_open; /* requests to the store that are not answered */
  size_t endings_failing; /* ends that the store has failed to record at least once */
  bool claim_failed, draining, stopping;
  bool heartbeat_due; /* the store may have lost an event */
  double drain_at;
  size_t alive, busy;
  size_t blocks;         /* being computed by workers */
  size_t blocks_waiting; /* waiting for a worker */
  double alive_seen;     /* last time at which a worker was alive */
};

/* Wakes the pool's thread to process requests of other threads. */
void pool_wake(srv_pool *pool);

/* Returns true if a run is the one meant; attempt 0 means any run of the job or of its blocks. */
bool pool_run_is(const store_run *run, const store_run *meant);

#endif
