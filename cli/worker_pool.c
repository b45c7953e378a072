/* worker_pool.c - see worker_pool.h. */
#include "worker_pool.h"

#include "cli.h"
#include "worker_process.h"

#include "api/base/clock.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

/* Longest wait for workers before the progress bar is drawn again, and interval of polling them while this process
 * makes runs [s]. */
static const double wait_seconds = 0.1, look_seconds = 0.005;

/* A run in which more than MOST_CRASHES workers crashed is not made again; after HOPELESS_RUNS such runs in a row the
 * study is given up. */
enum { MOST_CRASHES = 1, HOPELESS_RUNS = 64 };

struct cli_worker_pool {
  const mbs_model *model; /* model of the work; NULL: no work yet */
  api_shared_blocks blocks;
  size_t crashed; /* runs in which workers crashed since a block was finished */
  double looked_at;
  struct pollfd *events; /* [most] workspace */
  size_t most;
  cli_worker list[];
};

cli_worker_pool *cli_worker_pool_new(size_t most) {
  cli_worker_pool *self = calloc(1, sizeof *self + most * sizeof *self->list);
  if (!self) return NULL;
  self->most = most;
  self->events = calloc(most, sizeof *self->events);
  if (self->events) return self;
  free(self);
  return NULL;
}

void cli_worker_pool_end(cli_worker_pool *helpers) {
  for (size_t i = 0; i < helpers->most; i++) cli_worker_end(&helpers->list[i]);
}

void cli_worker_pool_free(cli_worker_pool *helpers) {
  if (!helpers) return;
  cli_worker_pool_end(helpers);
  api_shared_blocks_free(&helpers->blocks);
  free(helpers->events);
  free(helpers);
}

/* ---- distribution of the work ------------------------------------------------------------------------------------ */

static size_t count_busy(const cli_worker_pool *self) {
  size_t count = 0;
  for (size_t i = 0; i < self->most; i++) count += self->list[i].busy;
  return count;
}

/* Makes a block in this process: a run in which workers crash, which fails without being made, or a block for which no
 * worker can be started. */
static void make_here(cli_worker_pool *self) {
  const job_hooks hooks = {.now = api_now};
  const api_run_range range = api_shared_blocks_next(&self->blocks, 0);
  const api_block block = {.first = range.first,
                           .runs = range.end - range.first,
                           .seconds = wait_seconds,
                           .crashed = range.crashes > MOST_CRASHES};
  api_block_result result;
  double begun = api_now(NULL);
  api_block_run_model(self->model, &block, &hooks, &result);
  api_shared_blocks_keep(&self->blocks, range, &result, block.crashed ? 0 : api_now(NULL) - begun);
  self->crashed = block.crashed ? self->crashed + 1 : 0;
}

/* Hands out missing runs to workers, and starts workers for them as long as that is possible. */
static void give_out(cli_worker_pool *self) {
  api_shared_blocks *blocks = &self->blocks;
  for (size_t i = 0; i < self->most && blocks->missing_count > 0 && !blocks->failed;) {
    cli_worker *helper = &self->list[i];
    if (blocks->missing[0].crashes > MOST_CRASHES)
      make_here(self);
    else if (!helper->busy && (helper->pid > 0 || cli_worker_start(helper, self->model, self->list, self->most)))
      cli_worker_order(helper, api_shared_blocks_next(blocks, count_busy(self)));
    else
      i++;
  }
}

static void hear(cli_worker_pool *self, cli_worker *helper) {
  api_block_result result;
  double seconds = 0;
  cli_worker_news news = cli_worker_receive(helper, &result, &seconds);
  if (news == CLI_WORKER_DONE) {
    self->crashed = 0;
    api_shared_blocks_keep(&self->blocks, helper->range, &result, seconds);
  }
  if (news != CLI_WORKER_DIED) return;
  if (helper->busy) api_shared_blocks_crashed(&self->blocks, helper->range);
  cli_worker_end(helper);
}

/* Receives messages of the workers, and waits for them at most `seconds`. */
static void hear_all(cli_worker_pool *self, double seconds) {
  nfds_t count = 0;
  for (size_t i = 0; i < self->most; i++)
    if (self->list[i].pid > 0) self->events[count++] = (struct pollfd){.fd = self->list[i].socket, .events = POLLIN};
  if (poll(self->events, count, (int)(1000 * seconds)) <= 0) return;
  for (size_t i = 0, k = 0; k < count; i++)
    if (self->list[i].pid > 0 && self->events[k++].revents) hear(self, &self->list[i]);
}

void cli_worker_pool_poll(cli_worker_pool *helpers) {
  double now = api_now(NULL);
  if (!helpers->model || now - helpers->looked_at < look_seconds) return;
  helpers->looked_at = now;
  hear_all(helpers, 0);
  give_out(helpers);
}

/* ---- a job's hooks ----------------------------------------------------------------------------------------------- */

bool cli_worker_pool_share(cli_worker_pool *helpers, const job_share *share) {
  api_shared_blocks *blocks = &helpers->blocks;
  bool begun = helpers->model != NULL;
  helpers->model = share->model;
  blocks->together = share->together;
  if (share->run_seconds > 0) blocks->run_seconds = share->run_seconds;
  api_shared_blocks_add(blocks, (api_run_range){share->first, share->first + share->runs, 0});
  give_out(helpers);
  if (begun || count_busy(helpers) > 0) return true;
  helpers->model = NULL;
  blocks->missing_count = 0;
  return false;
}

job_shared cli_worker_pool_take(cli_worker_pool *helpers, size_t first, api_block_result *made, double *ahead) {
  api_shared_blocks *blocks = &helpers->blocks;
  hear_all(helpers, api_shared_blocks_has(blocks, first) || count_busy(helpers) == 0 ? 0 : wait_seconds);
  give_out(helpers);
  if (count_busy(helpers) == 0 && blocks->missing_count > 0 && !blocks->failed) make_here(helpers);
  if (blocks->failed) return JOB_SHARED_FAILED;
  *ahead = (double)api_shared_blocks_made(blocks);
  for (size_t i = 0; i < helpers->most; i++)
    if (helpers->list[i].busy) *ahead += helpers->list[i].done;
  if (!api_shared_blocks_has(blocks, first))
    return helpers->crashed > HOPELESS_RUNS ? JOB_SHARED_ALL_CRASHED : JOB_SHARED_LATER;
  *made = api_shared_blocks_take(blocks);
  return JOB_SHARED_BLOCK;
}
