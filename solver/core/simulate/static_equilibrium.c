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
 * Dry friction of laws with switches: laws that stick at the start hold. Their surfaces s = 0 (equations/sliding.h) are
 * rows in addition to those of C, with the friction as multipliers. All other laws at their switch have the mean of
 * their branches. At the end of the iteration, the laws are settled as in a motion, and their forces must be in
 * balance.
 *
 * Follower forces have no potential, and that descent may not end. If it fails, Newton's iteration minimizes the
 * unbalanced force.
 *
 * Rows of velocity level are rows of C: steps are motions that they allow, along which the forces balance. Such motions
 * connect equilibria with others, downhill with ever more distant ones. So Newton's iteration with steps of minimum
 * norm finds one near the start. theory (15.15)
 *
 * States x of the document and of elements, x' = r, first keep their start values. From the equilibrium found so,
 * Newton's iteration solves for both:
 *
 *   g(q, x) = 0,   r(q, x) = 0,   in q + N z and x. */
#include "simulate/static_equilibrium.h"

#include "base/norms.h"
#include "constraints/rank.h"
#include "equations/contacts.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "model/rows.h"
#include "results/columns.h"
#include "run/found_equilibrium.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/sticking.h"
#include "run/touch_checks.h"
#include "simulate/standing_coordinates.h"
#include "simulate/steady_motion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An unbalanced force below this share of the acting forces is zero. */
static const double force_goal = 1e-13;
/* Largest force, and largest step of Newton's method, if rounding ends the iteration. */
static const double force_accepted = 1e-8, step_accepted = 1e-9;
static const double first_radius = 0.25, farthest = 1e7;
/* Euler parameters determine rotations of less than half a revolution: largest rotation of such a body in a step
 * [rad]. */
static const double farthest_turn = 1;
static const double difference_step = 1e-6;
/* Eigenvalues below this share of the largest count as zero. */
static const double zero_share = 1e-10;
/* Eigenvalues below this share of the largest do not determine stability, because of errors of the differences. */
static const double neutral_share = 1e-8;
/* Eigenvalues of the stiffness that differ less, as a share of the largest, are those of constant equations: an error
 * of the differences. */
static const double periodic_share = 1e-6;
/* If a stiffness of a single coordinate exceeds the usual one by the factor `unequal`, its unit is multiplied by a
 * factor that equalizes it, at least `smallest_unit`. */
static const double unequal = 1e3, smallest_unit = 1e-7;
enum { STEPS_MAX = 500 };

typedef struct statics {
  mbs_run_state *run;
  size_t n, m, freedoms;    /* m: number of rows of C */
  size_t all;               /* number of rows of C and of laws that stick */
  mbs_surface *sticking;    /* [all - m] */
  double *held;             /* [all - m][n] their rows, scaled, of length 1, at the current position */
  double *lambda;           /* [all] */
  double *N;                /* [n x freedoms] */
  double *F, *F_trial;      /* [n] h + C' lambda: the part of h that constraints do not balance */
  double *K, *vectors;      /* [freedoms^2] */
  double *values;           /* [freedoms] eigenvalues of the symmetric part; `vectors` has its eigenvectors */
  double *g, *z, *dq, *q;   /* [freedoms], [freedoms], [n], [nq] */
  mbs_steady_motion motion; /* velocities and accelerations of the equilibrium: rest, or a steady motion */
  double t;                 /* t_start, or the instant at which a relative equilibrium is checked */
  double *move;             /* [n] a displacement, not scaled */
  double *kept_units;       /* [n] units of velocities before equalize_units() */
  double *A, *plain, *workspace, *jacobian;
  double *lambda_trial; /* [all] */
  double weights;       /* the largest scaled weight m |g_k| */
  double scale;         /* size of the acting forces */
  bool settled;         /* true if the sticking laws are known */
  bool released;        /* rows of added drivers do not count, so that their efforts must be 0 */
  bool stands;          /* laws at their switch have the mean of their branches */
  bool downhill;        /* steps follow the forces; otherwise they minimize the unbalanced force */
  mbs_status failed;    /* status of the evaluation at that position */
  double *rates;        /* [states] r at the last position of forces_at() */
  double promised;      /* work, or decrease of the squared force, that the linear equations predict for the step z */
} statics;

static bool open_statics(statics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  const size_t most = self->run->system->sliding->most;
  size_t n = self->n = model->nv, m = model->rows + most;
  self->m = self->all = model->rows;
  self->sticking = mbs_arena_alloc(arena, most + 1, sizeof *self->sticking);
  if (!self->sticking) return false;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->N, n * n},
                {&self->F, n},
                {&self->F_trial, n},
                {&self->K, n * n},
                {&self->vectors, n * n},
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
                {&self->jacobian, n * m},
                {&self->rates, model->nz},
                {&self->plain, n + m},
                {&self->A, n * (m > n ? m : n)},
                {&self->workspace, mbs_lapack_workspace(n, m > n ? m : n) + m}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double)))) return false;
  return true;
}

