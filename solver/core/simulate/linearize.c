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
#include "simulate/linearize.h"

#include "base/norms.h"
#include "constraints/rank.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
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
#include <stdlib.h>
#include <string.h>

/* The scaled first step of the differences; later steps are halves, as long as they improve the extrapolation. */
static const double first_step = 1.0 / 64;
/* Relative error below which differences may stop if it grows; smallest relative error. Differences also stop if an
 * entry has not improved in WORSE_MAX steps. */
static const double good = 1e-6, exact = 1e-15;
enum { LEVELS_MAX = 28, KEPT = 8, WORSE_MAX = 6 };
/* Scaled step of the differences that measure how far an equilibrium is from exact rest; stiffness that counts as zero
 * for scaled coordinates. */
static const double rest_step = 0x1p-13, rest_rank = 1e-10;

/* The parts of the unknowns (z, u, x), in the order of the columns of A, and the inputs of the ports. */
typedef enum part { POSITIONS, VELOCITIES, STATES, INPUTS } part;

typedef struct differences {
  mbs_run_state *run;
  mbs_system *system;
  mbs_linearization *out;
  const mbs_ports *ports; /* inputs and outputs; NULL: only the state counts */
  size_t rates;           /* rows of g: the number of coordinates with rows of velocity level, else 0 */
  size_t rows;            /* rows of f, then of g, then of r, then of the outputs */
  double t;
  size_t sticking;        /* surfaces of laws that hold velocities, unless there are ports */
  int *column;            /* [rows] unknown of the current group in the part of each row; -1: none */
  int *row_part;          /* [rows] part of each row, in the current group */
  bool *settled, *moving; /* [parts] the differences of that part have ended; workspace */
  double rate;            /* scale of velocities relative to that of coordinates [1/s] */
  const double *q, *v;
  double *z, *spread, *trial_q, *trial_v, *trial_vdot; /* [nv], [nv], [nq], [nv], [nv] */
  double *u0, *held, *changes; /* [n] velocities of the state; [n] rates of held coordinates; [n] u' of the state */
  double *vdot, *lambda;       /* [nv], [rows] of the state */
  double *x0, *x_units;        /* [states] states, and their scales */
  double *F, *F_errors;        /* [n x states] derivatives of f by states */
  double *G, *G_errors;        /* [(rates + states) x (positions + n + states)] derivatives of g and r */
  double *table[2][KEPT];      /* [rows] Neville's scheme: the previous row and the current one */
  double *plus;                /* [rows] */
  double *best, *error,
      *estimate; /* [rows] for a column: the best estimates, their errors, the errors of the last step */
  int *worse;    /* [rows] number of steps since the best estimate of an entry */
} differences;

/* Returns the partition of the positions. */
static const mbs_partition *positions_of(const mbs_linearization *linear) {
  return linear->partition.positions ? linear->partition.positions : &linear->partition;
}

/* Adds R u to out, where R [nv x independent] has the columns of a partition. Column i is zero outside of its part. */
static void add_columns(const mbs_partition *partition, const double *R, size_t nv, const double *u, double *out) {
  const mbs_parts *parts = &partition->velocities;
  for (size_t i = 0; i < partition->independent; i++) {
    const int p = partition->columns.of[i], end = parts->first[p + 1];
    for (int m = parts->first[p]; m < end && u[i] != 0; m++)
      out[parts->members[m]] += R[i * nv + (size_t)parts->members[m]] * u[i];
  }
}

/* Returns R_i' x. */
static double column_times(const mbs_partition *partition, const double *R, size_t nv, size_t i, const double *x) {
  const mbs_parts *parts = &partition->velocities;
  const int p = partition->columns.of[i];
  double sum = 0;
  for (int m = parts->first[p]; m < parts->first[p + 1]; m++)
    sum += R[i * nv + (size_t)parts->members[m]] * x[parts->members[m]];
  return sum;
}

/* Computes g and r at the trial state. The forces at that state must have been applied. */
static void read_rates(differences *self, double *out) {
  if (self->rates) mbs_partition_read(positions_of(self->out), self->system, 1, self->trial_v, out);
  mbs_states_rates(self->system, out + self->rates);
}

/* Computes f = M u' at the trial state, where friction that slips or other forces depend on the multipliers. M is that
 * of the linearized state. */
