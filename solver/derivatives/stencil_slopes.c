/* Differences on both sides of the point, f(p + h) and f(p - h) for h = H, H/2, H/4 ..., give
 *
 *   D(h) = (f(p + h) - f(p - h)) / 2h          = f' + f''' h^2/6 + ...
 *   J(h) = (f(p + h) + f(p - h) - 2 f(p)) / h  = J + f'' h + f'''' h^3/12 + ...
 *
 * Extrapolated to h = 0 (Romberg), D is the derivative, and J is by how much that from above exceeds that from below:
 * a corner, where there is no derivative. On one side alone
 *
 *   F(h) = (f(p + h) - f(p)) / h = f' + f'' h/2 + ... */
#include "derivatives/stencil_slopes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A polynomial through a stencil may be beside a value between its others by so much of all changes, and so many times
 * the noise. Else outputs may go up and down by the way. */
static const double between_apart = 1e-3, between_noises = 100;
/* An extrapolation by all powers makes so much more of the noise; it counts where its error is this share of the other
 * one's. */
static const double uneven_noise = 5, uneven_share = 0.1;
/* A wide stencil's slope is to be what the first one shows, but for so many times the noise. */
static const double widened_noises = 100;
/* A corner: a share of the slopes that stays, at least so much of it, when H is made smaller. */
static const double corner_share = 1e-6, corner_stays = 0.1;
/* Values on a side that go up and down change by so many times what they are apart. */
static const double up_and_down = 1.25;

bool mbs_slopes_open(mbs_stencil_slopes *slopes, size_t outputs, mbs_arena *arena) {
  *slopes = (mbs_stencil_slopes){.outputs = outputs};
  slopes->centre = mbs_arena_alloc(arena, outputs, sizeof *slopes->centre);
  for (int s = 0; s < 2; s++)
    slopes->sides[s] = mbs_arena_alloc(arena, MBS_SINGLES_MAX * outputs, sizeof *slopes->sides[s]);
  slopes->noise = mbs_arena_alloc(arena, outputs, sizeof *slopes->noise);
  slopes->floors = mbs_arena_alloc(arena, outputs, sizeof *slopes->floors);
  slopes->flat = mbs_arena_alloc(arena, outputs, sizeof *slopes->flat);
  for (int s = 0; s < 2; s++) slopes->first[s] = mbs_arena_alloc(arena, outputs, sizeof *slopes->first[s]);
  slopes->sought = mbs_arena_alloc(arena, outputs, sizeof *slopes->sought);
  slopes->of = mbs_arena_alloc(arena, outputs, sizeof *slopes->of);
  slopes->kept = mbs_arena_alloc(arena, outputs, sizeof *slopes->kept);
  return slopes->centre && slopes->sides[0] && slopes->sides[1] && slopes->noise && slopes->floors && slopes->flat &&
         slopes->first[0] && slopes->first[1] && slopes->sought && slopes->of && slopes->kept;
}

void mbs_slopes_begin(mbs_stencil_slopes *slopes, double size) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i])
      slopes->of[i] = (mbs_stencil_slope){.value = NAN,
                                          .error = INFINITY,
                                          .rounding = INFINITY,
                                          .error_before = INFINITY,
                                          .mean = NAN,
                                          .mean_error = INFINITY,
                                          .size = size};
}

void mbs_slopes_next(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) {
    mbs_stencil_slope *at = &slopes->of[i];
    if (!slopes->sought[i]) continue;
    at->corner_before = at->suspect ? at->corner : INFINITY;
    at->value_before = at->value;
    at->error_before = at->error;
    at->rounding_before = at->rounding;
  }
}

/* ---- what is good enough ------------------------------------------------------------------------------------- */

/* What an error may be: a share of the slope; for a change of the parameter by its size one of the output, or so many
 * times its noise. */
typedef struct allowance {
  double slope, output, noises;
} allowance;

static const allowance goal = {1e-9, 3e-10, 300}, limit = {1e-6, 1e-7, 3000};

static bool is_within(const mbs_stencil_slopes *self, size_t output, const allowance *most) {
  const mbs_stencil_slope *at = &self->of[output];
  double change = fmax(most->output * fabs(self->centre[output]), most->noises * self->noise[output]) / at->size;
  return at->error <= fmax(fmax(most->slope * fabs(at->value), change), DBL_MIN);
}

bool mbs_slopes_will_do(const mbs_stencil_slopes *slopes, size_t output) { return is_within(slopes, output, &limit); }

static bool is_settled(const mbs_stencil_slopes *self, size_t output) {
  return !self->of[output].suspect && is_within(self, output, &goal);
}

bool mbs_slopes_settled(const mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i] && !is_settled(slopes, i)) return false;
  return true;
}

bool mbs_slopes_any_corner(const mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i] && slopes->of[i].cornered) return true;
  return false;
}

/* Whether all that a stencil changes is nothing beside the model's size. */
static bool is_nothing(const mbs_stencil_slopes *self, size_t output) {
  double above = self->sides[0][output], below = self->sides[1][output], centre = self->centre[output];
  return fmax(fabs(above - centre), fabs(below - centre)) <= self->floors[output];
}