/* Computes the rows of the laws that stick, scaled, of length 1. */
static void find_held(statics *self) {
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

/* Computes the forces of the system's state and wrenches into system->h: h, less M v' of a steady motion. */
static void read_forces(const statics *self) {
  mbs_system *system = self->run->system;
  if (system->model->relative) {
    memcpy(system->vdot, self->motion.vdot, self->n * sizeof *system->vdot);
    system->model->kernels->residual_forces(system);
  } else {
    system->model->kernels->generalized_forces(system);
  }
}

/* Computes h(q, 0) at a position, or h(q, v) - M v' of the steady motion. */
static void forces_at(statics *self, const double *q) {
  mbs_system *system = self->run->system;
  system->evaluations++;
  mbs_set_position(system, self->t, q);
  (void)mbs_steady_set(&self->motion); /* if it fails, the forces are not finite */
  if (self->stands) mbs_sliding_hold(system, self->t, q, self->motion.v);
  find_held(self);
  if (system->feedback || system->model->rates_read_reactions) /* at rest, those of the motion are those of rest */
    self->failed = mbs_evaluate(system, self->t, q, self->motion.v);
  if (self->m) mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  mbs_apply_forces(system);
  read_forces(self);
  mbs_states_rates(system, self->rates);
}

/* Sets run->v to the velocities of the equilibrium at run->q. */
static void set_velocities(statics *self) {
  mbs_run_state *run = self->run;
  mbs_set_position(run->system, self->t, run->q);
  (void)mbs_steady_set(&self->motion); /* forces_at() has found that it is finite */
  memcpy(run->v, self->motion.v, self->n * sizeof *run->v);
}

/* Returns true for rows of added drivers that do not count: redundant ones, or all. */
static bool is_left_out(const statics *self, size_t r) {
  const mbs_system *system = self->run->system;
  return r >= mbs_given_rows(system->model) && r < system->model->bilateral_rows &&
         (self->released || !system->active[r]);
}

/* Computes C at the current position with the rows of the laws that stick, scaled, into out [all x n, by column]. */
static void jacobian_in_units(const statics *self, double *out) {
  const mbs_system *system = self->run->system;
  const size_t m = self->m, all = self->all;
  if (m) mbs_jacobian_dense(system, self->run->workspace);
  const double *C = self->run->workspace;
  for (size_t k = 0; k < self->n; k++) {
    for (size_t r = 0; r < m; r++)
      out[k * all + r] = is_left_out(self, r) ? 0 : C[k * m + r] * (system->v_units[k] / system->row_units[r]);
    for (size_t i = m; i < all; i++) out[k * all + i] = self->held[(i - m) * self->n + k];
  }
}

/* Computes out [n] = h + C' lambda at the current position, scaled; C includes the rows of laws that stick. */
static void balance_with(const statics *self, const double *lambda, double *out) {
  const mbs_system *system = self->run->system;
  memset(out, 0, self->n * sizeof *out);
  if (self->m) mbs_jacobian_transposed(system, lambda, out);
  for (size_t k = 0; k < self->n; k++) {
    out[k] = (system->h[k] + out[k]) * system->v_units[k];
    for (size_t i = self->m; i < self->all; i++) out[k] += self->held[(i - self->m) * self->n + k] * lambda[i];
  }
}

/* Sets self->q to run->q displaced by dq [n], which is scaled. */
static void displace(const statics *self, const double *dq) {
  mbs_run_state *run = self->run;
  for (size_t k = 0; k < self->n; k++) self->move[k] = dq[k] * run->system->v_units[k];
  mbs_displace(run->model, run->q, self->move, self->q);
}

/* Computes F = h + C' lambda at q, with the least-squares lambda. theory (15.1), (15.2) */
static mbs_status balance(statics *self, const double *q, double *F, double *lambda) {
  mbs_system *system = self->run->system;
  size_t n = self->n, all = self->all;
  forces_at(self, q);
  if (self->failed != MBS_OK) return self->failed;
  for (size_t k = 0; k < n; k++) F[k] = system->h[k] * system->v_units[k];
  if (F == self->F) self->scale = fmax(self->scale, mbs_largest(F, n)); /* not from trial positions */
  if (all) {
    /* least norm(h + C' lambda), scaled */
    double *missing = self->plain, *C = self->jacobian;
    jacobian_in_units(self, C);
    for (size_t r = 0; r < all; r++)
      for (size_t k = 0; k < n; k++) self->A[r * n + k] = C[k * all + r];
    for (size_t k = 0; k < n; k++) missing[k] = -F[k];
    if (mbs_least_squares(n, all, self->A, missing, mbs_rank_tolerance, lambda, self->workspace) < 0)
      return MBS_NOT_FINITE;
    for (size_t r = 0; r < self->m; r++) lambda[r] /= system->row_units[r];
    /* F = h + C' lambda */
    balance_with(self, lambda, F);
  }
  return isfinite(mbs_largest(F, n)) ? MBS_OK : MBS_NOT_FINITE;
}

/* Computes N, the right singular vectors of C whose singular values are zero. */
static mbs_status find_freedoms(statics *self) {
  size_t n = self->n, m = self->all, rank = 0, least = m < n ? m : n;
  jacobian_in_units(self, self->A);
  double *values = self->plain, *Vt = self->K;
  if (!mbs_singular_values(m, n, self->A, values, Vt, self->workspace)) return MBS_NOT_FINITE;
  while (rank < least && values[rank] > mbs_rank_tolerance * values[0]) rank++;
  self->freedoms = n - rank;
  for (size_t j = 0; j < self->freedoms; j++)
    for (size_t k = 0; k < n; k++) self->N[j * n + k] = Vt[k * n + rank + j];
  return MBS_OK;
}

/* Computes out [freedoms] = N' x. */
static void project(const statics *self, const double *x, double *out) {
  for (size_t j = 0; j < self->freedoms; j++) {
    out[j] = 0;
    for (size_t k = 0; k < self->n; k++) out[j] += self->N[j * self->n + k] * x[k];
  }
}

/* Computes K column by column, by central differences of h + C' lambda with constant lambda. theory (15.2) */
static mbs_status find_stiffness(statics *self) {
  size_t n = self->n, f = self->freedoms;
  double *difference = self->F_trial, *forces = self->plain;
  for (size_t j = 0; j < f; j++) {
    memset(difference, 0, n * sizeof *difference);
    for (int sign = -1; sign <= 1; sign += 2) {
      for (size_t k = 0; k < n; k++) self->dq[k] = sign * difference_step * self->N[j * n + k];
      displace(self, self->dq);
      forces_at(self, self->q);
      balance_with(self, self->lambda, forces);
      /* -dF / d(N_j) */
      for (size_t k = 0; k < n; k++) difference[k] -= sign * forces[k] / (2 * difference_step);
    }
    /* K_j = N' difference */
    project(self, difference, self->K + j * f);
  }
  /* eigenpairs of (K + K') / 2 */
  for (size_t j = 0; j < f; j++)
    for (size_t i = 0; i < f; i++) self->vectors[j * f + i] = 0.5 * (self->K[j * f + i] + self->K[i * f + j]);
  bool finite = isfinite(mbs_largest(self->vectors, f * f));
  return finite && mbs_symmetric_eigen(f, self->vectors, self->values, self->workspace) ? MBS_OK : MBS_NOT_FINITE;
}

/* Computes Newton's step z for the force g. Returns false if component_step() must compute the step. theory (15.3) */
static bool newton_step(statics *self) {
  size_t f = self->freedoms;
  double largest = fmax(fabs(self->values[0]), fabs(self->values[f - 1]));
  if (!(self->values[0] > zero_share * largest)) return false;
  memcpy(self->A, self->K, f * f * sizeof *self->A);
  memcpy(self->z, self->g, f * sizeof *self->z);
  return mbs_linear_solve(f, self->A, self->z, self->workspace);
}

/* Computes a step along the force, with each component along an eigenvector limited by the radius. theory (15.4) */
static void component_step(statics *self, double radius) {
  size_t f = self->freedoms;
  double largest = fmax(fabs(self->values[0]), fabs(self->values[f - 1]));
  memset(self->z, 0, f * sizeof *self->z);
  for (size_t e = 0; e < f; e++) {
    const double *vector = self->vectors + e * f;
    double force = 0, stiffness = fmax(fabs(self->values[e]), zero_share * largest);
    /* xi.g */
    for (size_t i = 0; i < f; i++) force += vector[i] * self->g[i];
    if (fabs(force) <= force_goal * self->scale) continue;
    /* sign(xi.g) min(|xi.g| / |kappa|, rho) */
    double length = fabs(force) < radius * stiffness ? force / stiffness : copysign(radius, force);
    for (size_t i = 0; i < f; i++) self->z[i] += length * vector[i];
  }
}

/* Computes Newton's step for any K, limited by the radius. */
static void whole_step(statics *self, double radius) {
  size_t f = self->freedoms;
  memcpy(self->A, self->K, f * f * sizeof *self->A);
  if (mbs_least_squares(f, f, self->A, self->g, zero_share, self->z, self->workspace) < 0)
    memset(self->z, 0, f * sizeof *self->z);
  double length = mbs_largest(self->z, f), share = length > radius ? radius / length : 1;
  for (size_t i = 0; i < f; i++) self->z[i] *= share;
}

static double square(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

/* Computes the step z and its predicted work. Returns its length. theory (15.5) */
static double find_step(statics *self, double radius) {
  size_t f = self->freedoms;
  if (!self->downhill)
    whole_step(self, radius);
  else if (!newton_step(self) || mbs_largest(self->z, f) > radius)
    component_step(self, radius);
  /* predicted: z.(g + (g - K z)) / 2, or the decrease of g.g */
  double work = 0, *left = self->dq;
  for (size_t i = 0; i < f; i++) {
    left[i] = self->g[i];
    for (size_t j = 0; j < f; j++) left[i] -= self->K[j * f + i] * self->z[j];
    work += 0.5 * self->z[i] * (self->g[i] + left[i]);
  }
  self->promised = self->downhill ? work : square(self->g, f) - square(left, f);
  return mbs_largest(self->z, f);
}

/* Returns true if the step dq rotates a body too far for Euler parameters to determine counted angles. */
static bool turns_too_far(const statics *self) {
  const mbs_model *model = self->run->model;
  if (model->kernels->free_turns(model) == 0) return false;
  for (size_t b = 1; b <= model->nB; b++) {
    int velocities = model->first_v[b + 1] - model->first_v[b];
    if (model->first_q[b + 1] - model->first_q[b] == velocities) continue;
    if (mbs_largest(self->dq + model->first_v[b + 1] - 3, 3) > farthest_turn) return true;
  }
  return false;
}

/* Makes the step z to self->q and computes F_trial there. Returns false if that fails. */
static bool go_step(statics *self, double *lambda) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  mbs_correction ignored = {0};
  mbs_error quiet = {0}, *error = system->error;
  memset(self->dq, 0, self->n * sizeof *self->dq);
  /* dq = N z */
  for (size_t j = 0; j < self->freedoms; j++)
    for (size_t k = 0; k < self->n; k++) self->dq[k] += self->N[j * self->n + k] * self->z[j];
  if (turns_too_far(self)) return false;
  displace(self, self->dq);
  system->error = &quiet;
  mbs_status status = mbs_correct_positions(system, run->model->t_start, self->q, &ignored, run->workspace);
  if (status == MBS_OK) status = balance(self, self->q, self->F_trial, lambda);
  system->error = error;
  return status == MBS_OK;
}

/* Tries the step z, to self->q and F_trial. Returns the work or decrease achieved as a share of the predicted one;
 * negative if the step fails. theory (15.5) */
static double try_step(statics *self, double *lambda) {
  double work = 0;
  if (!go_step(self, lambda) || !(self->promised > 0)) return -1;
  /* achieved: (F_0 + F_1).dq / 2 */
  for (size_t k = 0; k < self->n; k++) work += 0.5 * (self->F[k] + self->F_trial[k]) * self->dq[k];
  double share = (self->downhill ? work : square(self->F, self->n) - square(self->F_trial, self->n)) / self->promised;
  return isfinite(share) ? share : -1; /* forces may be so large that their work overflows */
}

/* Fails, naming the coordinate with the largest unbalanced force after the reason. */
static mbs_status fail_because(statics *self, const char *reason) {
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

static mbs_status fail_unbalanced(statics *self) {
  return fail_because(self, self->run->model->relative ? "no relative equilibrium was found:"
                                                       : "no static equilibrium was found:");
}

/* Returns true if the remaining force is so small that only rounding prevents a better step. */
static bool nearly_balanced(const statics *self) {
  double stiffest = fmax(fabs(self->values[0]), fabs(self->values[self->freedoms - 1]));
  return mbs_largest(self->F, self->n) <= force_accepted * fmax(self->scale, stiffest);
}

/* Finds an acceptable step to self->q. Returns false if there is none. Sets *done if run->q cannot be improved. */
static bool find_good_step(statics *self, double *radius, double *lambda_trial, bool *done) {
  double force = mbs_largest(self->F, self->n);
  double size = 1 + mbs_largest_in_units(self->run->q, self->run->system->q_units, self->run->model->nq);
  do {
    double step = find_step(self, *radius);
    bool tiny = step <= step_accepted * size; /* the work is rounding; the force decides */
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
static bool find_finer_place(statics *self, double radius, double *lambda_trial) {
  double force = mbs_largest(self->F, self->n);
  whole_step(self, radius);
  return go_step(self, lambda_trial) && mbs_largest(self->F_trial, self->n) <= 0.5 * force;
}

static mbs_status iterate(statics *self) {
  double *lambda_trial = self->lambda_trial;
  mbs_run_state *run = self->run;
  double radius = first_radius;
  bool done = false;
  for (int k = 0; k < STEPS_MAX && radius < farthest; k++) {
    mbs_status status = mbs_run_check(run, run->model->t_start);
    if (status == MBS_OK) status = balance(self, run->q, self->F, self->lambda);
    if (status == MBS_OK) mbs_accept_contacts(run->system);
    if (status == MBS_OK) run->model->kernels->remember(run->system);
    if (status == MBS_OK) status = find_freedoms(self);
    if (status != MBS_OK) return status;
    double force = mbs_largest(self->F, self->n);
    bool balanced = force <= force_goal * self->scale;
    if (self->freedoms == 0 || force == 0) return MBS_OK;
    /* K, g = N' F */
    if ((status = find_stiffness(self)) != MBS_OK) return balanced ? MBS_OK : status;
    project(self, self->F, self->g);
    if (balanced && !find_finer_place(self, radius, lambda_trial)) return MBS_OK;
    if (!balanced && !find_good_step(self, &radius, lambda_trial, &done)) {
      if (done) return MBS_OK;
      break;
    }
    memcpy(run->q, self->q, run->model->nq * sizeof *run->q);
  }
  mbs_status status = balance(self, run->q, self->F, self->lambda);
  return status == MBS_OK ? fail_unbalanced(self) : status;
}

/* Classifies the equilibrium by the smallest eigenvalue of the stiffness at run->q: 1 stable, 0 unstable, -1
 * undecided. */
static int find_stability(statics *self) {
  mbs_status status = balance(self, self->run->q, self->F, self->lambda);
  if (status == MBS_OK) status = find_freedoms(self);
  if (self->freedoms == 0) return 1;
  if (status == MBS_OK) status = find_stiffness(self);
  if (status != MBS_OK) return -1;
  double largest = fmax(fabs(self->values[0]), fabs(self->values[self->freedoms - 1]));
  if (self->values[0] > neutral_share * largest) return 1;
  return self->values[0] < -neutral_share * largest ? 0 : -1;
}

/* Computes the force along each coordinate for a displacement of it, scaled, into out [n]. Returns the smallest one
 * that is not zero. */
static double single_stiffnesses(statics *self, double *out) {
  double *forces = self->plain, softest = INFINITY;
  for (size_t k = 0; k < self->n; k++) {
    double difference = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
      memset(self->dq, 0, self->n * sizeof *self->dq);
      self->dq[k] = sign * difference_step;
      displace(self, self->dq);
      forces_at(self, self->q);
      balance_with(self, self->lambda, forces);
      difference += sign * forces[k] / (2 * difference_step);
    }
    out[k] = fabs(difference);
    if (out[k] > 0) softest = fmin(softest, out[k]);
  }
  return softest;
}

/* Reduces the units of velocities whose displacement causes more force than the weights; without weights, more than in
 * the softest coordinate. Returns true if that changes units much. theory (15.6) */
static bool equalize_units(statics *self) {
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
static mbs_status iterate_twice(statics *self, int *stable) {
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

/* Tries both kinds of iteration from the position `start`, whose counted angles are `turns`. */
static mbs_status search(statics *self, const double *start, const double *turns, int *stable) {
  const mbs_run_state *run = self->run;
  self->downhill = run->model->velocity_rows == 0;
  mbs_status status = iterate_twice(self, stable);
  if (status != MBS_NO_EQUILIBRIUM || !self->downhill) return status;
  memcpy(run->q, start, run->model->nq * sizeof *start);
  run->model->kernels->expect_turns(run->system, turns);
  self->downhill = false;
  self->scale = self->weights; /* forces on the way of the first kind must not make those at the start negligible */
  return iterate_twice(self, stable); /* if it fails, too, the first message remains */
}

/* Returns the least room of the open touches at the position q. */
static double least_room(const statics *self, const double *q) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  double least = INFINITY;
  if (!system->touches) return least;
  mbs_set_position(system, self->t, q);
  for (size_t i = 0; i < model->touch_count; i++)
    for (int side = 0; side < model->touches[i].sides && !system->touches->at[i].closed; side++) {
      const double room = mbs_touch_room(system, &model->touches[i], side);
      least = fmin(least, isnan(room) ? INFINITY : mbs_touch_lever(system, &model->touches[i]) * room);
    }
  return least;
}

/* Closes the open touches that are penetrated at self->q. */
static void close_reached(const statics *self) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  mbs_set_position(system, self->t, self->q);
  for (size_t i = 0; i < model->touch_count; i++) {
    mbs_touch_state *state = &system->touches->at[i];
    for (int side = 0; side < model->touches[i].sides && !state->closed; side++) {
      state->closed = mbs_touch_room(system, &model->touches[i], side) < 0;
      state->side = side;
    }
  }
}

/* Shortens the step z, which ends beyond an open touch, until it ends there within rounding, and closes what it
 * reaches. */
static void stop_at_touch(statics *self) {
  enum { HALVINGS = 50 };
  const size_t f = self->freedoms;
  double low = 0, high = 1, *whole = self->g; /* the force is not needed any more */
  memcpy(whole, self->z, f * sizeof *whole);
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 0.5 * (low + high);
    for (size_t i = 0; i < f; i++) self->z[i] = share * whole[i];
    const bool beyond = !go_step(self, self->lambda_trial) || least_room(self, self->q) < 0;
    *(beyond ? &high : &low) = share;
  }
  for (size_t i = 0; i < f; i++) self->z[i] = high * whole[i];
  if (go_step(self, self->lambda_trial)) close_reached(self);
}

/* Moves from `start` along the forces, where nothing resists them, until an open touch closes or force elements balance
 * them; run->q and `start` become that position. Returns false if nothing is found. theory (15.4) */
static bool fall(statics *self, double *start) {
  enum { FALL_STEPS = 500 };
  static const double fall_step = 0.02; /* [units] obstacles are thicker */
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  bool reached = false, balanced = false;
  if (model->velocity_rows > 0 || model->relative) return false;
  memcpy(run->q, start, model->nq * sizeof *start);
  for (int k = 0; k < FALL_STEPS && !reached && !balanced; k++) {
    if (balance(self, run->q, self->F, self->lambda) != MBS_OK || find_freedoms(self) != MBS_OK ||
        find_stiffness(self) != MBS_OK)
      return false;
    project(self, self->F, self->g);
    balanced = mbs_largest(self->g, self->freedoms) <= force_accepted * self->scale;
    if (balanced) break;
    /* near a touch steps are shorter, so that they do not pass through it */
    const double room = least_room(self, run->q) / run->system->constants->length;
    component_step(self, fmin(fall_step, fmax(room, 0.1 * fall_step)));
    if (!go_step(self, self->lambda_trial)) return false;
    reached = least_room(self, self->q) < 0;
    if (reached) stop_at_touch(self);
    memcpy(run->q, self->q, model->nq * sizeof *run->q);
  }
  if (reached || balanced) memcpy(start, run->q, model->nq * sizeof *start);
  return reached || balanced;
}

/* Searches from `start`, and again from where the mechanism is stopped if forces move it without resistance. */
static mbs_status search_falling(statics *self, double *start, const double *turns, int *stable) {
  enum { FALLS_MAX = 10 };
  mbs_status status = search(self, start, turns, stable);
  for (int k = 0; k < FALLS_MAX && status == MBS_NO_EQUILIBRIUM && fall(self, start); k++) {
    mbs_run_forget_error(self->run);
    status = search(self, start, turns, stable);
  }
  return status;
}

/* ---- laws that stick -------------------------------------------------------------------------------------------- */

/* Decides at run->q, as for a motion from rest, which laws stick. Returns their number. If laws cannot be settled, or
 * none sticks, all laws follow the state, where a velocity of 0 determines the branch. */
static size_t settle(statics *self) {
  mbs_run_state *run = self->run;
  const mbs_sliding *sliding = run->system->sliding;
  mbs_error quiet = {0}, *error = run->error;
  run->error = run->system->error = &quiet;
  const double failed = run->t_failed;
  mbs_status status = mbs_run_settle_laws(run, run->model->t_start);
  run->error = run->system->error = error;
  run->t_failed = failed;
  set_velocities(self);
  self->settled = status == MBS_OK;
  const size_t sticking = sliding->moving_count;
  for (size_t i = 0; i < sticking; i++) self->sticking[i] = sliding->surfaces[sliding->moving[i]];
  if (sticking == 0) mbs_switches_release(run->system);
  return sticking;
}

/* Returns true if run->q is an equilibrium with the forces of the settled laws. Sets self->F_trial to the unbalanced
 * force. Multipliers are those of C alone then. */
static bool is_rest(statics *self) {
  if (!self->settled) return true;
  self->all = self->m;
  self->stands = false;
  mbs_status status = balance(self, self->run->q, self->F_trial, self->lambda);
  return status == MBS_OK && mbs_largest(self->F_trial, self->n) <= force_accepted * self->scale;
}

/* Adds to the message of a failed search the law that is too weak, if a law is at its switch there. */
static void name_loose_law(statics *self) {
  mbs_run_state *run = self->run;
  char *message = run->error->message;
  if (settle(self) == 0) mbs_switches_follow(run->system, run->model->t_start, run->q, run->v);
  const int index = mbs_sliding_next_loose(run->system, 0);
  if (index < 0) return;
  const mbs_owner owner = mbs_switches_owner(run->model, (size_t)index);
  const size_t length = strlen(message);
  snprintf(message + length, sizeof run->error->message - length,
           "; at rest there, the law '%.120s' of '%.60s' (%s) is too weak to hold the mechanism", owner.text,
           owner.element, owner.pointer);
}

/* Reports and notes the laws that hold the equilibrium. */
static mbs_status report_laws(const statics *self, size_t sticking) {
  size_t velocities = 0;
  int first = -1;
  for (size_t i = 0; i < sticking; i++) {
    if (self->sticking[i].order != 1) continue;
    if (velocities++ == 0) first = self->sticking[i].leader;
  }
  if (velocities == 0) return MBS_OK;
  const mbs_owner owner = mbs_switches_owner(self->run->model, (size_t)first);
  char others[48] = "";
  if (velocities > 1) snprintf(others, sizeof others, " (and %zu more)", velocities - 1);
  mbs_run_note(self->run,
               "the law '%.120s' of '%.60s' (%s)%s helps to hold the equilibrium by static friction, so that positions "
               "nearby are equilibria, too; another start may lead to another position",
               owner.text, owner.element, owner.pointer, others);
  return mbs_report_sticking(self->run, true);
}

/* Searches an equilibrium of a model with laws that may stick. Laws that stick at the start hold while the others move
 * to an equilibrium. If the forces there are too large for some of them, at least one of these slips, or all are
 * released. */
static mbs_status search_with_laws(statics *self, double *start, const double *turns, int *stable) {
  mbs_run_state *run = self->run;
  size_t sticking = settle(self);
  for (;;) {
    self->all = self->m + sticking;
    self->stands = self->settled;
    const mbs_status status = search(self, start, turns, stable);
    if (status != MBS_OK && (status != MBS_NO_EQUILIBRIUM || sticking == 0)) {
      if (status == MBS_NO_EQUILIBRIUM) name_loose_law(self);
      return status;
    }
    const size_t before = sticking;
    sticking = status == MBS_OK ? settle(self) : 0;
    if (status == MBS_OK && is_rest(self)) return report_laws(self, sticking);
    if (before == 0) {
      memcpy(self->F, self->F_trial, self->n * sizeof *self->F);
      return fail_unbalanced(self);
    }
    if (sticking >= before) sticking = 0;
    mbs_run_forget_error(run);
    if (status == MBS_OK)
      memcpy(start, run->q, run->model->nq * sizeof *start);
    else
      memcpy(run->q, start, run->model->nq * sizeof *start);
  }
}

/* ---- dry friction and unilateral constraints --------------------------------------------------------------------- */

/* Sets *rests if friction and contacts hold the mechanism at run->q. */
static mbs_status settle_touches(statics *self, bool *rests) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const double t = run->model->t_start;
  set_velocities(self);
  mbs_touches_forget(system);
  self->stands = false;
  mbs_status status = balance(self, run->q, self->F, self->lambda); /* the forces are the scale */
  if (status == MBS_OK) status = mbs_run_settle_laws(run, t);
  set_velocities(self);
  if (status == MBS_OK) status = mbs_evaluate(system, t, run->q, run->v);
  memcpy(self->lambda, system->lambda, run->model->rows * sizeof *self->lambda);
  if (run->model->relative) read_forces(self);
  if (status == MBS_OK) balance_with(self, self->lambda, self->F);
  *rests = status == MBS_OK && mbs_largest(self->F, self->n) <= force_accepted * self->scale;
  return status;
}

/* Opens the touch that pulls most, or closes the one that is penetrated most. Returns false if there is none. */
static bool change_touch(statics *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  double worst = force_accepted;
  mbs_touch_state *chosen = NULL;
  int chosen_side = 0;
  mbs_set_position(system, run->model->t_start, run->q);
  for (size_t i = 0; i < run->model->touch_count; i++) {
    const mbs_touch *touch = &run->model->touches[i];
    mbs_touch_state *state = &system->touches->at[i];
    if (touch->sides == 0) continue;
    if (state->closed) {
      const double lambda = self->lambda[mbs_touch_normal(touch)], N = state->side ? -lambda : lambda;
      const double pull = -N * system->constants->length / (self->scale > 0 ? self->scale : 1);
      if (pull > worst) {
        worst = pull;
        chosen = state;
      }
    }
    for (int side = 0; side < touch->sides && !state->closed; side++) {
      const double depth =
          -mbs_touch_lever(system, touch) * mbs_touch_room(system, touch, side) / system->constants->extent;
      if (!(depth > worst)) continue;
      worst = depth;
      chosen = state;
      chosen_side = side;
    }
  }
  if (!chosen) return false;
  chosen->closed = !chosen->closed;
  chosen->side = chosen_side;
  return true;
}

/* Searches the equilibrium without dry friction, also of laws; contacts and limits are rows while they press. */
static mbs_status search_without_friction(statics *self, double *start, const double *turns, int *stable) {
  enum { CHANGES_PER_TOUCH = 4, CHANGES_LEAST = 20 };
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const size_t most = CHANGES_LEAST + CHANGES_PER_TOUCH * run->model->touch_count;
  mbs_status status = MBS_OK;
  for (size_t i = 0; i < run->model->touch_count; i++) system->touches->at[i].friction = MBS_FRICTION_OFF;
  self->stands = system->sliding->most > 0;
  for (size_t k = 0; k < most; k++) {
    mbs_correction ignored = {0};
    mbs_set_position(system, run->model->t_start, run->q);
    mbs_touches_find_near(system);
    mbs_touches_use_held(system);
    status = mbs_correct_positions(system, run->model->t_start, run->q, &ignored, run->workspace);
    if (status == MBS_OK) status = search(self, start, turns, stable);
    if (status == MBS_NO_EQUILIBRIUM && fall(self, start)) {
      mbs_run_forget_error(run);
      continue;
    }
    if (status != MBS_OK || !change_touch(self)) return status;
  }
  return status;
}

/* Adds to the message of a failed search the friction that is too small. */
static void name_weak_friction(const mbs_run_state *run) {
  for (size_t i = 0; i < run->model->touch_count; i++) {
    if (run->model->touches[i].tangents == 0) continue;
    const size_t length = strlen(run->error->message);
    snprintf(run->error->message + length, sizeof run->error->message - length,
             "; the dry friction of '%.120s' is too small to hold the mechanism", run->model->touches[i].name);
    return;
  }
}

/* Decides the touches at an equilibrium without friction. Fails if they do not rest there. */
static mbs_status settle_at_rest(statics *self) {
  bool rests = false;
  const mbs_status status = settle_touches(self, &rests);
  return status == MBS_OK && !rests ? fail_unbalanced(self) : status;
}

/* Friction that can hold the start holds it; otherwise the equilibrium is that without friction. */
static mbs_status search_with_touches(statics *self, double *start, const double *turns, int *stable) {
  bool rests = false;
  mbs_status status = settle_touches(self, &rests);
  if (status != MBS_OK || rests) return status;
  status = search_without_friction(self, start, turns, stable);
  if (status == MBS_NO_EQUILIBRIUM) name_weak_friction(self->run);
  return status == MBS_OK ? settle_at_rest(self) : status;
}

/* Reports the elements whose dry friction helps to hold the equilibrium. */
static mbs_status report_held(statics *self) {
  mbs_run_state *run = self->run;
  const mbs_status status = mbs_report_sticking(run, true);
  if (status == MBS_OK && run->result->report.held_count)
    mbs_run_note(run,
                 "dry friction of '%s'%s helps to hold the equilibrium, so that positions nearby are equilibria, too; "
                 "another start may lead to another position",
                 run->result->report.held_by_friction[0], run->result->report.held_count > 1 ? " (and others)" : "");
  return status;
}

/* ---- states ---------------------------------------------------------------------------------------------------- */

/* Workspace of Newton's iteration for the w unknowns: freedoms z, then states x. */
typedef struct coupled {
  statics *statics;
  size_t states, most; /* most: largest w */
  double *J;           /* [w x w] derivatives of (g, r), column-major; rows are divided by `sizes` */
  double *sizes;       /* [w] largest derivative of each row in the units of the unknowns; 1 if all are zero */
  double *residual, *trial, *step; /* [w] (g, r) over `sizes`; the step */
  double *A, *workspace;           /* [w x w], of least squares */
  double *q, *x, *units;           /* [nq], [states], [states] the state before a step; scales of x */
} coupled;

static bool open_coupled(coupled *self) {
  const mbs_model *model = self->statics->run->model;
  mbs_arena *arena = self->statics->run->system->arena;
  const size_t w = self->most = model->nv + model->nz;
  self->states = model->nz;
  const struct {
    double **array;
    size_t count;
  } arrays[] = {{&self->J, w * w},
                {&self->sizes, w},
                {&self->residual, w},
                {&self->trial, w},
                {&self->step, w},
                {&self->A, w * w},
                {&self->workspace, mbs_lapack_workspace(w, w)},
                {&self->q, model->nq},
                {&self->x, model->nz},
                {&self->units, model->nz}};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i].array = mbs_arena_alloc(arena, arrays[i].count + 1, sizeof(double)))) return false;
  return true;
}

