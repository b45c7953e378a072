/* Fits: minimizes the sum of ((model - value) / sigma)^2 by the method of Levenberg and Marquardt (J. J. More, The
 * Levenberg-Marquardt Algorithm, 1978; cminpack's lmder).
 *
 * The method has no bounds. It therefore works with variables u, of which each parameter is a function that stays
 * within its bounds: with two bounds  low + (high - low) (1 + sin u) / 2,  with one  low + sqrt(1 + u^2) - 1. A
 * parameter that ends at a bound is fixed there, and the others are fitted again. */
#include "linalg/lapack.h"
#include "optimize/search.h"

#include <assert.h>
#include <cminpack-1/cminpack.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Smallest relative changes of the sum and of the parameters; distance in coordinates x at which a parameter is at a
 * bound; smallest distance from a bound at the start. */
static const double least_gain = 1e-15, least_step = 1e-12, bound_share = 1e-6, inner_share = 1e-3;
/* Residuals of a failed trial, in multiples of those of the best one. */
static const double failed_size = 100;
enum { TRIALS_MAX = 1000000 };
static const double first_step = 100; /* factor of lmder */

typedef struct fitting {
  mbs_search *search;
  bool *fixed;    /* [p] fixed at its bound */
  size_t *free;   /* [n] the other parameters */
  double *x;      /* [p] */
  double *values; /* [p] */
  size_t n, data;
  bool stopped;
} fitting;

/* ---- u --------------------------------------------------------------------------------------------------------- */

static double x_of(double u, double low, double high) {
  if (isfinite(low) && isfinite(high)) return low + (high - low) * 0.5 * (1 + sin(u));
  if (isfinite(low)) return low + (sqrt(1 + u * u) - 1);
  if (isfinite(high)) return high - (sqrt(1 + u * u) - 1);
  return u;
}

static double x_slope(double u, double low, double high) {
  if (isfinite(low) && isfinite(high)) return (high - low) * 0.5 * cos(u);
  if (isfinite(low)) return u / sqrt(1 + u * u);
  if (isfinite(high)) return -u / sqrt(1 + u * u);
  return 1;
}

/* Returns u for x. At a bound dx/du = 0, so that a start there is moved inwards. */
static double u_of(double x, double low, double high) {
  if (isfinite(low) && isfinite(high)) {
    const double inner = inner_share * (high - low);
    return asin(2 * (fmin(fmax(x, low + inner), high - inner) - low) / (high - low) - 1);
  }
  const double above = fmax(isfinite(low) ? x - low : high - x, inner_share) + 1;
  return isfinite(low) || isfinite(high) ? sqrt(above * above - 1) : x;
}

static void set_u(fitting *self, const double *u) {
  const mbs_search *search = self->search;
  for (size_t k = 0; k < self->n; k++) {
    const size_t j = self->free[k];
    self->x[j] = x_of(u[k], search->low[j], search->high[j]);
  }
  mbs_search_values(search, self->x, self->values);
}

/* ---- residuals ------------------------------------------------------------------------------------------------- */

static double residual(const mbs_search *search, const mbs_trial *trial, size_t i) {
  return mbs_trial_residual(search->plan, trial, i);
}

/* Returns d residual / d x. */
static double slope(const mbs_search *search, const mbs_trial *trial, size_t i, size_t j) {
  assert(i < search->plan->data_count && j < search->p);
  return trial->output_slopes[(search->plan->shown_count + i) * search->p + j] * search->scale[j] /
         search->plan->data[i].sigma;
}

/* Computes the residuals [m], or with flag 2 their derivatives [m x n] by u, column-major. Returns a negative number if
 * the search must end. */
static int evaluate(void *user, int m, int n, const double *u, double *residuals, double *J, int ld, int flag) {
  fitting *self = user;
  mbs_search *search = self->search;
  set_u(self, u);
  const mbs_trial *trial = mbs_trial_at(search->trials, self->values, flag == 2);
  self->stopped = self->stopped || !trial;
  if (!trial) return -1;
  const bool good = trial->status == MBS_OK;
  const double far = failed_size * sqrt(mbs_trials_best(search->trials)->cost / m + DBL_MIN);
  for (int i = 0; i < m && flag != 2; i++) residuals[i] = good ? residual(search, trial, (size_t)i) : far;
  for (int k = 0; k < n && flag == 2; k++) {
    const size_t j = self->free[k];
    const double by_u = x_slope(u[k], search->low[j], search->high[j]);
    for (int i = 0; i < m; i++) J[i + k * ld] = good ? by_u * slope(search, trial, (size_t)i, j) : 0;
  }
  return 0;
}

