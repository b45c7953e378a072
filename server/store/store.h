/* store.h - the interface between the service and the database of jobs and results.
 *
 * A store is a set of functions ("verbs") on one handle, which a server opens. Many servers, each with its own handle
 * and workers, may share one database. They communicate only through the database. sqlite/ is the engine for one
 * server, postgres/ the engine for many. docs/recipes-store.md describes how to add an engine.
 * tests/store/conformance.h is the test that each engine passes.
 *
 * Runs and fences. A run is a job and the attempt number that its claim gave: the fencing token. Attempts of a job
 * count up from 1; no number is given twice. A run holds its job while the job is `running` with that attempt number.
 * Finish, requeue, heartbeat and progress have an effect only while the run holds the job; the transaction that makes
 * the change checks this. The store accepts arrays and tiles of any run. It stores them by attempt, shows them if their
 * run ends the job, and drops them if the end of the run is refused. A runner that lost its job need not know: the
 * store refuses or hides its later writes, and they do not affect the next runner.
 *
 * Studies. A study is a job of many runs of one model. It is done in blocks: consecutive runs that one worker of any
 * server computes in a fraction of a second. The claim of the study makes a server its coordinator: that run holds the
 * job and ends it, as for any other job, but computes nothing. During that time claims of all servers also return
 * blocks, each with its own attempt number; `is_block` distinguishes such runs from those of jobs. Each block is
 * renewed and given back separately. The results of a block are stored until the job ends or is removed, and do not
 * depend on the worker that computes them. Therefore they need not be durable before the answer, the store accepts them
 * from any run while the job waits or runs, and after a crash only the missing blocks are computed again. The
 * coordinator reads the blocks in the order of their runs (`block`) and passes the rows on as the results of its own
 * run. Blocks are not counted as jobs.
 *
 * Leases and clocks. A claim is a lease of `lease_seconds`, which heartbeat renews. When a lease has expired the job
 * returns to the queue (or ends, if a cancel was requested) before the next claim of the job; until then the lease can
 * still be renewed. The database's clock measures leases and the times of starts and ends, because the clocks of the
 * servers differ. `created` is the time of the submitting server's clock; it is shown and filtered by (`since`) and
 * decides nothing: a client's queue and lists are in the order of arrival.
 *
 * Atomic changes. Each of enqueue, claim, finish, requeue, cancel, change and remove is one change: complete or without
 * effect, visible to all servers at the same instant, and durable before its callback reports OK. In particular a job
 * that has ended shows its report and its results together; of two claims only one gets a job; of finish, requeue,
 * cancel and an expired lease only one ends a run. A heartbeat is atomic for each run separately. A claim may be
 * answered before it is durable if it can be lost only together with its runner; then nothing of that run exists and
 * its number is given again (sqlite/: docs/decisions/20-claims-and-power.md). An engine that needs several transactions
 * for one verb orders them so that no prefix of them is visible (sqlite/queue/finish.h).
 *
 * Failures and repetition. A verb that failed (FAILED, NO_SPACE) may have made its change if the database stopped
 * before it could answer. Therefore every verb may be repeated. Finish and requeue then return NOT_FOUND, because the
 * run no longer holds its job, and the caller is done. Remove returns NOT_FOUND; cancel, change and heartbeat have the
 * same effect again. Only enqueue without an idempotency key is not repeated: the job may exist although its client
 * received a failure. With a key the repeated enqueue finds the job.
 *
 * Threads. Any thread may call any verb at any time between open and close. Callbacks may also call verbs that change
 * something, but must be short and never wait for an answer, because the answer might need the same thread. Subscribers
 * do not call `subscribe`. Callbacks of different verbs may run on different threads at the same time. Calls that one
 * thread makes for the same run take effect in the order of the calls.
 *
 * Answers. Verbs that change something return immediately and answer by a callback, exactly once, after the change is
 * durable or has failed. Verbs that read answer in the same way, after they have filled the caller's output, which must
 * exist until then. A callback may run before its verb returns, on the caller's thread, or later, on a thread of the
 * store: see `answers_later`. Inputs are copied unless stated otherwise. Outputs belong to the caller, who frees them
 * with the functions of api/service.h; they are empty unless the status is OK. */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "api/service.h"
