/* store.h - where jobs and their results live: the interface between the service and a database.
 *
 * A store is a set of verbs on one handle, which a server opens. Many servers, each with a handle of its own and
 * workers of its own, may share one database; nothing but the database tells one of them what another did. sqlite/ is
 * the engine for one server, postgres/ that for many. docs/recipes-store.md says how another one is added, and
 * tests/store/conformance.h is the test that each of them passes.
 *
 * Runs and fences. A run is a job and the attempt number that its claim gave: the fencing token. Attempts of a job
 * count up from 1 and none is given twice. A run holds its job while the job is `running` with that attempt number.
 * Finish, requeue, heartbeat and progress do something only while the run holds the job, and whether it does is decided
 * in the same transaction as the change. Arrays and tiles may be taken of any run: they are kept apart by attempt,
 * shown if their run ends the job, and dropped when it is refused. So nobody needs to know that he was overtaken: what
 * he still writes is refused or seen by nobody, and harms nobody who overtook him.
 *
 * Studies. A job of many runs of one model is done in blocks: consecutive runs that one worker makes in a fraction of a
 * second, of any server. Its claim makes a server the study's coordinator: his run holds the job and ends it, as that
 * of any other job, but he computes nothing. While it does, claims of all servers are answered with blocks, too, each
 * with an attempt number of its own; `is_block` tells such runs from those of jobs. A block is renewed and given back
 * for itself. What it came to is kept until the job has ended or was removed, and is the same whoever computes it: so
 * it need not be durable before it is answered, is taken from whoever brings it while the job waits or runs, and after
 * a crash only what is missing is done again. The coordinator reads the blocks in the order of their runs (`block`) and
 * hands the rows over as the results of his run. Blocks are not counted as jobs.
 *
 * Leases and clocks. A claim is a lease of `lease_seconds`, which heartbeat renews; when it has run out the job goes
 * back to the queue (or ends, where a cancel was asked for) before anybody else claims it, and until then it can still
 * be renewed. Leases and the times of starts and ends are counted by one clock, the database's, never by those of the
 * servers, which differ. `created` is what the submitting server's clock said; it is shown and looked for (`since`)
 * and decides nothing: the order of a client's queue and of lists is that of arrival.
 *
 * What is atomic. Each of enqueue, claim, finish, requeue, cancel, change and remove is one change: all of it or
 * nothing, for everybody at the same instant, and durable before its callback says OK. In particular a job that has
 * ended shows its report and its results together; of two claims only one gets a job; of finish, requeue, cancel and
 * an expired lease only one ends a run. A heartbeat is atomic for each run by itself. A claim may be answered before it
 * is durable where it can only be lost together with its runner; then nothing of that run is left either, and its
 * number is given again (sqlite/: docs/decisions/20-claims-and-power.md). An engine that needs several transactions for
 * one verb orders them so that no prefix of them shows (sqlite/finish.h).
 *
 * Failures and repetition. A verb that failed (FAILED, NO_SPACE) may have made its change all the same, when the
 * database died before it could say so. Every verb may therefore be repeated: finish and requeue then say NOT_FOUND,
 * because the run does not hold its job any more, and the caller is done; remove says NOT_FOUND, cancel, change and
 * heartbeat do what they did. Only enqueue without an idempotency key is not repeated: a job whose client was told of a
 * failure may exist. With a key the repeated one finds the job.
 *
 * Threads. Any thread may call any verb at any time between open and close. Callbacks, too, may call verbs that change
 * something, but must be short and never wait for an answer, which might have to come on their very thread; subscribers do
 * not call `subscribe`. Callbacks of different verbs may come on different threads at once. Calls that one thread makes for
 * the same run take effect in the order of the calls.
 *
 * Answers. Verbs that change something return at once and answer by a callback, exactly once, after the change is
 * durable or has failed. Verbs that read answer in the same way, when what the caller lent them to fill is filled; it
 * must last until then. A callback may come before its verb returns, on the caller's thread, or later, on a thread of
 * the store: see `answers_later`. Everything that goes in is copied unless said otherwise; what comes out is the
 * caller's, to be freed by the functions of api/service.h, and is nothing unless the status is OK. */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "api/service.h"
#include "server/base/job_state.h"
#include "server/base/storage.h"

#include <string.h>

enum { STORE_LEASE_SECONDS = 60 };  /* what `lease_seconds` usually is */
enum { STORE_KEY_SECONDS = 86400 }; /* how long an idempotency key is kept */
#define STORE_SHORT_SECONDS 0.25    /* a job that is expected to take no longer is a short one; studies are not */

