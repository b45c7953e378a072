/* pool_queue.c - see pool_queue.h. */
#include "server/jobs/pool_queue.h"

#include "server/base/log.h"
#include "server/jobs/job_end.h"
#include "server/jobs/pool_worker.h"
#include "server/jobs/study_job.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pause_seconds = 1; /* before a retry */

/* Time before the end of a block at which the next one is claimed: longer than a busy database takes to answer, and
 * short compared with a block, because jobs and other servers' workers cannot have it meanwhile [s]. */
static const double ahead_seconds = 0.04;

void pool_queue_init(srv_pool *pool) {
  pool->claims_last = &pool->claims;
  pool->new_claims_last = &pool->new_claims;
}

void pool_queue_free(srv_pool *pool) {
  for (pool_claim *entry; (entry = pool->new_claims);) {
    pool->new_claims = entry->next;
    free(entry->claim.document);
    free(entry);
  }
}

/* ---- answers of the store --------------------------------------------------------------------------------------- */

/* Called on the store's thread. */
static void take_claim(srv_pool *pool, const store_claim *claim, bool brief, size_t *open) {
  pool_claim *entry = claim ? malloc(sizeof *entry) : NULL;
  if (entry) *entry = (pool_claim){*claim, brief, NULL};
  pthread_mutex_lock(&pool->mutex);
  assert(*open > 0);
  (*open)--;
  if (entry) {
    *pool->new_claims_last = entry;
    pool->new_claims_last = &entry->next;
    pool->blocks_waiting += claim->run.is_block;
  } else if (open != &pool->ahead_open) {
    pool->claim_failed = true;
  }
  pthread_mutex_unlock(&pool->mutex);
  if (claim && !entry) free(claim->document); /* the job returns when its lease expires */
  pool_wake(pool);
}

static void claimed(void *context, const store_claim *claim) {
  srv_pool *pool = context;
  take_claim(pool, claim, false, &pool->claims_open);
}

static void short_claimed(void *context, const store_claim *claim) {
  srv_pool *pool = context;
  take_claim(pool, claim, true, &pool->short_claims_open);
}

static void ahead_claimed(void *context, const store_claim *claim) {
  srv_pool *pool = context;
  if (claim)
    srv_log(SRV_DEBUG, "block_claimed_ahead",
            (srv_field[]){srv_text("id", claim->run.id),
                          srv_number("attempt", claim->run.attempt),
                          srv_number("first", (double)claim->first),
                          {0}});
  take_claim(pool, claim, false, &pool->ahead_open);
}