#include "server/base/job_state.h"
#include "server/base/storage.h"

#include <string.h>

enum { STORE_LEASE_SECONDS = 60 };  /* usual value of `lease_seconds` */
enum { STORE_KEY_SECONDS = 86400 }; /* lifetime of an idempotency key [s] */
#define STORE_SHORT_SECONDS 0.25    /* longest expected time of a short job [s]; studies are never short */

/* ---- values of the calls ----------------------------------------------------------------------------------------- */

typedef struct store_run {
  char id[SERVICE_ID_SIZE];
  int attempt;
  bool is_block; /* a block of a study; `id` is the study's */
} store_run;

/* Returns true if both are the same attempt of the same job. */
static inline bool store_run_is(const store_run *a, const store_run *b) {
  return a->attempt == b->attempt && strcmp(a->id, b->id) == 0;
}

typedef struct store_claim {
  store_run run;
  int crashes;    /* workers that died earlier of this job, or of this block if it has one run */
  char *document; /* document as submitted, malloc'd */
  size_t document_size;
  char client[64];    /* sender of the job, as in service_job */
  size_t first, runs; /* block: its runs; study: first 0 and number of runs; other job: 0 */
} store_claim;

/* Results of the first runs of a block, or of all of them. */
typedef struct store_block {
  size_t first, runs;
  size_t columns; /* columns of `data`: [runs x columns], row-major, little-endian doubles */
  double *data;   /* malloc'd in outputs */
  char *report;   /* remaining results, JSON text; malloc'd in outputs */
  double seconds; /* time of its worker [s]; input only */
} store_block;

/* Progress of a run. */
typedef struct store_progress {
  double t, fraction; /* finite */
  uint64_t evaluations;
} store_progress;

/* Result of the renewal of a lease. */
typedef enum store_lease {
  STORE_LEASE_HELD,
  STORE_LEASE_CANCELLED, /* renewed, but a cancel was requested: the run should stop and end as cancelled */
  STORE_LEASE_LOST       /* the run does not hold the job: it ended, returned to the queue, was removed or belongs to
                          * another run. Stop it */
} store_lease;

/* Events that subscribers receive. */
typedef enum store_event {
  STORE_EVENT_QUEUED,   /* the job is new, or returned to the queue */
  STORE_EVENT_STARTED,  /* the job was claimed */
  STORE_EVENT_PROGRESS, /* the job's run, or a block of it, has progressed: more rows can be read, now or soon */
  STORE_EVENT_ENDED,    /* the job has ended */
  STORE_EVENT_CANCEL,   /* a cancel was requested while the job runs: its runner should stop it */
  STORE_EVENT_REMOVED,  /* the job was removed */
  STORE_EVENT_MISSED    /* events of any job may have been lost, so read again what you wait for; the id is "" */
} store_event;

/* Header of a result array. shape[0] is valid if the array is timeless; otherwise the tiles determine its rows. An
 * array without columns has no tiles: it has as many rows as the others. */
typedef struct store_array {
  int position; /* 0, 1, ... in the order of the list */
  const char *name, *unit, *doc, *labels, *units;
  int rank;
  size_t shape[4];
  bool timeless;  /* see service_array */
  size_t columns; /* product of shape[1..] */
  bool by_run;    /* see service_array */
} store_array;

/* Returns the kind of an array's rows as the number that is sent and stored: 0 reporting times, 1 timeless, 2 runs. */
static inline int store_row_kind(bool timeless, bool by_run) { return by_run ? 2 : timeless; }
static inline void store_take_row_kind(int kind, bool *timeless, bool *by_run) {
  *timeless = kind != 0;
  *by_run = kind == 2;
}

