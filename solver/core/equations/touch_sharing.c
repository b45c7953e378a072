/* Forces of surfaces that touch redundantly, as the corners of a box. Their dependent rows r have multipliers z_r that
 * the equations leave open: with the null vectors G_r, multipliers without any force,
 *
 *     (N, T)_i = u0_i + sum of G_ir z_r
 *
 * The surfaces hold if any z keeps all of them within their conditions. The largest margin tau is found by an interior
 * point method,
 *
 *     maximize tau:   |T_i| <= mu_i N_i - tau (sticks),   N_i >= tau (closed),
 *
 * with the barrier -log((mu N - tau)^2 - |T|^2) - log(N - tau), and |z|^2 / 2 in units of the forces, which bounds z
 * where surfaces may be pressed together at will, as between walls. At its parameter t the largest tau is nearer than
 * theta / t. The least sum of (|T| / N)^2 that is outside the cones is replaced by that within them, with the same
 * barrier at tau = 0. Source: Boyd, Vandenberghe, Convex Optimization, 2004, 11.6. theory (7.21) */
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/touches.h"
#include "linalg/lapack.h"

#include <math.h>
#include <string.h>

enum { ENTRIES = 1 + MBS_TANGENTS_MAX, HALVINGS = 50 };

typedef struct sharing {
  mbs_system *system;
  mbs_arena *arena;
  double force;     /* scale of forces */
  size_t count;     /* touches on which z acts */
  int *touch;       /* [count] */
  double *mu;       /* [count] mu_static if it sticks, else 0 */
  size_t columns;   /* dependent rows */
  double *G;        /* [count x ENTRIES x columns] */
  double *u0, *u;   /* [count x ENTRIES] N and T without z, and with it, in units of `force` */
  double *z, *next; /* [columns + 1] changes of z, and tau */
  double *gradient, *H, *workspace;
  const bool *used; /* [columns] columns of z that change; NULL: all */
  bool sums;        /* the sum of (|T| / N)^2 is to be least, with tau = 0; otherwise tau is to be largest */
} sharing;

static bool is_dependent(const mbs_system *system, int row) {
  return mbs_touch_row_holds(system, row) && !system->active[row];
}

/* Returns the touch to which a row belongs. Each of its rows is a block. */
static const mbs_touch *touch_of_row(const mbs_model *model, int row) {
  return &model->touches[model->blocks[model->bilateral_blocks + ((size_t)row - model->bilateral_rows)].touch];
}

/* Completes multipliers of dependent rows, which `null` [rows] contains, by those of the independent rows that cancel
 * their effect. */
static void complete_null(mbs_system *system, double *null) {
  const mbs_model *model = system->model;
  double *missing = system->touches->rhsA;
  mbs_jacobian_transposed(system, null, system->motion);
  mbs_solve_force_multipliers(system, system->motion, missing);
  for (size_t r = 0; r < model->rows; r++)
    if (system->active[r]) null[r] -= missing[r];
}

/* Copies the part of multipliers that acts on N and T of a touch. */
static void read_part(const mbs_system *system, const mbs_touch *touch, const double *null, double *out) {
  const mbs_touch *carrier = mbs_touch_carrier(system->model, touch);
  const mbs_touch_state *carried = &system->touches->at[carrier - system->model->touches];
  out[0] = carrier->sides == 0 ? 0 : mbs_touch_signed(carried, null[mbs_touch_normal(carrier)]);
  for (int c = 0; c < touch->tangents; c++) out[1 + c] = null[mbs_touch_tangent(touch) + c];
}

/* ---- conditions ---------------------------------------------------------------------------------------------- */

/* Returns true if N and T of all touches satisfy their conditions. */
static bool all_hold(const mbs_system *system) {
  const mbs_touches *self = system->touches;
  for (size_t k = 0; k < self->present_count; k++) {
    const mbs_touch *touch = &system->model->touches[self->present[k]];
    const mbs_touch_state *state = &self->at[self->present[k]];
    if (touch->sides > 0 && state->closed && state->N < 0) return false;
    if (state->friction == MBS_STICKS && mbs_touch_spare_friction(system, touch, state) < 0) return false;
  }
  return true;
}