/* ---- what goes in and comes out ---------------------------------------------------------------------------------- */

typedef struct store_run {
  char id[SERVICE_ID_SIZE];
  int attempt;
  bool is_block; /* of a study, which the job is */
} store_run;

/* Returns true if both are the same attempt of the same job. */
static inline bool store_run_is(const store_run *a, const store_run *b) {
  return a->attempt == b->attempt && strcmp(a->id, b->id) == 0;
}

typedef struct store_claim {
  store_run run;
  int crashes;    /* workers that died of this job, or of this block of one run, before */
  char *document; /* as it was sent, malloc'd */
  size_t document_size;
  size_t first, runs; /* of a block: its runs; of a study: how many it has; of another job: 0 */
} store_claim;

/* What the first runs of a block came to, or all of them. */
typedef struct store_block {
  size_t first, runs;
  size_t columns; /* of `data` [runs x columns], row-major, little-endian doubles */
  double *data;   /* malloc'd where it comes out */
  char *report;   /* what else there is to say, JSON text; malloc'd where it comes out */
  double seconds; /* that its worker took; only what goes in */
} store_block;

/* How far a run has come. */
typedef struct store_progress {
  double t, fraction; /* finite */
  uint64_t evaluations;
} store_progress;

/* What became of a lease that was to be renewed. */
typedef enum store_lease {
  STORE_LEASE_HELD,
  STORE_LEASE_CANCELLED, /* renewed, but a cancel was asked for: the run should stop and end as cancelled */
  STORE_LEASE_LOST       /* the run does not hold the job: it ended, went back, was removed or is another's. Stop it */
} store_lease;

/* What a subscriber is told. */
typedef enum store_event {
  STORE_EVENT_QUEUED,   /* the job is new, or went back to the queue */
  STORE_EVENT_STARTED,  /* the job was claimed */
  STORE_EVENT_PROGRESS, /* the job's run, or a block of it, has come further: more can be read, or soon */
  STORE_EVENT_ENDED,    /* the job has ended */
  STORE_EVENT_CANCEL,   /* a cancel was asked for while the job runs: its runner should stop it */
  STORE_EVENT_REMOVED,  /* the job is gone */
  STORE_EVENT_MISSED    /* of any job: something may have been missed, so look at what you wait for; the id is "" */
} store_event;

/* The head of a result array. shape[0] counts where it is timeless; otherwise its rows are those that tiles bring. One
 * without columns has no tiles: it has as many rows as the others. */
typedef struct store_array {
  int position; /* 0, 1, ... in the order of the list */
  const char *name, *unit, *doc, *labels, *units;
  int rank;
  size_t shape[4];
  bool timeless;  /* as of service_array */
  size_t columns; /* product of shape[1..] */
  bool by_run;    /* as of service_array */
} store_array;

/* What rows of an array are, as a number that is sent and stored: 0 reporting times, 1 nothing, 2 runs. */
static inline int store_row_kind(bool timeless, bool by_run) { return by_run ? 2 : timeless; }
static inline void store_take_row_kind(int kind, bool *timeless, bool *by_run) {
  *timeless = kind != 0;
  *by_run = kind == 2;
}

/* Consecutive rows of an array that has columns, column-major, little-endian doubles; its next tile begins where this
 * one ends. */
typedef struct store_tile {
  int position; /* of the array */
  size_t first, rows;
  void *data; /* malloc'd */
  size_t size;
} store_tile;

/* How much of a run was written: arrays, rows of those with time together, bytes of all. The rows of the others are in
 * their heads, whether their tiles came or not. */
typedef struct store_extent {
  size_t arrays, rows, bytes;
} store_extent;

typedef struct store_end {
  store_run run;
  job_state state;         /* succeeded, failed or cancelled */
  const char *report;      /* JSON text or NULL */
  const char *error;       /* JSON text or NULL */
  store_progress progress; /* the last; without a report `t`, also in `error`, becomes the time of the last row kept */
  store_extent extent;     /* what was written; no arrays: what there is is dropped */
} store_end;

/* ---- callbacks --------------------------------------------------------------------------------------------------- */

typedef void (*store_done)(void *context, service_status status);
/* Takes over the claim's document. NULL: none, after stop_claims or for a failure; try again later. */
typedef void (*store_claimed)(void *context, const store_claim *claim);
/* Of each run that heartbeat was asked to renew; the lists last as long as the call. Not OK: nothing is known of any,
 * and nothing need be stopped for that: who was overtaken is told when the store answers again. */
typedef void (*store_renewed)(void *context, service_status status, const store_run *runs, const store_lease *leases,
                              size_t count);