/* Consecutive rows of an array that has columns: column-major, little-endian doubles. The next tile of the array begins
 * where this one ends. */
typedef struct store_tile {
  int position; /* position of the array */
  size_t first, rows;
  void *data; /* malloc'd */
  size_t size;
} store_tile;

/* Amount that a run wrote: arrays, total rows of those with time, bytes of all. The rows of the other arrays are in
 * their headers, even if their tiles are missing. */
typedef struct store_extent {
  size_t arrays, rows, bytes;
} store_extent;

typedef struct store_end {
  store_run run;
  job_state state;    /* succeeded, failed or cancelled */
  const char *report; /* JSON text or NULL */
  const char *error;  /* JSON text or NULL */
  double seconds;     /* computation time, without that of the worker and the database [s]; 0: not known */
  /* last progress; without a report `t`, also in `error`, becomes the time of the last stored row */
  store_progress progress;
  store_extent extent; /* amount written; if it has no arrays, all results of the run are dropped */
} store_end;

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

typedef void (*store_done)(void *context, service_status status);
/* Receives a claim and takes ownership of its document. NULL: no job, after stop_claims or a failure; try again
 * later. */
typedef void (*store_claimed)(void *context, const store_claim *claim);
/* Receives the state of each run that heartbeat was asked to renew; the lists are valid during the call. If the status
 * is not OK, nothing is known of any run and none need stop: a run that lost its job learns it from the next successful
 * answer. */
typedef void (*store_renewed)(void *context, service_status status, const store_run *runs, const store_lease *leases,
                              size_t count);
/* A receiver of events; it must exist until the store is closed. */
typedef struct store_subscriber store_subscriber;
struct store_subscriber {
  void (*notify)(void *context, store_event event, const char *id);
  void *context;
  store_subscriber *next; /* owned by the store */
};

/* ---- the verbs --------------------------------------------------------------------------------------------------- */

typedef struct srv_store srv_store;
struct srv_store {
  /* Length of a lease [s]; holders renew it several times in that time. May be set before use. */
  double lease_seconds;
  /* True if verbs that read may answer after they have returned. False: they always answer before, even if that needs
   * disk reads; then threads that must not wait, such as the HTTP loop's, may also call store_wait_for(). */
  bool answers_later;

  /* Completes what was begun, including each callback, and frees the handle. No thread may be inside another verb. */
  void (*close)(srv_store *self);

  /* -- submitting. Adds a job under a new id, with its document. job->receipt must exist until the answer. If the same
   * client used the idempotency key within STORE_KEY_SECONDS nothing is added: the answer is OK and that job, or
   * CONFLICT if body_hash differs; of two simultaneous calls one adds the job. A key is removed with its job. With
   * `reuse` nothing is added if a job of the same content_hash succeeded and has the given name, tags and keep: the
   * answer is OK and that job, to which the key, if any, then refers. Errors: CLIENT_FULL (the receipt has the limit),
   * REJECTED (the id exists), DAMAGED (the job of the key), NO_SPACE, FAILED. */
  void (*enqueue)(srv_store *self, const char *id, double created, const service_submission *job, store_done done,
                  void *context);
  /* Returns true if there is disk space for new jobs and results. Never blocks; may use the last known state. */
  bool (*has_space)(srv_store *self);

  /* Reports the state of the database to operators, without blocking. While there is a fault, has_space() is
   * meaningless and changes fail. */
  void (*health)(srv_store *self, srv_storage *out);