/* Adds the present multipliers of dependent rows to N and T. */
static void add_given(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_touches *self = system->touches;
  double part[ENTRIES];
  bool any = false;
  memset(self->lambda, 0, model->rows * sizeof *self->lambda);
  for (size_t k = 0; k < self->dependent_count; k++) {
    const int r = self->dependent[k];
    self->lambda[r] = self->given[(size_t)r - model->bilateral_rows];
    any |= self->lambda[r] != 0;
  }
  if (!any) return;
  complete_null(system, self->lambda);
  for (size_t k = 0; k < self->present_count; k++) {
    const mbs_touch *touch = &model->touches[self->present[k]];
    mbs_touch_state *state = &self->at[self->present[k]];
    read_part(system, touch, self->lambda, part);
    state->N += part[0];
    for (int c = 0; c < touch->tangents; c++) state->T[c] += part[1 + c];
  }
}

/* ---- null vectors -------------------------------------------------------------------------------------------- */

/* Share of the largest entry below which entries of null vectors are rounding. */
static const double null_rounding = 1e-10;

/* Allocates the arrays and computes the null vectors; touches on which they do not act are left out. */
static bool open_sharing(sharing *self) {
  mbs_system *system = self->system;
  const mbs_touches *touches = system->touches;
  const size_t k = touches->present_count, d = touches->dependent_count;
  double part[ENTRIES] = {0};
  self->columns = d;
  self->touch = mbs_arena_alloc(self->arena, k, sizeof *self->touch);
  self->mu = mbs_arena_alloc(self->arena, k, sizeof *self->mu);
  self->G = mbs_arena_alloc(self->arena, k * ENTRIES * d, sizeof *self->G);
  self->u0 = mbs_arena_alloc(self->arena, k * ENTRIES, sizeof *self->u0);
  self->u = mbs_arena_alloc(self->arena, k * ENTRIES, sizeof *self->u);
  self->z = mbs_arena_alloc(self->arena, d + 1, sizeof *self->z);
  self->next = mbs_arena_alloc(self->arena, d + 1, sizeof *self->next);
  self->gradient = mbs_arena_alloc(self->arena, d + 1, sizeof *self->gradient);
  self->H = mbs_arena_alloc(self->arena, (d + 1) * (d + 1), sizeof *self->H);
  self->workspace = mbs_arena_alloc(self->arena, mbs_lapack_workspace(d + 1, d + 1), sizeof(double));
  double *all = mbs_arena_alloc(self->arena, k * ENTRIES * d, sizeof *all);
  if (!self->touch || !self->mu || !self->G || !self->u0 || !self->u || !self->z || !self->next || !self->gradient ||
      !self->H || !self->workspace || !all)
    return false;
  for (size_t c = 0; c < d; c++) {
    memset(touches->lambda, 0, system->model->rows * sizeof *touches->lambda);
    touches->lambda[touches->dependent[c]] = 1;
    complete_null(system, touches->lambda);
    for (size_t i = 0; i < k; i++) {
      const int t = touches->present[i];
      read_part(system, &system->model->touches[t], touches->lambda, part);
      for (int e = 0; e < 1 + system->model->touches[t].tangents; e++) all[(i * ENTRIES + (size_t)e) * d + c] = part[e];
    }
  }
  self->force = 0;
  for (size_t i = 0; i < k; i++) {
    const int t = touches->present[i];
    const mbs_touch *touch = &system->model->touches[t];
    const mbs_touch_state *state = &touches->at[t];
    const double *from = all + i * ENTRIES * d;
    double acts = 0;
    for (size_t e = 0; e < ENTRIES * d; e++) acts = fmax(acts, fabs(from[e]));
    if (acts <= null_rounding) continue;
    memcpy(self->G + self->count * ENTRIES * d, from, ENTRIES * d * sizeof *from);
    double *u = self->u0 + self->count * ENTRIES;
    u[0] = state->N;
    for (int c = 0; c < touch->tangents && state->friction == MBS_STICKS; c++) u[1 + c] = state->T[c];
    for (int e = 0; e < ENTRIES; e++) self->force = fmax(self->force, fabs(u[e]));
    self->mu[self->count] = state->friction == MBS_STICKS ? touch->cls->friction(system, touch)->mu_static : 0;
    self->touch[self->count++] = t;
  }
  for (size_t e = 0; e < self->count * ENTRIES && self->force > 0; e++) self->u0[e] /= self->force;
  return true;
}

