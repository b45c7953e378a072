/* Finds a static equilibrium by Newton's iteration in the degrees of freedom that the constraints leave. The columns of
 * N are an orthonormal basis of the null space of C:
 *
 *   g = N' h,    K = -N' d/dq (h + C' lambda) N,    K z = g,    q += N z,
 *
 * where lambda is the least-squares solution of C' lambda = -h. K is the exact tangent stiffness, including that of the
 * constraint forces. Displacements and rows are scaled by their units (v_units, row_units), and forces inversely, so
 * that translations and rotations are comparable.
 *
 * If K is not positive definite, Newton's step may lead uphill, to an unstable equilibrium. Then the absolute values of
 * the eigenvalues of its symmetric part are used, so that every component of the step follows the force, limited by a
 * trust radius. A step is accepted if the work of the forces on it is about what the linear equations predict. For
 * conservative forces the potential energy decreases, and its minima are the stable equilibria.
 *
 * Follower forces have no potential, and that descent may not end. If it fails, Newton's iteration minimizes the
 * unbalanced force.
 *
 * Rows of velocity level are rows of C: steps are motions that they allow, along which the forces balance. Such motions
 * connect equilibria with others, downhill with ever more distant ones. So Newton's iteration with steps of minimum
 * norm finds one near the start; the descent follows only if it fails, as where the stiffness is zero. theory (15.15)
 */
#include "simulate/static_equilibrium.h"

#include "base/norms.h"
#include "constraints/rank.h"
#include "equations/contacts.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "model/rows.h"
#include "results/columns.h"
#include "run/found_equilibrium.h"
#include "run/run_errors.h"
#include "run/touch_checks.h"
#include "simulate/standing_coordinates.h"
#include "simulate/statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The search ends when the trust radius exceeds this [units]: an equilibrium so far away does not count. */
static const double farthest = 1e7;
/* Euler parameters determine rotations of less than half a revolution: largest rotation of such a body in a step
 * [rad]. */
static const double farthest_turn = 1;
/* Eigenvalues below this share of the largest do not determine stability, because of errors of the differences. */
static const double neutral_share = 1e-8;
/* If a stiffness of a single coordinate exceeds the usual one by the factor `unequal`, its unit is multiplied by a
 * factor that equalizes it, at least `smallest_unit`. */
static const double unequal = 1e3, smallest_unit = 1e-7;

void mbs_statics_set_sticking(mbs_statics *self, size_t sticking) {
  const mbs_model *model = self->run->model;
  mbs_row_parts *parts = &self->parts;
  self->all = self->m + sticking;
  for (size_t r = 0; r < self->m; r++) self->row[r] = (int)r;
  mbs_row_parts_find(parts, model, self->row, self->all, self->velocity, self->n, &model->parts, sticking > 0);
  for (size_t p = 0, at = 0; p < parts->count; at += mbs_square((size_t)parts->items[p++].columns))
    self->of[p].square0 = at;
  for (size_t r = 0; r < self->all; r++)
    self->row_at[parts->items[parts->row_part[r]].row0 + (size_t)parts->row_within[r]] = (int)r;
  for (size_t k = 0; k < self->n; k++)
    self->velocity_at[parts->items[parts->column_part[k]].column0 + (size_t)parts->column_within[k]] = (int)k;
}