/* The share that an output changes by; 0: only by noise, or by nothing at all, `exactly`. */
static double changed(const mbs_stencil_slopes *self, size_t output, mbs_stencil_sides sides, bool *exactly) {
  const double centre = self->centre[output], above = sides == MBS_SIDE_BELOW ? centre : self->sides[0][output],
               below = sides == MBS_SIDE_ABOVE ? centre : self->sides[1][output],
               change = fmax(fabs(above - centre), fabs(below - centre));
  *exactly = change == 0;
  return change > fmax(self->floors[output], self->noise[output]) ? change / fmax(fabs(above), fabs(below)) : 0;
}

double mbs_slopes_changed(const mbs_stencil_slopes *slopes, mbs_stencil_sides sides, bool *exactly) {
  double share = 0;
  bool none = true;
  for (size_t i = 0; i < slopes->outputs; i++) {
    if (!slopes->sought[i]) continue;
    share = fmax(share, changed(slopes, i, sides, exactly));
    none &= *exactly;
  }
  *exactly = none;
  return share;
}

void mbs_slopes_keep_first(mbs_stencil_slopes *slopes) {
  for (int s = 0; s < 2; s++) memcpy(slopes->first[s], slopes->sides[s], slopes->outputs * sizeof *slopes->first[s]);
}

void mbs_slopes_recall_first(mbs_stencil_slopes *slopes) {
  for (int s = 0; s < 2; s++) memcpy(slopes->sides[s], slopes->first[s], slopes->outputs * sizeof *slopes->first[s]);
}

/* ---- which outputs are sought ----------------------------------------------------------------------------------- */

void mbs_slopes_seek_all(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) slopes->sought[i] = true;
}

void mbs_slopes_seek_faint(mbs_stencil_slopes *slopes, double small, double told, bool still) {
  for (size_t i = 0; i < slopes->outputs; i++) {
    const mbs_stencil_slope *of = &slopes->of[i];
    bool exactly;
    const bool little = changed(slopes, i, MBS_SIDES_BOTH, &exactly) < small;
    slopes->sought[i] = little && (exactly ? still : !(of->rounding <= told * fabs(of->value)));
  }
}

bool mbs_slopes_seek_untold(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) slopes->sought[i] = !(slopes->of[i].error < INFINITY);
  return mbs_slopes_any_sought(slopes);
}

bool mbs_slopes_any_sought(const mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i]) return true;
  return false;
}

void mbs_slopes_drop_settled(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) slopes->sought[i] &= !is_settled(slopes, i);
}

void mbs_slopes_drop_alike(mbs_stencil_slopes *slopes, double first) {
  for (size_t i = 0; i < slopes->outputs; i++) {
    const double noise = fmax(slopes->floors[i], slopes->noise[i]), shown = slopes->first[0][i] - slopes->first[1][i];
    const mbs_stencil_slope *of = &slopes->of[i];
    const bool alike = fabs(shown - 2 * first * of->value) <= widened_noises * noise,
               better = !of->suspect && of->error * first <= noise; /* than any of the first width */
    slopes->sought[i] &= !(alike && (better || is_settled(slopes, i)));
  }
}

void mbs_slopes_drop_told(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) slopes->sought[i] &= !mbs_slopes_will_do(slopes, i);
}

void mbs_slopes_keep(mbs_stencil_slopes *slopes) {
  memcpy(slopes->kept, slopes->of, slopes->outputs * sizeof *slopes->kept);
}

void mbs_slopes_take_back(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i]) slopes->of[i] = slopes->kept[i];
}

/* ---- reading a stencil --------------------------------------------------------------------------------------- */

/* Extrapolates values at h, h/2, h/4 ... of an expansion in h^first, h^(first + step) ... to h = 0. `error`: by how
 * much the last order changed it, if changes go on to fall as they did. theory (19.8) */