  /* -- running. Answers as soon as this handle can claim a job. Chooses, of the clients that have queued jobs
   * (including those with an expired lease), the client with the fewest running jobs; of several, the one whose last
   * claim is oldest; of its jobs, the oldest. The job is then `running` with a new attempt number. While there is no
   * disk space, nothing is claimed.
   * Blocks of a study that has a coordinator are claimed like jobs: each block counts as running for its client, the
   * study does not. A client has blocks of one study claimed at a time; between that study and its other jobs, the kind
   * with fewer running is next; its queued studies wait meanwhile. A block contains consecutive missing runs, from the
   * first one on, that take about API_BLOCK_SECONDS (api/jobs/block_size.h) by the current estimate. */
  void (*claim)(srv_store *self, store_claimed claimed, void *context);
  /* As `claim`, for short jobs only: those expected to take at most STORE_SHORT_SECONDS, by the time for a unit of span
   * of the last job of their kind, or else by the estimate submitted with the job. */
  void (*claim_short)(srv_store *self, store_claimed claimed, void *context);
  /* Answers what `claim` would answer now if that is a block of a study, otherwise nothing; it does not wait. Used for
   * a worker that is about to finish another block. No other caller waits longer because a block is claimed early. The
   * block belongs to this handle like any other; requeue gives it back if it is not computed. */
  void (*claim_next_block)(srv_store *self, store_claimed claimed, void *context);
  /* From now on answers all claims of this handle with nothing; waiting claims immediately. */
  void (*stop_claims)(srv_store *self);
  /* Renews the leases of runs and reports which are cancelled or lost. It also informs a runner of a cancel or a lost
   * job if the event did not arrive. */
  void (*heartbeat)(srv_store *self, const store_run *runs, size_t count, store_renewed renewed, void *context);
  /* Reports the progress of a run; called at each report of its worker, several times a second. Readers see it within a
   * second, on every server; the store may drop all but the last report of a second. Progress need not be durable, does
   * not renew the lease, and is ignored if the run does not hold its job. Results that came before it are readable
   * soon. */
  void (*progress)(srv_store *self, const store_run *run, const store_progress *progress);
  /* Stores results of a run in progress. Takes ownership of the tile's data. Errors appear at the end of the run. A
   * tile that does not follow the one before it is dropped. Results use the disk's reserve: when it is reached, or when
   * results cannot be written, all results of the run are dropped and its end will be NOT_READY; `tile` then returns
   * false and the runner may stop. Other runs continue. */
  void (*array)(srv_store *self, const store_run *run, const store_array *array);
  bool (*tile)(srv_store *self, const store_run *run, const store_tile *tile);
  /* Returns true if so many results of this handle are unwritten that a producer should wait; with `waits`, a waiting
   * producer should wait on until half of that is left. Never blocks. */
  bool (*is_behind)(srv_store *self, bool waits);
  /* Ends the job and shows its results. If the job did not succeed, the arrays with time are cut to the rows that all
   * of them have. Its report then contains `results_checksum`, if the store has checksums. Drops results of earlier
   * attempts. NOT_FOUND: the run does not hold the job (any more); its results are dropped, unless they are those that
   * the job shows. NOT_READY: some of the written results are missing; the job still runs. REJECTED: the store can
   * never store this end; the job still runs. FAILED, NO_SPACE: try again later. */
  void (*finish)(srv_store *self, const store_end *end, store_done done, void *context);
  /* Gives a job back to the queue, or ends it if a cancel was requested, with the rows of this run; `t` is the time
   * that the run reached. Until another attempt ends the job shows these rows. `crashed`: the worker died. NOT_FOUND:
   * as for finish. */
  void (*requeue)(srv_store *self, const store_run *run, double t, bool crashed, store_done done, void *context);

  /* Adds the processor time that a worker used for a run to that of the run's client today, whatever becomes of the
   * run. Takes effect within a second, for a job before a finish or requeue that is called later; may be lost if the
   * database or the server crashes before. The day is that of the database's clock, UTC. */
  void (*charge)(srv_store *self, const store_run *run, const char *client, double seconds);

