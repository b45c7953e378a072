/* Differences on both sides of the point, f(p + h) and f(p - h) for h = H, H/2, H/4 ..., give
 *
 *   D(h) = (f(p + h) - f(p - h)) / 2h          = f' + f''' h^2/6 + ...
 *   J(h) = (f(p + h) + f(p - h) - 2 f(p)) / h  = J + f'' h + f'''' h^3/12 + ...
 *
 * Extrapolated to h = 0 (Romberg), D is the derivative, and J is by how much that from above exceeds that from below:
 * a corner, where there is no derivative. H is made smaller where they do not settle, and larger where nothing changes.
 * Where the model refuses the values on one side, as a mass below zero, the derivative is the one from the other side,
 * by (f(p + h) - f(p)) / h = f' + f'' h/2 + ... */
#include "study/stencils.h"

#include "analyses/second_run.h"
#include "base/methods.h"
#include "model/constants.h"
#include "model/quantities.h"
#include "study/point.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS_MIN = 3, PAIRS_MAX = 4, SINGLES_MAX = 7, TRIES_MAX = 5 };

/* H as a share of the parameter, or of 1; and by how much another try is smaller or larger. */
static const double first_share = 1.0 / 64, factor = 16;
/* A stencil that a bound makes narrower than this share is made on one side instead. */
static const double least_room = 1.0 / 64;
/* The narrowest stencil, as a share of the first. */
static const double least_width = 1.0 / 65536;
/* Of the runs, and of those of stiff methods. */
static const double tolerance = 1e-13, stiff_tolerance = 1e-10;
/* What an output is wrong by: at least so many tolerances of its size, or without an integration this share; and so
 * many times what a run with a tolerance that is so much larger makes of it. */
static const double noise_tolerances = 3, noise_share = 1e-14, noise_changes = 2, looser = 3;
/* Of a length what is nothing, as a share of the model's extent; of an angle. */
static const double nothing_share = 1e-14;
/* The same of coordinates and velocities of a start, that an iteration leaves. */
static const double start_share = 1e-13;
/* Values that are moved by this share have outputs that are moved by no more, but for the noise; more than the second
 * share of an output is none, unless the output is noise alone: no more than so many times its changes. */
static const double nearby_share = 0x1p-43, noise_most = 1e-9, noise_alone = 8;
/* A stencil is seen to be narrow enough by a run between its others, at this share of its half: by no more than the
 * second share of all changes is that one beside the polynomial through the others. Else outputs may go up and down by
 * the way. */
static const double between_share = 0.61803398874989485, between_apart = 1e-3, between_noises = 100;
/* Runs beside the point may cost so many times what the one at the point costs. */
static const double costlier = 200;
/* An extrapolation by all powers makes so much more of the noise; it counts where its error is this share of the other
 * one's. */
static const double uneven_noise = 5, uneven_share = 0.1;
/* Where all outputs change by less than this share of theirs the stencil is made wider, at least and at most by so much
 * and so many times, until they change by the second share; runs that cost so many times the one at the point tell that
 * it is too wide. */
static const double flat_share = 1e-4, wanted_share = 1e-3, widened_least = 16, widened_most = 4096, widened_cost = 4;
enum { WIDENED_MAX = 6 };
/* A wide stencil's slope is to be what the first one shows, but for so many times the noise. */
static const double widened_noises = 100;
/* How much narrower than the first stencil the runs are whose events are compared. */
static const double instant_share = 1e-3;
/* Where redundant constraints hold at the point, to this share of the mechanism, and by more than so much of what they
 * are from it not beside it, the parameter contradicts them: narrower stencils only hide it. */
static const double strayed_share = 1e-9, strayed_growth = 0.25;
/* A corner: a share of the slopes that stays, at least so much of it, when H is made smaller. */
static const double corner_share = 1e-6, corner_stays = 0.1;

/* Of an output, by the parameter in hand. */
typedef struct slope {
  double value, error;               /* error INFINITY: not known */
  double value_before, error_before; /* without the last stencil */
  double mean, mean_error;           /* of the last stencil, whatever it shows */
  double corner, corner_before;      /* |J|; by the stencil before, INFINITY where there was none worth naming */
  double below, above;               /* from either side */
  bool suspect, cornered;
} slope;

