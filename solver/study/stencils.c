/* Outputs of runs on both sides of the point, at p + h and p - h for h = H, H/2, H/4 ..., tell slopes
 * (stencil_slopes.c). H is made smaller where they do not settle, and larger where nothing changes. Where the model
 * refuses the values on one side, as a mass below zero, those on the other side are taken alone. */
#include "study/stencils.h"

#include "model/quantities.h"
#include "study/no_derivative.h"
#include "study/stencil_noise.h"
#include "study/stencil_runs.h"
#include "study/stencil_slopes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS_MIN = 3, TRIES_MAX = 5 };

/* H as a share of the parameter, or of 1; and by how much another try is smaller or larger. */
static const double first_share = 1.0 / 64, factor = 16;
/* A stencil that a bound makes narrower than this share is made on one side instead. */
static const double least_room = 1.0 / 64;
/* The narrowest stencil, as a share of the first. */
static const double least_width = 1.0 / 65536;
/* Of a length what is nothing, as a share of the model's extent; of an angle. */
static const double nothing_share = 1e-14;
/* The same of coordinates and velocities of a start, that an iteration leaves. */
static const double start_share = 1e-13;
/* A stencil is seen to be narrow enough by a run between its others, at this share of its half. */
static const double between_share = 0.61803398874989485;
/* Where all outputs change by less than this share of theirs the stencil is made wider, at least and at most by so much
 * and so many times, until they change by the second share; runs that cost so many times the one at the point tell that
 * it is too wide. */
static const double flat_share = 1e-4, wanted_share = 1e-3, widened_least = 16, widened_most = 4096, widened_cost = 4;
enum { WIDENED_MAX = 6 };
/* Beside a bound that leaves a stencil too little room for outputs to change by this share, the other side is taken
 * alone. Where outputs do not change at all, that tells something of stencils of this share of the bounds. */
static const double barely_share = 1e-7, telling_share = 1e-4;

struct mbs_stencils {
  mbs_stencil_runs runs;
  mbs_stencil_slopes slopes; /* by the parameter in hand */
  size_t outputs, parameters;
  double *gradient;  /* [outputs x parameters] */
  double *estimates; /* [outputs x parameters] */
};

/* Beside the model's size an angle or a length is nothing below its rounding. */
static void set_floors(mbs_stencils *self, mbs_arena *arena) {
  const mbs_model *model = &self->runs.model;
  double *floors = self->slopes.floors;
  for (size_t i = 0; i < self->outputs && model->plan->starts; i++)
    floors[i] = start_share * fmax(model->constants->extent, 1);
  for (size_t i = 0; i < self->outputs && !model->plan->starts; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    const bool is_value = output->of && output->take <= MBS_TAKE_MAX;
    const mbs_dimension of = is_value ? mbs_law_dimension(model, output->of, arena) : (mbs_dimension){0};
    if (!of.known || of.kg != 0 || of.s != 0 || of.m < 0 || of.m > 1) continue;
    floors[i] = nothing_share * (of.m ? model->constants->extent : 1);
  }
}

mbs_stencils *mbs_stencils_new(const mbs_model *model, mbs_arena *arena) {
  const struct mbs_plan *plan = model->plan;
  mbs_stencils *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  *self = (mbs_stencils){.outputs = plan->output_count, .parameters = plan->vary_count};
  self->gradient = mbs_arena_alloc(arena, self->outputs * self->parameters, sizeof *self->gradient);
  self->estimates = mbs_arena_alloc(arena, self->outputs * self->parameters, sizeof *self->estimates);
  if (mbs_stencil_runs_open(&self->runs, model, arena) && mbs_slopes_open(&self->slopes, self->outputs, arena) &&
      self->gradient && self->estimates) {
    set_floors(self, arena);
    return self;
  }
  mbs_stencils_free(self);
  return NULL;
}

void mbs_stencils_free(mbs_stencils *stencils) {
  if (!stencils) return;
  mbs_stencil_runs_close(&stencils->runs);
}

