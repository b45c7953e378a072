/* Inverse dynamics: the multipliers of a driven motion (driven_motion.h), and its integrals of power and dissipation.
 * In a crossing of a singular position, multipliers are interpolated between support points, with poles where they grow
 * without bounds. */
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "kernels/kernels.h"
#include "run/lock_up.h"
#include "run/record.h"
#include "simulate/analyses.h"
#include "simulate/driven_motion.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Largest error of a multiplier interpolated between the support points of a crossing, as a share of its size. */
static const double pole_share = 1e-6;
/* Errors of multipliers below this share of the largest are relative to that share. */
static const double noticed_share = 1e-2;
/* A multiplier has no value this near to a pole, as a share of the crossing's length. */
static const double nearest_share = 1e-8;

/* ---- states ---------------------------------------------------------------------------------------------------- */

/* Returns true if t is so near a pole that multipliers have no value there. Sets *beside to the nearest time where they
 * have one. */
static bool is_at_pole(const mbs_driven_motion *self, double t, double *beside) {
  const mbs_path *path = &self->path;
  double nearest = nearest_share * (path->ahead.t - path->from.t);
  bool there = path->crossing.active && self->has_poles && fabs(t - path->crossing.t) < nearest;
  *beside = there ? path->crossing.t - nearest : t;
  return there;
}

static mbs_status apply_forces(mbs_driven_motion *self, double t) {
  mbs_system *system = self->run->system;
  if (!self->path.crossing.active) return mbs_evaluate(system, t, self->q, self->v);
  double beside;
  is_at_pole(self, t, &beside);
  mbs_crossing_multipliers(&self->path, beside, system->lambda);
  mbs_apply_forces(system);
  return MBS_OK;
}

static mbs_status begin_row(mbs_driven_motion *self, double t, const double *integrals) {
  mbs_run_state *run = self->run;
  if (run->model->has_power) {
    run->system->work = integrals[0];
    run->system->dissipated = integrals[1];
  }
  double beside;
  return is_at_pole(self, t, &beside) ? mbs_run_unbounded(run, self->path.crossing.t, self->path.from.q) : MBS_OK;
}

/* ---- integrals --------------------------------------------------------------------------------------------------- */

/* Computes the rates of work and dissipation on the path. theory (14.10) */
static void powers(mbs_driven_motion *self, double rates[2]) {
  const mbs_system *system = self->run->system;
  /* W' = P_work + lambda.rhsV, E_d' = P_diss */
  rates[0] = system->power_work + mbs_driver_power(system);
  rates[1] = system->power_dissipated;
}

/* Returns the largest energy exchanged so far, to which errors of integrals are relative: kinetic energy, work, and the
 * energy transferred in this interval. theory (16.5) */
static double energy_size(void *context, double t, const double *y) {
  mbs_driven_motion *self = context;
  mbs_system *system = self->run->system;
  const double *integrals = y + system->model->nz;
  memcpy(system->z, y, system->model->nz * sizeof *y);
  if (mbs_driven_motion_state(self, t) != MBS_OK) return self->energy;
  double power = fabs(system->power_work) + fabs(mbs_driver_power(system)) + fabs(system->power_dissipated);
  /* T, and the energy of the current power over this interval */
  double own = fmax(system->model->kernels->kinetic(system), power * (self->path.to.t - self->path.from.t));
  self->energy = fmax(self->energy, fmax(own, fmax(fabs(integrals[0]), fabs(integrals[1]))));
  return self->energy;
}

/* ---- crossings --------------------------------------------------------------------------------------------------- */

/* Returns true if interpolation with a pole of order `order` reproduces the multiplier of row r, known at t, of size
 * `size`. theory (14.11) */
static bool has_pole(const mbs_path *path, double t, size_t r, int order, const double *known, double *found,
                     double size) {
  assert(order >= 0 && order <= 2 && r < path->run->model->rows);
  path->crossing.poles[r] = order;
  mbs_crossing_multipliers(path, t, found);
  return fabs(found[r] - known[r]) <= pole_share * size;
}

/* Finds the order of each multiplier's pole from its value half way between the singular position and the nearest
 * support point. Returns MBS_SINGULAR_POSITION if no order reproduces one, as if a force jumps in the crossing. */
static mbs_status find_poles(mbs_driven_motion *self) {
  mbs_run_state *run = self->run;
  mbs_path *path = &self->path;
  mbs_crossing *crossing = &path->crossing;
  size_t rows = run->model->rows;
  const double *units = run->system->row_units; /* products with multipliers are comparable */
  double *known = self->known, *found = known + rows, largest = 0;
  for (size_t i = 0; i < MBS_CROSSING_POINTS * rows; i++)
    largest = fmax(largest, fabs(crossing->lambda[i]) * units[i % rows]);
  /* half way between t* and the nearest support point */
  double t = 0.5 * (crossing->t + (crossing->points[0].t < crossing->t ? path->from.t : path->ahead.t));
  mbs_status status = mbs_path_state(path, t, self->q, self->v);
  if (status == MBS_OK) status = mbs_run_evaluate(run, t, self->q, self->v);
  largest = fmax(largest, run->model->kernels->kinetic(run->system)); /* if no forces act, multipliers are rounding */
  memcpy(known, run->system->lambda, rows * sizeof *known);
  self->has_poles = false;
  for (size_t r = 0; r < rows && status == MBS_OK; r++) {
    double size = noticed_share * largest / units[r];
    int order = 0;
    for (size_t k = 0; k < MBS_CROSSING_POINTS; k++) size = fmax(size, fabs(crossing->lambda[k * rows + r]));
    /* the least nu_r that reproduces lambda_r(t) */
    while (order < 3 && !has_pole(path, t, r, order, known, found, size)) order++;
    if (order == 3) return MBS_SINGULAR_POSITION;
    self->has_poles |= order > 0;
  }
  return status;
}

/* Computes the multipliers at the support points of a crossing, and their interpolation. */
static mbs_status begin_crossing(mbs_driven_motion *self) {
  mbs_run_state *run = self->run;
  mbs_crossing *crossing = &self->path.crossing;
  size_t rows = run->model->rows;
  if (run->system->feedback) return MBS_SINGULAR_POSITION; /* forces would depend on unbounded multipliers */
  memset(crossing->poles, 0, rows * sizeof *crossing->poles);
  for (size_t k = 0; k < MBS_CROSSING_POINTS; k++) {
    /* lambda_k at support point k */
    const mbs_path_node *point = &crossing->points[k];
    mbs_status status = mbs_run_evaluate(run, point->t, point->q, point->v);
    if (status != MBS_OK) return status;
    memcpy(crossing->lambda + k * rows, run->system->lambda, rows * sizeof(double));
  }
  return find_poles(self);
}

mbs_status mbs_run_inverse_dynamics(mbs_run_state *run) {
  static const mbs_driven_analysis inverse_dynamics = {.forces = apply_forces,
                                                       .begin_row = begin_row,
                                                       .begin_crossing = begin_crossing,
                                                       .powers = powers,
                                                       .energy_size = energy_size};
  return mbs_driven_motion_run(run, &inverse_dynamics);
}