/* Computes the derivatives of (g, r) by one unknown into a column, by central differences. */
static void differentiate_coupled(coupled *self, size_t column, double *out) {
  statics *base = self->statics;
  mbs_run_state *run = base->run;
  const size_t f = base->freedoms, w = f + self->states;
  double *forces = base->plain, *part = self->step;
  memset(out, 0, w * sizeof *out);
  for (int sign = -1; sign <= 1; sign += 2) {
    const double *q = run->q, unit = column < f ? 1 : self->units[column - f];
    if (column < f) {
      for (size_t k = 0; k < base->n; k++) base->dq[k] = sign * difference_step * base->N[column * base->n + k];
      displace(base, base->dq);
      q = base->q;
    } else {
      run->system->z[column - f] = self->x[column - f] + sign * difference_step * unit;
    }
    forces_at(base, q);
    balance_with(base, base->lambda, forces);
    project(base, forces, part);
    memcpy(part + f, base->rates, self->states * sizeof *part);
    for (size_t i = 0; i < w; i++) out[i] += sign * part[i] / (2 * difference_step);
  }
  memcpy(run->system->z, self->x, self->states * sizeof *self->x);
}

/* Computes J, its rows divided by their sizes, at run->q and system->z. Returns false if it is not finite. */
static bool find_coupled_matrix(coupled *self) {
  const size_t w = self->statics->freedoms + self->states;
  for (size_t j = 0; j < w; j++) differentiate_coupled(self, j, self->J + j * w);
  for (size_t i = 0; i < w; i++) {
    double size = 0;
    for (size_t j = 0; j < w; j++) size = fmax(size, fabs(self->J[j * w + i]));
    self->sizes[i] = size > 0 ? size : 1;
    for (size_t j = 0; j < w; j++) self->J[j * w + i] /= self->sizes[i];
  }
  return isfinite(mbs_largest(self->J, w * w));
}

