#include "study/run_prefetch.h"

#include "batch/batch_simulation.h"
#include "study/design.h"
#include "study/run_batch.h"

#include <string.h>

/* Largest number of runs computed before the first is returned. For long runs it is the number of lanes, so that the
 * first result does not take too long. */
enum { MANY = 64 };
static const uint64_t long_run = 20000; /* evaluations of a long run */

struct mbs_run_prefetch {
  const mbs_model *model;
  mbs_run_batch *batch;
  size_t expected, end;
  size_t first, count; /* computed runs */
  uint64_t longest;    /* evaluations of the longest run computed last */
  mbs_run_batch_run made[MANY];
};

void mbs_run_prefetch_free(mbs_run_prefetch *prefetch) {
  if (prefetch) mbs_run_batch_free(prefetch->batch);
}

mbs_run_prefetch *mbs_run_prefetch_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_run_prefetch *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->model = model;
  self->longest = UINT64_MAX;
  self->batch = mbs_run_batch_new(model, most, arena);
  if (self->batch && mbs_run_batch_open_runs(model, self->made, MANY, arena)) return self;
  mbs_run_prefetch_free(self);
  return NULL;
}

size_t mbs_run_prefetch_width(const mbs_run_prefetch *prefetch) { return mbs_run_batch_width(prefetch->batch); }

void mbs_run_prefetch_expect(mbs_run_prefetch *prefetch, size_t first, size_t end) {
  prefetch->expected = first;
  prefetch->end = end;
  prefetch->count = 0;
}

bool mbs_run_prefetch_has(const mbs_run_prefetch *prefetch, size_t index) {
  return index >= prefetch->first && index - prefetch->first < prefetch->count &&
         !prefetch->made[index - prefetch->first].run_separately;
}

/* Computes the runs from `index` on. */
static void make(mbs_run_prefetch *self, size_t index, const mbs_hooks *hooks) {
  const size_t most = self->longest < long_run ? MANY : mbs_run_prefetch_width(self);
  self->first = index;
  self->count = self->end - index < most ? self->end - index : most;
  self->longest = 0;
  for (size_t i = 0; i < self->count; i++) mbs_design_point(self->model->plan, index + i, self->made[i].values);
  mbs_run_batch_make(self->batch, self->made, self->count, hooks);
  for (size_t i = 0; i < self->count; i++)
    if (self->made[i].evaluations > self->longest) self->longest = self->made[i].evaluations;
}

bool mbs_run_prefetch_run(mbs_run_prefetch *prefetch, size_t index, const mbs_hooks *hooks, double *outputs,
                          uint64_t *evaluations, mbs_status *status, mbs_error *error) {
  if (index < prefetch->expected || index >= prefetch->end) return false;
  const bool known = index >= prefetch->first && index - prefetch->first < prefetch->count;
  if (!known && prefetch->end - index < 2) return false;
  if (!known) make(prefetch, index, hooks);
  const mbs_run_batch_run *made = &prefetch->made[index - prefetch->first];
  if (made->run_separately) return false;
  memcpy(outputs, made->outputs, prefetch->model->plan->output_count * sizeof *outputs);
  *evaluations = made->evaluations;
  *status = made->status;
  *error = made->error;
  return true;
}

const char *mbs_run_prefetch_note(const mbs_run_prefetch *prefetch, size_t index) {
  const char *note = prefetch->made[index - prefetch->first].note;
  return *note ? note : NULL;
}