struct mbs_stencils {
  mbs_model model; /* the study's, integrated more exactly */
  mbs_point_runs *runs;
  size_t outputs, parameters;
  double *noise;     /* [outputs] what an output is wrong by */
  double *floors;    /* [outputs] changes that are nothing; 0: that is not known */
  bool *flat;        /* [outputs] it is the time of a flat extreme */
  mbs_arena *events; /* of runs that are compared */
  double *point;     /* [parameters] */
  double *values;    /* [parameters] of the run in hand */
  double *centre;    /* [outputs] at the point itself */
  double *sides[2];  /* [SINGLES_MAX x outputs] above the point, and below */
  slope *slopes;     /* [outputs] */
  double *gradient;  /* [outputs x parameters] */
  double *estimates; /* [outputs x parameters] */
  uint64_t evaluations;
  mbs_progress_part part;
  mbs_hooks hooks;
  size_t made, meant; /* runs */
  int pairs;          /* of the stencil made last */
  double strayed;     /* how far redundant rows are from what they ask for at the point */
  double size;        /* of the parameter in hand: changes by it are what outputs are to be told of */
  double *narrow;     /* [outputs] f(p + H) - f(p - H) of its first stencil */
  uint64_t usual;     /* evaluations at the point */
  mbs_error failure;  /* of the run beside the point that failed last */
};

/* ---- runs ---------------------------------------------------------------------------------------------------- */

/* The exact solution does not depend on how it is integrated. */
static void refine(mbs_model *model) {
  bool stiff = model->method && mbs_method_is_stiff(model->method);
  double rtol = stiff ? stiff_tolerance : tolerance;
  model->atol = fmax(model->atol * fmin(rtol / model->rtol, 1), DBL_MIN);
  model->rtol = rtol;
  if (!stiff) model->method = "dop853";
  model->fixed_step = 0;
  if (model->constraints == MBS_BAUMGARTE || model->constraints == MBS_NONE) model->constraints = MBS_PROJECTION;
  model->alpha = model->beta = 0;
  model->limits.evaluations = 0;
}

/* Beside the model's size an angle or a length is nothing below its rounding. */
static bool set_floors(mbs_stencils *self, mbs_arena *arena) {
  const mbs_model *model = &self->model;
  for (size_t i = 0; i < self->outputs && model->plan->starts; i++)
    self->floors[i] = start_share * fmax(model->constants->extent, 1);
  for (size_t i = 0; i < self->outputs && !model->plan->starts; i++) {
    const mbs_planned_output *output = &model->plan->outputs[i];
    const bool is_value = output->of && output->take <= MBS_TAKE_MAX;
    const mbs_dimension of = is_value ? mbs_law_dimension(model, output->of, arena) : (mbs_dimension){0};
    if (!of.known || of.kg != 0 || of.s != 0 || of.m < 0 || of.m > 1) continue;
    self->floors[i] = nothing_share * (of.m ? model->constants->extent : 1);
  }
  return true;
}

mbs_stencils *mbs_stencils_new(const mbs_model *model, mbs_arena *arena) {
  const struct mbs_plan *plan = model->plan;
  mbs_stencils *self = mbs_arena_alloc(arena, 1, sizeof *self);
  if (!self) return NULL;
  *self = (mbs_stencils){.model = *model, .outputs = plan->output_count, .parameters = plan->vary_count};
  refine(&self->model);
  self->point = mbs_arena_alloc(arena, self->parameters, sizeof *self->point);
  self->values = mbs_arena_alloc(arena, self->parameters, sizeof *self->values);
  self->centre = mbs_arena_alloc(arena, self->outputs, sizeof *self->centre);
  for (int s = 0; s < 2; s++)
    self->sides[s] = mbs_arena_alloc(arena, SINGLES_MAX * self->outputs, sizeof *self->sides[s]);
  self->slopes = mbs_arena_alloc(arena, self->outputs, sizeof *self->slopes);
  self->noise = mbs_arena_alloc(arena, self->outputs, sizeof *self->noise);
  self->narrow = mbs_arena_alloc(arena, self->outputs, sizeof *self->narrow);
  self->gradient = mbs_arena_alloc(arena, self->outputs * self->parameters, sizeof *self->gradient);
  self->floors = mbs_arena_alloc(arena, self->outputs, sizeof *self->floors);
  self->flat = mbs_arena_alloc(arena, self->outputs, sizeof *self->flat);
  self->estimates = mbs_arena_alloc(arena, self->outputs * self->parameters, sizeof *self->estimates);
  self->events = mbs_arena_new(model->limits.memory);
  self->runs = mbs_point_runs_new(&self->model, arena);
  if (self->point && self->values && self->centre && self->sides[0] && self->sides[1] && self->slopes && self->noise &&
      self->narrow && self->gradient && self->estimates && self->floors && self->flat && self->events && self->runs &&
      set_floors(self, arena))
    return self;
  mbs_stencils_free(self);
  return NULL;
}

void mbs_stencils_free(mbs_stencils *stencils) {
  if (!stencils) return;
  mbs_point_runs_free(stencils->runs);
  mbs_arena_free(stencils->events);
}

const double *mbs_stencils_values(const mbs_stencils *stencils) { return stencils->gradient; }

