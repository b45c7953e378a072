/* Restores feasibility. The best trial may violate constraints within their tolerance and therefore cost less. A step
 * of minimal norm, within the bounds, moves it onto the active constraints:
 *
 *   dg/dx dx = -g.
 *
 * The new trial becomes the best one unless its cost rises by more than the violation was worth, lambda g. */
#include "linalg/lapack.h"
#include "optimize/kkt.h"

#include <math.h>

/* Number of steps; largest share of the violation that a step may leave. */
enum { STEPS_MAX = 3 };
static const double left_share = 0.1;
/* A violation below this share of its constraint's scale is rounding. */
static const double rounding_share = 1e-15;
/* Largest increase of the cost by a step, in multiples of the worth of the violation; mbs_equal_cost is added. */
static const double worth_times = 2;

/* Computes the step and the worth of the violation. Returns false if there is no step. */
static bool find_step(const mbs_kkt *kkt, const mbs_trial *trial, double *step, double *worth) {
  const mbs_search *search = kkt->search;
  const size_t m = kkt->active_count, n = kkt->free_count, p = search->p;
  if (m == 0 || n == 0) return false;
  double *A = mbs_arena_alloc(search->arena, m * n, sizeof *A), *b = mbs_arena_alloc(search->arena, m, sizeof *b),
         *workspace = mbs_arena_alloc(search->arena, mbs_lapack_workspace(m, n), sizeof *workspace);
  if (!A || !b || !workspace) return false;
  *worth = 0;
  for (size_t i = 0; i < m; i++) {
    const size_t k = kkt->active[i];
    const bool equal = search->plan->objective.conditions[k].relation == MBS_EQUAL;
    const double value = equal ? trial->conditions[k] : fmax(trial->conditions[k], 0);
    b[i] = -value / mbs_trials_condition_size(search->trials, k);
    *worth += fabs(kkt->lambda[i] * b[i]) * search->cost_size;
    for (size_t j = 0; j < n; j++) A[i + j * m] = kkt->rows[i * p + kkt->free[j]];
  }
  return mbs_least_squares(m, n, A, b, 1e-10, step, workspace) >= 0;
}

bool mbs_search_restore_feasibility(mbs_search *search) {
  double *step = mbs_arena_alloc(search->arena, search->p + search->plan->objective.count, sizeof *step),
         *values = mbs_arena_alloc(search->arena, search->p, sizeof *values), worth;
  if (!step || !values) return true;
  for (int round = 0; round < STEPS_MAX; round++) {
    mbs_kkt kkt;
    const mbs_trial *best = mbs_trials_best(search->trials);
    if (!mbs_trial_is_feasible(best) || best->excess <= rounding_share) return true;
    best = mbs_trial_at(search->trials, best->values, true);
    if (!best) return false;
    const double cost = best->cost, excess = best->excess;
    if (!mbs_kkt_open(&kkt, search, best) || !find_step(&kkt, best, step, &worth)) return true;
    for (size_t j = 0; j < kkt.free_count; j++) kkt.x[kkt.free[j]] += step[j];
    mbs_search_values(search, kkt.x, values);
    const mbs_trial *trial = mbs_trial_at(search->trials, values, false);
    if (!trial) return false;
    const bool cheap = trial->cost - cost <= worth_times * worth + mbs_equal_cost * fabs(cost);
    if (trial->status != MBS_OK || !(trial->excess <= left_share * excess) || !cheap) return true;
    mbs_trials_prefer(search->trials);
  }
  return true;
}
