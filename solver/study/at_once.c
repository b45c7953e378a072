/* Runs that fail, and those that the model refuses, are made again by themselves, which tells why. */
#include "study/at_once.h"

#include "analyses/together.h"
#include "study/point.h"

#include <string.h>

_Static_assert((int)MBS_AT_ONCE_MOST == (int)MBS_TOGETHER_MOST, "a lane for each");

typedef struct made_run {
  bool good;
  double *values, *outputs; /* [vary_count], [output_count] */
  uint64_t evaluations;
  double strayed;
  mbs_error error;
} made_run;

struct mbs_at_once {
  const struct mbs_plan *plan;
  mbs_together *together;
  mbs_point_runs *lanes[MBS_TOGETHER_MOST];
  size_t count;
  made_run made[MBS_AT_ONCE_MOST];
};

void mbs_at_once_free(mbs_at_once *runs) {
  if (!runs) return;
  for (int k = 0; k < MBS_TOGETHER_MOST; k++) mbs_point_runs_free(runs->lanes[k]);
}

static bool open_runs(mbs_at_once *self, const mbs_model *model, mbs_arena *arena) {
  self->together = mbs_together_new(model, MBS_TOGETHER_MOST, arena);
  if (!self->together) return false;
  for (int i = 0; i < MBS_AT_ONCE_MOST; i++) {
    made_run *made = &self->made[i];
    made->values = mbs_arena_alloc(arena, self->plan->vary_count + 1, sizeof *made->values);
    made->outputs = mbs_arena_alloc(arena, self->plan->output_count + 1, sizeof *made->outputs);
    if (!made->values || !made->outputs) return false;
  }
  for (int k = 0; k < mbs_together_width(self->together); k++)
    if (!(self->lanes[k] = mbs_point_runs_new(model, arena))) return false;
  return true;
}

mbs_at_once *mbs_at_once_new(const mbs_model *model, mbs_arena *arena) {
  mbs_at_once *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->plan = model->plan;
  if (open_runs(self, model, arena)) return self;
  mbs_at_once_free(self);
  return NULL;
}

static const made_run *find(const mbs_at_once *self, const double *values) {
  for (size_t i = 0; i < self->count; i++)
    if (memcmp(self->made[i].values, values, self->plan->vary_count * sizeof *values) == 0) return &self->made[i];
  return NULL;
}

/* Begins the next run that can be, in a lane. */
static void begin_next(mbs_at_once *self, int lane, size_t *next, const mbs_hooks *hooks, size_t which[]) {
  bool begun = false;
  while (*next < self->count && !begun) {
    made_run *made = &self->made[which[lane] = (*next)++];
    begun = mbs_point_begin(self->lanes[lane], made->values, self->together, lane, hooks, &made->error);
  }
}

void mbs_at_once_expect(mbs_at_once *runs, const double *values, size_t count, const mbs_hooks *hooks) {
  mbs_at_once *self = runs;
  const size_t parameters = self->plan->vary_count;
  size_t which[MBS_TOGETHER_MOST], next = 0, there = 0;
  mbs_status status;
  int lane;
  for (size_t i = 0; i < count; i++) there += find(self, values + i * parameters) != NULL;
  if ((count > 0 && there == count) || count > MBS_AT_ONCE_MOST) return;
  self->count = count;
  for (size_t i = 0; i < count; i++) {
    self->made[i].good = false;
    memcpy(self->made[i].values, values + i * parameters, parameters * sizeof *values);
  }
  for (lane = 0; lane < mbs_together_width(self->together); lane++) begin_next(self, lane, &next, hooks, which);
  while ((lane = mbs_together_go_on(self->together, &status)) >= 0) {
    made_run *made = &self->made[which[lane]];
    made->good = mbs_point_end(self->lanes[lane], status, made->outputs, &made->error) == MBS_OK;
    made->evaluations = mbs_point_evaluations(self->lanes[lane]);
    made->strayed = mbs_point_strayed(self->lanes[lane]);
    begin_next(self, lane, &next, hooks, which);
  }
}

bool mbs_at_once_run(const mbs_at_once *runs, const double *values, double *outputs, uint64_t *evaluations,
                     double *strayed) {
  const made_run *made = find(runs, values);
  if (!made || !made->good) return false;
  memcpy(outputs, made->outputs, runs->plan->output_count * sizeof *outputs);
  *evaluations = made->evaluations;
  *strayed = made->strayed;
  return true;
}