const double *mbs_stencils_values(const mbs_stencils *stencils) { return stencils->gradient; }

const double *mbs_stencils_estimates(const mbs_stencils *stencils) { return stencils->estimates; }

uint64_t mbs_stencils_evaluations(const mbs_stencils *stencils) { return stencils->runs.evaluations; }

void mbs_stencils_none(mbs_stencils *stencils) {
  for (size_t i = 0; i < stencils->outputs * stencils->parameters; i++)
    stencils->gradient[i] = stencils->estimates[i] = NAN;
}

/* ---- a stencil ----------------------------------------------------------------------------------------------- */

typedef enum stencil_end {
  STENCIL_MADE,
  STENCIL_FAILED,        /* a run did */
  STENCIL_REFUSED_ABOVE, /* the model refuses values there */
  STENCIL_REFUSED_BELOW,
  STENCIL_STOPPED
} stencil_end;

/* Outputs at p + h, or at p - h below, as number k of that side. */
static stencil_end make_side(mbs_stencils *self, size_t parameter, double p, double h, bool below, int k,
                             mbs_status *status) {
  mbs_stencil_runs *runs = &self->runs;
  const mbs_vary *vary = &runs->model.plan->vary[parameter];
  if (below ? p - h < vary->least : p + h > vary->most) return below ? STENCIL_REFUSED_BELOW : STENCIL_REFUSED_ABOVE;
  runs->values[parameter] = below ? p - h : p + h;
  *status = mbs_stencil_run(runs, self->slopes.sides[below] + (size_t)k * self->outputs);
  runs->values[parameter] = p;
  if (*status == MBS_OK) return STENCIL_MADE;
  if (mbs_stencil_run_ends_all(*status)) return STENCIL_STOPPED;
  if (mbs_point_refused(runs->runs)) return below ? STENCIL_REFUSED_BELOW : STENCIL_REFUSED_ABOVE;
  return STENCIL_FAILED;
}

/* ---- a parameter --------------------------------------------------------------------------------------------- */

/* More and more steps on the side that the model takes. */
static stencil_end make_singles(mbs_stencils *self, size_t parameter, double p, double H, bool below,
                                mbs_status *status) {
  double h = H;
  for (int k = 0; k < MBS_SINGLES_MAX; k++, h = 0.5 * h) {
    stencil_end end = make_side(self, parameter, p, h, below, k, status);
    if (end != STENCIL_MADE) return end == STENCIL_STOPPED ? end : STENCIL_FAILED;
  }
  mbs_slopes_read_singles(&self->slopes, H, MBS_SINGLES_MAX, below);
  return STENCIL_MADE;
}

static stencil_end make_pair(mbs_stencils *self, size_t parameter, double p, double h, int k, mbs_status *status) {
  stencil_end end = STENCIL_MADE;
  for (int below = 0; below < 2 && end == STENCIL_MADE; below++)
    end = make_side(self, parameter, p, h, below, k, status);
  return end;
}

/* `begun`: the first pair is there. */
static stencil_end make_stencil(mbs_stencils *self, size_t parameter, double p, double H, bool begun,
                                mbs_status *status) {
  double h = H;
  mbs_slopes_next(&self->slopes);
  for (int k = 0; k < MBS_PAIRS_MAX; k++, h = 0.5 * h) {
    if (k > 0 || !begun) {
      stencil_end end = make_pair(self, parameter, p, h, k, status);
      if (end != STENCIL_MADE) return end;
    }
    if (k + 1 < PAIRS_MIN) continue;
    mbs_slopes_read_pairs(&self->slopes, H, k + 1);
    if (mbs_slopes_settled(&self->slopes)) break;
  }
  return STENCIL_MADE;
}