static bool open_statics(mbs_statics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  const size_t most = self->run->system->sliding->most;
  size_t n = self->n = model->nv, m = model->rows + most;
  self->m = self->all = model->rows;
  self->sticking = mbs_arena_alloc(arena, most + 1, sizeof *self->sticking);
  if (!self->sticking) return false;
  if (model->touch_count) {
    self->touches = mbs_arena_alloc(arena, model->touch_count, sizeof *self->touches);
    if (!self->touches) return false;
  }
  const struct {
    int **array;
    size_t count;
  } lists[] = {{&self->row, m}, {&self->velocity, n}, {&self->row_at, m}, {&self->velocity_at, n}};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!(*lists[i].array = mbs_arena_alloc(arena, lists[i].count + 1, sizeof(int)))) return false;
  for (size_t r = 0; r < self->m; r++) self->row[r] = (int)r;
  for (size_t k = 0; k < n; k++) self->velocity[k] = (int)k;
  self->of = mbs_arena_alloc(arena, n + m + 1, sizeof *self->of);
  if (!self->of || !mbs_row_parts_open(&self->parts, arena, m, n)) return false;
  size_t entries = 0, squares = 0;
  for (int sticking = 1; sticking >= 0; sticking--) {
    mbs_statics_set_sticking(self, sticking ? most : 0);
    const size_t parts = self->parts.count;
    if (self->parts.entries > entries) entries = self->parts.entries;
    for (size_t p = 0, sum = 0; p < parts; p++)
      if ((sum += mbs_square((size_t)self->parts.items[p].columns)) > squares) squares = sum;
  }
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->N, squares},
                {&self->F, n},
                {&self->F_trial, n},
                {&self->K, squares},
                {&self->vectors, squares},
                {&self->values, n},
                {&self->g, n},
                {&self->z, n},
                {&self->dq, n},
                {&self->q, model->nq},
                {&self->move, n},
                {&self->held, most * n},
                {&self->lambda, m},
                {&self->lambda_trial, m},
                {&self->kept_units, n},
                {&self->jacobian, entries},
                {&self->rates, model->nz},
                {&self->plain, n + m},
                {&self->A, entries > squares ? entries : squares},
                {&self->workspace, mbs_lapack_workspace(n, m > n ? m : n) + m}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double)))) return false;
  return true;
}

/* Computes the rows of the laws that stick, scaled, of length 1. */
static void find_held(mbs_statics *self) {
  const mbs_system *system = self->run->system;
  for (size_t i = 0; i < self->all - self->m; i++) {
    double *row = self->held + i * self->n, square = 0;
    mbs_sliding_row(self->run->system, self->sticking[i].leader, self->sticking[i].order, row);
    for (size_t k = 0; k < self->n; k++) {
      row[k] *= system->v_units[k];
      square += row[k] * row[k];
    }
    for (size_t k = 0; k < self->n && square > 0; k++) row[k] /= sqrt(square);
  }
}

void mbs_statics_read_forces(const mbs_statics *self) {
  mbs_system *system = self->run->system;
  if (system->model->relative) {
    memcpy(system->vdot, self->motion.vdot, self->n * sizeof *system->vdot);
    system->model->kernels->residual_forces(system);
  } else {
    system->model->kernels->generalized_forces(system);
  }
}

void mbs_statics_forces_at(mbs_statics *self, const double *q) {
  mbs_system *system = self->run->system;
  system->evaluations++;
  mbs_set_position(system, self->t, q);
  (void)mbs_steady_set(&self->motion); /* if it fails, the forces are not finite */
  if (self->stands) mbs_sliding_hold(system, self->t, q, self->motion.v);
  find_held(self);
  if (system->feedback || system->model->rates_read_reactions) /* the motion at rest has the reactions of rest */
    self->failed = mbs_evaluate(system, self->t, q, self->motion.v);
  if (self->m) mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  mbs_apply_forces(system);
  mbs_statics_read_forces(self);
  mbs_states_rates(system, self->rates);
}

void mbs_statics_set_velocities(mbs_statics *self) {
  mbs_run_state *run = self->run;
  mbs_set_position(run->system, self->t, run->q);
  (void)mbs_steady_set(&self->motion); /* mbs_statics_forces_at() has found that it is finite */
  memcpy(run->v, self->motion.v, self->n * sizeof *run->v);
}

/* Returns true for rows of added drivers that do not count: redundant ones, or all. */
static bool is_left_out(const mbs_statics *self, size_t r) {
  const mbs_system *system = self->run->system;
  return r >= mbs_given_rows(system->model) && r < system->model->bilateral_rows &&
         (self->released || !system->active[r]);
}

/* Computes C at the current position with the rows of the laws that stick, scaled, into out [parts.entries]: for each
 * part by column. */
static void jacobian_in_units(const mbs_statics *self, double *out) {
  for (size_t r = 0; r < self->m; r++) self->row[r] = is_left_out(self, r) ? -1 : (int)r;
  mbs_row_parts_gather(&self->parts, self->run->system, self->row, self->velocity, out);
  for (size_t k = 0; k < self->n; k++) /* with these rows there is one part */
    for (size_t i = self->m; i < self->all; i++) out[k * self->all + i] = self->held[(i - self->m) * self->n + k];
}