static mbs_status unbalanced_slipping(differences *self, double *out) {
  mbs_partition *partition = &self->out->partition;
  const size_t n = self->out->n;
  double *changes = self->spread;
  const mbs_status status = mbs_evaluate(self->system, self->t, self->trial_q, self->trial_v);
  if (status != MBS_OK) return status;
  mbs_partition_read(partition, self->system, 2, self->system->vdot, changes);
  for (size_t i = 0; i < n; i++) {
    out[i] = 0;
    for (size_t j = 0; j < n; j++) out[i] += self->out->M[j * n + i] * changes[j];
  }
  read_rates(self, out + n);
  return MBS_OK;
}

/* Computes f(z, u0 + u, x0 + x) into out[n], followed by g and r. z, u and x may be NULL, zero. system->h has f before
 * its projection by R'. theory (15.6) */
static mbs_status unbalanced_forces(differences *self, const double *z, const double *u, const double *x, double *out) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_partition *partition = &self->out->partition;
  for (size_t k = 0; k < model->nv; k++) self->spread[k] = 0;
  /* q + Rq z, v + R u, with corrected dependent ones; v' likewise */
  if (z) add_columns(positions_of(self->out), self->out->Rq, model->nv, z, self->spread);
  mbs_displace(model, self->q, self->spread, self->trial_q);
  memcpy(self->trial_v, self->v, model->nv * sizeof *self->trial_v);
  if (u) add_columns(partition, self->out->R, model->nv, u, self->trial_v);
  for (size_t c = 0, own = self->out->n - partition->held; c < partition->held; c++)
    self->held[c] = self->u0[own + c] + (u ? u[own + c] : 0);
  memcpy(self->trial_vdot, self->vdot, model->nv * sizeof *self->vdot);
  for (size_t k = 0; k < model->nz; k++) system->z[k] = self->x0[k] + (x ? x[k] : 0);
  mbs_status status = mbs_partition_positions(partition, system, self->t, self->trial_q);
  if (status == MBS_OK) status = mbs_partition_velocities(partition, system, self->trial_v);
  /* finds the shares with which sticking laws hold their surfaces */
  if (status == MBS_OK && system->sliding->moving_count)
    status = mbs_evaluate(system, self->t, self->trial_q, self->trial_v);
  if (status == MBS_OK) status = mbs_partition_accelerations(partition, system, self->trial_v, self->trial_vdot);
  if (status != MBS_OK) return status;
  const bool slips = system->touches && (system->touches->sliding_count > 0 || model->rates_read_forces);
  if (slips || system->feedback || model->rates_read_reactions) return unbalanced_slipping(self, out);
  system->evaluations++;
  memcpy(system->vdot, self->trial_vdot, model->nv * sizeof *self->vdot);
  mbs_apply_forces(system);
  if (system->fault.status != MBS_OK) return system->fault.status;
  /* h - M v' + C' lambda */
  model->kernels->residual_forces(system);
  mbs_jacobian_transposed(system, self->lambda, self->spread);
  for (size_t k = 0; k < model->nv; k++) system->h[k] += self->spread[k];
  for (size_t i = 0; i < self->out->n; i++) out[i] = column_times(partition, self->out->R, model->nv, i, system->h);
  read_rates(self, out + self->out->n);
  return MBS_OK;
}

/* Returns the number of rows of f, g and r. */
static size_t equations_of(const differences *self) { return self->out->n + self->rates + self->out->states; }

/* Computes f, g and r, followed by the outputs. */
static mbs_status unbalanced(differences *self, const double *z, const double *u, const double *x, double *out) {
  const mbs_ports *ports = self->ports;
  const mbs_status status = unbalanced_forces(self, z, u, x, out);
  if (status != MBS_OK || !ports) return status;
  return ports->read(ports->user, self->t, self->trial_q, self->trial_v, out + equations_of(self));
}

/* Returns the scale of independent velocity i, of coordinate i, of state i, or of input i. */
static double unit_of(const differences *self, size_t i, part of) {
  if (of == INPUTS) return self->ports->unit(self->ports->user, i);
  if (of == STATES) return self->x_units[i];
  return mbs_partition_unit(of == VELOCITIES ? &self->out->partition : positions_of(self->out), self->system, i);
}

/* Returns the factor that scales row i of f, g and r: the scale of the coordinate for forces, its inverse for rates. */
static double row_factor(const differences *self, size_t i) {
  const size_t n = self->out->n, states = n + self->rates;
  if (i >= states + self->out->states) return 1;
  if (i < n) return unit_of(self, i, VELOCITIES);
  return 1 / (i < states ? unit_of(self, i - n, POSITIONS) : unit_of(self, i - states, STATES));
}

