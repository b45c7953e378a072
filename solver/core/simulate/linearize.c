/* Linearizes the equations of motion. The accelerations of the independent coordinates are a function a(z, u) of these
 * coordinates and their velocities alone; the dependent ones follow from the constraints. So is the unbalanced force
 * for the accelerations u' and the multipliers lambda of the state:
 *
 *   f(z, u) = R' (h - M_full v' + C' lambda),   C v' = rhsA,   M u' = f,   M = R' M_full R.
 *
 * Its derivatives are those of M a:
 *
 *   K = -df/dz,   C_d = -df/du.
 *
 * At an equilibrium they are the tangent stiffness, including that of the constraint forces, and the damping. About a
 * motion with angular velocities, the rate of a small rotation is not only the change of the angular velocity: z' = u +
 * Gamma z. Then the matrices of
 *
 *   M z'' + C_d z' + K z = 0
 *
 * are C_d - M Gamma and K - C_d Gamma. A rounding error of the force on one coordinate does not affect other rows, as
 * it would in accelerations. With rows of velocity level there are more coordinates than velocities, and z' = g(z, u)
 * is differentiated, too (linearize.h). States x' = r(z, u, x) are more unknowns of f, and r is differentiated. The
 * derivatives are central differences, extrapolated to zero step (Ridders, Adv. Eng. Software 4, 1982). */
#include "simulate/linearize_differences.h"

#include "equations/evaluate.h"
#include "equations/rotors.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "linalg/lapack.h"
#include "model/units.h"
#include "run/sticking.h"
#include "run/touch_modes.h"
#include "simulate/eigenmodes.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Scaled step of the differences that measure how far an equilibrium is from exact rest; stiffness that counts as zero
 * for scaled coordinates. */
static const double rest_step = 0x1p-13, rest_rank = 1e-10;

/* Returns the rate [1/s] at which the stiffness changes velocities; 1 if it is not far from 1/s. */
static double rate_of(const mbs_linearization *out) {
  double largest = 0;
  for (size_t j = 0; j < out->n; j++)
    for (size_t i = 0; i < out->n; i++) {
      if (out->K[j * out->n + i] == 0) continue;
      const double masses = out->M[i * out->n + i] * out->M[j * out->n + j];
      if (masses > 0) largest = fmax(largest, fabs(out->K[j * out->n + i]) / sqrt(masses));
    }
  return largest > 0 ? 1 / mbs_time_unit(1 / sqrt(largest), 1 / sqrt(largest)) : 1;
}

/* Computes M = R' M_full R at the system's position. theory (15.6) */
static void reduce_mass(const mbs_system *system, mbs_linearization *out, double *product) {
  const mbs_model *model = system->model;
  const mbs_tree_pattern *tree = &model->tree;
  model->kernels->mass_matrix((mbs_system *)system);
  mbs_rotors_rows((mbs_system *)system);
  const mbs_parts *velocities = &out->partition.velocities, *columns = &out->partition.columns;
  memset(product, 0, model->nv * sizeof *product);
  for (size_t j = 0; j < out->n; j++) {
    const double *column = out->R + j * model->nv;
    const int p = columns->of[j], *first = velocities->members + velocities->first[p],
              *end = velocities->members + velocities->first[p + 1];
    /* product = M_full R_j */
    for (const int *k = first; k < end; k++) product[*k] = 0;
    for (const int *k = first; k < end; k++)
      for (int a = tree->depth[*k], other = *k; a >= 0; a--, other = tree->parent[other]) {
        const double m = system->M[tree->row0[*k] + a];
        product[*k] += m * column[other];
        if (other != *k) product[other] += m * column[*k];
      }
    mbs_rotors_times(system, column, product);
    /* M_ij = R_i' product */
    for (int i = columns->first[p]; i < columns->first[p + 1]; i++)
      out->M[j * out->n + (size_t)columns->members[i]] =
          mbs_differences_column_times(&out->partition, out->R, model->nv, (size_t)columns->members[i], product);
  }
}

/* ---- the state -------------------------------------------------------------------------------------------------- */

/* Computes v' and lambda at the state, and the rounding error of a. Forces may cancel, so that the error is relative to
 * the largest acceleration of one force alone. theory (15.9) */