/* Computes (g, r) over their sizes, for the forces F [n] and the current rates. */
static void read_residual(const coupled *self, const double *F, double *out) {
  const size_t f = self->statics->freedoms, w = f + self->states;
  project(self->statics, F, out);
  memcpy(out + f, self->statics->rates, self->states * sizeof *out);
  for (size_t i = 0; i < w; i++) out[i] /= self->sizes[i];
}

/* Makes a share of the step, to base->q and system->z, with F_trial. Returns false if it fails. */
static bool go_coupled(coupled *self, double share) {
  statics *base = self->statics;
  const size_t f = base->freedoms;
  for (size_t j = 0; j < f; j++) base->z[j] = share * self->step[j];
  for (size_t k = 0; k < self->states; k++)
    base->run->system->z[k] = self->x[k] + share * self->step[f + k] * self->units[k];
  return go_step(base, base->lambda_trial);
}

/* Makes the longest of Newton's step and its halves that reduces the residual, with displacements up to first_radius.
 * Returns false if none does, which leaves the state as it is. */
static bool step_coupled(coupled *self) {
  statics *base = self->statics;
  mbs_run_state *run = base->run;
  const size_t f = base->freedoms, w = f + self->states;
  memcpy(self->A, self->J, w * w * sizeof *self->A);
  for (size_t i = 0; i < w; i++) self->trial[i] = -self->residual[i];
  if (mbs_least_squares(w, w, self->A, self->trial, zero_share, self->step, self->workspace) < 0) return false;
  const double before = square(self->residual, w), length = mbs_largest(self->step, f);
  for (double share = length > first_radius ? first_radius / length : 1; share > step_accepted; share *= 0.5) {
    if (!go_coupled(self, share)) continue;
    read_residual(self, base->F_trial, self->trial);
    if (!(square(self->trial, w) < before)) continue;
    memcpy(run->q, base->q, run->model->nq * sizeof *run->q);
    return true;
  }
  memcpy(run->system->z, self->x, self->states * sizeof *self->x);
  return false;
}