/* Returns the parts of the unknowns of one kind; NULL for states and inputs, which change one by one. */
static const mbs_parts *columns_of(const differences *self, part of) {
  return of == POSITIONS ? &positions_of(self->out)->columns : of == VELOCITIES ? &self->out->partition.columns : NULL;
}

/* Returns the number of groups of `columns` unknowns of one kind. */
static size_t groups_of(const differences *self, part of, size_t columns) {
  return columns_of(self, of) ? mbs_parts_largest(columns_of(self, of)) : columns;
}

/* Sets self->column for a group of unknowns: one of each part. */
static void choose_group(differences *self, size_t group, part of) {
  const mbs_parts *columns = columns_of(self, of);
  const size_t n = self->out->n;
  for (size_t i = 0; i < self->rows; i++) {
    const int p = i < n                 ? self->out->partition.columns.of[i]
                  : i < n + self->rates ? positions_of(self->out)->columns.of[i - n]
                                        : 0; /* with states or ports there is one part */
    self->row_part[i] = p;
    self->column[i] = columns ? mbs_parts_member(columns, p, group) : (int)group;
  }
}

/* Computes f, g, r and the outputs with a group of unknowns or an input displaced by `step` of their units. */
static mbs_status displaced(differences *self, size_t group, part of, double step, double *out) {
  const mbs_ports *ports = self->ports;
  const mbs_parts *columns = columns_of(self, of);
  double *at = self->z;
  if (of == INPUTS) {
    mbs_status status = ports->set(ports->user, group, step * unit_of(self, group, of));
    if (status == MBS_OK) status = unbalanced(self, NULL, NULL, NULL, out);
    const mbs_status restored = ports->set(ports->user, group, 0);
    return status == MBS_OK ? restored : status;
  }
  memset(at, 0, (of == STATES ? self->out->states : self->system->model->nv) * sizeof *at);
  for (int p = 0; columns && p < (int)columns->count; p++) {
    const int j = mbs_parts_member(columns, p, group);
    if (j >= 0) at[j] = step * unit_of(self, (size_t)j, of);
  }
  if (of == STATES) at[group] = step * unit_of(self, group, of);
  return unbalanced(self, of == POSITIONS ? at : NULL, of == VELOCITIES ? at : NULL, of == STATES ? at : NULL, out);
}

/* Computes the scaled central differences in a group of unknowns or an input with step h. theory (15.7) */
static mbs_status difference(differences *self, size_t group, part of, double h, double *out) {
  const double step = h * (of == VELOCITIES ? self->rate : 1);
  mbs_status status = displaced(self, group, of, step, self->plus);
  if (status == MBS_OK) status = displaced(self, group, of, -step, out);
  /* (f(+h) - f(-h)) / (2 h), scaled; rows of parts without an unknown in the group do not change */
  for (size_t i = 0; i < self->rows && status == MBS_OK; i++) {
    out[i] = self->column[i] >= 0 ? (self->plus[i] - out[i]) / (2 * step) * row_factor(self, i) : 0;
    if (!isfinite(out[i])) status = MBS_NOT_FINITE;
  }
  return status;
}

/* Computes a row of Neville's scheme from its first entry and the previous row, and updates the best estimates of the
 * column. theory (15.7) */
static void extrapolate(differences *self, double **before, double **now, size_t last) {
  double factor = 1;
  for (size_t i = 0; i < self->rows; i++) self->worse[i]++;
  for (size_t k = 1; k <= last; k++) {
    factor *= 4;
    for (size_t i = 0; i < self->rows; i++) {
      /* A_ik = A_i,k-1 + (A_i,k-1 - A_i-1,k-1) / (4^k - 1) */
      now[k][i] = now[k - 1][i] + (now[k - 1][i] - before[k - 1][i]) / (factor - 1);
      self->estimate[i] = fmax(fabs(now[k][i] - now[k - 1][i]), fabs(now[k][i] - before[k - 1][i]));
      if (self->estimate[i] >= self->error[i] || self->settled[self->row_part[i]]) continue;
      self->error[i] = self->estimate[i];
      self->best[i] = now[k][i];
      self->worse[i] = 0;
    }
  }
}