void pool_queue_take(srv_pool *pool) {
  assert(!*pool->claims_last);
  *pool->claims_last = pool->new_claims;
  pool->new_claims = NULL;
  pool->new_claims_last = &pool->new_claims;
  for (; *pool->claims_last; pool->claims_last = &(*pool->claims_last)->next) pool->claims_count++;
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

/* Counts the running jobs of one kind, short or not. */
static size_t count_running(const srv_pool *pool, bool brief) {
  size_t count = 0;
  for (size_t i = 0; i < pool->settings.workers; i++)
    count += pool->workers[i].has_run && pool->workers[i].run.brief == brief;
  return count;
}

/* Counts the claims of one kind that wait for a worker. */
static size_t count_waiting(const pool_claim *entry, bool brief) {
  size_t count = 0;
  for (; entry; entry = entry->next) count += entry->brief == brief;
  return count;
}

/* Asks for as many jobs as can run in addition to the current ones: any kind, and short ones when the limit of others
 * is reached. */
static void ask_for_free_workers(srv_pool *pool, double now) {
  size_t idle = 0, any = count_running(pool, false) + count_waiting(pool->claims, false);
  size_t brief = count_running(pool, true) + count_waiting(pool->claims, true);
  for (size_t i = 0; i < pool->settings.workers; i++) idle += pool->workers[i].state == POOL_WORKER_IDLE;
  pthread_mutex_lock(&pool->mutex);
  if (pool->claim_failed) pool->claim_at = now + pause_seconds;
  pool->claim_failed = false;
  any += pool->claims_open + pool->ahead_open + count_waiting(pool->new_claims, false);
  brief += pool->short_claims_open + count_waiting(pool->new_claims, true);
  size_t coming = pool->claims_open + pool->short_claims_open + pool->ahead_open + pool->claims_count;
  size_t free_workers = idle > coming && now >= pool->claim_at && !pool->draining ? idle - coming : 0;
  size_t wanted = any < pool->settings.jobs ? pool->settings.jobs - any : 0;
  if (wanted > free_workers) wanted = free_workers;
  bool full = any - pool->claims_open >= pool->settings.jobs;
  size_t wanted_short = full && brief < POOL_SHORT_LANES && free_workers > 0 ? 1 : 0;
  pool->claims_open += wanted;
  pool->short_claims_open += wanted_short;
  pthread_mutex_unlock(&pool->mutex);
  for (; wanted > 0; wanted--) pool->store->claim(pool->store, claimed, pool);
  if (wanted_short > 0) pool->store->claim_short(pool->store, short_claimed, pool);
}

/* Asks for the next block of a worker. Not if a block waits, or is requested, for each worker whose block ends soon,
 * because one that was expected to finish may take longer. */
static void ask_ahead(srv_pool *pool, pool_worker *worker, size_t ending, double now) {
  assert(worker->state == POOL_WORKER_BUSY && worker->run.run.is_block);
  pthread_mutex_lock(&pool->mutex);
  bool asks = !pool->draining && now >= pool->claim_at && pool->ahead_open + pool->blocks_waiting < ending;
  if (asks) pool->ahead_open++;
  pthread_mutex_unlock(&pool->mutex);
  worker->run.asked_ahead = true;
  if (asks) pool->store->claim_next_block(pool->store, ahead_claimed, pool);
}

int pool_queue_ask(srv_pool *pool, double now) {
  ask_for_free_workers(pool, now);
  double next = INFINITY;
  size_t ending = 0;
  for (size_t i = 0; i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    double left = pool_worker_block_end(worker) - ahead_seconds - now;
    ending += left <= 0;
    if (left <= 0 && !worker->run.asked_ahead) ask_ahead(pool, worker, ending, now);
    if (left > 0) next = fmin(next, left);
  }
  return next < INT_MAX / 1000 ? (int)ceil(1000 * next) : INT_MAX;
}

/* ---- handing out ------------------------------------------------------------------------------------------------ */

/* Stops the older run of a job that is claimed although it runs here: its lease expired (the machine slept). The new
 * claim is valid. */
static void give_up_older_run(srv_pool *pool, const store_run *run) {
  for (size_t i = 0; i < pool->settings.workers; i++) {
    pool_worker *worker = &pool->workers[i];
    if (worker->has_run && !worker->run.run.is_block && strcmp(worker->run.run.id, run->id) == 0)
      pool_worker_stop(worker, POOL_STOP_REMOVED);
  }
  store_run older = *run;
  older.attempt = 0;
  study_job_stop(pool, &older, POOL_STOP_REMOVED);
}

/* Takes a claim out of the waiting ones. */
static pool_claim *take_out(srv_pool *pool, pool_claim **link) {
  pool_claim *entry = *link;
  assert(entry && pool->claims_count > 0);
  *link = entry->next;
  if (!*link) pool->claims_last = link;
  pool->claims_count--;
  pthread_mutex_lock(&pool->mutex);
  assert(!entry->claim.run.is_block || pool->blocks_waiting > 0);
  pool->blocks_waiting -= entry->claim.run.is_block;
  pthread_mutex_unlock(&pool->mutex);
  return entry;
}

/* Studies need no worker; only their blocks do. */
static void begin_studies(srv_pool *pool) {
  for (pool_claim **link = &pool->claims; *link;) {
    if (!study_job_is(&(*link)->claim)) {
      link = &(*link)->next;
      continue;
    }
    pool_claim *entry = take_out(pool, link);
    give_up_older_run(pool, &entry->claim.run);
    study_job_begin(pool, &entry->claim);
    free(entry);
  }
}

void pool_queue_hand_out(srv_pool *pool) {
  begin_studies(pool);
  size_t running = count_running(pool, false);
  for (pool_claim **link = &pool->claims; *link;) {
    if (!(*link)->brief && running >= pool->settings.jobs) {
      link = &(*link)->next;
      continue;
    }
    pool_worker *worker = pool_checks_idle_worker(pool, (*link)->claim.run.id);
    if (!worker) return;
    pool_claim *entry = take_out(pool, link);
    if (!entry->claim.run.is_block) give_up_older_run(pool, &entry->claim.run);
    pool_worker_run(worker, &entry->claim);
    worker->run.brief = entry->brief;
    running += !entry->brief;
    free(entry);
  }
}

void pool_queue_give_back(srv_pool *pool, const store_run *run) {
  for (pool_claim **link = &pool->claims; *link;) {
    if (run && !pool_run_is(&(*link)->claim.run, run)) {
      link = &(*link)->next;
      continue;
    }
    pool_claim *entry = take_out(pool, link);
    job_end_unstarted(pool, &entry->claim);
    free(entry);
  }
}
