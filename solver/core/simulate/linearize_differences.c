/* Computes central differences of f, g, r and the outputs, extrapolated to zero step (Ridders, Adv. Eng. Software 4,
 * 1982). Groups of unknowns, one of each part of the mechanism, change together. */
#include "simulate/linearize_differences.h"

#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "equations/touches.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* The scaled first step of the differences; later steps are halves, as long as they improve the extrapolation. */
static const double first_step = 1.0 / 64;
/* Relative error below which differences may stop if it grows; smallest relative error. Differences also stop if an
 * entry has not improved in WORSE_MAX steps. */
static const double good = 1e-6, exact = 1e-15;
enum { LEVELS_MAX = 28, WORSE_MAX = 6 };

const mbs_partition *mbs_differences_positions(const mbs_linearization *linear) {
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

double mbs_differences_column_times(const mbs_partition *partition, const double *R, size_t nv, size_t i,
                                    const double *x) {
  const mbs_parts *parts = &partition->velocities;
  const int p = partition->columns.of[i];
  double sum = 0;
  for (int m = parts->first[p]; m < parts->first[p + 1]; m++)
    sum += R[i * nv + (size_t)parts->members[m]] * x[parts->members[m]];
  return sum;
}

/* Computes g and r at the trial state. The forces at that state must have been applied. */
static void read_rates(mbs_differences *self, double *out) {
  if (self->rates) mbs_partition_read(mbs_differences_positions(self->out), self->system, 1, self->trial_v, out);
  mbs_states_rates(self->system, out + self->rates);
}

/* Computes f = M u' at the trial state, where friction that slips or other forces depend on the multipliers. M is that
 * of the linearized state. */
static mbs_status unbalanced_slipping(mbs_differences *self, double *out) {
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
static mbs_status unbalanced_forces(mbs_differences *self, const double *z, const double *u, const double *x,
                                    double *out) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_partition *partition = &self->out->partition;
  for (size_t k = 0; k < model->nv; k++) self->spread[k] = 0;
  /* q + Rq z, v + R u, with corrected dependent ones; v' likewise */
  if (z) add_columns(mbs_differences_positions(self->out), self->out->Rq, model->nv, z, self->spread);
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
  for (size_t i = 0; i < self->out->n; i++)
    out[i] = mbs_differences_column_times(partition, self->out->R, model->nv, i, system->h);
  read_rates(self, out + self->out->n);
  return MBS_OK;
}

size_t mbs_differences_equations(const mbs_differences *self) { return self->out->n + self->rates + self->out->states; }

mbs_status mbs_differences_unbalanced(mbs_differences *self, const double *z, const double *u, const double *x,
                                      double *out) {
  const mbs_ports *ports = self->ports;
  const mbs_status status = unbalanced_forces(self, z, u, x, out);
  if (status != MBS_OK || !ports) return status;
  return ports->read(ports->user, self->t, self->trial_q, self->trial_v, out + mbs_differences_equations(self));
}

double mbs_differences_unit(const mbs_differences *self, size_t i, mbs_unknown of) {
  if (of == MBS_UNKNOWN_INPUTS) return self->ports->unit(self->ports->user, i);
  if (of == MBS_UNKNOWN_STATES) return self->x_units[i];
  return mbs_partition_unit(of == MBS_UNKNOWN_VELOCITIES ? &self->out->partition : mbs_differences_positions(self->out),
                            self->system, i);
}

/* Returns the factor that scales row i of f, g and r: the scale of the coordinate for forces, its inverse for rates. */
static double row_factor(const mbs_differences *self, size_t i) {
  const size_t n = self->out->n, states = n + self->rates;
  if (i >= states + self->out->states) return 1;
  if (i < n) return mbs_differences_unit(self, i, MBS_UNKNOWN_VELOCITIES);
  return 1 / (i < states ? mbs_differences_unit(self, i - n, MBS_UNKNOWN_POSITIONS)
                         : mbs_differences_unit(self, i - states, MBS_UNKNOWN_STATES));
}

/* Returns the parts of the unknowns of one kind; NULL for states and inputs, which change one by one. */
static const mbs_parts *columns_of(const mbs_differences *self, mbs_unknown of) {
  return of == MBS_UNKNOWN_POSITIONS    ? &mbs_differences_positions(self->out)->columns
         : of == MBS_UNKNOWN_VELOCITIES ? &self->out->partition.columns
                                        : NULL;
}

size_t mbs_differences_groups(const mbs_differences *self, mbs_unknown of, size_t columns) {
  return columns_of(self, of) ? mbs_parts_largest(columns_of(self, of)) : columns;
}

void mbs_differences_choose(mbs_differences *self, size_t group, mbs_unknown of) {
  const mbs_parts *columns = columns_of(self, of);
  const size_t n = self->out->n;
  for (size_t i = 0; i < self->rows; i++) {
    const int p = i < n                 ? self->out->partition.columns.of[i]
                  : i < n + self->rates ? mbs_differences_positions(self->out)->columns.of[i - n]
                                        : 0; /* with states or ports there is one part */
    self->row_part[i] = p;
    self->column[i] = columns ? mbs_parts_member(columns, p, group) : (int)group;
  }
}

/* Computes f, g, r and the outputs with a group of unknowns or an input displaced by `step` of their units. */
static mbs_status displaced(mbs_differences *self, size_t group, mbs_unknown of, double step, double *out) {
  const mbs_ports *ports = self->ports;
  const mbs_parts *columns = columns_of(self, of);
  double *at = self->z;
  if (of == MBS_UNKNOWN_INPUTS) {
    mbs_status status = ports->set(ports->user, group, step * mbs_differences_unit(self, group, of));
    if (status == MBS_OK) status = mbs_differences_unbalanced(self, NULL, NULL, NULL, out);
    const mbs_status restored = ports->set(ports->user, group, 0);
    return status == MBS_OK ? restored : status;
  }
  memset(at, 0, (of == MBS_UNKNOWN_STATES ? self->out->states : self->system->model->nv) * sizeof *at);
  for (int p = 0; columns && p < (int)columns->count; p++) {
    const int j = mbs_parts_member(columns, p, group);
    if (j >= 0) at[j] = step * mbs_differences_unit(self, (size_t)j, of);
  }
  if (of == MBS_UNKNOWN_STATES) at[group] = step * mbs_differences_unit(self, group, of);
  return mbs_differences_unbalanced(self, of == MBS_UNKNOWN_POSITIONS ? at : NULL,
                                    of == MBS_UNKNOWN_VELOCITIES ? at : NULL, of == MBS_UNKNOWN_STATES ? at : NULL,
                                    out);
}

/* Computes the scaled central differences in a group of unknowns or an input with step h. theory (15.7) */
static mbs_status difference(mbs_differences *self, size_t group, mbs_unknown of, double h, double *out) {
  const double step = h * (of == MBS_UNKNOWN_VELOCITIES ? self->rate : 1);
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
static void extrapolate(mbs_differences *self, double **before, double **now, size_t last) {
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
static bool settle(mbs_differences *self) {
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
static mbs_status differentiate(mbs_differences *self, size_t group, mbs_unknown of) {
  size_t rows = 0;
  double h = first_step;
  mbs_status status = mbs_run_check(self->run, self->t), failed = MBS_NOT_FINITE;
  if (status != MBS_OK) return status;
  mbs_differences_choose(self, group, of);
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
    extrapolate(self, before, now, rows < MBS_DIFFERENCES_KEPT ? rows : MBS_DIFFERENCES_KEPT - 1);
    if (rows++ > 0 && settle(self)) break;
  }
  for (size_t i = 0; i < self->rows; i++)
    if (!isfinite(self->error[i])) return failed;
  return MBS_OK;
}

mbs_status mbs_differentiate(mbs_differences *self, mbs_unknown of, size_t columns, const mbs_derivatives *to) {
  const size_t n = self->out->n, equations = mbs_differences_equations(self), more = equations - n;
  const size_t outputs = self->rows - equations, groups = mbs_differences_groups(self, of, columns);
  for (size_t g = 0; g < groups; g++) {
    const mbs_status status = differentiate(self, g, of);
    if (status != MBS_OK) return status;
    for (size_t i = 0; i < self->rows; i++) {
      if (self->column[i] < 0) continue;
      const size_t j = (size_t)self->column[i];
      const double units = mbs_differences_unit(self, j, of) * row_factor(self, i), best = self->best[i] / units,
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

bool mbs_differences_open(mbs_differences *self, const mbs_ports *ports) {
  mbs_arena *arena = self->system->arena;
  const mbs_model *model = self->system->model;
  const size_t n = model->nv, rows = 2 * n + model->nz + (ports ? ports->outputs : 0); /* upper limit */
  double **arrays[] = {&self->z,  &self->spread, &self->trial_v, &self->trial_vdot, &self->plus,  &self->best,
                       &self->u0, &self->held,   &self->changes, &self->vdot,       &self->error, &self->estimate};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (!(*arrays[i] = mbs_arena_alloc(arena, rows + 1, sizeof(double)))) return false;
  for (size_t i = 0; i < 2 * MBS_DIFFERENCES_KEPT; i++)
    if (!(self->table[i / MBS_DIFFERENCES_KEPT][i % MBS_DIFFERENCES_KEPT] =
              mbs_arena_alloc(arena, rows + 1, sizeof(double))))
      return false;
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
