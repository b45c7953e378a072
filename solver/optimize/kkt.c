/* Karush-Kuhn-Tucker conditions at a trial. With multipliers lambda of the active constraints,
 *
 *   df/dx_j + sum_k lambda_k dg_k/dx_j = 0  for parameters between their bounds, >= 0 at a lower, <= 0 at an upper one,
 *
 * and lambda_k >= 0 for constraints g_k <= 0. theory (20.5) */
#include "optimize/kkt.h"

#include "linalg/lapack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Relative distance at which a constraint is active, and at which x is at a bound; slope that may remain, as a share of
 * the largest slope. */
static const double active_share = 1e-6, bound_share = 1e-8, left_share = 1e-4;
/* A slope below this share of the cost, for a change of x by 1, counts as zero. */
static const double flat_share = 1e-6;

static double condition_size(const mbs_kkt *self, size_t i) {
  assert(i < self->active_count);
  return mbs_trials_condition_size(self->search->trials, self->active[i]);
}

static bool is_equality(const mbs_kkt *self, size_t i) {
  assert(i < self->active_count);
  return self->search->plan->objective.conditions[self->active[i]].relation == MBS_EQUAL;
}

static bool is_low(const mbs_kkt *self, size_t j) { return self->x[j] - self->search->low[j] <= bound_share; }

static bool is_high(const mbs_kkt *self, size_t j) { return self->search->high[j] - self->x[j] <= bound_share; }

static bool make_room(mbs_kkt *self) {
  const size_t p = self->search->p, c = self->search->plan->objective.count;
  mbs_arena *arena = self->search->arena;
  self->x = mbs_arena_alloc(arena, p, sizeof(double));
  self->free = mbs_arena_alloc(arena, p + 1, sizeof *self->free);
  self->active = mbs_arena_alloc(arena, c + 1, sizeof *self->active);
  self->lambda = mbs_arena_alloc(arena, p + c + 1, sizeof(double));
  self->slopes = mbs_arena_alloc(arena, p, sizeof(double));
  self->rows = mbs_arena_alloc(arena, p * c + 1, sizeof(double));
  return self->x && self->free && self->active && self->lambda && self->slopes && self->rows;
}

static void choose(mbs_kkt *self, const mbs_trial *trial) {
  assert(self->free_count == 0 && self->active_count == 0);
  const mbs_search *search = self->search;
  mbs_search_coordinates(search, trial->values, self->x);
  for (size_t j = 0; j < search->p; j++)
    if (!is_low(self, j) && !is_high(self, j)) self->free[self->free_count++] = j;
  for (size_t k = 0; k < search->plan->objective.count; k++) {
    const bool equal = search->plan->objective.conditions[k].relation == MBS_EQUAL;
    if (equal || fabs(trial->conditions[k]) <= active_share * trial->sizes[k]) self->active[self->active_count++] = k;
  }
}

/* Computes the slopes of f, to which the constraints are added later, and those of the constraints. */
static void read_slopes(mbs_kkt *self, const mbs_trial *trial) {
  const mbs_search *search = self->search;
  self->size = flat_share;
  for (size_t j = 0; j < search->p; j++) {
    self->slopes[j] = trial->cost_slopes[j] * search->scale[j] / search->cost_size;
    self->size = fmax(self->size, fabs(self->slopes[j]));
    for (size_t i = 0; i < self->active_count; i++)
      self->rows[i * search->p + j] =
          trial->condition_slopes[self->active[i] * search->p + j] * search->scale[j] / condition_size(self, i);
  }
}

/* Computes multipliers of minimal norm that minimize the slopes of L. Returns false on failure. */
static bool find_multipliers(mbs_kkt *self) {
  const size_t m = self->free_count, n = self->active_count;
  mbs_arena *arena = self->search->arena;
  if (m == 0 || n == 0) return true;
  double *A = mbs_arena_alloc(arena, m * n, sizeof *A), *b = mbs_arena_alloc(arena, m + n, sizeof *b),
         *workspace = mbs_arena_alloc(arena, mbs_lapack_workspace(m + n, n), sizeof *workspace);
  if (!A || !b || !workspace) return false;
  for (size_t i = 0; i < m; i++) {
    b[i] = -self->slopes[self->free[i]];
    for (size_t k = 0; k < n; k++) A[i + k * m] = self->rows[k * self->search->p + self->free[i]];
  }
  return mbs_least_squares(m, n, A, b, 1e-10, self->lambda, workspace) >= 0;
}

bool mbs_kkt_open(mbs_kkt *kkt, mbs_search *search, const mbs_trial *trial) {
  *kkt = (mbs_kkt){.search = search};
  if (!trial->has_slopes || !make_room(kkt)) return false;
  choose(kkt, trial);
  read_slopes(kkt, trial);
  if (!find_multipliers(kkt)) return false;
  for (size_t j = 0; j < search->p; j++)
    for (size_t i = 0; i < kkt->active_count; i++) kkt->slopes[j] += kkt->lambda[i] * kkt->rows[i * search->p + j];
  kkt->value = mbs_kkt_lagrangian(kkt, trial);
  return true;
}

double mbs_kkt_lagrangian(const mbs_kkt *kkt, const mbs_trial *trial) {
  double value = trial->cost / kkt->search->cost_size;
  for (size_t i = 0; i < kkt->active_count; i++)
    value += kkt->lambda[i] * trial->conditions[kkt->active[i]] / condition_size(kkt, i);
  return value;
}

bool mbs_kkt_bound_active(const mbs_kkt *kkt, size_t j) {
  assert(j < kkt->search->p);
  const double most = left_share * kkt->size;
  return (is_low(kkt, j) && kkt->slopes[j] > most) || (is_high(kkt, j) && kkt->slopes[j] < -most);
}

/* Returns the change of the slopes of L if active constraint i is omitted. */
static double share_of(const mbs_kkt *self, size_t i) {
  double reach = 0;
  for (size_t k = 0; k < self->free_count; k++)
    reach = fmax(reach, fabs(self->rows[i * self->search->p + self->free[k]]));
  return self->lambda[i] * reach;
}

bool mbs_kkt_constraint_active(const mbs_kkt *kkt, size_t i) {
  assert(i < kkt->active_count);
  return is_equality(kkt, i) || share_of(kkt, i) > left_share * kkt->size;
}

bool mbs_kkt_satisfied(const mbs_kkt *kkt) {
  const double most = left_share * kkt->size;
  for (size_t i = 0; i < kkt->active_count; i++)
    if (!is_equality(kkt, i) && share_of(kkt, i) < -most) return false;
  for (size_t j = 0; j < kkt->search->p; j++) {
    const double left = kkt->slopes[j];
    if (is_low(kkt, j) ? left < -most : is_high(kkt, j) ? left > most : fabs(left) > fmax(flat_share, most))
      return false;
  }
  return true;
}