/* Ends the differences of a part if smaller steps increase the error of every entry of its column, because of rounding.
 * Returns true if those of all parts have ended. */
static bool settle(differences *self) {
  const size_t parts = self->out->partition.columns.count;
  bool all = true;
  memset(self->moving, 0, parts * sizeof *self->moving);
  for (size_t i = 0; i < self->rows; i++) {
    const double error = self->error[i], size = fabs(self->best[i]);
    const bool grows = self->estimate[i] > 4 * error && (error <= good * size || self->worse[i] >= WORSE_MAX);
    if (!(error <= exact * size) && !grows) self->moving[self->row_part[i]] = true;
  }
  for (size_t p = 0; p < parts; p++) {
    self->settled[p] |= !self->moving[p];
    all &= self->settled[p];
  }
  return all;
}

/* Computes the scaled derivatives of f, g and r by a group of unknowns into self->best. If steps leave the domain of f,
 * smaller ones are tried. */
static mbs_status differentiate(differences *self, size_t group, part of) {
  size_t rows = 0;
  double h = first_step;
  mbs_status status = mbs_run_check(self->run, self->t), failed = MBS_NOT_FINITE;
  if (status != MBS_OK) return status;
  choose_group(self, group, of);
  memset(self->settled, 0, self->out->partition.columns.count * sizeof *self->settled);
  for (size_t i = 0; i < self->rows; i++) {
    self->error[i] = INFINITY;
    self->worse[i] = 0;
  }
  for (int level = 0; level < LEVELS_MAX; level++, h /= 2) {
    double **before = self->table[(rows + 1) % 2], **now = self->table[rows % 2];
    status = difference(self, group, of, h, now[0]);
    if (status != MBS_OK) {
      failed = status;
      rows = 0; /* the scheme needs successive halves */
      continue;
    }
    extrapolate(self, before, now, rows < KEPT ? rows : KEPT - 1);
    if (rows++ > 0 && settle(self)) break;
  }
  for (size_t i = 0; i < self->rows; i++)
    if (!isfinite(self->error[i])) return failed;
  return MBS_OK;
}

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
          column_times(&out->partition, out->R, model->nv, (size_t)columns->members[i], product);
  }
}

/* The derivatives of f, of g and r, and of the outputs by all columns of one part, column-major. */
typedef struct derivatives {
  double sign;
  double *f, *f_errors;         /* [n x columns] times `sign` */
  double *rates, *rates_errors; /* [rows of g and r x columns] */
  double *outputs;              /* [outputs x columns] */
} derivatives;

/* Computes all columns of one kind. Errors may be NULL. */
static mbs_status differentiate_all(differences *self, part of, size_t columns, const derivatives *to) {
  const size_t n = self->out->n, equations = equations_of(self), more = equations - n;
  const size_t outputs = self->rows - equations, groups = groups_of(self, of, columns);
  for (size_t g = 0; g < groups; g++) {
    const mbs_status status = differentiate(self, g, of);
    if (status != MBS_OK) return status;
    for (size_t i = 0; i < self->rows; i++) {
      if (self->column[i] < 0) continue;
      const size_t j = (size_t)self->column[i];
      const double units = unit_of(self, j, of) * row_factor(self, i), best = self->best[i] / units,
                   error = self->error[i] / units;
      if (i < n) {
        to->f[j * n + i] = to->sign * best + 0.0; /* not -0 */
        if (to->f_errors) to->f_errors[j * n + i] = error;
      } else if (i < equations) {
        to->rates[j * more + i - n] = best + 0.0;
        if (to->rates_errors) to->rates_errors[j * more + i - n] = error;
      } else {
        to->outputs[j * outputs + i - equations] = best + 0.0;
      }
    }
  }
  return MBS_OK;
}

/* ---- the state -------------------------------------------------------------------------------------------------- */

/* Computes v' and lambda at the state, and the rounding error of a. Forces may cancel, so that the error is relative to
 * the largest acceleration of one force alone. theory (15.9) */