  /* -- studies. Stores the results of a block; copies `data` and `report`. Runs of the block without results are
   * claimed again. A block that requeue gave back with `crashed` is claimed again as two halves if it has more than one
   * run. Subscribers receive PROGRESS of the job. NOT_FOUND: the job has ended or was removed. NO_SPACE, FAILED: the
   * run holds the block until it is given back. */
  void (*finish_block)(srv_store *self, const store_run *run, const store_block *block, store_done done, void *context);
  /* Returns the stored block of a job that contains run number `from`, or the next one after it. NOT_FOUND: there is
   * none, or the job has ended. A damaged block counts as missing and is computed again. */
  void (*block)(srv_store *self, const char *id, size_t from, store_block *out, store_done done, void *context);

  /* -- changes to jobs by other callers. Ends a queued job, with the rows of its last attempt, if any. If the job runs,
   * stores the request; its runner receives it by an event or a heartbeat. Jobs that have ended do not change. Errors:
   * NOT_FOUND, DAMAGED. */
  void (*cancel)(srv_store *self, const char *id, store_done done, void *context);
  /* Changes the name, tags and keep flag of a job. Errors: NOT_FOUND, DAMAGED. */
  void (*change)(srv_store *self, const char *id, const service_change *change, store_done done, void *context);
  /* Removes a job and its results, running or not. Error: NOT_FOUND. */
  void (*remove)(srv_store *self, const char *id, store_done done, void *context);

  /* -- events. From the return of this verb until close, `subscriber` receives every event of every job from every
   * server: after the change is durable; on the handle that made it before the callback of the verb, elsewhere within a
   * second or two. There may be any number of subscribers. An event may come twice, and events of different jobs in any
   * order; one is lost only if MISSED follows. After it subscribed a subscriber reads once what it waits for, because
   * that may have happened before. The store calls on its own threads, for PROGRESS also on the thread that calls
   * progress. PROGRESS comes at least as often as readers see new progress; a late one may come after the job's end. An
   * engine that polls for events of other servers may omit intermediate ones. */
  void (*subscribe)(srv_store *self, store_subscriber *subscriber);

  /* -- reading. Each verb reads one state of the database, which includes all changes answered before on this handle.
   * NOT_FOUND: no such job; DAMAGED: the stored data differs from its checksum; FAILED. The progress of a running job
   * is the last that its run reported. */
  void (*get)(srv_store *self, const char *id, service_job *out, store_done done, void *context);
  /* Lists jobs, newest first, without reports; for a damaged job its id and an error `damaged`. As service.jobs. */
  void (*list)(srv_store *self, const service_filter *filter, size_t limit, const char *cursor, service_job_list *out,
               store_done done, void *context);
  void (*document)(srv_store *self, const char *id, char **text, size_t *size, store_done done, void *context);
  /* Lists the arrays of a job, or reads rows of one. For a running job: what the run has written, with as many rows of
   * the arrays with time as all of them have. NOT_READY: there are no results yet. */
  void (*arrays)(srv_store *self, const char *id, service_array **list, size_t *count, store_done done, void *context);
  /* As service.read: rows first, first + stride, ..., row-major; if `out` is NULL they are only compared with their
   * checksums. NOT_FOUND also if a row or column does not exist. */
  void (*read)(srv_store *self, const char *id, const char *array, size_t first, size_t stride, size_t count,
               const size_t *columns, size_t column_count, double *out, store_done done, void *context);
  /* Reads what a client uses of its limits. Its bytes are those of the documents of all its jobs, and of the reports
   * and results of those that have ended. */
  void (*usage)(srv_store *self, const char *client, service_usage *out, store_done done, void *context);
  /* Counts the jobs in each state; queued ones include those of this handle that are not durable yet. */
  void (*counts)(srv_store *self, size_t counts[JOB_STATES], store_done done, void *context);
  /* Returns the last known counts, without waiting for a network. Engines with `answers_later` read them about twice a
   * second. Errors: UNAVAILABLE (not known yet), FAILED. */
  service_status (*last_counts)(srv_store *self, size_t counts[JOB_STATES]);
};

#endif