/* Returns MBS_OK if (g, r) is zero within rounding. Fails, naming the state that changes, or the force that is not
 * balanced. */
static mbs_status check_coupled(const coupled *self) {
  statics *base = self->statics;
  mbs_run_state *run = base->run;
  size_t worst = 0;
  const double *rates = self->residual + base->freedoms;
  for (size_t k = 0; k < self->states; k++)
    if (fabs(rates[k]) > fabs(rates[worst])) worst = k;
  if (fabs(rates[worst]) > force_accepted) {
    const char *name = mbs_state_owner(run->model, worst);
    return mbs_run_fail(run, MBS_NO_EQUILIBRIUM, run->model->t_start, name,
                        "no equilibrium was found: the state '%.120s' changes by %.6g per second", name,
                        rates[worst] * self->sizes[base->freedoms + worst]);
  }
  const double stiffest = base->freedoms ? mbs_largest(self->sizes, base->freedoms) : 0;
  return mbs_largest(base->F, base->n) <= force_accepted * fmax(base->scale, stiffest) ? MBS_OK : fail_unbalanced(base);
}

/* Solves for positions and states from run->q and system->z, to rounding. */
static mbs_status iterate_coupled(coupled *self) {
  statics *base = self->statics;
  mbs_run_state *run = base->run;
  mbs_status status = MBS_OK;
  for (int k = 0; k < STEPS_MAX; k++) {
    memcpy(self->x, run->system->z, self->states * sizeof *self->x);
    for (size_t i = 0; i < self->states; i++) self->units[i] = fmax(1, fabs(self->x[i]));
    if ((status = mbs_run_check(run, run->model->t_start)) != MBS_OK) return status;
    status = balance(base, run->q, base->F, base->lambda);
    if (status == MBS_OK) mbs_accept_contacts(run->system);
    if (status == MBS_OK) run->model->kernels->remember(run->system);
    if (status == MBS_OK) status = find_freedoms(base);
    if (status == MBS_OK && !find_coupled_matrix(self)) status = MBS_NOT_FINITE;
    if (status == MBS_OK) status = balance(base, run->q, base->F, base->lambda); /* with its rates */
    if (status != MBS_OK) return status;
    read_residual(self, base->F, self->residual);
    if (!step_coupled(self)) break;
  }
  status = balance(base, run->q, base->F, base->lambda);
  if (status != MBS_OK) return status;
  read_residual(self, base->F, self->residual);
  return check_coupled(self);
}

