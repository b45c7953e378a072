/* store.h - where jobs and their results live: the interface between the service and a database.
 *
 * A store is a set of verbs. sqlite/ is the one there is; another database fills in the same struct. Nothing
 * here is SQLite's: jobs may be claimed by many servers at once, a claim is a lease that its holder renews, and a run
 * (a job and the attempt number its claim gave) is the fencing token without which nothing is written for a job.
 *
 * Verbs that write return at once and report by a callback on a thread of the store, after the change is durable (or
 * has failed). A callback must be short and may call verbs that write. Verbs that read answer at once, on any
 * thread. */
#ifndef SERVER_STORE_STORE_H
#define SERVER_STORE_STORE_H

#include "api/service.h"
#include "server/base/job_state.h"

enum { STORE_LEASE_SECONDS = 60 };

typedef struct store_run {
  char id[SERVICE_ID_SIZE];
  int attempt;
} store_run;

typedef struct store_claim {
  store_run run;
  int crashes;    /* workers that died of this job before */
  char *document; /* as it was sent, malloc'd */
  size_t document_size;
} store_claim;

/* The head of a result array. shape[0] counts where it is timeless; otherwise its rows are those that tiles bring. */
typedef struct store_array {
  int position; /* 0, 1, ... in the order of the list */
  const char *name, *unit, *doc, *labels, *units;
  int rank;
  size_t shape[4];
  bool timeless;
  size_t columns; /* product of shape[1..] */
} store_array;

/* Consecutive rows of an array, column-major, little-endian doubles; its next tile begins where this one ends. */
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
  job_state state;    /* succeeded, failed or cancelled */
  const char *report; /* JSON text or NULL */
  const char *error;  /* JSON text or NULL */
  double t, fraction; /* last progress; without a report `t`, also in `error`, becomes the time of the last row kept */
  uint64_t evaluations;
  store_extent extent; /* what was written; no arrays: what there is is dropped */
} store_end;

typedef void (*store_done)(void *context, service_status status);
/* Takes over the claim's document. NULL: none, after stop_claims or for a failure; try again later. */
typedef void (*store_claimed)(void *context, const store_claim *claim);

typedef struct srv_store srv_store;
struct srv_store {
  /* Finishes what was begun, and frees the store. Nobody may be inside another verb. */
  void (*close)(srv_store *self);

  /* Adds a job under a new id. NO_SPACE, FAILED. Everything is copied. */
  void (*enqueue)(srv_store *self, const char *id, double created, const service_submission *job, store_done done,
                  void *context);
  /* Answers as soon as there is a job to claim: the oldest queued one, or one whose lease ran out. It is then `running`
   * with a new attempt number. */
  void (*claim)(srv_store *self, store_claimed claimed, void *context);
  /* From now on claims are answered with none. */
  void (*stop_claims)(srv_store *self);
  /* Renews the leases of runs. */
  void (*heartbeat)(srv_store *self, const store_run *runs, size_t count);
  /* Results of a run, while it goes on; seen by nobody before it ends. The tile's data is taken over. What goes wrong
   * shows at the end of the run. */
  void (*array)(srv_store *self, const store_run *run, const store_array *array);
  void (*tile)(srv_store *self, const store_run *run, const store_tile *tile);
  /* Bytes of results that are not written yet: who has more should wait while this is large. */
  size_t (*backlog)(srv_store *self);
  /* Ends the job and shows its results: where it did not succeed, of the arrays with time as many rows as all of them
   * have. Results of earlier attempts are dropped. NOT_FOUND: the run is not (any more) the one that holds the job; its
   * results are dropped. NOT_READY: not all that was written is there; the job still runs. REJECTED: this end will
   * never be kept as it is; the job still runs. FAILED, NO_SPACE: try again later. */
  void (*finish)(srv_store *self, const store_end *end, store_done done, void *context);
  /* Gives a job back to the queue, or ends it where a cancel was asked for, with the rows that this run has; `t` is how
   * far it came. Until another attempt ends they are the job's last. `crashed`: the worker died of it. */
  void (*requeue)(srv_store *self, const store_run *run, double t, bool crashed, store_done done, void *context);
  /* Ends a queued job, with the rows of its last attempt if there was one; notes the wish where it runs (its runner
   * must be told by the caller). Jobs that have ended stay as they are. NOT_FOUND. */
  void (*cancel)(srv_store *self, const char *id, store_done done, void *context);
  /* Removes a job and its results, running or not. NOT_FOUND. */
  void (*remove)(srv_store *self, const char *id, store_done done, void *context);

  service_status (*get)(srv_store *self, const char *id, service_job *out);
  /* Newest first, without reports. As service.jobs. */
  service_status (*list)(srv_store *self, const char *status, size_t limit, const char *cursor, service_job_list *out);
  service_status (*document)(srv_store *self, const char *id, char **text, size_t *size);
  service_status (*arrays)(srv_store *self, const char *id, service_array **list, size_t *count);
  service_status (*read)(srv_store *self, const char *id, const char *array, size_t first, size_t stride, size_t count,
                         const size_t *columns, size_t column_count, double *out);
  /* How many jobs are in each state; queued ones include those not durable yet. */
  service_status (*counts)(srv_store *self, size_t counts[JOB_STATES]);
  /* Whether there is room for new jobs and results. */
  bool (*has_space)(srv_store *self);
};

#endif
