#include "study/run_prefetch.h"

#include "batch/together.h"
#include "study/design.h"
#include "study/run_batch.h"

#include <string.h>

/* So many are made before the first of them is handed out: as many as there are lanes of long runs, for
 * which one would wait. */
enum { MANY = 64 };
static const uint64_t long_run = 20000; /* evaluations */

struct mbs_run_prefetch {
  const mbs_model *model;
  mbs_run_batch *abreast;
  size_t expected, end;
  size_t first, count; /* made ones */
  uint64_t longest;    /* evaluations of the longest made last */
  mbs_run_batch_run made[MANY];
};

void mbs_run_prefetch_free(mbs_run_prefetch *ahead) {
  if (ahead) mbs_run_batch_free(ahead->abreast);
}

mbs_run_prefetch *mbs_run_prefetch_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_run_prefetch *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->model = model;
  self->longest = UINT64_MAX;
  self->abreast = mbs_run_batch_new(model, most, arena);
  if (self->abreast && mbs_run_batch_open_runs(model, self->made, MANY, arena)) return self;
  mbs_run_prefetch_free(self);
  return NULL;
}

size_t mbs_run_prefetch_width(const mbs_run_prefetch *ahead) { return mbs_run_batch_width(ahead->abreast); }

void mbs_run_prefetch_expect(mbs_run_prefetch *ahead, size_t first, size_t end) {
  ahead->expected = first;
  ahead->end = end;
  ahead->count = 0;
}

bool mbs_run_prefetch_has(const mbs_run_prefetch *ahead, size_t index) {
  return index >= ahead->first && index - ahead->first < ahead->count && !ahead->made[index - ahead->first].alone;
}

/* Makes the runs from `index` on. */
static void make(mbs_run_prefetch *self, size_t index, const mbs_hooks *hooks) {
  const size_t most = self->longest < long_run ? MANY : mbs_run_prefetch_width(self);
  self->first = index;
  self->count = self->end - index < most ? self->end - index : most;
  self->longest = 0;
  for (size_t i = 0; i < self->count; i++) mbs_design_point(self->model->plan, index + i, self->made[i].values);
  mbs_run_batch_make(self->abreast, self->made, self->count, hooks);
  for (size_t i = 0; i < self->count; i++)
    if (self->made[i].evaluations > self->longest) self->longest = self->made[i].evaluations;
}

bool mbs_run_prefetch_run(mbs_run_prefetch *ahead, size_t index, const mbs_hooks *hooks, double *outputs,
                          uint64_t *evaluations, mbs_status *status, mbs_error *error) {
  if (index < ahead->expected || index >= ahead->end) return false;
  const bool known = index >= ahead->first && index - ahead->first < ahead->count;
  if (!known && ahead->end - index < 2) return false;
  if (!known) make(ahead, index, hooks);
  const mbs_run_batch_run *made = &ahead->made[index - ahead->first];
  if (made->alone) return false;
  memcpy(outputs, made->outputs, ahead->model->plan->output_count * sizeof *outputs);
  *evaluations = made->evaluations;
  *status = made->status;
  *error = made->error;
  return true;
}

const char *mbs_run_prefetch_note(const mbs_run_prefetch *ahead, size_t index) {
  const char *note = ahead->made[index - ahead->first].note;
  return *note ? note : NULL;
}