/* Computes u = u0 + G z. */
static void move(const sharing *self, const double *z) {
  for (size_t e = 0; e < self->count * ENTRIES; e++) {
    double sum = self->u0[e];
    for (size_t c = 0; c < self->columns; c++) sum += self->G[e * self->columns + c] * z[c];
    self->u[e] = sum;
  }
}

/* Sets N and T for the changes z. */
static void accept(const sharing *self) {
  mbs_system *system = self->system;
  const mbs_touches *touches = system->touches;
  move(self, self->z);
  for (size_t i = 0; i < self->count; i++) {
    mbs_touch_state *state = &touches->at[self->touch[i]];
    const double *u = self->u + i * ENTRIES;
    if (mbs_touch_carrier(system->model, &system->model->touches[self->touch[i]])->sides > 0)
      state->N = self->force * u[0];
    for (int c = 0; c < system->model->touches[self->touch[i]].tangents && state->friction == MBS_STICKS; c++)
      state->T[c] = self->force * u[1 + c];
  }
}

/* ---- the largest margin -------------------------------------------------------------------------------------- */

static bool is_closed(const sharing *self, size_t i) { return self->system->model->touches[self->touch[i]].sides > 0; }
static bool sticks(const sharing *self, size_t i) {
  return self->system->touches->at[self->touch[i]].friction == MBS_STICKS;
}

/* Returns the smallest margin at the present u. */
static double least_margin(const sharing *self) {
  double least = INFINITY;
  for (size_t i = 0; i < self->count; i++) {
    const double *u = self->u + i * ENTRIES;
    if (is_closed(self, i)) least = fmin(least, u[0]);
    if (sticks(self, i)) least = fmin(least, self->mu[i] * u[0] - mbs_slip_length(u + 1, MBS_TANGENTS_MAX));
  }
  return least;
}

/* Smaller loads, as a share of the largest one, count as this one: their friction is next to nothing. Chosen: so the
 * weights of the others are not lost in rounding. */
static const double least_load = 1e-5;

/* Returns the sum of squares of T / N; infinite if a load would pull. */
static double sum_of_shares(const sharing *self, const double *z) {
  double sum = 0;
  move(self, z);
  for (size_t i = 0; i < self->count; i++) {
    const double *u = self->u + i * ENTRIES, T = mbs_slip_length(u + 1, MBS_TANGENTS_MAX);
    if (is_closed(self, i) && u[0] < -null_rounding) return INFINITY;
    const double share = T / fmax(u[0], least_load);
    if (sticks(self, i)) sum += share * share;
  }
  return isfinite(sum) ? sum : INFINITY;
}

/* Returns -t tau, or t times the sum of squares, half the square of z, and the barrier at z and tau = z[columns];
 * infinite outside. */
static double value_at(const sharing *self, const double *z, double t) {
  const double tau = z[self->columns];
  double sum = self->sums ? t * sum_of_shares(self, z) : -t * tau;
  for (size_t c = 0; c < self->columns; c++) sum += 0.5 * z[c] * z[c];
  move(self, z);
  for (size_t i = 0; i < self->count; i++) {
    const double *u = self->u + i * ENTRIES, a = self->mu[i] * u[0] - tau;
    const double length = mbs_slip_length(u + 1, MBS_TANGENTS_MAX);
    if (is_closed(self, i)) {
      if (!(u[0] > tau)) return INFINITY;
      sum -= log(u[0] - tau);
    }
    if (!sticks(self, i)) continue;
    if (!(a > length)) return INFINITY;
    sum -= log((a - length) * (a + length));
  }
  return sum;
}

/* Adds `scale` b b' to H, and `slope` b to the gradient. */
static void add_rank_one(const sharing *self, const double *b, double scale, double slope) {
  const size_t n = self->columns + 1;
  for (size_t j = 0; j < n; j++) {
    if (b[j] == 0) continue;
    self->gradient[j] += slope * b[j];
    for (size_t k = 0; k < n; k++) self->H[j * n + k] += scale * b[j] * b[k];
  }
}

/* Adds half the gradient of the sum of squares at the present u, and its Hessian without the curvature of T / N; both
 * times `scale`. */