static mbs_status find_accelerations(mbs_differences *self, double *rounding) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_partition *partition = &self->out->partition;
  memcpy(self->trial_q, self->q, model->nq * sizeof *self->trial_q);
  memcpy(self->trial_v, self->v, model->nv * sizeof *self->trial_v);
  mbs_partition_read(partition, system, 1, self->v, self->u0);
  memcpy(self->held, self->u0 + self->out->n - partition->held, partition->held * sizeof *self->held);
  partition->held_rates = self->held;
  mbs_status status = mbs_partition_positions(partition, system, self->t, self->trial_q);
  if (status == MBS_OK) status = mbs_partition_velocities(partition, system, self->trial_v);
  if (status == MBS_OK) status = mbs_evaluate(system, self->t, self->trial_q, self->trial_v);
  if (status != MBS_OK) return status;
  memcpy(self->vdot, system->vdot, model->nv * sizeof *self->vdot);
  memcpy(self->lambda, system->lambda, model->rows * sizeof *self->lambda);
  mbs_partition_read(partition, system, 2, self->vdot, self->changes);
  partition->held_changes = self->changes + self->out->n - partition->held;
  if (model->recursive) model->kernels->generalized_forces(system); /* the recursion does not compute them */
  for (size_t k = 0; k < model->nv; k++) {
    const double free = fabs(system->h[k] * system->M_diagonal[k]);
    *rounding = fmax(*rounding, DBL_EPSILON * fmax(fabs(system->vdot[k]), free) / system->v_units[k]);
  }
  return MBS_OK;
}

/* Computes central differences with one step: the changes of h - M v' + C' lambda with each group of coordinates z_j,
 * forces [nv x groups], and K = -R' forces [n x n]. */
static mbs_status difference_once(mbs_differences *self, double *forces, double *K) {
  const size_t n = self->out->n, nv = self->system->model->nv,
               groups = mbs_differences_groups(self, MBS_UNKNOWN_VELOCITIES, n);
  mbs_status status = MBS_OK;
  for (size_t g = 0; g < groups && status == MBS_OK; g++) {
    mbs_differences_choose(self, g, MBS_UNKNOWN_VELOCITIES);
    for (int sign = -1; sign <= 1 && status == MBS_OK; sign += 2) {
      memset(self->z, 0, n * sizeof *self->z);
      for (size_t i = 0; i < n; i++)
        if (self->column[i] == (int)i)
          self->z[i] = sign * rest_step * mbs_differences_unit(self, i, MBS_UNKNOWN_VELOCITIES);
      status = mbs_differences_unbalanced(self, self->z, NULL, NULL, self->plus);
      for (size_t k = 0; k < nv; k++) forces[g * nv + k] += sign * self->system->h[k] / (2 * rest_step);
      for (size_t i = 0; i < n; i++) {
        if (self->column[i] < 0) continue;
        const size_t j = (size_t)self->column[i];
        K[j * n + i] -= sign * self->plus[i] / (2 * rest_step * mbs_differences_unit(self, j, MBS_UNKNOWN_VELOCITIES));
      }
    }
  }
  return status;
}

/* Computes the displacement z to exact rest,   K z = M u',   in coordinates scaled so that K has a diagonal of 1. It
 * has no component without stiffness. */
static bool find_rest(const mbs_differences *self, const double *K, double *z) {
  mbs_linearization *out = self->out;
  const mbs_parts *columns = &out->partition.columns;
  const size_t n = out->n, largest = mbs_parts_largest(columns);
  double *scale = self->best, *force = self->plus;
  const size_t needed = largest * (largest + 1) + mbs_lapack_workspace(largest, largest);
  double *A = mbs_arena_alloc(self->system->arena, needed, sizeof *A), *x = A + largest * largest;
  if (!A) return false;
  for (size_t i = 0; i < n; i++) scale[i] = K[i * n + i] != 0 ? 1 / sqrt(fabs(K[i * n + i])) : 0;
  for (size_t p = 0; p < columns->count; p++) {
    const int *member = columns->members + columns->first[p];
    const size_t size = (size_t)(columns->first[p + 1] - columns->first[p]);
    for (size_t i = 0; i < size; i++) {
      force[i] = 0;
      for (size_t j = 0; j < size; j++) {
        const size_t at = (size_t)member[j] * n + (size_t)member[i];
        force[i] += out->M[at] * self->changes[member[j]];
        A[j * size + i] = K[at] * (scale[member[i]] * scale[member[j]]);
      }
      force[i] *= scale[member[i]];
    }
    if (mbs_least_squares(size, size, A, force, rest_rank, x, x + largest) < 0) return false;
    for (size_t i = 0; i < size; i++) z[member[i]] = x[i] * scale[member[i]];
  }
  return true;
}