const double *mbs_stencils_estimates(const mbs_stencils *stencils) { return stencils->estimates; }

uint64_t mbs_stencils_evaluations(const mbs_stencils *stencils) { return stencils->evaluations; }

void mbs_stencils_none(mbs_stencils *stencils) {
  for (size_t i = 0; i < stencils->outputs * stencils->parameters; i++)
    stencils->gradient[i] = stencils->estimates[i] = NAN;
}

/* Whether a status is none of the motion's. */
static bool ends_all(mbs_status status) {
  return status == MBS_CANCELLED || status == MBS_TIMED_OUT || status == MBS_NO_MEMORY;
}

/* Whether constraints that are redundant at the point contradict one another in the run made last. */
static bool contradicts(const mbs_stencils *self) {
  const double strayed = mbs_point_strayed(self->runs);
  return strayed > self->strayed + fmax(strayed_share, strayed_growth * self->strayed);
}

/* A run for self->values. */
static mbs_status make(mbs_stencils *self, double *outputs) {
  if (self->made >= self->meant) self->meant = self->made + 1;
  self->part.share = (1 - MBS_STENCILS_AFTER) / (double)self->meant;
  self->part.from = MBS_STENCILS_AFTER + self->part.share * (double)self->made;
  self->part.evaluations = self->evaluations;
  self->made++;
  mbs_error error;
  mbs_status status = mbs_point_run(self->runs, self->values, &self->hooks, outputs, &error);
  self->evaluations += mbs_point_evaluations(self->runs);
  if (status == MBS_OK && contradicts(self)) {
    status = error.status = MBS_CONTRADICTION;
    snprintf(error.message, sizeof error.message,
             "redundant constraints hold at this value, and contradict one another beside it (residual %.3g)",
             mbs_point_strayed(self->runs));
  }
  if (status != MBS_OK) self->failure = error;
  return status;
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
  const mbs_vary *vary = &self->model.plan->vary[parameter];
  if (below ? p - h < vary->least : p + h > vary->most) return below ? STENCIL_REFUSED_BELOW : STENCIL_REFUSED_ABOVE;
  self->values[parameter] = below ? p - h : p + h;
  *status = make(self, self->sides[below] + (size_t)k * self->outputs);
  self->values[parameter] = p;
  if (*status == MBS_OK) return STENCIL_MADE;
  if (ends_all(*status)) return STENCIL_STOPPED;
  if (mbs_point_refused(self->runs)) return below ? STENCIL_REFUSED_BELOW : STENCIL_REFUSED_ABOVE;
  return STENCIL_FAILED;
}

/* Extrapolates values at h, h/2, h/4 ... of an expansion in h^first, h^(first + step) ... to h = 0. `error`: by how
 * much the last order changed it, if changes go on to fall as they did. theory (19.8) */
static double extrapolate(const double *values, int n, int first, int step, double *error) {
  double row[SINGLES_MAX] = {0}, top = values[0], last = INFINITY, before;
  row[0] = values[0];
  *error = INFINITY;
  for (int k = 1; k < n; k++) {
    /* the row of order 0, 1 ... k, from the one before */
    double power = exp2(first), low = values[k];
    for (int j = 0; j < k; j++, power *= exp2(step)) {
      double next = (power * low - row[j]) / (power - 1);
      row[j] = low;
      low = next;
    }
    row[k] = low;
    before = last;
    last = fabs(row[k] - top);
    top = row[k];
    *error = k == 1 ? last : last * fmin(1, 8 * last / before);
  }
  return top;
}

/* ---- slopes -------------------------------------------------------------------------------------------------- */

static void begin_slopes(mbs_stencils *self) {
  for (size_t i = 0; i < self->outputs; i++)
    self->slopes[i] =
        (slope){.value = NAN, .error = INFINITY, .error_before = INFINITY, .mean = NAN, .mean_error = INFINITY};
}

/* What an error may be: a share of the slope; for a change of the parameter by its size one of the output, or so many
 * times its noise. */
typedef struct allowance {
  double slope, output, noises;
} allowance;

static const allowance goal = {1e-9, 3e-10, 300}, limit = {1e-6, 1e-7, 3000};

static bool is_within(const mbs_stencils *self, size_t output, const allowance *most) {
  const slope *at = &self->slopes[output];
  double change = fmax(most->output * fabs(self->centre[output]), most->noises * self->noise[output]) / self->size;
  return at->error <= fmax(fmax(most->slope * fabs(at->value), change), DBL_MIN);
}

/* Takes a slope and its error from a stencil, where they are better. */
static void take_slope(slope *to, double value, double error) {
  if (!(error < to->error)) return;
  to->value = value;
  to->error = error;
}

