/* The conditions of Karush, Kuhn and Tucker at a trial: with multipliers lambda of the conditions that are active,
 *
 *   df/dx_j + sum_k lambda_k dg_k/dx_j = 0  for parameters between their bounds, >= 0 at a lower, <= 0 at an upper one,
 *
 * and lambda_k >= 0 where g_k <= 0 is asked for. theory (20.5) */
#include "linear/lapack.h"
#include "optimize/search.h"

#include <math.h>
#include <string.h>

/* A condition is active within this share of what it compares; x is at a bound; of the largest slope the rest. */
static const double active_share = 1e-6, bound_share = 1e-8, left_share = 1e-4;
/* A slope of this share of the cost is none: x changes by 1. */
static const double flat_share = 1e-6;

typedef struct balance {
  const mbs_search *search;
  const mbs_trial *trial;
  double *x;
  size_t *free, *active; /* parameters between their bounds, conditions that hold them */
  size_t free_count, active_count;
  double *A, *b, *lambda, *workspace;
} balance;

static double cost_slope(const balance *self, size_t j) {
  return self->trial->cost_slopes[j] * self->search->scale[j] / self->search->cost_size;
}

static double condition_slope(const balance *self, size_t k, size_t j) {
  const double size = mbs_trials_condition_size(self->search->trials, k);
  return self->trial->condition_slopes[k * self->search->p + j] * self->search->scale[j] / size;
}

static bool open_balance(balance *self) {
  const size_t p = self->search->p, c = self->search->plan->objective.count;
  mbs_arena *arena = self->search->arena;
  self->x = mbs_arena_alloc(arena, p, sizeof(double));
  self->free = mbs_arena_alloc(arena, p + 1, sizeof *self->free);
  self->active = mbs_arena_alloc(arena, c + 1, sizeof *self->active);
  self->A = mbs_arena_alloc(arena, p * c + 1, sizeof(double));
  self->b = mbs_arena_alloc(arena, p + c + 1, sizeof(double));
  self->lambda = mbs_arena_alloc(arena, p + c + 1, sizeof(double));
  self->workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(p + c + 1, c + 1), sizeof(double));
  return self->x && self->free && self->active && self->A && self->b && self->lambda && self->workspace;
}

static void choose(balance *self) {
  const mbs_search *search = self->search;
  mbs_search_coordinates(search, self->trial->values, self->x);
  for (size_t j = 0; j < search->p; j++)
    if (self->x[j] - search->low[j] > bound_share && search->high[j] - self->x[j] > bound_share)
      self->free[self->free_count++] = j;
  for (size_t k = 0; k < search->plan->objective.count; k++) {
    const double size = mbs_trials_condition_size(search->trials, k);
    const bool equal = search->plan->objective.conditions[k].relation == MBS_EQUAL;
    if (equal || fabs(self->trial->conditions[k]) <= active_share * size) self->active[self->active_count++] = k;
  }
}

/* Multipliers of least norm that leave the least slopes; false: none were found. */
static bool find_multipliers(balance *self) {
  const size_t m = self->free_count, n = self->active_count;
  for (size_t i = 0; i < m; i++) {
    self->b[i] = -cost_slope(self, self->free[i]);
    for (size_t k = 0; k < n; k++) self->A[i + k * m] = condition_slope(self, self->active[k], self->free[i]);
  }
  return m == 0 || n == 0 || mbs_least_squares(m, n, self->A, self->b, 1e-10, self->lambda, self->workspace) >= 0;
}

bool mbs_search_is_balanced(mbs_search *search, const mbs_trial *trial) {
  balance self = {.search = search, .trial = trial};
  if (!trial->has_slopes || !open_balance(&self)) return false;
  choose(&self);
  if (!find_multipliers(&self)) return false;
  double largest = flat_share;
  for (size_t j = 0; j < search->p; j++) largest = fmax(largest, fabs(cost_slope(&self, j)));
  for (size_t k = 0; k < self.active_count; k++)
    if (search->plan->objective.conditions[self.active[k]].relation != MBS_EQUAL && self.free_count > 0) {
      double reach = 0;
      for (size_t i = 0; i < self.free_count; i++)
        reach = fmax(reach, fabs(condition_slope(&self, self.active[k], self.free[i])));
      if (self.lambda[k] * reach < -left_share * largest) return false;
    }
  for (size_t j = 0; j < search->p; j++) {
    double left = cost_slope(&self, j);
    for (size_t k = 0; k < self.active_count && self.free_count > 0; k++)
      left += self.lambda[k] * condition_slope(&self, self.active[k], j);
    const bool low = self.x[j] - search->low[j] <= bound_share, high = search->high[j] - self.x[j] <= bound_share;
    if (low    ? left < -left_share * largest
        : high ? left > left_share * largest
               : fabs(left) > fmax(flat_share, left_share * largest))
      return false;
  }
  return true;
}