/* Searches an equilibrium of positions and states from run->q, where the states with their start values `x0` are in
 * equilibrium (`found`), and then from the position `start`. */
static mbs_status search_with_states(statics *base, const double *start, const double *x0, bool found) {
  mbs_run_state *run = base->run;
  coupled self = {.statics = base};
  if (!open_coupled(&self)) return MBS_NO_MEMORY;
  for (int attempt = found ? 0 : 1; attempt < 2; attempt++) {
    if (attempt == 1) {
      memcpy(run->q, start, run->model->nq * sizeof *start);
      memcpy(run->system->z, x0, self.states * sizeof *x0);
    }
    mbs_run_forget_error(run);
    const mbs_status status = iterate_coupled(&self);
    if (status != MBS_NO_EQUILIBRIUM || attempt == 1) return status;
  }
  return MBS_OK;
}

/* Searches an equilibrium of positions and states. If the rates of steady joints are not kept by drivers of the
 * document, states with which they need no effort are searched first, as those of a speed controller. */
static mbs_status search_states(statics *self, const double *start, const double *x0, bool found) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  if (!model->relative || model->added_drivers == 0) return search_with_states(self, start, x0, found);
  double *q = mbs_arena_alloc(run->system->arena, model->nq + 1, sizeof *q);
  if (!q) return MBS_NO_MEMORY;
  memcpy(q, run->q, model->nq * sizeof *q);
  self->released = true;
  const mbs_status status = search_with_states(self, start, x0, found);
  self->released = false;
  if (status != MBS_NO_EQUILIBRIUM) return status;
  memcpy(run->q, q, model->nq * sizeof *q);
  memcpy(run->system->z, x0, model->nz * sizeof *x0);
  mbs_run_forget_error(run);
  return search_with_states(self, start, x0, found);
}