/* Corrects v' and lambda at an equilibrium to those of exact rest. The state is the nearest that floating-point numbers
 * can represent; in a stiff spring the last bit of the length may be too much force. Adds the changes on the way to
 * exact rest. */
static mbs_status move_to_rest(mbs_differences *self) {
  mbs_system *system = self->system;
  const mbs_partition *partition = &self->out->partition;
  const size_t n = self->out->n, nv = system->model->nv,
               groups = mbs_differences_groups(self, MBS_UNKNOWN_VELOCITIES, n);
  double *forces = mbs_arena_alloc(system->arena, nv * groups + 1, sizeof *forces),
         *K = mbs_arena_alloc(system->arena, n * n + 1, sizeof *K),
         *z = mbs_arena_alloc(system->arena, n + 1, sizeof *z);
  double unused = 0;
  if (!forces || !K || !z) return MBS_NO_MEMORY;
  if (system->mass_shift > 0 || system->feedback || difference_once(self, forces, K) != MBS_OK ||
      !find_rest(self, K, z))
    return MBS_OK;
  mbs_status status = find_accelerations(self, &unused);
  if (status != MBS_OK) return status;
  /* M dv' - C' dlambda = forces z, C dv' = 0 */
  memset(self->spread, 0, nv * sizeof *self->spread);
  for (size_t g = 0; g < groups; g++)
    for (size_t k = 0; k < nv; k++) {
      const int j = mbs_parts_member(&partition->columns, partition->velocities.of[k], g);
      if (j >= 0) self->spread[k] += forces[g * nv + k] * z[j];
    }
  mbs_resolve(system, self->spread, NULL);
  for (size_t k = 0; k < nv; k++) self->vdot[k] += system->vdot[k];
  for (size_t r = 0; r < system->model->rows; r++) self->lambda[r] += system->lambda[r];
  mbs_partition_read(partition, system, 2, self->vdot, self->changes);
  return MBS_OK;
}

/* ---- linearization ------------------------------------------------------------------------------------------- */

static bool open_matrices(mbs_differences *self) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  const size_t n = out->n, p = out->positions, nv = self->system->model->nv;
  out->R = mbs_arena_alloc(arena, nv * n + 1, sizeof(double));
  out->Rq = out->R;
  out->M = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  out->C = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  out->K = mbs_arena_alloc(arena, n * p + 1, sizeof(double));
  out->C_errors = mbs_arena_alloc(arena, n * n + 1, sizeof(double));
  out->K_errors = mbs_arena_alloc(arena, n * p + 1, sizeof(double));
  if (!out->R || !out->M || !out->C || !out->K || !out->C_errors || !out->K_errors) return false;
  if (!out->partition.positions && !out->states && !self->sticking) return true;
  const size_t columns = p + n + out->states, more = self->rates + out->states;
  if (out->partition.positions) out->Rq = mbs_arena_alloc(arena, nv * p + 1, sizeof(double));
  out->A = mbs_arena_alloc(arena, columns * columns + 1, sizeof(double));
  out->A_errors = mbs_arena_alloc(arena, columns * columns + 1, sizeof(double));
  self->F = mbs_arena_alloc(arena, 2 * n * out->states + 1, sizeof(double));
  self->F_errors = self->F + n * out->states;
  self->G = mbs_arena_alloc(arena, more * columns + 1, sizeof(double));
  self->G_errors = mbs_arena_alloc(arena, more * columns + 1, sizeof(double));
  return out->Rq && out->A && out->A_errors && self->F && self->G && self->G_errors;
}

static bool open_ports(mbs_differences *self, const mbs_ports *ports) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  out->B = mbs_arena_alloc(arena, out->n * ports->inputs + 1, sizeof(double));
  out->Br = mbs_arena_alloc(arena, (self->rates + out->states) * ports->inputs + 1, sizeof(double));
  out->Y = mbs_arena_alloc(arena, ports->outputs * (out->positions + out->n + out->states) + 1, sizeof(double));
  out->Yw = mbs_arena_alloc(arena, ports->outputs * ports->inputs + 1, sizeof(double));
  return out->B && out->Br && out->Y && out->Yw;
}