static mbs_status find_accelerations(differences *self, double *rounding) {
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
static mbs_status difference_once(differences *self, double *forces, double *K) {
  const size_t n = self->out->n, nv = self->system->model->nv, groups = groups_of(self, VELOCITIES, n);
  mbs_status status = MBS_OK;
  for (size_t g = 0; g < groups && status == MBS_OK; g++) {
    choose_group(self, g, VELOCITIES);
    for (int sign = -1; sign <= 1 && status == MBS_OK; sign += 2) {
      memset(self->z, 0, n * sizeof *self->z);
      for (size_t i = 0; i < n; i++)
        if (self->column[i] == (int)i) self->z[i] = sign * rest_step * unit_of(self, i, VELOCITIES);
      status = unbalanced(self, self->z, NULL, NULL, self->plus);
      for (size_t k = 0; k < nv; k++) forces[g * nv + k] += sign * self->system->h[k] / (2 * rest_step);
      for (size_t i = 0; i < n; i++) {
        if (self->column[i] < 0) continue;
        const size_t j = (size_t)self->column[i];
        K[j * n + i] -= sign * self->plus[i] / (2 * rest_step * unit_of(self, j, VELOCITIES));
      }
    }
  }
  return status;
}

/* Computes the displacement z to exact rest,   K z = M u',   in coordinates scaled so that K has a diagonal of 1. It
 * has no component without stiffness. */
static bool find_rest(const differences *self, const double *K, double *z) {
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
static mbs_status move_to_rest(differences *self) {
  mbs_system *system = self->system;
  const mbs_partition *partition = &self->out->partition;
  const size_t n = self->out->n, nv = system->model->nv, groups = groups_of(self, VELOCITIES, n);
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

static bool open_differences(differences *self, const mbs_ports *ports) {
  mbs_arena *arena = self->system->arena;
  const mbs_model *model = self->system->model;
  const size_t n = model->nv, rows = 2 * n + model->nz + (ports ? ports->outputs : 0); /* upper limit */
  double **arrays[] = {&self->z,  &self->spread, &self->trial_v, &self->trial_vdot, &self->plus,  &self->best,
                       &self->u0, &self->held,   &self->changes, &self->vdot,       &self->error, &self->estimate};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, rows + 1, sizeof(double)))) return false;
  for (size_t i = 0; i < 2 * KEPT; i++)
    if (!(self->table[i / KEPT][i % KEPT] = mbs_arena_alloc(arena, rows + 1, sizeof(double)))) return false;
  self->worse = mbs_arena_alloc(arena, rows + 1, sizeof *self->worse);
  self->column = mbs_arena_alloc(arena, rows + 1, sizeof *self->column);
  self->row_part = mbs_arena_alloc(arena, rows + 1, sizeof *self->row_part);
  self->settled = mbs_arena_alloc(arena, model->parts.count, sizeof *self->settled);
  self->moving = mbs_arena_alloc(arena, model->parts.count, sizeof *self->moving);
  self->lambda = mbs_arena_alloc(arena, model->rows + 1, sizeof(double));
  self->trial_q = mbs_arena_alloc(arena, model->nq + 1, sizeof(double));
  self->x0 = mbs_arena_alloc(arena, 2 * model->nz + 1, sizeof(double));
  if (!self->worse || !self->column || !self->row_part || !self->settled || !self->moving || !self->lambda ||
      !self->trial_q || !self->x0)
    return false;
  self->x_units = self->x0 + model->nz;
  for (size_t k = 0; k < model->nz; k++) {
    self->x0[k] = self->system->z[k];
    self->x_units[k] = fmax(1, fabs(self->x0[k]));
  }
  return true;
}

static bool open_matrices(differences *self) {
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

static bool open_ports(differences *self, const mbs_ports *ports) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  out->B = mbs_arena_alloc(arena, out->n * ports->inputs + 1, sizeof(double));
  out->Br = mbs_arena_alloc(arena, (self->rates + out->states) * ports->inputs + 1, sizeof(double));
  out->Y = mbs_arena_alloc(arena, ports->outputs * (out->positions + out->n + out->states) + 1, sizeof(double));
  out->Yw = mbs_arena_alloc(arena, ports->outputs * ports->inputs + 1, sizeof(double));
  return out->B && out->Br && out->Y && out->Yw;
}

