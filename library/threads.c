/* threads.c - see threads.h. */
#include "threads.h"
#include "texts.h"

#include "api/base/clock.h"
#include "api/base/processors.h"
#include "api/jobs/block_size.h"
#include "api/jobs/shared_blocks.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* Longest wait for a block before the study reports its progress [s]. */
static const double wait_seconds = 0.01;

typedef struct thread {
  thread_pool *pool;
  pthread_t id;
  bool busy;
  double done; /* runs of the current block that are finished, with fractions */
  size_t runs; /* runs of the current block */
} thread;

struct thread_pool {
  pthread_mutex_t lock; /* protects all members, and those of the threads */
  pthread_cond_t offered, finished;
  const mbs_model *model;
  api_shared_blocks blocks;
  bool ended; /* threads end as soon as possible */
  size_t most, started;
  thread list[];
};

thread_pool *thread_pool_new(size_t most) {
  if (most == 0) most = api_processors();
  thread_pool *pool = calloc(1, sizeof *pool + most * sizeof *pool->list);
  if (!pool) return NULL;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->offered, NULL);
  pthread_cond_init(&pool->finished, &attributes);
  pthread_condattr_destroy(&attributes);
  pool->most = most;
  return pool;
}

void thread_pool_free(thread_pool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->lock);
  pool->ended = true;
  pthread_cond_broadcast(&pool->offered);
  pthread_mutex_unlock(&pool->lock);
  for (size_t i = 0; i < pool->started; i++) pthread_join(pool->list[i].id, NULL);
  api_shared_blocks_free(&pool->blocks);
  pthread_cond_destroy(&pool->finished);
  pthread_cond_destroy(&pool->offered);
  pthread_mutex_destroy(&pool->lock);
  free(pool);
}

/* ---- a thread ---------------------------------------------------------------------------------------------------- */

/* Notes the progress of a block. Returns false if the block is no longer needed. */
static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  thread *self = user;
  (void)t;
  (void)evaluations;
  pthread_mutex_lock(&self->pool->lock);
  self->done = fraction * (double)self->runs;
  const bool needed = !self->pool->ended;
  pthread_mutex_unlock(&self->pool->lock);
  return needed;
}

/* Makes a block without the lock, which the caller holds. */
static void make_block(thread *self, mbs_study *study) {
  thread_pool *pool = self->pool;
  size_t busy = 0;
  for (size_t i = 0; i < pool->started; i++) busy += pool->list[i].busy;
  const api_run_range range = api_shared_blocks_next(&pool->blocks, busy);
  self->busy = true;
  self->done = 0;
  self->runs = range.end - range.first;
  pthread_mutex_unlock(&pool->lock);

  const mbs_hooks hooks = {.user = self, .progress = progress, .now = api_now};
  const api_block block = {.first = range.first, .runs = range.end - range.first, .seconds = API_BLOCK_MOST_SECONDS};
  const double begun = api_now(NULL);
  api_block_result result;
  api_block_run(study, &block, &hooks, &result);
  const double seconds = api_now(NULL) - begun;

  pthread_mutex_lock(&pool->lock);
  self->busy = false;
  if (pool->ended)
    api_block_result_free(&result);
  else
    api_shared_blocks_keep(&pool->blocks, range, &result, seconds);
  pthread_cond_signal(&pool->finished);
  if (pool->blocks.missing_count > 0) pthread_cond_signal(&pool->offered);
}

static void *work(void *user) {
  thread *self = user;
  thread_pool *pool = self->pool;
  const texts_locale locale = texts_enter();
  mbs_study *study = mbs_study_new(pool->model);
  pthread_mutex_lock(&pool->lock);
  if (!study) pool->blocks.failed = true; /* out of memory */
  while (study && !pool->ended) {
    if (pool->blocks.missing_count > 0 && !pool->blocks.failed)
      make_block(self, study);
    else
      pthread_cond_wait(&pool->offered, &pool->lock);
  }
  pthread_mutex_unlock(&pool->lock);
  mbs_study_free(study);
  texts_leave(locale);
  return NULL;
}

/* ---- a job's hooks ----------------------------------------------------------------------------------------------- */

bool thread_pool_share(thread_pool *pool, const job_share *share) {
  pthread_mutex_lock(&pool->lock);
  pool->model = share->model;
  pool->blocks.together = share->together;
  if (share->run_seconds > 0) pool->blocks.run_seconds = share->run_seconds;
  const bool first = pool->started == 0;
  for (bool good = true; good && first && pool->started < pool->most;) {
    thread *next = &pool->list[pool->started];
    next->pool = pool;
    good = pthread_create(&next->id, NULL, work, next) == 0;
    pool->started += good;
  }
  const bool there = pool->started > 0;
  if (there) api_shared_blocks_add(&pool->blocks, (api_run_range){share->first, share->first + share->runs, 0});
  pthread_cond_broadcast(&pool->offered);
  pthread_mutex_unlock(&pool->lock);
  return there;
}

job_shared thread_pool_take(thread_pool *pool, size_t first, api_block_result *made, double *ahead) {
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_nsec += (long)(1e9 * wait_seconds);
  end.tv_sec += end.tv_nsec / 1000000000;
  end.tv_nsec %= 1000000000;
  pthread_mutex_lock(&pool->lock);
  api_shared_blocks *blocks = &pool->blocks;
  for (int late = 0; late == 0 && !blocks->failed && !api_shared_blocks_has(blocks, first);)
    late = pthread_cond_timedwait(&pool->finished, &pool->lock, &end);
  *ahead = (double)api_shared_blocks_made(blocks);
  for (size_t i = 0; i < pool->started; i++)
    if (pool->list[i].busy) *ahead += pool->list[i].done;
  job_shared state = blocks->failed ? JOB_SHARED_FAILED : JOB_SHARED_LATER;
  if (state == JOB_SHARED_LATER && api_shared_blocks_has(blocks, first)) {
    *made = api_shared_blocks_take(blocks);
    state = JOB_SHARED_BLOCK;
  }
  pthread_mutex_unlock(&pool->lock);
  return state;
}