void mbs_statics_balance_with(const mbs_statics *self, const double *lambda, double *out) {
  const mbs_system *system = self->run->system;
  memset(out, 0, self->n * sizeof *out);
  if (self->m) mbs_jacobian_transposed(system, lambda, out);
  for (size_t k = 0; k < self->n; k++) {
    out[k] = (system->h[k] + out[k]) * system->v_units[k];
    for (size_t i = self->m; i < self->all; i++) out[k] += self->held[(i - self->m) * self->n + k] * lambda[i];
  }
}

void mbs_statics_displace(const mbs_statics *self, const double *dq) {
  mbs_run_state *run = self->run;
  for (size_t k = 0; k < self->n; k++) self->move[k] = dq[k] * run->system->v_units[k];
  mbs_displace(run->model, run->q, self->move, self->q);
}

/* Computes the scaled multipliers of a part: least norm(F + C' lambda). */
static bool balance_part(mbs_statics *self, size_t p, const double *F, double *lambda) {
  const mbs_row_part *part = &self->parts.items[p];
  const size_t rows = (size_t)part->rows, columns = (size_t)part->columns;
  const int *velocities = self->velocity_at + part->column0, *row = self->row_at + part->row0;
  const double *C = self->jacobian + part->value0;
  double *missing = self->plain, *multipliers = missing + columns;
  if (rows == 0) return true;
  for (size_t r = 0; r < rows; r++)
    for (size_t k = 0; k < columns; k++) self->A[r * columns + k] = C[k * rows + r];
  for (size_t k = 0; k < columns; k++) missing[k] = -F[velocities[k]];
  if (mbs_least_squares(columns, rows, self->A, missing, mbs_rank_tolerance, multipliers, self->workspace) < 0)
    return false;
  for (size_t r = 0; r < rows; r++) lambda[row[r]] = multipliers[r];
  return true;
}

mbs_status mbs_statics_balance(mbs_statics *self, const double *q, double *F, double *lambda) {
  mbs_system *system = self->run->system;
  size_t n = self->n, all = self->all;
  mbs_statics_forces_at(self, q);
  if (self->failed != MBS_OK) return self->failed;
  for (size_t k = 0; k < n; k++) F[k] = system->h[k] * system->v_units[k];
  if (F == self->F) self->scale = fmax(self->scale, mbs_largest(F, n)); /* not from trial positions */
  if (all) {
    jacobian_in_units(self, self->jacobian);
    for (size_t p = 0; p < self->parts.count; p++)
      if (!balance_part(self, p, F, lambda)) return MBS_NOT_FINITE;
    for (size_t r = 0; r < self->m; r++) lambda[r] /= system->row_units[r];
    /* F = h + C' lambda */
    mbs_statics_balance_with(self, lambda, F);
  }
  return isfinite(mbs_largest(F, n)) ? MBS_OK : MBS_NOT_FINITE;
}

mbs_status mbs_statics_find_freedoms(mbs_statics *self) {
  self->freedoms = self->groups = 0;
  jacobian_in_units(self, self->jacobian);
  for (size_t p = 0; p < self->parts.count; p++) {
    const mbs_row_part *part = &self->parts.items[p];
    mbs_statics_part *of = &self->of[p];
    const size_t n = (size_t)part->columns, m = (size_t)part->rows, least = m < n ? m : n;
    double *values = self->plain, *Vt = self->K, *N = self->N + of->square0;
    size_t rank = 0;
    if (!mbs_singular_values(m, n, self->jacobian + part->value0, values, Vt, self->workspace)) return MBS_NOT_FINITE;
    while (rank < least && values[rank] > mbs_rank_tolerance * values[0]) rank++;
    of->freedom0 = self->freedoms;
    of->freedoms = n - rank;
    self->freedoms += of->freedoms;
    if (of->freedoms > self->groups) self->groups = of->freedoms;
    for (size_t j = 0; j < of->freedoms; j++)
      for (size_t k = 0; k < n; k++) N[j * n + k] = Vt[k * n + rank + j];
  }
  return MBS_OK;
}