/* A run between those of a stencil, which slopes are to agree with; `apart`: some do not. */
static stencil_end look_between(mbs_stencils *self, size_t parameter, double p, double H, mbs_status *status,
                                bool *apart) {
  const double x = between_share * H;
  const stencil_end end = make_side(self, parameter, p, x, false, MBS_SINGLES_MAX - 1, status);
  const double *between = self->slopes.sides[0] + (MBS_SINGLES_MAX - 1) * self->outputs;
  *apart = false;
  if (end == STENCIL_STOPPED) return end;
  *apart = mbs_slopes_confirm(&self->slopes, H, x, end == STENCIL_MADE ? between : NULL);
  return STENCIL_MADE;
}

/* A stencil, and the run between its others. */
static stencil_end make_confirmed(mbs_stencils *self, size_t parameter, double p, double H, bool begun,
                                  mbs_status *status, bool *apart) {
  const stencil_end end = make_stencil(self, parameter, p, H, begun, status);
  *apart = false;
  return end == STENCIL_MADE ? look_between(self, parameter, p, H, status, apart) : end;
}

static double size_of(double p) { return p != 0 ? fabs(p) : 1; }

/* Within its bounds there is room for half a stencil of this width. One that is near a bound has a stencil that ends
 * there, unless that is too narrow. */
static double first_width(const mbs_stencils *self, size_t parameter, double size) {
  const mbs_vary *vary = &self->runs.model.plan->vary[parameter];
  double p = self->runs.values[parameter], first = fmin(first_share * size, 0.25 * (vary->most - vary->least)),
         room = fmin(p - vary->least, vary->most - p);
  return room < first && room > least_room * first ? room : first;
}

/* A stencil that is wider because an output changes by so much in one of width `h`. */
static double wider(double h, double share) {
  return h * fmin(fmax(wanted_share / fmax(share, DBL_MIN), widened_least), widened_most);
}

/* Whether outputs that do not change at all in a stencil of width `h` do not depend on the parameter. */
static bool is_telling(const mbs_stencils *self, size_t parameter, double h) {
  const mbs_vary *vary = &self->runs.model.plan->vary[parameter];
  const double range = vary->most - vary->least;
  return !isfinite(range) || h >= telling_share * range;
}

/* Makes the first pair of a stencil that is so wide that an output changes; of the first width where none does. `H`:
 * its width; `begun`: the pair is there. STENCIL_REFUSED_...: values on that side are, at the width *H, before anything
 * changes. */
static stencil_end widen(mbs_stencils *self, size_t parameter, double p, double *H, bool *begun, mbs_status *status) {
  const double first = *H;
  mbs_model *model = &self->runs.model;
  const uint64_t usual = model->limits.evaluations;
  double h = first, share = 0;
  bool exactly = false;
  stencil_end end = make_pair(self, parameter, p, h, 0, status);
  *begun = false;
  if (end != STENCIL_MADE) return end == STENCIL_STOPPED ? end : STENCIL_MADE;
  mbs_slopes_keep_narrow(&self->slopes);
  model->limits.evaluations = (uint64_t)(widened_cost * (double)(self->runs.usual + 1000));
  for (int k = 0;; k++) {
    share = mbs_slopes_changed(&self->slopes, MBS_SIDES_BOTH, &exactly);
    if (share > flat_share || (exactly && is_telling(self, parameter, h)) || k == WIDENED_MAX) break;
    h = wider(h, share);
    if ((end = make_pair(self, parameter, p, h, 0, status)) != STENCIL_MADE) break;
  }
  model->limits.evaluations = usual;
  if (end == STENCIL_STOPPED) return end;
  *begun = h == first || (end == STENCIL_MADE && share > flat_share);
  const bool refused = end == STENCIL_REFUSED_ABOVE || end == STENCIL_REFUSED_BELOW;
  if (*begun || (refused && share < barely_share)) *H = h;
  return refused && !*begun && share < barely_share ? end : STENCIL_MADE;
}

static bool all_will_do(const mbs_stencils *self) {
  for (size_t i = 0; i < self->outputs; i++)
    if (!mbs_slopes_will_do(&self->slopes, i)) return false;
  return true;
}