/* Whether all that a stencil changes is nothing beside the model's size. */
static bool is_nothing(const mbs_stencils *self, size_t output) {
  double above = self->sides[0][output], below = self->sides[1][output], centre = self->centre[output];
  return fmax(fabs(above - centre), fabs(below - centre)) <= self->floors[output];
}

/* Takes back what the last stencil said. */
static void forget_stencil(slope *of) {
  of->value = of->value_before;
  of->error = of->error_before;
}

/* From n pairs at H, H/2 ... theory (19.6), (19.7) */
static void read_pairs(mbs_stencils *self, size_t output, double H, int n) {
  slope *to = &self->slopes[output];
  double D[PAIRS_MAX] = {0}, J[PAIRS_MAX] = {0}, centre = self->centre[output], error, corner_error, h = H;
  for (int k = 0; k < n; k++, h = 0.5 * h) {
    double above = self->sides[0][(size_t)k * self->outputs + output],
           below = self->sides[1][(size_t)k * self->outputs + output];
    D[k] = (above - below) / (2 * h);
    J[k] = ((above - centre) + (below - centre)) / h;
  }
  double rounding = 1.5 * self->noise[output] / (2 * h);
  double value = extrapolate(D, n, 2, 2, &error), corner = extrapolate(J, n, 1, 2, &corner_error);
  to->mean = value;
  to->mean_error = fmax(error, rounding);
  /* where the second derivative from above is not the one from below D has all powers of h */
  const double other = extrapolate(D, n, 1, 1, &error), other_error = fmax(error, uneven_noise * rounding);
  if (other_error < uneven_share * to->mean_error) {
    to->mean = value = other;
    to->mean_error = other_error;
  }
  if (is_nothing(self, output)) { /* whatever it looks like */
    to->suspect = to->cornered = false;
    take_slope(to, value, 0);
    return;
  }
  to->below = value - 0.5 * corner;
  to->above = value + 0.5 * corner;
  to->corner = fabs(corner);
  double size = fmax(fabs(D[n - 1]) + fabs(J[0]), fabs(centre) * limit.output / H);
  to->suspect = to->corner > fmax(corner_share * size, 64 * rounding);
  to->cornered = to->suspect && to->corner > corner_stays * to->corner_before;
  if (to->suspect)
    forget_stencil(to); /* fewer pairs may have hidden it */
  else
    take_slope(to, value, to->mean_error);
}

/* From n steps on one side, sign 1 or -1. theory (19.9) */
static void read_singles(mbs_stencils *self, size_t output, double H, int n, bool below) {
  double F[SINGLES_MAX] = {0}, sign = below ? -1 : 1, error, h = H;
  for (int k = 0; k < n; k++, h = 0.5 * h)
    F[k] = (self->sides[below][(size_t)k * self->outputs + output] - self->centre[output]) / (sign * h);
  double rounding = 8 * self->noise[output] / (2 * h);
  double value = extrapolate(F, n, 1, 1, &error);
  take_slope(&self->slopes[output], value, fmax(error, rounding));
}

static bool all_settled(const mbs_stencils *self) {
  for (size_t i = 0; i < self->outputs; i++)
    if (self->slopes[i].suspect || !is_within(self, i, &goal)) return false;
  return true;
}

static bool any_corner(const mbs_stencils *self) {
  for (size_t i = 0; i < self->outputs; i++)
    if (self->slopes[i].cornered) return true;
  return false;
}

/* ---- a parameter --------------------------------------------------------------------------------------------- */

/* More and more steps on the side that the model takes. */
static stencil_end make_singles(mbs_stencils *self, size_t parameter, double p, double H, bool below,
                                mbs_status *status) {
  double h = H;
  for (int k = 0; k < SINGLES_MAX; k++, h = 0.5 * h) {
    stencil_end end = make_side(self, parameter, p, h, below, k, status);
    if (end != STENCIL_MADE) return end == STENCIL_STOPPED ? end : STENCIL_FAILED;
    if (k + 1 < SINGLES_MAX) continue;
    for (size_t i = 0; i < self->outputs; i++) read_singles(self, i, H, k + 1, below);
  }
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
  for (size_t i = 0; i < self->outputs; i++) {
    slope *at = &self->slopes[i];
    at->corner_before = at->suspect ? at->corner : INFINITY;
    at->value_before = at->value;
    at->error_before = at->error;
  }
  for (int k = 0; k < PAIRS_MAX; k++, h = 0.5 * h) {
    if (k > 0 || !begun) {
      stencil_end end = make_pair(self, parameter, p, h, k, status);
      if (end != STENCIL_MADE) return end;
    }
    if (k + 1 < PAIRS_MIN) continue;
    for (size_t i = 0; i < self->outputs; i++) read_pairs(self, i, H, k + 1);
    self->pairs = k + 1;
    if (all_settled(self)) break;
  }
  return STENCIL_MADE;
}

