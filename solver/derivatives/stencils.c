/* Outputs of runs on both sides of the point, at p + h and p - h for h = H, H/2, H/4 ..., tell slopes
 * (stencil_slopes.c). H is made smaller for outputs whose slopes do not settle, and larger for those that change too
 * little to be seen. Where the model refuses the values on one side, as a mass below zero, those on the other side are
 * taken alone. */
#include "derivatives/stencils.h"

#include "base/message.h"
#include "derivatives/no_derivative.h"
#include "derivatives/stencil_noise.h"
#include "derivatives/stencil_runs.h"
#include "derivatives/stencil_slopes.h"
#include "model/quantities.h"

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
/* Outputs that change by less than the first share of theirs in a stencil that others suit, and that noise leaves
 * uncertain by more than the second one, have wider stencils of their own, at most so many. */
static const double faint_share = 1e-5, told_share = 1e-8;
enum { WIDER_MAX = 4 };
/* Beside a bound that leaves a stencil too little room for outputs to change by this share, the other side is taken
 * alone. Where outputs do not change at all, that tells something of stencils of this share of the bounds; where there
 * are none, of this width, as a parameter that is nearly zero may stand for one that is. */
static const double barely_share = 1e-7, telling_share = 1e-4, telling_width = 1e-6;

struct mbs_stencils {
  mbs_stencil_runs runs;
  mbs_stencil_slopes slopes; /* by the parameter in hand */
  size_t outputs, parameters;
  size_t parameter;  /* in hand */
  double p, first;   /* its value; the width of its first stencil */
  mbs_status status; /* of the run made last */
  double *gradient;  /* [outputs x parameters] */
  double *estimates; /* [outputs x parameters] */
  double *expected;  /* [MBS_AT_ONCE_MOST x parameters] workspace */
};