/* Decides the touches again for the states found: their rows held while the states changed. If they do not rest,
 * searches the equilibrium without friction. */
static mbs_status settle_with_states(statics *self, double *start, const double *turns, const double *x0) {
  bool rests = false;
  int unused;
  mbs_status status = settle_touches(self, &rests);
  if (status != MBS_OK || rests) return status;
  status = search_without_friction(self, start, turns, &unused);
  if (status == MBS_NO_EQUILIBRIUM) name_weak_friction(self->run);
  if (status == MBS_OK) status = search_states(self, start, x0, true);
  return status == MBS_OK ? settle_at_rest(self) : status;
}

/* ---- relative equilibria ---------------------------------------------------------------------------------------- */

/* Computes F, lambda, N, K and its eigenvalues at run->q and self->t. Returns the largest unbalanced force. */
static mbs_status examine(statics *self, double *force) {
  mbs_status status = balance(self, self->run->q, self->F, self->lambda);
  *force = mbs_largest(self->F, self->n);
  if (status == MBS_OK) status = find_freedoms(self);
  return status == MBS_OK && self->freedoms ? find_stiffness(self) : status;
}

/* Returns true if the rates of the states are those of `rates` within rounding. */
static bool rates_agree(const statics *self, const double *rates) {
  const mbs_system *system = self->run->system;
  for (size_t k = 0; k < system->model->nz; k++)
    if (fabs(self->rates[k] - rates[k]) * system->constants->time > force_accepted * fmax(1, fabs(system->z[k])))
      return false;
  return true;
}