/* Steps on one side, the longest of them so wide that an output changes; the other side is refused at the width `H`.
 * STENCIL_FAILED: they tell no slopes. */
static stencil_end make_aside(mbs_stencils *self, size_t parameter, double p, double H, bool below,
                              mbs_status *status) {
  const mbs_vary *vary = &self->runs.model.plan->vary[parameter];
  const double room = 0.5 * (below ? p - vary->least : vary->most - p);
  double h = fmin(H, room);
  for (int k = 0; k < WIDENED_MAX; k++) {
    bool exactly;
    const stencil_end end = make_side(self, parameter, p, h, below, 0, status);
    if (end != STENCIL_MADE) return end == STENCIL_STOPPED ? end : STENCIL_FAILED;
    const double share = mbs_slopes_changed(&self->slopes, below ? MBS_SIDE_BELOW : MBS_SIDE_ABOVE, &exactly);
    if (share > flat_share || h == room || (exactly && is_telling(self, parameter, h))) break;
    h = fmin(wider(h, share), room);
  }
  self->slopes.size = fmax(self->slopes.size, h / first_share);
  const stencil_end end = make_singles(self, parameter, p, h, below, status);
  return end != STENCIL_MADE || all_will_do(self) ? end : STENCIL_FAILED;
}

/* Stencils of a width that suits the parameter, the first of which is so wide. *made: there are some. */
static stencil_end make_stencils(mbs_stencils *self, size_t parameter, double p, double H, bool begun, bool *made,
                                 mbs_status *status) {
  const double least = least_width * H;
  for (int tries = 0; tries < TRIES_MAX && H >= least; tries++) {
    bool apart;
    const stencil_end end = make_confirmed(self, parameter, p, H, begun, status, &apart);
    begun = false;
    if (end == STENCIL_STOPPED) return end;
    if (end == STENCIL_REFUSED_ABOVE || end == STENCIL_REFUSED_BELOW) {
      if (*made || tries == 2) return end;
    } else if (end == STENCIL_MADE) {
      *made = true;
      if (mbs_slopes_settled(&self->slopes)) break;
    }
    const bool corner = *made && mbs_slopes_any_corner(&self->slopes);
    H /= corner ? factor * factor : factor; /* it may be one that is beside the point */
  }
  return STENCIL_MADE;
}

/* Slopes by a parameter; STENCIL_MADE, or why there are none. */
static stencil_end find_slopes(mbs_stencils *self, size_t parameter, mbs_status *status) {
  const double p = self->runs.values[parameter], size = size_of(p), first = first_width(self, parameter, size);
  double H = first;
  bool begun = false, made = false;
  mbs_slopes_begin(&self->slopes, size);
  stencil_end end = widen(self, parameter, p, &H, &begun, status);
  if (end == STENCIL_REFUSED_ABOVE || end == STENCIL_REFUSED_BELOW) {
    end = make_aside(self, parameter, p, H, end == STENCIL_REFUSED_ABOVE, status);
    if (end != STENCIL_FAILED) return end;
    mbs_slopes_begin(&self->slopes, size);
    H = first;
  }
  if (end == STENCIL_STOPPED) return end;
  if (H > first) {
    self->slopes.size = fmax(size, H / first_share);
    bool apart;
    end = make_confirmed(self, parameter, p, H, begun, status, &apart);
    if (end == STENCIL_STOPPED) return end;
    if (end == STENCIL_MADE && !apart && !mbs_slopes_any_corner(&self->slopes) && mbs_slopes_settled(&self->slopes) &&
        mbs_slopes_narrow_alike(&self->slopes, first))
      return STENCIL_MADE;
    mbs_slopes_begin(&self->slopes, size);
    begun = false;
  }
  end = make_stencils(self, parameter, p, first, begun, &made, status);
  if (end == STENCIL_STOPPED) return end;
  if (end != STENCIL_MADE && !made)
    return make_singles(self, parameter, p, first, end == STENCIL_REFUSED_ABOVE, status); /* it is at its bound */
  mbs_slopes_take_means(&self->slopes);
  return made ? STENCIL_MADE : STENCIL_FAILED;
}