/* Somebody who is told of events; it lasts until the store is closed. */
typedef struct store_subscriber store_subscriber;
struct store_subscriber {
  void (*notify)(void *context, store_event event, const char *id);
  void *context;
  store_subscriber *next; /* the store's */
};

/* ---- the verbs --------------------------------------------------------------------------------------------------- */

typedef struct srv_store srv_store;
struct srv_store {
  /* How long a lease lasts; holders renew it several times in that time. May be set before use. */
  double lease_seconds;
  /* Most queued jobs of one client; 0: as many as he likes. May be set before use. */
  size_t client_queue;
  /* Whether verbs that read may answer after they have returned. False: always before, however often the disk is read;
   * then also threads that must not wait, such as the HTTP loop's, may call store_wait_for(). */
  bool answers_later;

  /* Finishes what was begun, each callback included, and frees the handle. Nobody may be inside another verb. */
  void (*close)(srv_store *self);

  /* -- submitting. Adds a job under a new id, its document with it. job->receipt lasts until the answer. With an
   * idempotency key that the same client used within STORE_KEY_SECONDS nothing is added: OK and that job, or CONFLICT
   * where body_hash is another; of two at once, one adds the job. A key goes with its job. With `reuse` nothing is
   * added where a job of the same content_hash succeeded, which has the name, the tags and the keep that are given: OK
   * and that job, which the key, if there is one, then stands for. CLIENT_FULL, REJECTED (the id is taken), DAMAGED
   * (the job of the key), NO_SPACE, FAILED. */
  void (*enqueue)(srv_store *self, const char *id, double created, const service_submission *job, store_done done,
                  void *context);
  /* Whether there is room for new jobs and results. Answers at once, from what was last known if need be. */
  bool (*has_space)(srv_store *self);

  /* What an operator should know of the database. While there is a fault, has_space() says nothing of use, and what
   * changes something fails. At once. */
  void (*health)(srv_store *self, srv_storage *out);

  /* -- running. Answers as soon as there is a job to claim for this handle: of the clients that have queued jobs, those
   * whose lease ran out among them, the one of whose jobs the fewest run, and of several the one who was not claimed
   * from for longest; of his jobs the oldest. It is then `running` with a new attempt number. While there is no space,
   * nothing is claimed.
   * Blocks of a study that has a coordinator are claimed like jobs: what counts of its client as running is each block,
   * and not the study. A client has blocks of one study claimed at a time, and of that and his other jobs what runs
   * less; a queued study of his waits meanwhile. A block is of so many of the runs that are missing, from the first of
   * them on, that it takes about API_BLOCK_SECONDS (api/jobs/block_size.h), as far as is known. */
  void (*claim)(srv_store *self, store_claimed claimed, void *context);
  /* The same of short jobs only: those that are expected to take at most STORE_SHORT_SECONDS, by what the last job of
   * their kind took for a unit of its span, else by the guess that came with them. */
  void (*claim_short)(srv_store *self, store_claimed claimed, void *context);
  /* What `claim` would give now if that is a block of a study, for a worker who is about to end another one; else none,
   * soon: it does not wait. So nobody waits longer for a block that is made later. The block is this handle's like any
   * other, and is given back by requeue if nobody makes it. */
  void (*claim_next_block)(srv_store *self, store_claimed claimed, void *context);
  /* From now on claims of this handle are answered with none, those that wait at once. */
  void (*stop_claims)(srv_store *self);
  /* Renews the leases of runs and tells which are cancelled or lost. It is also how a runner learns of a cancel or of
   * having been overtaken when no subscriber's word reached it. */
  void (*heartbeat)(srv_store *self, const store_run *runs, size_t count, store_renewed renewed, void *context);
  /* How far a run has come; called as often as its worker says so, some times a second. Readers see it within a second,
   * on every server; of more than that in a second the store may keep the last only. It need not be durable, and does
   * not renew the lease. Of a run that does not hold its job it is forgotten. Results that came before it are readable
   * soon. */
  void (*progress)(srv_store *self, const store_run *run, const store_progress *progress);
  /* Results of a run, while it goes on. The tile's data is taken over. What goes wrong shows at the end of the run.
   * A tile that does not follow the one before it is dropped. They count against the disk's reserve while they come:
   * where it is reached, and where they cannot be written, all results of the run are dropped and its end will be
   * NOT_READY; `tile` says so, false, and the runner may as well stop. Other runs go on. */
  void (*array)(srv_store *self, const store_run *run, const store_array *array);
  bool (*tile)(srv_store *self, const store_run *run, const store_tile *tile);
  /* Whether so much of the results that this handle took is not written yet that who has more should wait; `waits`: he
   * does already, and goes on when it is half of that. At once. */
  bool (*is_behind)(srv_store *self, bool waits);
  /* Ends the job and shows its results: where it did not succeed, of the arrays with time as many rows as all of
   * them have. Its report then says `results_checksum`, where the store keeps checksums. Results of earlier attempts
   * are dropped. NOT_FOUND: the run does not hold the job (any more); its results are dropped, unless they are those
   * that the job shows. NOT_READY: not all that was written is there; the job still runs. REJECTED: this end will
   * never be kept as it is; the job still runs. FAILED, NO_SPACE: try again later. */
  void (*finish)(srv_store *self, const store_end *end, store_done done, void *context);
  /* Gives a job back to the queue, or ends it where a cancel was asked for, with the rows that this run has; `t` is how
   * far it came. Until another attempt ends they are the job's last. `crashed`: the worker died of it. NOT_FOUND: as
   * finish. */
  void (*requeue)(srv_store *self, const store_run *run, double t, bool crashed, store_done done, void *context);