void mbs_statics_project(const mbs_statics *self, const double *x, double *out) {
  for (size_t p = 0; p < self->parts.count; p++) {
    const size_t n = (size_t)self->parts.items[p].columns;
    const int *velocities = self->velocity_at + self->parts.items[p].column0;
    for (size_t j = 0; j < self->of[p].freedoms; j++) {
      const double *column = self->N + self->of[p].square0 + j * n;
      double sum = 0;
      for (size_t k = 0; k < n; k++) sum += column[k] * x[velocities[k]];
      out[self->of[p].freedom0 + j] = sum;
    }
  }
}

void mbs_statics_expand(const mbs_statics *self, const double *z, double factor, double *dq) {
  memset(dq, 0, self->n * sizeof *dq);
  for (size_t p = 0; p < self->parts.count; p++) {
    const size_t n = (size_t)self->parts.items[p].columns;
    const int *velocities = self->velocity_at + self->parts.items[p].column0;
    for (size_t j = 0; j < self->of[p].freedoms; j++) {
      const double *column = self->N + self->of[p].square0 + j * n, share = factor * z[self->of[p].freedom0 + j];
      for (size_t k = 0; k < n && share != 0; k++) dq[velocities[k]] += column[k] * share;
    }
  }
}

/* Returns true if the step dq rotates a body too far for Euler parameters to determine counted angles. */
static bool turns_too_far(const mbs_statics *self) {
  const mbs_model *model = self->run->model;
  if (model->kernels->integrated_angles(model) == 0) return false;
  for (size_t b = 1; b <= model->nB; b++) {
    int velocities = model->first_v[b + 1] - model->first_v[b];
    if (model->first_q[b + 1] - model->first_q[b] == velocities) continue;
    if (mbs_largest(self->dq + model->first_v[b + 1] - 3, 3) > farthest_turn) return true;
  }
  return false;
}

bool mbs_statics_move(mbs_statics *self, double share) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  mbs_correction ignored = {0};
  mbs_error quiet = {0}, *error = system->error;
  mbs_statics_expand(self, self->z, share, self->dq);
  if (turns_too_far(self)) return false;
  mbs_statics_displace(self, self->dq);
  system->error = &quiet;
  const mbs_status status = mbs_correct_positions(system, run->model->t_start, self->q, &ignored, run->workspace);
  system->error = error;
  return status == MBS_OK;
}

bool mbs_statics_go(mbs_statics *self, double *lambda) {
  mbs_system *system = self->run->system;
  mbs_error quiet = {0}, *error = system->error;
  if (!mbs_statics_move(self, 1)) return false;
  system->error = &quiet;
  const mbs_status status = mbs_statics_balance(self, self->q, self->F_trial, lambda);
  system->error = error;
  return status == MBS_OK;
}

/* Tries the step z, to self->q and F_trial. Returns the work or decrease achieved as a share of the predicted one;
 * negative if the step fails. theory (15.5) */
static double try_step(mbs_statics *self, double *lambda) {
  double work = 0;
  if (!mbs_statics_go(self, lambda) || !(self->promised > 0)) return -1;
  /* achieved: (F_0 + F_1).dq / 2 */
  for (size_t k = 0; k < self->n; k++) work += 0.5 * (self->F[k] + self->F_trial[k]) * self->dq[k];
  double share =
      (self->downhill ? work : mbs_sum_of_squares(self->F, self->n) - mbs_sum_of_squares(self->F_trial, self->n)) /
      self->promised;
  return isfinite(share) ? share : -1; /* forces may be so large that their work overflows */
}

mbs_status mbs_statics_fail(mbs_statics *self, const char *reason) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  size_t worst = 0;
  for (size_t i = 0; i < model->nv; i++)
    if (fabs(self->F[model->user_v[i]]) > fabs(self->F[model->user_v[worst]])) worst = i;
  int velocity = model->user_v[worst], body = model->velocity_body[velocity];
  int joint = model->tree_joint[body];
  const char *name = joint < 0 ? model->bodies[body].name : model->joints[joint].name;
  const bool single = joint >= 0 && model->first_v[body + 1] - model->first_v[body] == 1;
  mbs_columns rates;
  if (!mbs_axis_coordinates(model, 1, run->result->arena, &rates)) return MBS_NO_MEMORY;
  const bool turns = strcmp(rates.units[worst], "rad/s") == 0;
  char where[200];
  if (single)
    snprintf(where, sizeof where, "along the coordinate of '%.100s'", name);
  else if (joint < 0 && !turns)
    snprintf(where, sizeof where, "in the %c direction of '%.100s'", "xyz"[(velocity - model->first_v[body]) % 3],
             name);
  else
    snprintf(where, sizeof where, "along '%.100s'", rates.labels[worst]);
  return mbs_run_fail(run, MBS_NO_EQUILIBRIUM, model->t_start, name,
                      "%s a %s of %.3g %s %s is not balanced; if nothing holds it there, "
                      "add a spring, a stop or a driver",
                      reason, turns ? "moment" : "force", self->F[velocity] / run->system->v_units[velocity],
                      turns ? "N m" : "N", where);
}