/* Computes the columns of R, v = R u, for the independent velocities of a partition with the factors of the state. */
static void find_columns(differences *self, mbs_partition *partition, double *R) {
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

/* Computes Gamma [n x n]: a rotation dtheta of Euler parameters, which is relative to the rotated body like their
 * velocity omega, changes by domega + omega x dtheta. Held coordinates change by their rates. theory (15.13) */
static bool find_turning(const differences *self, double *Gamma) {
  const mbs_model *model = self->system->model;
  const mbs_linearization *out = self->out;
  const mbs_partition *partition = positions_of(out);
  bool any = false;
  for (size_t b = 1; b <= model->nB && model->nq != model->nv; b++) {
    const int w = model->first_v[b + 1] - 3;
    if (model->first_q[b + 1] - model->first_q[b] == model->first_v[b + 1] - model->first_v[b]) continue;
    const double *omega = self->v + w;
    any |= omega[0] != 0 || omega[1] != 0 || omega[2] != 0;
    for (size_t i = 0; i + partition->held < out->positions; i++) {
      const int row = partition->order[partition->dependent + i] - w;
      if (row < 0 || row > 2) continue;
      const int next = (row + 1) % 3, last = (row + 2) % 3;
      for (size_t j = 0; j < out->positions; j++) {
        const double *turn = out->Rq + j * model->nv + w;
        Gamma[j * out->positions + i] = omega[next] * turn[last] - omega[last] * turn[next];
      }
    }
  }
  return any;
}

/* Computes K := K - C_d Gamma, C_d := C_d - M Gamma, all [n x n]. */
static bool turn_along(const differences *self) {
  mbs_linearization *out = self->out;
  const size_t n = out->n;
  double *Gamma = mbs_arena_alloc(self->system->arena, 2 * n * n + 1, sizeof *Gamma), *turned = Gamma + n * n;
  if (!Gamma) return false;
  if (!find_turning(self, Gamma)) return true;
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
static mbs_status find_derivatives(differences *self, mbs_pencil *pencil) {
  mbs_linearization *out = self->out;
  const mbs_ports *ports = self->ports;
  const size_t n = out->n, p = out->positions, x = out->states, more = self->rates + x;
  const size_t outputs = ports ? ports->outputs : 0;
  /* G, Y: the columns of z, u and x in this order */
  double *const G = self->G, *const errors = self->G_errors, *const Y = out->Y;
  const derivatives z = {-1, out->K, out->K_errors, G, errors, Y},
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
  mbs_status status = differentiate_all(self, POSITIONS, p, &z);
  if (status == MBS_OK) status = differentiate_all(self, STATES, x, &s);
  if (status != MBS_OK) return status;
  self->rate = out->A ? 1 : rate_of(out);
  *pencil = (mbs_pencil){n, out->M, out->C, out->K, out->C_errors, out->K_errors};
  status = differentiate_all(self, VELOCITIES, n, &u);
  return status == MBS_OK && ports ? differentiate_all(self, INPUTS, ports->inputs, &w) : status;
}

/* Computes M, K, C_d, the derivatives of the ports, and the errors. */
static mbs_status find_matrices(differences *self, const mbs_ports *ports, mbs_pencil *pencil, double *rounding) {
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

/* Returns the number of surfaces of laws that hold velocities. */
static size_t count_sticking(const mbs_system *system) {
  const mbs_sliding *sliding = system->sliding;
  size_t count = 0;
  for (size_t i = 0; i < sliding->moving_count; i++) count += sliding->surfaces[sliding->moving[i]].order == 1;
  return count;
}

/* Computes the rows J u = 0 of the laws that hold velocities, J [sticking x n] by row, each solved for a velocity: J
 * has 1 there and 0 in the other rows. Sets `pivots` to these velocities, -1 if a row depends on others. */
static void find_held_rows(differences *self, double *J, int *pivots) {
  mbs_system *system = self->system;
  const mbs_sliding *sliding = system->sliding;
  const size_t n = self->out->n, nv = system->model->nv;
  size_t count = 0;
  mbs_set_position(system, self->t, self->q);
  mbs_set_velocity(system, self->v);
  for (size_t i = 0; i < sliding->moving_count; i++) {
    const mbs_surface *surface = &sliding->surfaces[sliding->moving[i]];
    double *row = J + count * n, largest = 0, most = 0;
    if (surface->order != 1) continue;
    mbs_sliding_row(system, surface->leader, 1, self->spread);
    for (size_t j = 0; j < n; j++) {
      row[j] = 0;
      for (size_t k = 0; k < nv; k++) row[j] += self->spread[k] * self->out->R[j * nv + k];
      largest = fmax(largest, fabs(row[j]) * unit_of(self, j, VELOCITIES));
    }
    pivots[count] = -1;
    for (size_t r = 0; r < count; r++)
      for (size_t j = 0, of = (size_t)pivots[r]; j < n && pivots[r] >= 0; j++)
        if (j != of) row[j] -= row[of] * J[r * n + j];
    for (size_t r = 0; r < count; r++)
      if (pivots[r] >= 0) row[pivots[r]] = 0;
    for (size_t j = 0; j < n; j++) {
      const double size = fabs(row[j]) * unit_of(self, j, VELOCITIES);
      if (!(size > most) || !(size > mbs_rank_tolerance * largest)) continue;
      most = size;
      pivots[count] = (int)j;
    }
    const double pivot = most > 0 ? row[pivots[count]] : 0;
    for (size_t j = 0; j < n; j++) row[j] = most > 0 ? row[j] / pivot : 0;
    for (size_t r = 0; r < count && most > 0; r++) {
      const double share = J[r * n + (size_t)pivots[count]];
      for (size_t j = 0; j < n; j++) J[r * n + j] -= share * row[j];
    }
    count++;
  }
}

/* Removes the velocities from A that laws that stick determine. Returns false if memory runs out. */
static bool remove_held(differences *self, double *units) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  const size_t n = out->n, p = out->positions, size = p + n + out->states;
  double *J = mbs_arena_alloc(arena, self->sticking * n + 1, sizeof *J), *A = out->A;
  int *pivots = mbs_arena_alloc(arena, self->sticking + 1, sizeof *pivots);
  out->held = mbs_arena_alloc(arena, n + 1, sizeof *out->held);
  if (!J || !pivots || !out->held) return false;
  find_held_rows(self, J, pivots);
  for (size_t r = 0; r < self->sticking; r++) {
    if (pivots[r] < 0) continue;
    out->held[pivots[r]] = true;
    out->moving--;
  }
  for (size_t r = 0; r < self->sticking; r++)
    for (size_t j = 0; j < n && pivots[r] >= 0; j++)
      for (size_t i = 0; i < size && !out->held[j]; i++)
        A[(p + j) * size + i] -= J[r * n + j] * A[(p + (size_t)pivots[r]) * size + i];
  size_t columns = 0, entries = 0;
  for (size_t j = 0; j < size; j++) {
    if (j >= p && j < p + n && out->held[j - p]) continue;
    units[columns++] = units[j];
    for (size_t i = 0; i < size; i++) {
      if (i >= p && i < p + n && out->held[i - p]) continue;
      A[entries] = A[j * size + i];
      out->A_errors[entries++] = out->A_errors[j * size + i];
    }
  }
  return true;
}

/* Computes A, its eigenvalues and modes:
 *
 *   (G_z + Gamma, G_u, 0; -M^-1 K, -M^-1 C_d, M^-1 f_x; r_z, r_u, r_x),   G_z = 0, G_u = 1 without rows of velocity
 *                                                                       level. theory (15.14) */
static mbs_status find_state_matrix(differences *self) {
  mbs_linearization *out = self->out;
  mbs_arena *arena = self->system->arena;
  const size_t n = out->n, p = out->positions, first = p + n, rows = first + out->states, more = equations_of(self) - n;
  double *M = mbs_arena_alloc(arena, n * n + 1, sizeof *M),
         *right = mbs_arena_alloc(arena, 2 * n * rows + 1, sizeof *right), *errors = right + n * rows,
         *Gamma = mbs_arena_alloc(arena, p * p + 1, sizeof *Gamma),
         *units = mbs_arena_alloc(arena, rows + 1, sizeof *units), error = 0;
  int *pivots = mbs_arena_alloc(arena, n + 1, sizeof *pivots);
  if (!M || !right || !Gamma || !units || !pivots) return MBS_NO_MEMORY;
  find_turning(self, Gamma);
  memcpy(M, out->M, n * n * sizeof *M);
  const struct {
    const double *of, *errors;
    size_t columns;
  } parts[] = {{out->K, out->K_errors, p}, {out->C, out->C_errors, n}, {self->F, self->F_errors, out->states}};
  for (size_t k = 0, at = 0; k < 3; at += n * parts[k++].columns)
    for (size_t i = 0; i < n * parts[k].columns; i++) {
      right[at + i] = -parts[k].of[i];
      errors[at + i] = parts[k].errors[i];
    }
  if (n && !(mbs_lu_factor(n, M, pivots) > 0)) return MBS_NOT_FINITE;
  mbs_lu_solve(n, rows, M, pivots, right);
  for (size_t i = 0; i < rows; i++)
    units[i] = i < p       ? unit_of(self, i, POSITIONS)
               : i < first ? unit_of(self, i - p, VELOCITIES)
                           : unit_of(self, i - first, STATES);
  for (size_t j = 0; j < rows; j++) {
    double *column = out->A + j * rows, *column_errors = out->A_errors + j * rows;
    const double *rates = self->G + j * more, *rate_errors = self->G_errors + j * more;
    for (size_t i = 0; i < p; i++)
      column[i] = (self->rates ? rates[i] : j == p + i ? 1 : 0) + (j < p ? Gamma[j * p + i] : 0);
    for (size_t i = 0; i < n; i++) {
      column[p + i] = right[j * n + i] + 0.0; /* not -0 */
      column_errors[p + i] = errors[j * n + i] / out->M[i * n + i];
      error = fmax(error, column_errors[p + i] * units[j] / units[p + i]);
    }
    memcpy(column + first, rates + self->rates, out->states * sizeof *rates);
    for (size_t i = 0; i < more; i++) {
      const size_t row = i < self->rates ? i : first + i - self->rates;
      column_errors[row] = rate_errors[i];
      error = fmax(error, rate_errors[i] * units[j] / units[row]);
    }
  }
  if (self->sticking && !remove_held(self, units)) return MBS_NO_MEMORY;
  return mbs_eigenmodes_of_matrix(p + out->moving + out->states, p, out->A, units, error, arena, &out->eigen);
}

/* C has lost rank below this ratio of its pivots. If constraints change by the square of a displacement, the position
 * is known only to the square root of their residual. */
static const double lost_ratio = 2e-5;

/* Computes the matrices and the eigenvalues at self->q and self->v, where the partition of the result is factored. */
static mbs_status linearize_at(differences *self, const mbs_ports *ports) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_linearization *out = self->out;
  mbs_partition *partition = &out->partition;
  const size_t n = out->n = out->moving = partition->independent;
  out->states = model->nz;
  /* without active rows of velocity level, coordinates and velocities are divided alike */
  if (partition->positions && partition->positions->independent == n) partition->positions = NULL;
  out->positions = positions_of(out)->independent;
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
    status = find_state_matrix(self);
    return status == MBS_OK && !self->rates && !turn_along(self) ? MBS_NO_MEMORY : status;
  }
  for (size_t i = 0; i < n; i++) units[i] = unit_of(self, i, VELOCITIES);
  return mbs_eigenmodes_find(&pencil, units, out->rounding, system->arena, &out->eigen);
}

