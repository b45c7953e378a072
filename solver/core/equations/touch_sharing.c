/* How surfaces that touch redundantly, as the corners of a box, share their loads and their friction. */
#include "equations/elimination.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/touches.h"

#include <math.h>
#include <string.h>

/* Computes the multipliers [rows] of the active rows that have the effect of -1 on `row`, which depends on them, and 1
 * there: multipliers without any force. */
static void find_null(mbs_system *system, int row, double *null, double *missing) {
  const mbs_model *model = system->model;
  memset(null, 0, model->rows * sizeof *null);
  null[row] = 1;
  mbs_jacobian_transposed(system, null, system->motion);
  mbs_solve_up(system, system->motion);
  for (size_t k = 0; k < model->nv; k++) system->motion[k] *= system->M_diagonal[k];
  mbs_solve_down(system, system->motion);
  mbs_jacobian_times(system, system->motion, missing);
  mbs_solve_multipliers(system, missing);
  for (size_t r = 0; r < model->rows; r++)
    if (system->active[r]) null[r] -= missing[r];
}

static bool is_dependent(const mbs_system *system, int row) {
  return mbs_touch_row_holds(system, row) && !system->active[row];
}

/* Returns the part of multipliers in the load of a touch. */
static double normal_part(const mbs_system *system, const mbs_touch *touch, const double *null) {
  const mbs_touch *carrier = mbs_touch_carrier(system->model, touch);
  const mbs_touch_state *state = &system->touches->at[carrier - system->model->touches];
  return carrier->sides == 0 ? 0 : mbs_touch_signed(state, null[mbs_touch_normal(carrier)]);
}

/* Adds `share` of the multipliers `null` to N and T. */
static void add_null(mbs_system *system, const double *null, double share) {
  for (size_t i = 0; i < system->model->touch_count; i++) {
    const mbs_touch *touch = &system->model->touches[i];
    mbs_touch_state *state = &system->touches->at[i];
    state->N += share * normal_part(system, touch, null);
    for (int c = 0; c < touch->tangents; c++) state->T[c] += share * null[mbs_touch_tangent(touch) + c];
  }
}

/* Returns the share that makes the sum of N^2 least. */
static double equal_loads(const mbs_system *system, const double *null) {
  double square = 0, product = 0;
  for (size_t i = 0; i < system->model->touch_count; i++) {
    if (system->model->touches[i].sides == 0) continue;
    const double n = normal_part(system, &system->model->touches[i], null);
    square += n * n;
    product += n * system->touches->at[i].N;
  }
  return square > 0 ? -product / square : 0;
}

/* Returns the share of a Gauss-Newton step that makes the sum of weight (T/N)^2 less, and keeps all N positive. */
static double less_friction(const mbs_system *system, const double *null, const double *weights) {
  double square = 0, product = 0, most = INFINITY, low = -INFINITY, high = INFINITY;
  for (size_t i = 0; i < system->model->touch_count; i++) {
    const mbs_touch *touch = &system->model->touches[i];
    const mbs_touch_state *state = &system->touches->at[i];
    const double N = fmax(state->N, 1e-300), own = normal_part(system, touch, null), weight = weights[i] / (N * N);
    if (own > 0 && touch->tangents == 0) low = fmax(low, -state->N / own);
    if (own < 0 && touch->tangents == 0) high = fmin(high, -state->N / own);
    if (state->friction != MBS_STICKS) continue;
    /* d T/N = (n - T/N n_N) / N */
    if (own != 0) most = fmin(most, 0.5 * N / fabs(own));
    for (int c = 0; c < touch->tangents; c++) {
      const double d = null[mbs_touch_tangent(touch) + c] - state->T[c] / N * own;
      square += weight * d * d;
      product += weight * state->T[c] * d;
    }
  }
  const double share = square > 0 && isfinite(square) ? -product / square : 0;
  return fmin(fmax(share, fmax(low, -most)), fmin(high, most));
}

/* Makes the sum of N^2 least (`weights` NULL), or that of weight (T/N)^2, by coordinate descent: few surfaces touch
 * redundantly, and the sums are convex. */
static void descend(mbs_system *system, const double *weights) {
  enum { SWEEPS = 200 };
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0, size = 0;
    for (size_t i = 0; i < model->touch_count; i++)
      size = fmax(size, fmax(mbs_slip_length(self->at[i].T, model->touches[i].tangents), fabs(self->at[i].N)));
    for (size_t i = 0; i < model->touch_count; i++) {
      const mbs_touch *touch = &model->touches[i];
      const int first = touch->first_row, middle = mbs_touch_tangent(touch), last = first + mbs_touch_rows(touch);
      /* limits without friction share, too: they hold instead of it */
      for (int r = weights && touch->tangents ? middle : first; r < (weights ? last : middle); r++) {
        if (!is_dependent(system, r)) continue;
        find_null(system, r, self->lambda, self->rhsA);
        const double share = weights ? less_friction(system, self->lambda, weights) : equal_loads(system, self->lambda);
        add_null(system, self->lambda, share);
        change = fmax(change, fabs(share));
      }
    }
    if (change <= 1e-13 * size) break;
  }
}

/* Returns the largest share of its limit that friction holds; 0: none sticks. */
static double most_used(const mbs_system *system, double *used) {
  double most = 0;
  for (size_t i = 0; i < system->model->touch_count; i++) {
    const mbs_touch *touch = &system->model->touches[i];
    const mbs_touch_state *state = &system->touches->at[i];
    used[i] = 0;
    if (state->friction != MBS_STICKS) continue;
    const double limit = touch->cls->friction(system, touch)->mu_static * fmax(state->N, 1e-300);
    used[i] = limit > 0 ? mbs_slip_length(state->T, touch->tangents) / limit : 0;
    most = fmax(most, used[i]);
  }
  return most;
}

/* Makes the largest of all |T| / (mu_static N) least, by Lawson's iteration: weights increase where that is large. */
static void use_least(mbs_system *system) {
  enum { ITERATIONS = 60 };
  /* friction far below its limit needs no more; change of the largest share that ends the iteration */
  static const double enough = 0.8, goal = 1e-13;
  const mbs_model *model = system->model;
  double *weights = system->touches->missing, *used = system->touches->raised, before = INFINITY;
  for (size_t i = 0; i < model->touch_count; i++) weights[i] = fmax(system->touches->at[i].N, 0);
  for (int k = 0; k < ITERATIONS; k++) {
    descend(system, weights);
    const double most = most_used(system, used);
    if (most <= enough || fabs(most - before) <= goal * most) return;
    before = most;
    for (size_t i = 0; i < model->touch_count; i++) weights[i] *= used[i] / most;
  }
}

/* First loads are shared, then friction. theory (7.21) */
void mbs_touches_share(mbs_system *system, mbs_sharing sharing) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  bool loads = false, friction = false, limits = false, sticks = false;
  for (size_t i = 0; i < model->touch_count; i++) {
    const mbs_touch *touch = &model->touches[i];
    const bool open = touch->sides > 0 && is_dependent(system, mbs_touch_normal(touch));
    loads |= open;
    limits |= open && touch->tangents == 0;
    sticks |= self->at[i].friction == MBS_STICKS;
    for (int c = 0; c < touch->tangents; c++) friction |= is_dependent(system, mbs_touch_tangent(touch) + c);
  }
  if (loads) descend(system, NULL);
  if (!friction && !(limits && sticks)) return;
  if (sharing == MBS_SHARE_TO_HOLD) {
    use_least(system);
    return;
  }
  for (size_t i = 0; i < model->touch_count; i++) self->missing[i] = 1;
  descend(system, self->missing);
}