static void add_shares(const sharing *self, double scale) {
  const size_t d = self->columns;
  double *b = self->next;
  for (size_t i = 0; i < self->count; i++) {
    const double *u = self->u + i * ENTRIES, *G = self->G + i * ENTRIES * d, N = fmax(u[0], least_load);
    for (int e = 1; e < ENTRIES && sticks(self, i); e++) {
      /* d (T/N) = (dT - T/N dN) / N */
      for (size_t c = 0; c < d; c++) b[c] = (G[(size_t)e * d + c] - u[e] / N * G[c]) / N;
      b[d] = 0;
      add_rank_one(self, b, scale, scale * u[e] / N);
    }
  }
}

/* Removes the columns that stay from gradient and Hessian, and gives those without effect a pivot. */
static void keep_unused(const sharing *self) {
  const size_t d = self->columns, n = d + 1;
  for (size_t c = 0; c < n; c++) {
    const bool stays = c == d ? self->sums : self->used && !self->used[c];
    for (size_t k = 0; k < n && stays; k++) self->gradient[c] = self->H[c * n + k] = self->H[k * n + c] = 0;
    self->H[c * n + c] += self->H[c * n + c] == 0;
  }
}

/* Computes gradient and Hessian at the present u. */
static void differentiate(const sharing *self, double tau, double t) {
  const size_t d = self->columns, n = d + 1;
  double *b = self->next;
  memset(self->gradient, 0, n * sizeof *self->gradient);
  memset(self->H, 0, n * n * sizeof *self->H);
  if (self->sums)
    add_shares(self, 2 * t);
  else
    self->gradient[d] = -t;
  for (size_t c = 0; c < d; c++) {
    self->gradient[c] += self->z[c];
    self->H[c * n + c] += 1;
  }
  for (size_t i = 0; i < self->count; i++) {
    const double *u = self->u + i * ENTRIES, *G = self->G + i * ENTRIES * d;
    if (is_closed(self, i)) {
      const double s = u[0] - tau;
      for (size_t c = 0; c < d; c++) b[c] = G[c];
      b[d] = -1;
      add_rank_one(self, b, 1 / (s * s), -1 / s);
    }
    if (!sticks(self, i)) continue;
    const double a = self->mu[i] * u[0] - tau, length = mbs_slip_length(u + 1, MBS_TANGENTS_MAX);
    const double q = (a - length) * (a + length);
    /* q' = 2 (a a' - T.T'), -log(q)'' = q' q'' / q^2 - q'' / q */
    for (size_t c = 0; c < n; c++) {
      b[c] = c < d ? 2 * a * self->mu[i] * G[c] : -2 * a;
      for (int e = 1; e < ENTRIES && c < d; e++) b[c] -= 2 * u[e] * G[(size_t)e * d + c];
    }
    add_rank_one(self, b, 1 / (q * q), -1 / q);
    for (size_t c = 0; c < n; c++) b[c] = c < d ? self->mu[i] * G[c] : -1;
    add_rank_one(self, b, -2 / q, 0);
    for (int e = 1; e < ENTRIES; e++) {
      for (size_t c = 0; c < d; c++) b[c] = G[(size_t)e * d + c];
      b[d] = 0;
      add_rank_one(self, b, 2 / q, 0);
    }
  }
}

/* Takes a Newton step with a search along it. Returns the decrement, or 0 if the step is lost in rounding. */
static double newton_step(sharing *self, double t) {
  const size_t n = self->columns + 1;
  const double before = value_at(self, self->z, t);
  differentiate(self, self->z[self->columns], t);
  keep_unused(self);
  double *step = self->gradient, decrement = 0, share = 1;
  double *slope = self->workspace;
  self->workspace += n;
  memcpy(slope, step, n * sizeof *slope);
  const bool solved = mbs_linear_solve(n, self->H, step, self->workspace);
  self->workspace = slope;
  for (size_t j = 0; j < n; j++) decrement += slope[j] * step[j];
  if (!solved || !(decrement > 0)) return 0;
  for (int k = 0; k < HALVINGS; k++, share *= 0.5) {
    for (size_t j = 0; j < n; j++) self->next[j] = self->z[j] - share * step[j];
    if (!(value_at(self, self->next, t) < before - 0.1 * share * decrement)) continue;
    memcpy(self->z, self->next, n * sizeof *self->z);
    return decrement;
  }
  return 0;
}