/* At p + x the polynomial of an output through its values at p and the pairs at H, H/2 ..., or those above p alone, by
 * Neville's scheme; `spread`: by how much these are apart. */
static double interpolate(const mbs_stencils *self, size_t output, double H, double x, bool above, double *spread) {
  double at[2 * PAIRS_MAX + 1] = {0}, P[2 * PAIRS_MAX + 1] = {self->centre[output]}, h = H;
  int n = 1;
  *spread = 0;
  for (int k = 0; k < self->pairs; k++, h = 0.5 * h)
    for (int below = 0; below < (above ? 1 : 2); below++, n++) {
      at[n] = below ? -h : h;
      P[n] = self->sides[below][(size_t)k * self->outputs + output];
      *spread = fmax(*spread, fabs(P[n] - P[0]));
    }
  /* P_i..j(x) = ((x - x_j) P_i..j-1 - (x - x_i) P_i+1..j) / (x_i - x_j) */
  for (int m = 1; m < n; m++)
    for (int i = 0; i + m < n; i++) P[i] = ((x - at[i + m]) * P[i] - (x - at[i]) * P[i + 1]) / (at[i] - at[i + m]);
  return P[0];
}

/* Forgets slopes of a stencil that a run between its others does not confirm; corners are another matter. `apart`:
 * there are some. */
static stencil_end look_between(mbs_stencils *self, size_t parameter, double p, double H, mbs_status *status,
                                bool *apart) {
  const double x = between_share * H;
  const stencil_end end = make_side(self, parameter, p, x, false, SINGLES_MAX - 1, status);
  const double *between = self->sides[0] + (SINGLES_MAX - 1) * self->outputs;
  *apart = false;
  for (size_t i = 0; i < self->outputs && end != STENCIL_STOPPED; i++) {
    slope *at = &self->slopes[i];
    double spread = 0, miss = INFINITY;
    if (at->suspect) continue;
    if (end == STENCIL_MADE) {
      miss = fabs(between[i] - interpolate(self, i, H, x, true, &spread));
      miss = fmin(miss, fabs(between[i] - interpolate(self, i, H, x, false, &spread)));
    }
    if (miss <= between_apart * spread + between_noises * fmax(self->noise[i], self->floors[i])) {
      if (at->error < at->error_before && miss > self->floors[i])
        at->error = fmax(at->error, miss / H); /* of this one */
      if (!(at->error < at->error_before)) forget_stencil(at);
      continue;
    }
    *apart = true;
    forget_stencil(at);
    at->mean = NAN;
    at->mean_error = INFINITY;
  }
  return end == STENCIL_STOPPED ? end : STENCIL_MADE;
}

/* A stencil, and the run between its others. */
static stencil_end make_confirmed(mbs_stencils *self, size_t parameter, double p, double H, bool begun,
                                  mbs_status *status, bool *apart) {
  const stencil_end end = make_stencil(self, parameter, p, H, begun, status);
  *apart = false;
  return end == STENCIL_MADE ? look_between(self, parameter, p, H, status, apart) : end;
}

/* Within its bounds there is room for half a stencil of this width. One that is near a bound has a stencil that ends
 * there, unless that is too narrow. */
static double first_width(const mbs_stencils *self, size_t parameter, double size) {
  const mbs_vary *vary = &self->model.plan->vary[parameter];
  double p = self->values[parameter], first = fmin(first_share * size, 0.25 * (vary->most - vary->least)),
         room = fmin(p - vary->least, vary->most - p);
  return room < first && room > least_room * first ? room : first;
}

/* The largest share that an output changes by in the pair made last; 0: there is no change but noise. `exactly`: there
 * is none at all. */
static double changed_share(const mbs_stencils *self, bool *exactly) {
  double share = 0;
  *exactly = true;
  for (size_t i = 0; i < self->outputs; i++) {
    const double above = self->sides[0][i], below = self->sides[1][i], centre = self->centre[i],
                 change = fmax(fabs(above - centre), fabs(below - centre));
    *exactly &= change == 0;
    if (change > fmax(self->floors[i], self->noise[i])) share = fmax(share, change / fmax(fabs(above), fabs(below)));
  }
  return share;
}

/* Makes the first pair of a stencil that is so wide that an output changes; of the first width where none does. `H`:
 * its width; `begun`: the pair is there. */
