/* Runs that fail, and those that the model refuses, are made again by themselves, which tells why. */
#include "derivatives/at_once.h"

#include "batch/together.h"
#include "model/plan.h"
#include "study/abreast.h"

#include <string.h>

_Static_assert((int)MBS_AT_ONCE_MOST == (int)MBS_TOGETHER_MOST, "a lane for each");

struct mbs_at_once {
  const struct mbs_plan *plan;
  mbs_abreast *abreast;
  size_t count;
  mbs_abreast_run made[MBS_AT_ONCE_MOST];
};

void mbs_at_once_free(mbs_at_once *runs) {
  if (runs) mbs_abreast_free(runs->abreast);
}

mbs_at_once *mbs_at_once_new(const mbs_model *model, mbs_arena *arena) {
  mbs_at_once *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->plan = model->plan;
  self->abreast = mbs_abreast_new(model, MBS_AT_ONCE_MOST, arena);
  if (self->abreast && mbs_abreast_open_runs(model, self->made, MBS_AT_ONCE_MOST, arena)) return self;
  mbs_at_once_free(self);
  return NULL;
}

static size_t size_of_values(const mbs_at_once *self) { return self->plan->vary_count * sizeof(double); }

static const mbs_abreast_run *find(const mbs_at_once *self, const double *values) {
  for (size_t i = 0; i < self->count; i++)
    if (memcmp(self->made[i].values, values, size_of_values(self)) == 0) return &self->made[i];
  return NULL;
}

void mbs_at_once_expect(mbs_at_once *runs, const double *values, size_t count, const mbs_hooks *hooks) {
  const size_t parameters = runs->plan->vary_count;
  size_t there = 0;
  for (size_t i = 0; i < count; i++) there += find(runs, values + i * parameters) != NULL;
  if (count > 0 && there == count) return;
  for (size_t i = 0; i < count; i++) memcpy(runs->made[i].values, values + i * parameters, size_of_values(runs));
  runs->count = count;
  mbs_abreast_make(runs->abreast, runs->made, count, hooks);
}

bool mbs_at_once_run(const mbs_at_once *runs, const double *values, double *outputs, uint64_t *evaluations,
                     double *strayed) {
  const mbs_abreast_run *made = find(runs, values);
  if (!made || made->alone || made->status != MBS_OK) return false;
  memcpy(outputs, made->outputs, runs->plan->output_count * sizeof *outputs);
  *evaluations = made->evaluations;
  *strayed = made->strayed;
  return true;
}