mbs_status mbs_statics_fail_unbalanced(mbs_statics *self) {
  return mbs_statics_fail(self, self->run->model->relative ? "no relative equilibrium was found:"
                                                           : "no static equilibrium was found:");
}

/* Returns true if the remaining force is so small that only rounding prevents a better step. */
static bool nearly_balanced(const mbs_statics *self) {
  double stiffest = mbs_largest(self->values, self->freedoms);
  return mbs_largest(self->F, self->n) <= mbs_force_accepted * fmax(self->scale, stiffest);
}

/* Finds an acceptable step to self->q. Returns false if there is none. Sets *done if run->q cannot be improved. */
static bool find_good_step(mbs_statics *self, double *radius, double *lambda_trial, bool *done) {
  double force = mbs_largest(self->F, self->n);
  double size = 1 + mbs_largest_in_units(self->run->q, self->run->system->q_units, self->run->model->nq);
  do {
    double step = mbs_statics_find_step(self, *radius);
    bool tiny = step <= mbs_step_accepted * size; /* the work is rounding; the force decides */
    double share = step > 0 ? try_step(self, lambda_trial) : -1, left = mbs_largest(self->F_trial, self->n);
    *done = tiny && nearly_balanced(self) && (step == 0 || left > 0.5 * force);
    if (*done || step == 0) return false;
    if (share < 0.25) *radius = 0.25 * step;
    if (share > 0.75 && step > 0.99 * *radius) *radius *= 2;
    if (share > 0.1 || (tiny && left < force)) return true;
  } while (*radius > 1e-14);
  return false;
}

/* Tries Newton's step from a balanced position, to self->q. Returns false if it leaves more than half of the force. A
 * force that is negligible against the forces on the way may be large against those at the end. */
static bool find_finer_place(mbs_statics *self, double radius, double *lambda_trial) {
  double force = mbs_largest(self->F, self->n);
  mbs_statics_whole_step(self, radius);
  return mbs_statics_go(self, lambda_trial) && mbs_largest(self->F_trial, self->n) <= 0.5 * force;
}

mbs_status mbs_statics_arrive(mbs_statics *self) {
  mbs_run_state *run = self->run;
  mbs_status status = mbs_run_check(run, run->model->t_start);
  if (status == MBS_OK) status = mbs_statics_balance(self, run->q, self->F, self->lambda);
  if (status == MBS_OK && self->touches && mbs_statics_accept_touches(self))
    status = mbs_statics_balance(self, run->q, self->F, self->lambda);
  if (status != MBS_OK) return status;
  mbs_accept_contacts(run->system);
  run->model->kernels->remember(run->system);
  return mbs_statics_find_freedoms(self);
}

static mbs_status iterate(mbs_statics *self) {
  double *lambda_trial = self->lambda_trial;
  mbs_run_state *run = self->run;
  double radius = mbs_first_radius;
  bool done = false;
  for (int k = 0; k < MBS_STATICS_STEPS_MAX && radius < farthest; k++) {
    if (self->rubs) radius = fmin(radius, mbs_fall_step); /* where friction begins to hold depends on the path */
    mbs_status status = mbs_statics_arrive(self);
    if (status != MBS_OK) return status;
    double force = mbs_largest(self->F, self->n);
    bool balanced = force <= mbs_force_goal * self->scale;
    if (self->freedoms == 0 || force == 0) return MBS_OK;
    /* K, g = N' F */
    if ((status = mbs_statics_find_stiffness(self)) != MBS_OK) return balanced ? MBS_OK : status;
    if (!balanced && self->touches && radius > MBS_FOLLOW_STEPS_MAX * mbs_fall_step && !mbs_statics_is_stiff(self))
      break; /* it slides or falls */
    mbs_statics_project(self, self->F, self->g);
    if (balanced && !find_finer_place(self, radius, lambda_trial)) return MBS_OK;
    if (!balanced && !find_good_step(self, &radius, lambda_trial, &done)) {
      if (done) return MBS_OK;
      break;
    }
    if (self->touches && mbs_statics_stop(self)) radius = mbs_first_radius;
    memcpy(run->q, self->q, run->model->nq * sizeof *run->q);
  }
  mbs_status status = mbs_statics_balance(self, run->q, self->F, self->lambda);
  return status == MBS_OK ? mbs_statics_fail_unbalanced(self) : status;
}