_Static_assert(2 * PAIRS_MIN + 1 <= MBS_AT_ONCE_MOST, "the runs that a stencil begins with are made at once");

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
  self->expected = mbs_arena_alloc(arena, MBS_AT_ONCE_MOST * self->parameters, sizeof *self->expected);
  if (self->expected && mbs_stencil_runs_open(&self->runs, model, arena) &&
      mbs_slopes_open(&self->slopes, self->outputs, arena) && self->gradient && self->estimates) {
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

static bool is_refused(stencil_end end) { return end == STENCIL_REFUSED_ABOVE || end == STENCIL_REFUSED_BELOW; }

static const mbs_vary *vary_of(const mbs_stencils *self) { return &self->runs.model.plan->vary[self->parameter]; }

/* Outputs at p + h, or at p - h below, as number k of that side. */
static stencil_end make_side(mbs_stencils *self, double h, bool below, int k) {
  mbs_stencil_runs *runs = &self->runs;
  const mbs_vary *vary = vary_of(self);
  const double p = self->p;
  if (below ? p - h < vary->least : p + h > vary->most) return below ? STENCIL_REFUSED_BELOW : STENCIL_REFUSED_ABOVE;
  runs->values[self->parameter] = below ? p - h : p + h;
  self->status = mbs_stencil_run(runs, self->slopes.sides[below] + (size_t)k * self->outputs);
  runs->values[self->parameter] = p;
  if (self->status == MBS_OK) return STENCIL_MADE;
  if (mbs_stencil_run_ends_all(self->status)) return STENCIL_STOPPED;
  if (mbs_point_refused(runs->runs)) return below ? STENCIL_REFUSED_BELOW : STENCIL_REFUSED_ABOVE;
  return STENCIL_FAILED;
}

static stencil_end make_pair(mbs_stencils *self, double h, int k) {
  stencil_end end = STENCIL_MADE;
  for (int below = 0; below < 2 && end == STENCIL_MADE; below++) end = make_side(self, h, below, k);
  return end;
}

/* More and more steps on the side that the model takes. */
static stencil_end make_singles(mbs_stencils *self, double H, bool below) {
  double h = H;
  for (int k = 0; k < MBS_SINGLES_MAX; k++, h = 0.5 * h) {
    const stencil_end end = make_side(self, h, below, k);
    if (end != STENCIL_MADE) return end == STENCIL_STOPPED ? end : STENCIL_FAILED;
  }
  mbs_slopes_read_singles(&self->slopes, H, MBS_SINGLES_MAX, below);
  return STENCIL_MADE;
}

/* `begun`: the first pair is there. */
static stencil_end make_stencil(mbs_stencils *self, double H, bool begun) {
  double h = H;
  mbs_slopes_next(&self->slopes);
  for (int k = 0; k < MBS_PAIRS_MAX; k++, h = 0.5 * h) {
    if (k > 0 || !begun) {
      const stencil_end end = make_pair(self, h, k);
      if (end != STENCIL_MADE) return end;
    }
    if (k + 1 < PAIRS_MIN) continue;
    mbs_slopes_read_pairs(&self->slopes, H, k + 1);
    if (mbs_slopes_settled(&self->slopes)) break;
  }
  return STENCIL_MADE;
}

/* The runs that a confirmed stencil begins with are about to be asked for. */
static void expect(mbs_stencils *self, double H, bool begun) {
  mbs_stencil_runs *runs = &self->runs;
  const mbs_vary *vary = vary_of(self);
  double steps[MBS_AT_ONCE_MOST] = {between_share * H}, h = begun ? 0.5 * H : H;
  size_t count = 1, inside = 0;
  for (int k = begun; k < PAIRS_MIN; k++, h = 0.5 * h)
    for (int below = 0; below < 2; below++) steps[count++] = below ? -h : h;
  for (size_t i = 0; i < count; i++) {
    const double value = self->p + steps[i];
    if (value < vary->least || value > vary->most) continue;
    double *values = self->expected + inside++ * self->parameters;
    memcpy(values, runs->values, self->parameters * sizeof *values);
    values[self->parameter] = value;
  }
  mbs_stencil_runs_expect(runs, self->expected, inside);
}

/* A stencil, and a run between its others, which slopes are to agree with. */
static stencil_end make_confirmed(mbs_stencils *self, double H, bool begun) {
  const double x = between_share * H, *between = self->slopes.sides[0] + (MBS_SINGLES_MAX - 1) * self->outputs;
  expect(self, H, begun);
  stencil_end end = make_stencil(self, H, begun);
  if (end != STENCIL_MADE) return end;
  end = make_side(self, x, false, MBS_SINGLES_MAX - 1);
  if (end == STENCIL_STOPPED) return end;
  mbs_slopes_confirm(&self->slopes, H, x, end == STENCIL_MADE ? between : NULL);
  return STENCIL_MADE;
}

/* ---- how wide it is ------------------------------------------------------------------------------------------ */

static double size_of(double p) { return p != 0 ? fabs(p) : 1; }

/* Within its bounds there is room for half a stencil of this width. One that is near a bound has a stencil that ends
 * there, unless that is too narrow. */
static double first_width(const mbs_stencils *self) {
  const mbs_vary *vary = vary_of(self);
  const double p = self->p, first = fmin(first_share * size_of(p), 0.25 * (vary->most - vary->least)),
               room = fmin(p - vary->least, vary->most - p);
  return room < first && room > least_room * first ? room : first;
}

/* A stencil that is wider because an output changes by so much in one of width `h`. */
static double wider(double h, double share) {
  return h * fmin(fmax(wanted_share / fmax(share, DBL_MIN), widened_least), widened_most);
}

/* Whether outputs that do not change at all in a stencil of width `h` do not depend on the parameter. */
static bool is_telling(const mbs_stencils *self, double h) {
  const mbs_vary *vary = vary_of(self);
  const double range = vary->most - vary->least;
  return h >= (isfinite(range) ? telling_share * range : telling_width);
}

/* Makes a stencil wider, whose widest runs are there, at *H, until one of the outputs sought changes; *share: by how
 * much. */
static stencil_end widen(mbs_stencils *self, mbs_stencil_sides sides, double room, double *H, double *share) {
  for (int k = 0;; k++) {
    bool exactly;
    *share = mbs_slopes_changed(&self->slopes, sides, &exactly);
    if (*share > flat_share || (exactly && is_telling(self, *H)) || k == WIDENED_MAX || *H >= room) return STENCIL_MADE;
    *H = fmin(wider(*H, *share), room);
    const stencil_end end =
        sides == MBS_SIDES_BOTH ? make_pair(self, *H, 0) : make_side(self, *H, sides == MBS_SIDE_BELOW, 0);
    if (end != STENCIL_MADE) return end;
  }
}

/* The same on both sides, at no more than so much of the cost. */
static stencil_end widen_pair(mbs_stencils *self, double *H, double *share) {
  mbs_model *model = &self->runs.model;
  const uint64_t usual = model->limits.evaluations;
  model->limits.evaluations = (uint64_t)(widened_cost * (double)(self->runs.usual + 1000));
  const stencil_end end = widen(self, MBS_SIDES_BOTH, INFINITY, H, share);
  model->limits.evaluations = usual;
  return end;
}

/* What is not told for a change of the parameter by its size is told for one that a stencil of this width suits. */
static void begin(mbs_stencils *self, double H) {
  mbs_slopes_begin(&self->slopes, fmax(size_of(self->p), H / first_share));
}

/* Steps on one side, the longest of them so wide that an output changes; the other side is refused at the width `H`. */
static stencil_end make_aside(mbs_stencils *self, double H, bool below) {
  const mbs_vary *vary = vary_of(self);
  const double room = 0.5 * (below ? self->p - vary->least : vary->most - self->p);
  double h = fmin(H, room), share;
  stencil_end end = make_side(self, h, below, 0);
  if (end == STENCIL_MADE) end = widen(self, below ? MBS_SIDE_BELOW : MBS_SIDE_ABOVE, room, &h, &share);
  if (end != STENCIL_MADE) return end;
  begin(self, h);
  end = make_singles(self, h, below);
  if (end == STENCIL_MADE) mbs_slopes_drop_told(&self->slopes);
  return end;
}

/* Outputs sought, none of which may change in the pair that is there, of the width *H: seeks no longer those that a
 * wider stencil tells. STENCIL_MADE: one was made, of the width *H now. */
static stencil_end seek_wider(mbs_stencils *self, double *H) {
  const double from = *H;
  double share;
  stencil_end end = widen_pair(self, H, &share);
  if (is_refused(end) && share < barely_share) {
    end = make_aside(self, *H, end == STENCIL_REFUSED_ABOVE);
    return end == STENCIL_STOPPED ? end : STENCIL_FAILED;
  }
  if (end == STENCIL_STOPPED) return end;
  if (end != STENCIL_MADE || share <= flat_share || *H == from) return STENCIL_FAILED;
  begin(self, *H);
  end = make_confirmed(self, *H, true);
  if (end == STENCIL_MADE) mbs_slopes_drop_alike(&self->slopes, self->first);
  return end == STENCIL_MADE || end == STENCIL_STOPPED ? end : STENCIL_FAILED;
}

/* ---- a parameter --------------------------------------------------------------------------------------------- */

/* Stencils of a width that suits the parameter, the first of which is so wide. *made: there are some. */
static stencil_end make_stencils(mbs_stencils *self, bool begun, bool *made) {
  double H = self->first;
  const double least = least_width * H;
  for (int tries = 0; tries < TRIES_MAX && H >= least; tries++) {
    const stencil_end end = make_confirmed(self, H, begun);
    begun = false;
    if (end == STENCIL_STOPPED) return end;
    if (is_refused(end)) {
      if (*made || tries == 2) return end;
    } else if (end == STENCIL_MADE) {
      *made = true;
      mbs_slopes_drop_settled(&self->slopes);
      if (!mbs_slopes_any_sought(&self->slopes)) break;
    }
    const bool corner = *made && mbs_slopes_any_corner(&self->slopes);
    H /= corner ? factor * factor : factor; /* it may be one that is beside the point */
  }
  return STENCIL_MADE;
}

/* Seeks outputs that change too little to be seen beside their noise in the pair that is there, of the width H. */
static void seek_faint(mbs_stencils *self, double H) {
  mbs_slopes_seek_faint(&self->slopes, faint_share, told_share, !is_telling(self, H));
}

/* Wider and wider stencils for the outputs sought, each for those that are faint in the one before. The pair of the
 * width *H is there; it is the last width then. */
static stencil_end find_wider(mbs_stencils *self, double *H) {
  const int most = self->runs.model.plan->states ? 1 : WIDER_MAX;
  for (int k = 0; k < most && mbs_slopes_any_sought(&self->slopes); k++) {
    mbs_slopes_keep(&self->slopes);
    const stencil_end end = seek_wider(self, H);
    if (end == STENCIL_STOPPED) return end;
    mbs_slopes_take_back(&self->slopes);
    if (end != STENCIL_MADE) return end;
    seek_faint(self, *H);
  }
  return STENCIL_MADE;
}

/* Outputs that change by little beside others, which the first width suits, have stencils of their own. */
static stencil_end find_faint(mbs_stencils *self) {
  double H = self->first;
  mbs_slopes_recall_first(&self->slopes);
  seek_faint(self, H);
  const stencil_end end = self->runs.model.plan->states ? STENCIL_MADE : find_wider(self, &H);
  return end == STENCIL_STOPPED ? end : STENCIL_MADE;
}

/* Slopes by a parameter; STENCIL_MADE, or why there are none. */
static stencil_end find_slopes(mbs_stencils *self, size_t parameter) {
  bool made = false;
  self->parameter = parameter;
  self->p = self->runs.values[parameter];
  double H = self->first = first_width(self);
  mbs_slopes_seek_all(&self->slopes);
  begin(self, self->first);
  expect(self, H, false);
  stencil_end end = make_pair(self, H, 0);
  const bool begun = end == STENCIL_MADE;
  if (begun) {
    mbs_slopes_keep_first(&self->slopes);
    end = find_wider(self, &H);
    if (end != STENCIL_STOPPED && !mbs_slopes_seek_untold(&self->slopes)) return STENCIL_MADE;
    mbs_slopes_recall_first(&self->slopes);
  }
  if (end != STENCIL_STOPPED) end = make_stencils(self, begun, &made);
  if (end == STENCIL_STOPPED) return end;
  if (end != STENCIL_MADE && !made)
    return make_singles(self, self->first, end == STENCIL_REFUSED_ABOVE); /* it is at its bound */
  mbs_slopes_take_means(&self->slopes);
  if (!made) return STENCIL_FAILED;
  return begun && H == self->first ? find_faint(self) : STENCIL_MADE;
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
  mbs_message(error->message, sizeof error->message,
              "no output has a derivative, because the run fails at the tolerance %.2g that derivatives need: %.500s",
              runs->model.rtol, runs->failure.message);
  return MBS_NO_DERIVATIVE;
}

mbs_status mbs_stencils_outputs(mbs_stencils *stencils, const double *values, const mbs_hooks *hooks, double *outputs,
                                mbs_error *error) {
  mbs_stencil_runs *runs = &stencils->runs;
  mbs_point_follow_modes(runs->runs, NULL);
  mbs_status status = mbs_point_run(runs->runs, values, hooks, outputs, error);
  runs->evaluations = mbs_point_evaluations(runs->runs);
  return status;
}

const char *mbs_stencils_note(const mbs_stencils *stencils) { return mbs_point_note(stencils->runs.runs); }

mbs_status mbs_stencils_at(mbs_stencils *stencils, const double *values, const bool *known, uint64_t evaluations,
                           const mbs_hooks *hooks, mbs_error *error) {
  mbs_stencils *self = stencils;
  mbs_status status = MBS_OK;
  size_t meant = 2;
  for (size_t j = 0; j < self->parameters; j++)
    if (!known || !known[j]) meant += 2 * (size_t)PAIRS_MIN + 1;
  mbs_stencil_runs_begin(&self->runs, values, meant, evaluations, hooks);
  mbs_stencils_none(self);
  status = make_centre(self, error);
  if (status != MBS_OK) return status;
  for (size_t j = 0; j < self->parameters; j++) {
    if (known && known[j]) continue;
    const stencil_end end = find_slopes(self, j);
    if (end == STENCIL_STOPPED) {
      *error = self->runs.failure;
      return self->status;
    }
    keep_slopes(self, j, end == STENCIL_MADE, &status, error);
  }
  return status;
}