static mbs_search_end run(fitting *self) {
  assert(self->n > 0 && self->n <= self->search->p);
  mbs_arena *arena = self->search->arena;
  const size_t m = self->data, n = self->n;
  double *numbers = mbs_arena_alloc(arena, m * n + 2 * m + 6 * n, sizeof(double));
  int *pivots = mbs_arena_alloc(arena, n, sizeof *pivots), tries, derivatives;
  if (!numbers || !pivots) return MBS_SEARCH_FAILED;
  double *J = numbers, *residuals = J + m * n, *wa4 = residuals + m, *u = wa4 + m, *scales = u + n, *qtf = scales + n,
         *wa1 = qtf + n, *wa2 = wa1 + n, *wa3 = wa2 + n;
  for (size_t k = 0; k < n; k++) {
    const size_t j = self->free[k];
    u[k] = u_of(self->x[j], self->search->low[j], self->search->high[j]);
  }
  int info = lmder(evaluate, self, (int)m, (int)n, u, residuals, J, (int)m, least_gain, least_step, 0, TRIALS_MAX,
                   scales, 1, first_step, 0, &tries, &derivatives, pivots, qtf, wa1, wa2, wa3, wa4);
  if (self->stopped) return MBS_SEARCH_STOPPED;
  return info >= 1 && info <= 8 && info != 5 ? MBS_SEARCH_DONE : MBS_SEARCH_FAILED;
}

/* ---- bounds ---------------------------------------------------------------------------------------------------- */

static void choose_free(fitting *self) {
  self->n = 0;
  for (size_t j = 0; j < self->search->p; j++)
    if (!self->fixed[j]) self->free[self->n++] = j;
}

/* Returns the side of the bound that is active at x[j]: -1 or 1; 0 if none. */
static int active_side(const mbs_search *search, const mbs_trial *best, const double *x, size_t j) {
  const double share = bound_share * fmin(1, search->high[j] - search->low[j]);
  if (x[j] - search->low[j] <= share && best->cost_slopes[j] > 0) return -1;
  if (search->high[j] - x[j] <= share && best->cost_slopes[j] < 0) return 1;
  return 0;
}

/* Makes a trial with parameters exactly at their bounds, and prefers it if its cost is not higher. */
static void prefer_bounds(fitting *self, double cost) {
  mbs_search *search = self->search;
  mbs_search_values(search, self->x, self->values);
  const mbs_trial *trial = mbs_trial_at(search->trials, self->values, false);
  if (trial && trial->status == MBS_OK && trial->cost <= cost * (1 + mbs_equal_cost)) mbs_trials_prefer(search->trials);
}

/* Fixes parameters at bounds that have become active. Returns true if there are any; returns false if no trial can be
 * made. */
static bool fix_at_bounds(fitting *self) {
  mbs_search *search = self->search;
  const mbs_trial *best = mbs_trial_at(search->trials, mbs_trials_best(search->trials)->values, true);
  bool any = false;
  if (!best) return false;
  mbs_search_coordinates(search, best->values, self->x);
  for (size_t j = 0; j < search->p; j++) {
    int side = self->fixed[j] ? 0 : active_side(search, best, self->x, j);
    if (side == 0) continue;
    self->x[j] = side < 0 ? search->low[j] : search->high[j];
    self->fixed[j] = any = true;
  }
  if (any) prefer_bounds(self, best->cost);
  return any;
}

mbs_search_end mbs_fit(mbs_search *search, const double *x) {
  mbs_arena *arena = search->arena;
  fitting self = {.search = search,
                  .fixed = mbs_arena_alloc(arena, search->p, sizeof(bool)),
                  .free = mbs_arena_alloc(arena, search->p, sizeof(size_t)),
                  .x = mbs_arena_alloc(arena, search->p, sizeof(double)),
                  .values = mbs_arena_alloc(arena, search->p, sizeof(double)),
                  .data = search->plan->data_count};
  if (!self.fixed || !self.free || !self.x || !self.values) return MBS_SEARCH_FAILED;
  mbs_search_add_algorithm(search, "Levenberg-Marquardt");
  memcpy(self.x, x, search->p * sizeof *x);
  mbs_search_end end = MBS_SEARCH_DONE;
  do {
    choose_free(&self);
    if (self.n == 0) {
      mbs_search_values(search, self.x, self.values);
      return mbs_trial_at(search->trials, self.values, false) ? MBS_SEARCH_DONE : MBS_SEARCH_STOPPED;
    }
    end = run(&self);
  } while (end != MBS_SEARCH_STOPPED && fix_at_bounds(&self));
  return end;
}

/* ---- identifiable parameters ------------------------------------------------------------------------------------- */

typedef struct analysis {
  const mbs_search *search;
  const mbs_trial *best;
  size_t *free; /* [n] parameters that are not at a bound */
  size_t n, data;
  double *A;     /* [data x n] derivatives of the residuals by values, each column scaled to length 1 */
  double *sizes; /* [n] lengths of the columns before */
  double *singular, *Vt, *workspace;
} analysis;

