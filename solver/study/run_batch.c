#include "study/run_batch.h"

#include "batch/batch_simulation.h"
#include "study/point.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Hooks of runs with a common host, which receives the largest fraction of all runs. */
typedef struct shared_hooks {
  const mbs_hooks *host;
  double fraction;
} shared_hooks;

struct mbs_run_batch {
  mbs_batch *simulation;
  mbs_point_runs *lanes[MBS_BATCH_MAX];
};

/* Larger models are not batched: a batch needs four times the memory and would not be faster. */
enum { BATCH_BODIES_MAX = 64 };

const char *mbs_runs_unsupported_reason(const mbs_model *model) {
  if (model->plan->states) return "outputs that are complete states";
  if (model->plan->starts) return "outputs of the initial state";
  return model->nB > BATCH_BODIES_MAX ? "more than 64 bodies" : mbs_batch_unsupported_reason(model);
}

bool mbs_runs_are_batchable(const mbs_model *model) {
  return !mbs_runs_unsupported_reason(model) && mbs_batch_is_supported(model);
}

void mbs_run_batch_free(mbs_run_batch *batch) {
  if (!batch) return;
  for (int k = 0; k < MBS_BATCH_MAX; k++) mbs_point_runs_free(batch->lanes[k]);
}

static bool open_lanes(mbs_run_batch *self, const mbs_model *model, size_t most, mbs_arena *arena) {
  self->simulation = mbs_batch_new(model, most, arena);
  if (!self->simulation) return false;
  for (int k = 0; k < mbs_batch_width(self->simulation); k++)
    if (!(self->lanes[k] = mbs_point_runs_new(model, arena))) return false;
  return true;
}

mbs_run_batch *mbs_run_batch_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_run_batch *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self || open_lanes(self, model, most, arena)) return self;
  mbs_run_batch_free(self);
  return NULL;
}

size_t mbs_run_batch_width(const mbs_run_batch *batch) { return (size_t)mbs_batch_width(batch->simulation); }

bool mbs_run_batch_open_runs(const mbs_model *model, mbs_run_batch_run *runs, size_t count, mbs_arena *arena) {
  for (size_t i = 0; i < count; i++) {
    runs[i].values = mbs_arena_alloc(arena, model->plan->vary_count + 1, sizeof *runs[i].values);
    runs[i].outputs = mbs_arena_alloc(arena, model->plan->output_count + 1, sizeof *runs[i].outputs);
    if (!runs[i].values || !runs[i].outputs) return false;
  }
  return true;
}

static bool progress(void *user, double t, double fraction, uint64_t evaluations) {
  shared_hooks *self = user;
  self->fraction = fmax(self->fraction, fraction);
  return !self->host->progress || self->host->progress(self->host->user, t, self->fraction, evaluations);
}

static double now(void *user) {
  const shared_hooks *self = user;
  return self->host->now(self->host->user);
}

/* Runs that wait for a lane. */
typedef struct queue {
  mbs_run_batch_run *next, *end;
  const mbs_hooks *hooks;
} queue;

/* Begins the next run that a lane can make. Returns NULL if there is none. */
static mbs_run_batch_run *begin_next(const mbs_run_batch *self, int lane, queue *waiting) {
  assert(lane >= 0 && lane < mbs_batch_width(self->simulation));
  while (waiting->next < waiting->end) {
    mbs_run_batch_run *run = waiting->next++;
    run->evaluations = 0;
    run->run_separately =
        !mbs_point_begin(self->lanes[lane], run->values, self->simulation, lane, waiting->hooks, &run->error);
    if (!run->run_separately) return run;
  }
  return NULL;
}

void mbs_run_batch_make(mbs_run_batch *batch, mbs_run_batch_run *runs, size_t count, const mbs_hooks *hooks) {
  assert(runs != NULL || count == 0);
  shared_hooks shared = {.host = hooks};
  const mbs_hooks own = {.user = &shared, .progress = progress, .now = hooks && hooks->now ? now : NULL};
  queue waiting = {runs, runs + count, hooks ? &own : NULL};
  mbs_run_batch_run *in[MBS_BATCH_MAX];
  mbs_status status;
  int lane;
  for (lane = 0; lane < mbs_batch_width(batch->simulation); lane++)
    if (!(in[lane] = begin_next(batch, lane, &waiting))) break;
  while ((lane = mbs_batch_advance(batch->simulation, &status)) >= 0) {
    mbs_run_batch_run *run = in[lane];
    run->status = mbs_point_end(batch->lanes[lane], status, run->outputs, &run->error);
    run->evaluations = mbs_point_evaluations(batch->lanes[lane]);
    run->redundant_residual = mbs_point_redundant_residual(batch->lanes[lane]);
    const char *note = mbs_point_note(batch->lanes[lane]);
    snprintf(run->note, sizeof run->note, "%s", note ? note : "");
    /* cancellation and time limits concern the whole batch, so this run is repeated separately */
    run->run_separately = status == MBS_CANCELLED || status == MBS_TIMED_OUT;
    in[lane] = begin_next(batch, lane, &waiting);
  }
}