static stencil_end widen(mbs_stencils *self, size_t parameter, double p, double *H, bool *begun, mbs_status *status) {
  const double first = *H;
  const uint64_t usual = self->model.limits.evaluations;
  double h = first, share = 0;
  bool exactly = false;
  stencil_end end = make_pair(self, parameter, p, h, 0, status);
  *begun = false;
  if (end != STENCIL_MADE) return end;
  for (size_t i = 0; i < self->outputs; i++) self->narrow[i] = self->sides[0][i] - self->sides[1][i];
  self->model.limits.evaluations = (uint64_t)(widened_cost * (double)(self->usual + 1000));
  for (int k = 0;; k++) {
    share = changed_share(self, &exactly);
    if (share > flat_share || exactly || k == WIDENED_MAX) break;
    h *= fmin(fmax(wanted_share / fmax(share, DBL_MIN), widened_least), widened_most);
    if ((end = make_pair(self, parameter, p, h, 0, status)) != STENCIL_MADE) break;
  }
  self->model.limits.evaluations = usual;
  if (end == STENCIL_STOPPED) return end;
  *begun = h == first || (end == STENCIL_MADE && share > flat_share);
  if (*begun) *H = h;
  return STENCIL_MADE;
}

/* Whether slopes of a wide stencil are what the first one shows. */
static bool is_narrow_alike(const mbs_stencils *self, double first) {
  for (size_t i = 0; i < self->outputs; i++) {
    const double noise = fmax(self->floors[i], self->noise[i]);
    if (!(fabs(self->narrow[i] - 2 * first * self->slopes[i].value) <= widened_noises * noise)) return false;
  }
  return true;
}

/* Where no stencil was free of suspicion, and yet there is no corner, the last one counts. */
static void take_means(mbs_stencils *self) {
  for (size_t i = 0; i < self->outputs; i++) {
    slope *to = &self->slopes[i];
    if (!to->cornered) take_slope(to, to->mean, to->mean_error);
  }
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
      if (all_settled(self)) break;
    }
    H /= *made && any_corner(self) ? factor * factor : factor; /* it may be one that is beside the point */
  }
  return STENCIL_MADE;
}

/* Slopes by a parameter; STENCIL_MADE, or why there are none. */
static stencil_end find_slopes(mbs_stencils *self, size_t parameter, mbs_status *status) {
  const double p = self->values[parameter], size = p != 0 ? fabs(p) : 1, first = first_width(self, parameter, size);
  double H = first;
  bool begun = false, made = false;
  begin_slopes(self);
  self->size = size;
  stencil_end end = widen(self, parameter, p, &H, &begun, status);
  if (end == STENCIL_STOPPED) return end;
  if (H > first) {
    self->size = fmax(size, H / first_share);
    bool apart;
    end = make_confirmed(self, parameter, p, H, begun, status, &apart);
    if (end == STENCIL_STOPPED) return end;
    if (end == STENCIL_MADE && !apart && !any_corner(self) && all_settled(self) && is_narrow_alike(self, first))
      return STENCIL_MADE;
    begin_slopes(self);
    self->size = size;
    begun = false;
  }
  end = make_stencils(self, parameter, p, first, begun, &made, status);
  if (end == STENCIL_STOPPED) return end;
  if (end != STENCIL_MADE && !made)
    return make_singles(self, parameter, p, first, end == STENCIL_REFUSED_ABOVE, status); /* it is at its bound */
  take_means(self);
  return made ? STENCIL_MADE : STENCIL_FAILED;
}

/* ---- what there is not --------------------------------------------------------------------------------------- */

static void tell(mbs_stencils *self, size_t parameter, const char *why, double time, mbs_error *error) {
  const struct mbs_plan *plan = self->model.plan;
  const char *name = self->model.parameters[plan->vary[parameter].parameter].name;
  *error = (mbs_error){.status = MBS_NO_DERIVATIVE, .time = time};
  snprintf(error->message, sizeof error->message, "in '%.80s' at %.9g %s", name, self->values[parameter], why);
}

/* The first event that only one of two runs has, 0 the first or 1 the second; NULL: they have the same. */
static const mbs_event *first_other(const mbs_event *const lists[2], const size_t counts[2], int *side) {
  for (size_t i = 0; i < counts[0] || i < counts[1]; i++) {
    const mbs_event *one = i < counts[0] ? &lists[0][i] : NULL, *other = i < counts[1] ? &lists[1][i] : NULL;
    if (one && other && strcmp(one->element, other->element) == 0 && strcmp(one->kind, other->kind) == 0) continue;
    *side = !one || (other && other->t < one->t);
    return *side ? other : one;
  }
  return NULL;
}

/* The first event that only one of the runs at p + step and p - step has, by the value of that one; NULL: they have the
 * same. */