/* Decrement that ends the steps at one t; factor from t to t; gap that counts as none, a few units of rounding. */
static const double centred = 1e-2, growth = 8, rounding = 1e-14;
enum { NEWTON = 40 };

/* Moves z to where all conditions hold, or to about the largest of their smallest margins if they cannot. */
static void find_largest_margin(sharing *self) {
  const size_t d = self->columns;
  double theta = 0;
  for (size_t i = 0; i < self->count; i++) theta += (sticks(self, i) ? 2 : 0) + (is_closed(self, i) ? 1 : 0);
  move(self, self->z);
  self->z[d] = least_margin(self) - 1;
  for (double t = theta; theta / t > rounding; t *= growth) {
    const double gap = theta / t;
    for (int k = 0; k < NEWTON && !(self->z[d] > 0.5 * gap) && newton_step(self, t) > centred; k++) continue;
    const double tau = self->z[d];
    if (tau > 0.5 * gap || tau + gap < 0) break;
  }
}

/* ---- least sums ---------------------------------------------------------------------------------------------- */

/* Makes the weighted sum of squares of N + shift least, by the columns of normal rows. */
static void share_weighted(sharing *self, const bool *used, const double *weight, const double *shift) {
  const size_t d = self->columns, n = d + 1;
  memset(self->H, 0, n * n * sizeof *self->H);
  memset(self->gradient, 0, n * sizeof *self->gradient);
  for (size_t c = 0; c < n; c++) self->H[c * n + c] = c < d && used[c] ? 0 : 1;
  for (size_t i = 0; i < self->count; i++) {
    const double *G = self->G + i * ENTRIES * d;
    for (size_t a = 0; a < d; a++) {
      if (!used[a]) continue;
      self->gradient[a] -= weight[i] * G[a] * (self->u[i * ENTRIES] + shift[i]);
      for (size_t b = 0; b < d; b++)
        if (used[b]) self->H[a * n + b] += weight[i] * G[a] * G[b];
    }
  }
  if (mbs_linear_solve(n, self->H, self->gradient, self->workspace))
    for (size_t c = 0; c < d; c++) self->z[c] += self->gradient[c];
  move(self, self->z);
}

/* Makes the sum of squares of N least. Surfaces that would pull have N = 0: a large weight, and a shift by which it is
 * exact (the method of multipliers: Bertsekas, Constrained Optimization and Lagrange Multiplier Methods, 1982). */
static void share_loads(sharing *self, const bool *used) {
  /* weight of a load that is zero; chosen: two rounds make it zero to rounding */
  static const double heavy = 1e8;
  double *weight = mbs_arena_alloc(self->arena, self->count + 1, sizeof *weight);
  double *shift = mbs_arena_alloc(self->arena, self->count + 1, sizeof *shift);
  if (!weight || !shift) return;
  for (size_t i = 0; i < self->count; i++) weight[i] = 1;
  bool pulls = true;
  for (size_t round = 0; round <= self->count && pulls; round++) {
    share_weighted(self, used, weight, shift);
    pulls = false;
    for (size_t i = 0; i < self->count; i++) {
      const double N = self->u[i * ENTRIES];
      if (!is_closed(self, i) || !(weight[i] > 1 ? fabs(N) > null_rounding : N < -null_rounding)) continue;
      shift[i] += weight[i] > 1 ? N : 0;
      weight[i] = heavy;
      pulls = true;
    }
  }
}

/* Makes the sum of squares of T / N least by Gauss-Newton steps along the columns used. */
static void share_friction(sharing *self) {
  enum { STEPS = 60 };
  static const double least_gain = 1e-14;
  const size_t d = self->columns, n = d + 1;
  for (int k = 0; k < STEPS; k++) {
    const double before = sum_of_shares(self, self->z);
    memset(self->H, 0, n * n * sizeof *self->H);
    memset(self->gradient, 0, n * sizeof *self->gradient);
    add_shares(self, 1);
    keep_unused(self);
    if (!mbs_linear_solve(n, self->H, self->gradient, self->workspace)) return;
    double share = 1, after = INFINITY;
    for (int h = 0; h < HALVINGS && !(after < before); h++, share *= 0.5) {
      for (size_t c = 0; c < d; c++) self->next[c] = self->z[c] - share * self->gradient[c];
      after = sum_of_shares(self, self->next);
    }
    if (!(after < before)) return;
    memcpy(self->z, self->next, d * sizeof *self->z);
    if (before - after <= least_gain * before) return;
  }
}