/* Computes the columns of R, v = R u, for the independent velocities of a partition with the factors of the state. */
static void find_columns(mbs_differences *self, mbs_partition *partition, double *R) {
  const mbs_parts *columns = &partition->columns, *velocities = &partition->velocities;
  const size_t nv = self->system->model->nv, groups = mbs_parts_largest(columns);
  for (size_t g = 0; g < groups; g++) {
    /* the sum of a column of each part */
    for (size_t i = 0; i < partition->independent; i++)
      self->z[i] = mbs_parts_member(columns, columns->of[i], g) == (int)i;
    mbs_partition_spread(partition, self->system, self->z, self->spread);
    for (size_t k = 0; k < nv; k++) {
      const int i = mbs_parts_member(columns, velocities->of[k], g);
      if (i >= 0) R[(size_t)i * nv + k] = self->spread[k];
    }
  }
}

/* Computes K := K - C_d Gamma, C_d := C_d - M Gamma, all [n x n]. */
static bool turn_along(const mbs_differences *self) {
  mbs_linearization *out = self->out;
  const size_t n = out->n;
  double *Gamma = mbs_arena_alloc(self->system->arena, 2 * n * n + 1, sizeof *Gamma), *turned = Gamma + n * n;
  if (!Gamma) return false;
  if (!mbs_differences_turning(self, Gamma)) return true;
  out->Gamma = Gamma;
  for (size_t j = 0; j < n; j++)
    for (size_t k = 0; k < n; k++)
      for (size_t i = 0; i < n && Gamma[j * n + k] != 0; i++) {
        const double by = Gamma[j * n + k];
        out->K[j * n + i] -= out->C[k * n + i] * by;
        out->K_errors[j * n + i] += out->C_errors[k * n + i] * fabs(by);
        turned[j * n + i] += out->M[k * n + i] * by;
      }
  for (size_t i = 0; i < n * n; i++) out->C[i] -= turned[i];
  return true;
}

/* Computes the derivatives by all unknowns and inputs. */
static mbs_status find_derivatives(mbs_differences *self, mbs_pencil *pencil) {
  mbs_linearization *out = self->out;
  const mbs_ports *ports = self->ports;
  const size_t n = out->n, p = out->positions, x = out->states, more = self->rates + x;
  const size_t outputs = ports ? ports->outputs : 0;
  /* G, Y: the columns of z, u and x in this order */
  double *const G = self->G, *const errors = self->G_errors, *const Y = out->Y;
  const mbs_derivatives z = {-1, out->K, out->K_errors, G, errors, Y},
                        u = {-1,
                             out->C,
                             out->C_errors,
                             more ? G + p * more : NULL,
                             more ? errors + p * more : NULL,
                             outputs ? Y + p * outputs : NULL},
                        s = {-1,
                             self->F,
                             self->F_errors,
                             more ? G + (p + n) * more : NULL,
                             more ? errors + (p + n) * more : NULL,
                             outputs ? Y + (p + n) * outputs : NULL},
                        w = {1, out->B, NULL, out->Br, NULL, out->Yw};
  mbs_status status = mbs_differentiate(self, MBS_UNKNOWN_POSITIONS, p, &z);
  if (status == MBS_OK) status = mbs_differentiate(self, MBS_UNKNOWN_STATES, x, &s);
  if (status != MBS_OK) return status;
  self->rate = out->A ? 1 : rate_of(out);
  *pencil = (mbs_pencil){n, out->M, out->C, out->K, out->C_errors, out->K_errors};
  status = mbs_differentiate(self, MBS_UNKNOWN_VELOCITIES, n, &u);
  return status == MBS_OK && ports ? mbs_differentiate(self, MBS_UNKNOWN_INPUTS, ports->inputs, &w) : status;
}

/* Computes M, K, C_d, the derivatives of the ports, and the errors. */
static mbs_status find_matrices(mbs_differences *self, const mbs_ports *ports, mbs_pencil *pencil, double *rounding) {
  mbs_system *system = self->system;
  mbs_linearization *out = self->out;
  reduce_mass(system, out, self->spread);
  mbs_status status = find_accelerations(self, rounding);
  if (status == MBS_OK && !system->model->about_state && !out->A) status = move_to_rest(self);
  self->ports = ports;
  if (ports) self->rows += ports->outputs;
  if (status == MBS_OK) status = find_derivatives(self, pencil);
  return status == MBS_OK && !out->A && !turn_along(self) ? MBS_NO_MEMORY : status;
}

/* C has lost rank below this ratio of its pivots. If constraints change by the square of a displacement, the position
 * is known only to the square root of their residual. */
static const double lost_ratio = 2e-5;