static const mbs_event *find_parting(mbs_stencils *self, size_t parameter, double step, double values[2], int *side) {
  const mbs_vary *vary = &self->model.plan->vary[parameter];
  const double p = self->point[parameter];
  const mbs_event *lists[2];
  size_t counts[2];
  mbs_arena_clear(self->events);
  for (int k = 0; k < 2; k++) {
    self->values[parameter] = values[k] = fmin(fmax(k ? p - step : p + step, vary->least), vary->most);
    lists[k] = mbs_point_events(self->runs, self->values, &self->hooks, self->events, &counts[k]);
  }
  self->values[parameter] = p;
  return first_other(lists, counts, side);
}

/* When runs on both sides part, if that is at an event: near the point, else as far from it as the first stencil
 * reaches. What parts them is added to `why`. */
static double find_instant(mbs_stencils *self, size_t parameter, char *why, size_t size) {
  if (self->model.type != MBS_DYNAMICS || self->model.plan->starts) return NAN;
  const double p = self->point[parameter], widest = first_share * (p != 0 ? fabs(p) : 1);
  double values[2];
  int side = 0;
  const mbs_event *event = find_parting(self, parameter, instant_share * widest, values, &side);
  if (!event) event = find_parting(self, parameter, widest, values, &side);
  if (!event) return NAN;
  const size_t length = strlen(why);
  snprintf(why + length, size - length, "; at %.9g '%.80s' %.80s at t = %.9g, at %.9g it does not", values[side],
           event->element, event->kind, event->t, values[!side]);
  return event->t;
}

/* What is wrong with the derivative of an output; false: nothing. */
static bool has_none(mbs_stencils *self, size_t output, size_t parameter, mbs_error *error) {
  const slope *at = &self->slopes[output];
  const char *name = self->model.plan->outputs[output].name;
  char why[600];
  double when = NAN;
  if (self->flat[output]) {
    when = self->centre[output];
    snprintf(why, sizeof why,
             "the output '%s' has no derivative: the second derivative at the extreme is zero, so that its instant "
             "moves by a root of a change",
             name);
  } else if (at->cornered && at->corner > 2 * at->corner_before) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative: the nearer the runs beside it, the larger its slope, so that it jumps "
             "there, rises without bound, or is too sensitive to tell",
             name);
  } else if (at->cornered) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative: it is %.6g from below and %.6g from above, so that there is a corner, "
             "as where a contact or a switch is only just touched or two extremes are equal",
             name, at->below, at->above);
  } else if (!(at->error < INFINITY)) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative that can be told: beside this value it goes up and down too fast",
             name);
  } else if (!is_within(self, output, &limit)) {
    snprintf(why, sizeof why,
             "the output '%s' has no derivative that settles (%.3g, uncertain by %.2g): near here it jumps, has a "
             "corner or an infinite slope, or it is too sensitive to tell",
             name, at->value, at->error);
  } else {
    return false;
  }
  if (!self->flat[output]) when = find_instant(self, parameter, why, sizeof why);
  tell(self, parameter, why, when, error);
  return true;
}

/* No run beside the point comes to its end. */
static void none_beside(mbs_stencils *self, size_t parameter, mbs_error *error) {
  char why[600];
  snprintf(why, sizeof why, "no output has a derivative, because runs beside it fail: %.400s", self->failure.message);
  tell(self, parameter, why, self->failure.time, error);
}

static double estimate_of(const slope *of) { return of->error < INFINITY && !of->cornered ? of->value : of->mean; }

static void keep_slopes(mbs_stencils *self, size_t parameter, bool made, mbs_status *status, mbs_error *error) {
  if (!made && *status == MBS_OK) {
    none_beside(self, parameter, error);
    *status = MBS_NO_DERIVATIVE;
  }
  for (size_t i = 0; i < self->outputs; i++) {
    double *row = self->gradient + i * self->parameters;
    self->estimates[i * self->parameters + parameter] = made ? estimate_of(&self->slopes[i]) : NAN;
    mbs_error other;
    if (made && !has_none(self, i, parameter, *status == MBS_OK ? error : &other)) {
      row[parameter] = self->slopes[i].value + 0.0; /* not -0 */
      continue;
    }
    row[parameter] = NAN;
    *status = MBS_NO_DERIVATIVE;
  }
}

/* What an integration is wrong by shows with a larger tolerance. */
static mbs_status run_looser(mbs_stencils *self) {
  self->model.rtol *= looser;
  self->model.atol *= looser;
  mbs_status status = make(self, self->noise);
  self->model.rtol /= looser;
  self->model.atol /= looser;
  for (size_t i = 0; i < self->outputs && status == MBS_OK; i++)
    self->noise[i] = fmax(noise_tolerances * self->model.rtol * fabs(self->centre[i]),
                          noise_changes * fabs(self->noise[i] - self->centre[i]));
  return status;
}

/* The noise of an output that has these values on one side of the point, at one step and at two: what they are apart
 * by, from one another and, but for a jump at the point, from the point's. */
