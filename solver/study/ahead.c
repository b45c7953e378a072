/* Runs that are made together: a lane that has ended one takes the next. */
#include "study/ahead.h"

#include "analyses/together.h"
#include "study/design.h"
#include "study/point.h"

#include <math.h>
#include <string.h>

/* So many are made before the first of them is handed out: as many as there are lanes of long runs, for
 * which one would wait. */
enum { MANY = 64 };
static const uint64_t long_run = 20000; /* evaluations */

/* A run that is made, or is known to be made by itself. */
typedef struct made_run {
  bool alone;
  mbs_status status;
  mbs_error error;
  uint64_t evaluations;
  double *outputs;
} made_run;

/* Hooks of runs that share a host: it hears of the one that is furthest, and of what all cost. */
typedef struct shared_hooks {
  const mbs_hooks *host;
  double fraction;
} shared_hooks;

struct mbs_ahead {
  const mbs_model *model;
  mbs_together *together;
  mbs_point_runs *lanes[MBS_TOGETHER_MOST];
  double *values; /* workspace [vary_count] */
  size_t expected, end;
  size_t first, count; /* made ones */
  uint64_t longest;    /* evaluations of the longest made last */
  made_run made[MANY];
};

/* Runs together need four times the memory; of large models they would not be faster. */
enum { BODIES_TOGETHER = 64 };

bool mbs_runs_go_together(const mbs_model *model) {
  return !model->plan->states && !model->plan->starts && model->nB <= BODIES_TOGETHER && mbs_together_suits(model);
}

void mbs_ahead_free(mbs_ahead *ahead) {
  if (!ahead) return;
  for (int k = 0; k < MBS_TOGETHER_MOST; k++) mbs_point_runs_free(ahead->lanes[k]);
}

static bool open_ahead(mbs_ahead *self, size_t most, mbs_arena *arena) {
  const struct mbs_plan *plan = self->model->plan;
  self->together = mbs_together_new(self->model, most, arena);
  self->values = mbs_arena_alloc(arena, plan->vary_count + 1, sizeof *self->values);
  if (!self->together || !self->values) return false;
  for (int i = 0; i < MANY; i++)
    if (!(self->made[i].outputs = mbs_arena_alloc(arena, plan->output_count + 1, sizeof(double)))) return false;
  for (int k = 0; k < mbs_together_width(self->together); k++)
    if (!(self->lanes[k] = mbs_point_runs_new(self->model, arena))) return false;
  return true;
}

mbs_ahead *mbs_ahead_new(const mbs_model *model, size_t most, mbs_arena *arena) {
  mbs_ahead *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  self->model = model;
  self->longest = UINT64_MAX;
  if (open_ahead(self, most, arena)) return self;
  mbs_ahead_free(self);
  return NULL;
}

size_t mbs_ahead_width(const mbs_ahead *ahead) { return (size_t)mbs_together_width(ahead->together); }

void mbs_ahead_expect(mbs_ahead *ahead, size_t first, size_t end) {
  ahead->expected = first;
  ahead->end = end;
  ahead->count = 0;
}

bool mbs_ahead_has(const mbs_ahead *ahead, size_t index) {
  return index >= ahead->first && index - ahead->first < ahead->count && !ahead->made[index - ahead->first].alone;
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

/* Begins the next run that can be, in a lane; false: there is none. */
static bool begin_next(mbs_ahead *self, int lane, size_t *next, const mbs_hooks *hooks, size_t which[]) {
  while (*next < self->count) {
    const size_t i = which[lane] = (*next)++;
    made_run *made = &self->made[i];
    mbs_design_point(self->model->plan, self->first + i, self->values);
    made->alone = !mbs_point_begin(self->lanes[lane], self->values, self->together, lane, hooks, &made->error);
    if (!made->alone) return true;
  }
  return false;
}

/* Makes the runs from `index` on. */
static void make(mbs_ahead *self, size_t index, const mbs_hooks *hooks) {
  shared_hooks shared = {.host = hooks};
  const mbs_hooks own = {.user = &shared, .progress = progress, .now = hooks && hooks->now ? now : NULL};
  const int width = mbs_together_width(self->together);
  const size_t most = self->longest < long_run ? MANY : (size_t)width;
  size_t which[MBS_TOGETHER_MOST], next = 0;
  mbs_status status;
  int lane;
  self->first = index;
  self->count = self->end - index < most ? self->end - index : most;
  self->longest = 0;
  for (lane = 0; lane < width && begin_next(self, lane, &next, hooks ? &own : NULL, which); lane++) continue;
  while ((lane = mbs_together_go_on(self->together, &status)) >= 0) {
    made_run *made = &self->made[which[lane]];
    made->status = mbs_point_end(self->lanes[lane], status, made->outputs, &made->error);
    made->evaluations = mbs_point_evaluations(self->lanes[lane]);
    /* by the clock, which others shared, and by those who wait: not their own ends */
    made->alone = status == MBS_CANCELLED || status == MBS_TIMED_OUT;
    if (made->evaluations > self->longest) self->longest = made->evaluations;
    begin_next(self, lane, &next, hooks ? &own : NULL, which);
  }
}

bool mbs_ahead_run(mbs_ahead *ahead, size_t index, const mbs_hooks *hooks, double *outputs, uint64_t *evaluations,
                   mbs_status *status, mbs_error *error) {
  if (index < ahead->expected || index >= ahead->end) return false;
  const bool known = index >= ahead->first && index - ahead->first < ahead->count;
  if (!known && ahead->end - index < 2) return false;
  if (!known) make(ahead, index, hooks);
  const made_run *made = &ahead->made[index - ahead->first];
  if (made->alone) return false;
  memcpy(outputs, made->outputs, ahead->model->plan->output_count * sizeof *outputs);
  *evaluations = made->evaluations;
  *status = made->status;
  *error = made->error;
  return true;
}