static void keep_slopes(mbs_stencils *self, size_t parameter, bool made, mbs_status *status, mbs_error *error) {
  const double widest = first_share * size_of(self->runs.point[parameter]);
  if (!made && *status == MBS_OK) {
    mbs_no_derivative_beside(&self->runs, parameter, error);
    *status = MBS_NO_DERIVATIVE;
  }
  for (size_t i = 0; i < self->outputs; i++) {
    double *row = self->gradient + i * self->parameters;
    self->estimates[i * self->parameters + parameter] = made ? mbs_slopes_estimate(&self->slopes, i) : NAN;
    mbs_error other;
    if (made &&
        !mbs_has_no_derivative(&self->runs, &self->slopes, i, parameter, widest, *status == MBS_OK ? error : &other)) {
      row[parameter] = self->slopes.of[i].value + 0.0; /* not -0 */
      continue;
    }
    row[parameter] = NAN;
    *status = MBS_NO_DERIVATIVE;
  }
}

/* ---- the point ----------------------------------------------------------------------------------------------- */

static bool is_time(const mbs_stencils *self, size_t output) {
  const mbs_take take = self->runs.model.plan->outputs[output].take;
  return take == MBS_TAKE_TIME_OF_MIN || take == MBS_TAKE_TIME_OF_MAX;
}

/* The outputs at the point, and what they are wrong by. */
static mbs_status make_centre(mbs_stencils *self, mbs_error *error) {
  const mbs_stencil_runs *runs = &self->runs;
  mbs_status status = mbs_stencil_run_point(&self->runs, self->slopes.centre);
  for (size_t i = 0; i < self->outputs; i++) self->slopes.flat[i] = is_time(self, i) && mbs_point_flat(runs->runs, i);
  if (status == MBS_OK) status = mbs_stencil_noise(&self->runs, &self->slopes);
  if (status == MBS_OK) return MBS_OK;
  *error = runs->failure;
  if (mbs_stencil_run_ends_all(status)) return status;
  error->status = MBS_NO_DERIVATIVE;
  snprintf(error->message, sizeof error->message,
           "no output has a derivative, because the run fails at the tolerance %.2g that this needs: %.500s",
           runs->model.rtol, runs->failure.message);
  return MBS_NO_DERIVATIVE;
}

mbs_status mbs_stencils_outputs(mbs_stencils *stencils, const double *values, const mbs_hooks *hooks, double *outputs,
                                mbs_error *error) {
  mbs_stencil_runs *runs = &stencils->runs;
  mbs_status status = mbs_point_run(runs->runs, values, hooks, outputs, error);
  runs->evaluations = mbs_point_evaluations(runs->runs);
  return status;
}

const char *mbs_stencils_note(const mbs_stencils *stencils) { return mbs_point_note(stencils->runs.runs); }

mbs_status mbs_stencils_at(mbs_stencils *stencils, const double *values, const bool *known, uint64_t evaluations,
                           const mbs_hooks *hooks, mbs_error *error) {
  mbs_stencils *self = stencils;
  mbs_status status = MBS_OK, ended = MBS_OK;
  size_t meant = 2;
  for (size_t j = 0; j < self->parameters; j++)
    if (!known || !known[j]) meant += 2 * (size_t)PAIRS_MIN + 1;
  mbs_stencil_runs_begin(&self->runs, values, meant, evaluations, hooks);
  mbs_stencils_none(self);
  status = make_centre(self, error);
  if (status != MBS_OK) return status;
  for (size_t j = 0; j < self->parameters; j++) {
    if (known && known[j]) continue;
    stencil_end end = find_slopes(self, j, &ended);
    if (end == STENCIL_STOPPED) {
      *error = self->runs.failure;
      return ended;
    }
    keep_slopes(self, j, end == STENCIL_MADE, &status, error);
  }
  return status;
}