/* Makes the sum least within the cones, from a z inside them. */
static void share_inside(sharing *self) {
  const double size = sum_of_shares(self, self->z);
  const double theta = (double)(3 * self->count);
  self->z[self->columns] = 0;
  self->sums = true;
  for (double t = theta / size; theta / t > rounding * size; t *= growth)
    for (int k = 0; k < NEWTON && newton_step(self, t) > centred; k++) continue;
  self->sums = false;
}

/* Shares loads, as equally as possible without pulling. */
static void share_all_loads(sharing *self, const bool *loads) {
  share_loads(self, loads);
  if (isfinite(sum_of_shares(self, self->z))) return;
  memset(self->z, 0, self->columns * sizeof *self->z); /* equal loads would pull */
  find_largest_margin(self);
}

/* Shares loads first, then friction, from u at z = 0. Limits without friction share with it: they hold instead of it.
 * If that is outside the cones, friction is shared within them, and if these loads do not allow it, loads and friction
 * together. */
static void find_least(sharing *self) {
  static const double outside = 1e-12; /* share of the forces that is rounding */
  const mbs_system *system = self->system;
  const mbs_touches *touches = system->touches;
  const size_t d = self->columns;
  bool *loads = mbs_arena_alloc(self->arena, d + 1, sizeof *loads);
  bool *friction = mbs_arena_alloc(self->arena, d + 1, sizeof *friction), any[2] = {false, false};
  double *z = mbs_arena_alloc(self->arena, d + 1, sizeof *z);
  if (!loads || !friction || !z) return;
  for (size_t c = 0; c < d; c++) {
    const int r = touches->dependent[c];
    const mbs_touch *touch = touch_of_row(system->model, r);
    loads[c] = r < mbs_touch_tangent(touch);
    friction[c] = !loads[c] || touch->tangents == 0;
    any[0] |= loads[c];
    any[1] |= friction[c];
  }
  if (any[0]) share_all_loads(self, loads);
  memcpy(z, self->z, (d + 1) * sizeof *z);
  self->used = friction;
  if (any[1] && isfinite(sum_of_shares(self, self->z))) share_friction(self);
  move(self, self->z);
  if (least_margin(self) >= -outside) return;
  for (int together = !any[1]; together < 2; together++) {
    memcpy(self->z, z, (d + 1) * sizeof *z);
    for (size_t c = 0; c < d; c++) friction[c] |= together;
    find_largest_margin(self);
    if (!(self->z[d] > 0)) continue; /* none is inside, or only the one with the largest margin */
    share_inside(self);
    return;
  }
}

/* theory (7.21) */
void mbs_touches_share(mbs_system *system, mbs_sharing to) {
  mbs_touches *touches = system->touches;
  touches->dependent_count = 0;
  for (size_t k = 0; k < touches->present_count; k++) {
    const mbs_touch *touch = &system->model->touches[touches->present[k]];
    for (int r = touch->first_row; r < touch->first_row + mbs_touch_rows(touch); r++)
      if (is_dependent(system, r)) touches->dependent[touches->dependent_count++] = r;
  }
  if (touches->dependent_count == 0) return;
  if (to == MBS_SHARE_TO_HOLD) {
    add_given(system);
    if (all_hold(system)) return;
  }
  sharing self = {.system = system, .arena = mbs_arena_new(system->model->limits.memory)};
  if (self.arena && open_sharing(&self) && self.force > 0) {
    move(&self, self.z);
    if (to == MBS_SHARE_TO_HOLD) {
      /* others may violate their conditions */
      if (least_margin(&self) < 0) find_largest_margin(&self);
      for (size_t c = 0; c < self.columns; c++)
        touches->given[(size_t)touches->dependent[c] - system->model->bilateral_rows] += self.force * self.z[c];
    } else {
      find_least(&self);
    }
    accept(&self);
  }
  mbs_arena_free(self.arena);
}