/* Compares the balance and the stiffness at run->q with those after the steady motion, at run->q and self->t then;
 * `values` [freedoms] are the eigenvalues of K before it. */
static mbs_status compare_after(statics *self, double force, const double *rates, const double *values, int *stable) {
  const size_t before = self->freedoms;
  const double stiffest = before ? fmax(fabs(values[0]), fabs(values[before - 1])) : 0;
  double later;
  const mbs_status status = examine(self, &later);
  char reason[160];
  snprintf(reason, sizeof reason,
           "no relative equilibrium: the forces depend on the position of the steady joints; %.3g s later,",
           self->t - self->run->model->t_start);
  if (status != MBS_OK) return status;
  if (later > force + force_accepted * fmax(self->scale, stiffest)) return fail_because(self, reason);
  if (!rates_agree(self, rates))
    return mbs_run_fail(self->run, MBS_NO_EQUILIBRIUM, self->run->model->t_start, "", "%s the rates of states differ",
                        reason);
  bool same = before == self->freedoms;
  for (size_t k = 0; k < before && same; k++)
    same = fabs(values[k] - self->values[k]) <= periodic_share * fmax(stiffest, self->scale);
  if (same) return MBS_OK;
  if (self->run->model->type != MBS_RELATIVE_EQUILIBRIUM)
    return mbs_run_fail(self->run, MBS_NO_EQUILIBRIUM, self->run->model->t_start, "",
                        "the relative equilibrium has no linear equations with constant coefficients: its stiffness "
                        "depends on the position of the steady joints");
  *stable = MBS_STABILITY_PERIODIC;
  return MBS_OK;
}

/* Checks that the constraints permit the steady motion, and that the equilibrium found is one at another instant of it,
 * too. */
static mbs_status check_motion(statics *self, int *stable) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  double *q = mbs_arena_alloc(arena, model->nq + 1, sizeof *q),
         *lambda = mbs_arena_alloc(arena, self->all + 1, sizeof *lambda),
         *rates = mbs_arena_alloc(arena, model->nz + 1, sizeof *rates),
         *values = mbs_arena_alloc(arena, self->n + 1, sizeof *values), force;
  if (!q || !lambda || !rates || !values) return MBS_NO_MEMORY;
  memcpy(lambda, self->lambda, self->all * sizeof *lambda);
  memcpy(q, run->q, model->nq * sizeof *q);
  mbs_set_position(run->system, self->t, run->q);
  mbs_status status = mbs_steady_check(&self->motion);
  if (status == MBS_OK) status = examine(self, &force);
  if (status != MBS_OK || self->motion.first_angle == 0) return status;
  memcpy(values, self->values, self->freedoms * sizeof *values);
  forces_at(self, run->q);
  memcpy(rates, self->rates, model->nz * sizeof *rates);
  status = mbs_steady_advance(&self->motion, self->motion.first_angle, run->q);
  self->t += self->motion.first_angle;
  if (status == MBS_OK) status = compare_after(self, force, rates, values, stable);
  self->t = model->t_start;
  mbs_steady_back(&self->motion);
  memcpy(run->q, q, model->nq * sizeof *q);
  memcpy(self->lambda, lambda, self->all * sizeof *lambda);
  mbs_set_position(run->system, self->t, run->q);
  model->kernels->remember(run->system);
  return status;
}

/* Completes a search for a relative equilibrium. If it failed because the steady joints cannot move while the others
 * stand, that is the error. */
static mbs_status finish_motion(statics *self, mbs_status status, int *stable) {
  mbs_run_state *run = self->run;
  if (status == MBS_OK) return check_motion(self, stable);
  if (status != MBS_NO_EQUILIBRIUM) return status;
  const mbs_error kept = *run->error;
  const double failed = run->t_failed;
  mbs_run_forget_error(run);
  mbs_set_position(run->system, self->t, run->q);
  if (mbs_steady_check(&self->motion) == MBS_OK) {
    *run->error = kept;
    run->t_failed = failed;
  }
  return status;
}

static mbs_status search_all(statics *self, double *start, const double *turns, const double *x0, int *stable) {
  const mbs_system *system = self->run->system;
  mbs_status status = system->touches         ? search_with_touches(self, start, turns, stable)
                      : system->sliding->most ? search_with_laws(self, start, turns, stable)
                                              : search_falling(self, start, turns, stable);
  if (system->model->nz && (status == MBS_OK || status == MBS_NO_EQUILIBRIUM)) {
    *stable = -1; /* the stiffness does not decide */
    status = search_states(self, start, x0, status == MBS_OK);
    if (status == MBS_OK && system->touches) status = settle_with_states(self, start, turns, x0);
  }
  return status == MBS_OK && system->touches ? report_held(self) : status;
}

mbs_status mbs_find_equilibrium(mbs_run_state *run, double *lambda, int *stable) {
  const mbs_model *model = run->model;
  statics self = {.run = run, .t = model->t_start};
  double *start = mbs_arena_alloc(run->system->arena, model->nq + 1, sizeof *start);
  double *turns = mbs_arena_alloc(run->system->arena, model->kernels->free_turns(model) + 1, sizeof *turns);
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
  model->kernels->read_turns(run->system, 0, turns);
  status = search_all(&self, start, turns, x0, stable);
  if (model->relative) status = finish_motion(&self, status, stable);
  set_velocities(&self);
  memcpy(run->system->vdot, self.motion.vdot, self.n * sizeof *self.motion.vdot);
  memcpy(lambda, self.lambda, model->rows * sizeof *lambda);
  if (status == MBS_OK && model->relative) status = mbs_hold_standing(run);
  return status == MBS_OK && !run->observer ? mbs_report_equilibrium(run) : status;
}