mbs_status mbs_linearize(mbs_run_state *run, double t, const mbs_ports *ports, mbs_linearization *out) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  differences self = {.run = run, .system = system, .out = out, .t = t, .rate = 1, .q = run->q, .v = run->v};
  mbs_partition *partition = &out->partition;
  *out = (mbs_linearization){0};
  if (!mbs_partition_open(partition, system) || !open_differences(&self, ports)) return MBS_NO_MEMORY;
  mbs_status status = mbs_run_settle_laws(run, t);
  if (status == MBS_OK) status = mbs_touches_open_weightless(run, t, run->q, run->v);
  if (status != MBS_OK) return status;
  if (system->sliding->moving_count == 0 && !model->about_state) mbs_sliding_forget(system);
  if (system->sliding->count == 0) mbs_switches_settle(system, t, run->q, run->v, NULL, NULL);
  mbs_set_position(system, t, run->q);
  status = mbs_partition_choose(partition, system, true);
  if (status != MBS_OK) return status;
  out->singular = model->rows > 0 && partition->pivot_ratio < lost_ratio;
  if (!ports) self.sticking = count_sticking(system);
  if (ports) mbs_partition_make_whole(partition);
  return linearize_at(&self, ports);
}

mbs_status mbs_linearize_near(mbs_run_state *run, double t, const double *q, const double *v,
                              const mbs_linearization *of, mbs_linearization *out) {
  mbs_system *system = run->system;
  differences self = {.run = run, .system = system, .out = out, .t = t, .rate = 1, .q = q, .v = v};
  *out = (mbs_linearization){.partition = of->partition};
  out->partition.held_rates = out->partition.held_changes = NULL;
  if (!open_differences(&self, NULL)) return MBS_NO_MEMORY;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_C);
  if (out->partition.positions) mbs_partition_factor(out->partition.positions, system);
  mbs_partition_factor(&out->partition, system);
  if (of->held) self.sticking = count_sticking(system);
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