static bool open_analysis(analysis *self, mbs_arena *arena) {
  const size_t p = self->search->p, m = self->data;
  self->free = mbs_arena_alloc(arena, p + 1, sizeof *self->free);
  self->A = mbs_arena_alloc(arena, m * p + 1, sizeof(double));
  self->sizes = mbs_arena_alloc(arena, p + 1, sizeof(double));
  self->singular = mbs_arena_alloc(arena, p + 1, sizeof(double));
  self->Vt = mbs_arena_alloc(arena, p * p + 1, sizeof(double));
  self->workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(m, p) + 1, sizeof(double));
  return self->free && self->A && self->sizes && self->singular && self->Vt && self->workspace;
}

static void fill_columns(analysis *self) {
  const mbs_search *search = self->search;
  double measured = 0;
  for (size_t i = 0; i < self->data; i++) {
    const double output = self->best->outputs[search->plan->shown_count + i] / search->plan->data[i].sigma;
    measured += output * output;
  }
  measured = sqrt(measured);
  for (size_t k = 0; k < self->n; k++) {
    const size_t j = self->free[k];
    double squares = 0, *column = self->A + k * self->data;
    for (size_t i = 0; i < self->data; i++) {
      column[i] = slope(search, self->best, i, j) / search->scale[j];
      squares += column[i] * column[i];
    }
    /* change of the residuals for a change of the parameter by its size */
    const double value = fmax(fabs(self->best->values[j]), DBL_MIN), change = sqrt(squares) * value;
    const bool counts = change > mbs_influence_share * measured;
    self->sizes[k] = counts ? sqrt(squares) : 1;
    for (size_t i = 0; i < self->data; i++) column[i] = counts ? column[i] / self->sizes[k] : 0;
  }
}

/* (J'J)^-1 = D^-1 V S^-2 V' D^-1, with J = U S V' D */
static double *covariance_of(const analysis *self, double factor, mbs_arena *arena) {
  const size_t p = self->search->p, n = self->n;
  double *covariance = mbs_arena_alloc(arena, p * p, sizeof *covariance);
  if (!covariance) return NULL;
  for (size_t k = 0; k < p * p; k++) covariance[k] = NAN;
  for (size_t a = 0; a < n; a++)
    for (size_t b = 0; b < n; b++) {
      double sum = 0;
      for (size_t s = 0; s < n; s++)
        sum += self->Vt[s + a * n] * self->Vt[s + b * n] / (self->singular[s] * self->singular[s]);
      covariance[self->free[a] * p + self->free[b]] = factor * sum / (self->sizes[a] * self->sizes[b]);
    }
  return covariance;
}

/* Returns the change of parameters to which the data are least sensitive; its largest entry is 1. */
static double *combination_of(const analysis *self, mbs_arena *arena) {
  const size_t p = self->search->p, n = self->n;
  double *combination = mbs_arena_alloc(arena, p, sizeof *combination), largest = 0;
  if (!combination) return NULL;
  for (size_t k = 0; k < n; k++) {
    double *part = &combination[self->free[k]];
    *part = self->Vt[(n - 1) + k * n] / self->sizes[k];
    if (fabs(*part) > fabs(largest)) largest = *part;
  }
  for (size_t j = 0; j < p; j++) combination[j] = fabs(combination[j] / largest) > 1e-6 ? combination[j] / largest : 0;
  return combination;
}

bool mbs_fit_analyze(mbs_search *search, mbs_optimum *optimum) {
  mbs_arena *arena = search->arena;
  const size_t p = search->p, m = search->plan->data_count;
  analysis self = {.search = search, .data = m};
  bool *at_bound = mbs_arena_alloc(arena, p, sizeof *at_bound);
  double *x = mbs_arena_alloc(arena, p, sizeof *x);
  optimum->fitted = true;
  optimum->at_bound = at_bound;
  optimum->residual_sd = NAN;
  self.best = mbs_trials_best(search->trials);
  if (!at_bound || !x || !open_analysis(&self, arena)) return false;
  if (!self.best->has_slopes) return true; /* the search had to end */
  mbs_search_coordinates(search, self.best->values, x);
  for (size_t j = 0; j < p; j++) {
    at_bound[j] = active_side(search, self.best, x, j) != 0;
    if (!at_bound[j]) self.free[self.n++] = j;
  }
  if (m > self.n) optimum->residual_sd = sqrt(self.best->cost / (double)(m - self.n));
  if (self.n == 0) return true;
  fill_columns(&self);
  if (!mbs_singular_values(m, self.n, self.A, self.singular, self.Vt, self.workspace)) return true;
  if (self.singular[self.n - 1] > mbs_dependent_share * self.singular[0]) {
    const double factor = search->plan->has_sigma ? 1 : optimum->residual_sd * optimum->residual_sd;
    optimum->covariance = covariance_of(&self, factor, arena);
    return optimum->covariance != NULL;
  }
  optimum->combination = combination_of(&self, arena);
  return optimum->combination != NULL;
}