  /* -- studies. Keeps what a block came to; `data` and `report` are copied. Runs that are not among it are handed out
   * again. A block that went back by requeue, `crashed`, is handed out in two halves, if it has more than one run.
   * Watchers are told PROGRESS of the job. NOT_FOUND: the job has ended or is gone. NO_SPACE, FAILED: the block is the
   * run's until it is given back. */
  void (*finish_block)(srv_store *self, const store_run *run, const store_block *block, store_done done, void *context);
  /* Of the blocks that were kept of a job, one that has run number `from`, else the next after it. NOT_FOUND: there is
   * none, or the job has ended. What is damaged counts as not kept, and is done again. */
  void (*block)(srv_store *self, const char *id, size_t from, store_block *out, store_done done, void *context);

  /* -- interfering. Ends a queued job, with the rows of its last attempt if there was one; where the job runs, notes
   * the wish, which its runner hears of by watch and heartbeat. Jobs that have ended stay as they are. NOT_FOUND,
   * DAMAGED. */
  void (*cancel)(srv_store *self, const char *id, store_done done, void *context);
  /* Changes what a job is called. NOT_FOUND, DAMAGED. */
  void (*change)(srv_store *self, const char *id, const service_change *change, store_done done, void *context);
  /* Removes a job and its results, running or not. NOT_FOUND. */
  void (*remove)(srv_store *self, const char *id, store_done done, void *context);

  /* -- watching. From the return of this verb until close, `subscriber` is told of every event of every job, whichever
   * server made it: after the change is durable, before the callback of the verb that made it on this handle, and
   * within a second or two elsewhere. Any number of subscribers. An event may be told twice, and events of different jobs
   * in any order; one may be lost only if MISSED follows. What a subscriber waits for it looks at once more after it began
   * to watch, since that may have happened before. Called on threads of the store, PROGRESS also on that of who calls
   * progress. It is told at least as often as readers see other progress, a late one may come after the job's end, and
   * an engine that learns of other servers' by looking may leave out what it did not see in between. */
  void (*subscribe)(srv_store *self, store_subscriber *subscriber);

  /* -- reading. Each sees one state of the database, in which all that was answered before on this handle is there.
   * NOT_FOUND: no such job; DAMAGED: what is stored differs from its checksum; FAILED. The progress of a running job is
   * the last that its run told. */
  void (*get)(srv_store *self, const char *id, service_job *out, store_done done, void *context);
  /* Newest first, without reports, of a damaged job the id and an error `damaged`. As service.jobs. */
  void (*list)(srv_store *self, const service_filter *filter, size_t limit, const char *cursor, service_job_list *out,
               store_done done, void *context);
  void (*document)(srv_store *self, const char *id, char **text, size_t *size, store_done done, void *context);
  /* The arrays of a job, and rows of one; while it runs, what the run has handed over, of the arrays with time as many
   * rows as all of them have. NOT_READY: nothing is there yet. */
  void (*arrays)(srv_store *self, const char *id, service_array **list, size_t *count, store_done done, void *context);
  /* As service.read: rows first, first + stride, ..., row-major; `out` NULL: they are only checked. NOT_FOUND also
   * where there is no such row or column. */
  void (*read)(srv_store *self, const char *id, const char *array, size_t first, size_t stride, size_t count,
               const size_t *columns, size_t column_count, double *out, store_done done, void *context);
  /* How many jobs are in each state; queued ones include those of this handle that are not durable yet. */
  void (*counts)(srv_store *self, size_t counts[JOB_STATES], store_done done, void *context);
};

#endif