static double noise_of(double centre, double one, double two) {
  const double size = fmax(fabs(centre), fmax(fabs(one), fabs(two))), beside = fabs(two - one);
  double noise = beside <= noise_most * size || size <= noise_alone * beside ? beside : 0;
  if (fabs(one - centre) <= noise_most * size) noise = fmax(noise, fabs(one - centre));
  return noise_changes * noise;
}

/* What iterations are wrong by shows with values that are others by their rounding, if these can be run. */
static mbs_status run_nearby(mbs_stencils *self) {
  for (size_t i = 0; i < self->outputs; i++) self->noise[i] = noise_share * fabs(self->centre[i]);
  for (int side = 0; side < 2; side++) {
    double *nearby[] = {self->sides[0], self->sides[0] + self->outputs};
    mbs_status status = MBS_OK;
    for (int k = 0; k < 2 && status == MBS_OK; k++) {
      for (size_t j = 0; j < self->parameters; j++) {
        const mbs_vary *vary = &self->model.plan->vary[j];
        const double step = (k + 1) * nearby_share * fmax(fabs(self->point[j]), nearby_share);
        self->values[j] = fmin(fmax(self->point[j] + (side ? -step : step), vary->least), vary->most);
      }
      status = make(self, nearby[k]);
      memcpy(self->values, self->point, self->parameters * sizeof *self->values);
    }
    if (ends_all(status)) return status;
    for (size_t i = 0; i < self->outputs && status == MBS_OK; i++)
      self->noise[i] = fmax(self->noise[i], noise_of(self->centre[i], nearby[0][i], nearby[1][i]));
  }
  return MBS_OK;
}

static bool is_time(const mbs_stencils *self, size_t output) {
  const mbs_take take = self->model.plan->outputs[output].take;
  return take == MBS_TAKE_TIME_OF_MIN || take == MBS_TAKE_TIME_OF_MAX;
}

/* Whether outputs are of an integration. */
static bool is_motion(const mbs_stencils *self) {
  return self->model.type == MBS_DYNAMICS && !self->model.plan->starts;
}

/* The outputs at the point, and what they are wrong by. */
static mbs_status make_centre(mbs_stencils *self, mbs_error *error) {
  self->strayed = INFINITY;
  mbs_status status = make(self, self->centre);
  self->strayed = mbs_point_strayed(self->runs);
  for (size_t i = 0; i < self->outputs; i++) self->flat[i] = is_time(self, i) && mbs_point_flat(self->runs, i);
  self->usual = mbs_point_evaluations(self->runs);
  self->model.limits.evaluations = (uint64_t)(costlier * (double)(self->usual + 1000));
  if (status == MBS_OK) status = is_motion(self) ? run_looser(self) : run_nearby(self);
  if (status == MBS_OK) return MBS_OK;
  *error = self->failure;
  if (ends_all(status)) return status;
  error->status = MBS_NO_DERIVATIVE;
  snprintf(error->message, sizeof error->message,
           "no output has a derivative, because the run fails at the tolerance %.2g that this needs: %.500s",
           self->model.rtol, self->failure.message);
  return MBS_NO_DERIVATIVE;
}

mbs_status mbs_stencils_outputs(mbs_stencils *stencils, const double *values, const mbs_hooks *hooks, double *outputs,
                                mbs_error *error) {
  mbs_status status = mbs_point_run(stencils->runs, values, hooks, outputs, error);
  stencils->evaluations = mbs_point_evaluations(stencils->runs);
  return status;
}

mbs_status mbs_stencils_at(mbs_stencils *stencils, const double *values, const bool *known, uint64_t evaluations,
                           const mbs_hooks *hooks, mbs_error *error) {
  mbs_stencils *self = stencils;
  mbs_status status = MBS_OK, ended = MBS_OK;
  self->evaluations = evaluations;
  self->model.limits.evaluations = 0;
  self->made = 0;
  self->meant = 2;
  for (size_t j = 0; j < self->parameters; j++)
    if (!known || !known[j]) self->meant += 2 * (size_t)PAIRS_MIN + 1;
  self->part = (mbs_progress_part){.host = hooks};
  self->hooks = mbs_part_hooks(&self->part);
  memcpy(self->point, values, self->parameters * sizeof *values);
  memcpy(self->values, values, self->parameters * sizeof *values);
  mbs_stencils_none(self);
  status = make_centre(self, error);
  if (status != MBS_OK) return status;
  for (size_t j = 0; j < self->parameters; j++) {
    if (known && known[j]) continue;
    stencil_end end = find_slopes(self, j, &ended);
    if (end == STENCIL_STOPPED) {
      *error = self->failure;
      return ended;
    }
    keep_slopes(self, j, end == STENCIL_MADE, &status, error);
  }
  return status;
}