mbs_status mbs_statics_examine(mbs_statics *self) {
  mbs_status status = mbs_statics_balance(self, self->run->q, self->F, self->lambda);
  if (status == MBS_OK) status = mbs_statics_find_freedoms(self);
  return status == MBS_OK && self->freedoms ? mbs_statics_find_stiffness(self) : status;
}

/* Classifies the equilibrium by the smallest eigenvalue of the stiffness at run->q: 1 stable, 0 unstable, -1
 * undecided. */
static int find_stability(mbs_statics *self) {
  const mbs_status status = mbs_statics_examine(self);
  if (self->freedoms == 0) return 1;
  if (status != MBS_OK) return -1;
  const double largest = mbs_largest(self->values, self->freedoms), smallest = mbs_statics_smallest(self);
  if (smallest > neutral_share * largest) return 1;
  return smallest < -neutral_share * largest ? 0 : -1;
}

/* Computes the stiffness of each coordinate alone into out [n]: the change of its own scaled force per scaled
 * displacement, without sign, at constant multipliers. Returns the smallest stiffness that is not zero. */
static double single_stiffnesses(mbs_statics *self, double *out) {
  const mbs_parts *parts = &self->run->model->parts;
  const size_t groups = mbs_parts_largest(parts);
  double *forces = self->plain, softest = INFINITY;
  memset(out, 0, self->n * sizeof *out);
  for (size_t g = 0; g < groups; g++)
    for (int sign = -1; sign <= 1; sign += 2) {
      memset(self->dq, 0, self->n * sizeof *self->dq);
      for (int p = 0; p < (int)parts->count; p++) {
        const int k = mbs_parts_member(parts, p, g);
        if (k >= 0) self->dq[k] = sign * mbs_difference_step;
      }
      mbs_statics_displace(self, self->dq);
      mbs_statics_forces_at(self, self->q);
      mbs_statics_balance_with(self, self->lambda, forces);
      for (size_t k = 0; k < self->n; k++)
        if (self->dq[k] != 0) out[k] += sign * forces[k] / (2 * mbs_difference_step);
    }
  for (size_t k = 0; k < self->n; k++) {
    out[k] = fabs(out[k]);
    if (out[k] > 0) softest = fmin(softest, out[k]);
  }
  return softest;
}

/* Reduces the units of velocities whose displacement causes more force than the weights; without weights, more than in
 * the softest coordinate. Returns true if that changes units much. theory (15.6) */
static bool equalize_units(mbs_statics *self) {
  mbs_system *system = self->run->system;
  double *stiffness = self->F_trial;
  const double softest = single_stiffnesses(self, stiffness), usual = self->weights > 0 ? self->weights : softest;
  const double stiffest = mbs_largest(stiffness, self->n);
  if (!(stiffest > unequal * usual && isfinite(stiffest))) return false;
  for (size_t k = 0; k < self->n; k++) {
    if (stiffness[k] > usual) system->v_units[k] *= fmax(sqrt(usual / stiffness[k]), smallest_unit);
    system->v_weights[k] = system->v_units[k] * system->v_units[k];
  }
  return true;
}

/* Iterates; if stiffnesses differ much, iterates again from the result with equalized units, because rounding of stiff
 * coordinates hides the balance of soft ones. */