/* Computes the matrices and the eigenvalues at self->q and self->v, where the partition of the result is factored. */
static mbs_status linearize_at(mbs_differences *self, const mbs_ports *ports) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_linearization *out = self->out;
  mbs_partition *partition = &out->partition;
  const size_t n = out->n = out->moving = partition->independent;
  out->states = model->nz;
  /* without active rows of velocity level, coordinates and velocities are divided alike */
  if (partition->positions && partition->positions->independent == n) partition->positions = NULL;
  out->positions = mbs_differences_positions(out)->independent;
  self->rates = partition->positions ? out->positions : 0;
  self->rows = n + self->rates + out->states;
  if (!open_matrices(self) || (ports && !open_ports(self, ports))) return MBS_NO_MEMORY;
  find_columns(self, partition, out->R);
  if (partition->positions) find_columns(self, partition->positions, out->Rq);
  mbs_pencil pencil;
  double *units = self->plus;
  mbs_status status = find_matrices(self, ports, &pencil, &out->rounding);
  memcpy(system->z, self->x0, model->nz * sizeof *self->x0);
  if (status != MBS_OK) return status;
  if (out->A) {
    status = mbs_differences_state_matrix(self);
    return status == MBS_OK && !self->rates && !turn_along(self) ? MBS_NO_MEMORY : status;
  }
  for (size_t i = 0; i < n; i++) units[i] = mbs_differences_unit(self, i, MBS_UNKNOWN_VELOCITIES);
  return mbs_eigenmodes_find(&pencil, units, out->rounding, system->arena, &out->eigen);
}

mbs_status mbs_linearize(mbs_run_state *run, double t, const mbs_ports *ports, mbs_linearization *out) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  mbs_differences self = {.run = run, .system = system, .out = out, .t = t, .rate = 1, .q = run->q, .v = run->v};
  mbs_partition *partition = &out->partition;
  *out = (mbs_linearization){0};
  if (!mbs_partition_open(partition, system) || !mbs_differences_open(&self, ports)) return MBS_NO_MEMORY;
  mbs_status status = mbs_run_settle_laws(run, t);
  if (status == MBS_OK) status = mbs_touches_open_weightless(run, t, run->q, run->v);
  if (status != MBS_OK) return status;
  if (system->sliding->moving_count == 0 && !model->about_state) mbs_sliding_forget(system);
  if (system->sliding->count == 0) mbs_switches_settle(system, t, run->q, run->v, NULL, NULL);
  mbs_set_position(system, t, run->q);
  status = mbs_partition_choose(partition, system, true);
  if (status != MBS_OK) return status;
  out->singular = model->rows > 0 && partition->pivot_ratio < lost_ratio;
  if (!ports) self.sticking = mbs_differences_sticking(system);
  if (ports) mbs_partition_make_whole(partition);
  return linearize_at(&self, ports);
}

mbs_status mbs_linearize_near(mbs_run_state *run, double t, const double *q, const double *v,
                              const mbs_linearization *of, mbs_linearization *out) {
  mbs_system *system = run->system;
  mbs_differences self = {.run = run, .system = system, .out = out, .t = t, .rate = 1, .q = q, .v = v};
  *out = (mbs_linearization){.partition = of->partition};
  out->partition.held_rates = out->partition.held_changes = NULL;
  if (!mbs_differences_open(&self, NULL)) return MBS_NO_MEMORY;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_C);
  if (out->partition.positions) mbs_partition_factor(out->partition.positions, system);
  mbs_partition_factor(&out->partition, system);
  if (of->held) self.sticking = mbs_differences_sticking(system);
  return linearize_at(&self, NULL);
}

const char mbs_linearization_singular[] =
    "the constraints lose rank at this state (a singular position): the mechanism has one more degree of freedom "
    "there, which the linear equations do not contain; they cannot show whether the state is stable";

int mbs_linearization_stable(const mbs_linearization *linear) {
  const mbs_eigenmodes *eigen = &linear->eigen;
  double slowest = INFINITY, growing = -INFINITY;
  if (linear->singular) return -1;
  for (size_t k = 0; k < eigen->modes; k++) {
    slowest = fmin(slowest, hypot(eigen->values[2 * k], eigen->values[2 * k + 1]));
    growing = fmax(growing, eigen->values[2 * k]);
  }
  if (eigen->modes == 0) return 1; /* nothing can move */
  if (growing > eigen->resolution) return 0;
  return slowest > eigen->resolution ? 1 : -1;
}