static double extrapolate(const double *values, int n, int first, int step, double *error) {
  double row[MBS_SINGLES_MAX] = {0}, top = values[0], last = INFINITY, before;
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

/* Takes a slope and its error from a stencil, where they are better. */
static void take_slope(mbs_stencil_slope *to, double value, double error, double rounding) {
  if (!(error < to->error)) return;
  to->value = value;
  to->error = error;
  to->rounding = rounding;
}

/* Takes back what the last stencil said. */
static void forget_stencil(mbs_stencil_slope *of) {
  of->value = of->value_before;
  of->error = of->error_before;
  of->rounding = of->rounding_before;
}

/* Whether the values of n steps on a side, from the point's on, go up and down; `most`, `least`: of all values. */
static bool go_up_and_down(const mbs_stencil_slopes *self, size_t output, int n, bool below, double *most,
                           double *least) {
  double last = self->centre[output], way = 0, high = last, low = last;
  for (int k = n - 1; k >= 0; k--) {
    const double value = self->sides[below][(size_t)k * self->outputs + output];
    way += fabs(value - last);
    high = fmax(high, value);
    low = fmin(low, value);
    last = value;
  }
  *most = fmax(*most, high);
  *least = fmin(*least, low);
  return way > up_and_down * (high - low);
}

static void look_at_order(mbs_stencil_slopes *self, size_t output, double H, int n) {
  mbs_stencil_slope *to = &self->of[output];
  double most = self->centre[output], least = most;
  to->disordered = false;
  for (int below = 0; below < 2; below++) to->disordered |= go_up_and_down(self, output, n, below, &most, &least);
  to->width = H;
  to->spread = most - least;
}

/* From n pairs at H, H/2 ... theory (19.6), (19.7) */
static void read_pairs(mbs_stencil_slopes *self, size_t output, double H, int n) {
  mbs_stencil_slope *to = &self->of[output];
  double D[MBS_PAIRS_MAX] = {0}, J[MBS_PAIRS_MAX] = {0}, centre = self->centre[output], error, corner_error, h = H;
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
  to->seen |= !is_nothing(self, output);
  if (!to->seen) { /* whatever it looks like; narrower than one that shows something a stencil tells by its noise */
    to->suspect = to->cornered = false;
    take_slope(to, value, 0, fmax(rounding, self->floors[output] / (2 * h)));
    return;
  }
  look_at_order(self, output, H, n);
  to->below = value - 0.5 * corner;
  to->above = value + 0.5 * corner;
  to->corner = fabs(corner);
  double size = fmax(fabs(D[n - 1]) + fabs(J[0]), fabs(centre) * limit.output / H);
  to->suspect = to->corner > fmax(corner_share * size, 64 * rounding);
  to->cornered = to->suspect && to->corner > corner_stays * to->corner_before;
  if (to->suspect)
    forget_stencil(to); /* fewer pairs may have hidden it */
  else
    take_slope(to, value, to->mean_error, rounding);
}

void mbs_slopes_read_pairs(mbs_stencil_slopes *slopes, double H, int n) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i]) read_pairs(slopes, i, H, n);
  slopes->pairs = n;
}

/* From n steps on one side, sign 1 or -1. theory (19.9) */
static void read_singles(mbs_stencil_slopes *self, size_t output, double H, int n, bool below) {
  double F[MBS_SINGLES_MAX] = {0}, sign = below ? -1 : 1, error, h = H, largest = 0;
  for (int k = 0; k < n; k++, h = 0.5 * h) {
    const double change = self->sides[below][(size_t)k * self->outputs + output] - self->centre[output];
    largest = fmax(largest, fabs(change));
    F[k] = change / (sign * h);
  }
  double rounding = 8 * self->noise[output] / (2 * h);
  double value = extrapolate(F, n, 1, 1, &error);
  /* what is nothing beside the model's size is none, whatever it looks like */
  take_slope(&self->of[output], value, largest <= self->floors[output] ? 0 : fmax(error, rounding), rounding);
}

void mbs_slopes_read_singles(mbs_stencil_slopes *slopes, double H, int n, bool below) {
  for (size_t i = 0; i < slopes->outputs; i++)
    if (slopes->sought[i]) read_singles(slopes, i, H, n, below);
}

/* At p + x the polynomial of an output through its values at p and the pairs at H, H/2 ..., or those above p alone, by
 * Neville's scheme; `spread`: by how much these are apart. */
static double interpolate(const mbs_stencil_slopes *self, size_t output, double H, double x, bool above,
                          double *spread) {
  double at[2 * MBS_PAIRS_MAX + 1] = {0}, P[2 * MBS_PAIRS_MAX + 1] = {self->centre[output]}, h = H;
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

void mbs_slopes_confirm(mbs_stencil_slopes *slopes, double H, double x, const double *between) {
  for (size_t i = 0; i < slopes->outputs; i++) {
    mbs_stencil_slope *at = &slopes->of[i];
    double spread = 0, miss = INFINITY;
    if (!slopes->sought[i] || at->suspect) continue;
    if (between) {
      miss = fabs(between[i] - interpolate(slopes, i, H, x, true, &spread));
      miss = fmin(miss, fabs(between[i] - interpolate(slopes, i, H, x, false, &spread)));
    }
    if (miss <= between_apart * spread + between_noises * fmax(slopes->noise[i], slopes->floors[i])) {
      if (at->error < at->error_before && miss > slopes->floors[i])
        at->error = fmax(at->error, miss / H); /* of this one */
      if (!(at->error < at->error_before)) forget_stencil(at);
      continue;
    }
    forget_stencil(at);
    at->mean = NAN;
    at->mean_error = INFINITY;
  }
}

void mbs_slopes_take_means(mbs_stencil_slopes *slopes) {
  for (size_t i = 0; i < slopes->outputs; i++) {
    mbs_stencil_slope *to = &slopes->of[i];
    if (slopes->sought[i] && !to->cornered) take_slope(to, to->mean, to->mean_error, to->mean_error);
  }
}

double mbs_slopes_estimate(const mbs_stencil_slopes *slopes, size_t output) {
  const mbs_stencil_slope *of = &slopes->of[output];
  return of->error < INFINITY && !of->cornered ? of->value : of->mean;
}