static mbs_status iterate_twice(mbs_statics *self, int *stable) {
  mbs_system *system = self->run->system;
  mbs_status status = iterate(self);
  if (status != MBS_OK && status != MBS_NO_EQUILIBRIUM) return status;
  memcpy(self->kept_units, system->v_units, self->n * sizeof *self->kept_units);
  if (equalize_units(self)) {
    self->scale = self->weights;
    status = iterate(self);
  }
  if (status == MBS_OK) {
    *stable = find_stability(self);
    *self->run->error = (mbs_error){.time = NAN}; /* removes errors of earlier iterations */
  }
  for (size_t k = 0; k < self->n; k++) {
    system->v_units[k] = self->kept_units[k];
    system->v_weights[k] = system->v_units[k] * system->v_units[k];
  }
  return status;
}

mbs_status mbs_statics_search(mbs_statics *self, const double *start, const double *turns, int *stable) {
  const mbs_run_state *run = self->run;
  const size_t touches = self->touches ? run->model->touch_count : 0;
  self->downhill = run->model->velocity_rows == 0;
  if (touches) memcpy(self->touches, run->system->touches->at, touches * sizeof *self->touches);
  mbs_status status = iterate_twice(self, stable);
  if (status != MBS_NO_EQUILIBRIUM) return status;
  memcpy(run->q, start, run->model->nq * sizeof *start);
  mbs_statics_reset_touches(self);
  run->model->kernels->expect_integrated_angles(run->system, turns);
  self->downhill = !self->downhill;
  self->scale = self->weights;        /* forces during the descent must not make those at the start negligible */
  return iterate_twice(self, stable); /* if it fails, too, the first message remains */
}

static mbs_status search_all(mbs_statics *self, double *start, double *turns, const double *x0, int *stable) {
  const mbs_system *system = self->run->system;
  mbs_status status = system->touches         ? mbs_statics_search_touches(self, start, turns, NULL, stable)
                      : system->sliding->most ? mbs_statics_search_laws(self, start, turns, stable)
                                              : mbs_statics_search_falling(self, start, turns, stable);
  if (system->model->nz && (status == MBS_OK || status == MBS_NO_EQUILIBRIUM)) {
    *stable = -1; /* the stiffness does not decide */
    status = mbs_statics_search_states(self, start, x0, status == MBS_OK);
    int undecided;
    if (status == MBS_OK && system->touches) status = mbs_statics_search_touches(self, start, turns, x0, &undecided);
  }
  return status == MBS_OK && system->touches ? mbs_statics_report_held(self) : status;
}

mbs_status mbs_find_equilibrium(mbs_run_state *run, double *lambda, int *stable) {
  const mbs_model *model = run->model;
  mbs_statics self = {.run = run, .t = model->t_start};
  double *start = mbs_arena_alloc(run->system->arena, model->nq + 1, sizeof *start);
  double *turns = mbs_arena_alloc(run->system->arena, model->kernels->integrated_angles(model) + 1, sizeof *turns);
  double *x0 = mbs_arena_alloc(run->system->arena, model->nz + 1, sizeof *x0);
  if (!start || !turns || !x0 || !open_statics(&self)) return MBS_NO_MEMORY;
  memcpy(x0, run->system->z, model->nz * sizeof *x0);
  mbs_status status = mbs_steady_open(&self.motion, run);
  if (status != MBS_OK) return status;
  /* scale: the weights, and larger forces found later */
  for (size_t b = 1; b <= model->nB; b++)
    for (int k = 0; k < model->dim; k++)
      self.weights = fmax(self.weights, run->system->constants->bodies[b].mass *
                                            fabs(run->system->constants->gravity[k]) * run->system->constants->length);
  self.scale = self.weights;
  memcpy(start, run->q, model->nq * sizeof *start);
  mbs_set_position(run->system, model->t_start, start);
  model->kernels->read_integrated_angles(run->system, 0, turns);
  status = search_all(&self, start, turns, x0, stable);
  if (model->relative) status = mbs_statics_finish_motion(&self, status, stable);
  mbs_statics_set_velocities(&self);
  memcpy(run->system->vdot, self.motion.vdot, self.n * sizeof *self.motion.vdot);
  memcpy(lambda, self.lambda, model->rows * sizeof *lambda);
  if (status == MBS_OK && model->relative) status = mbs_hold_standing(run);
  return status == MBS_OK && !run->observer ? mbs_report_equilibrium(run) : status;
}
