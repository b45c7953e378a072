/* Initial conditions by Newton steps of minimum norm, and the reasons of failures. */
#include "initial/correct.h"

#include "base/message.h"
#include "base/norms.h"
#include "base/suballocate.h"
#include "constraints/held_coordinates.h"
#include "constraints/rank.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/residual_rounding.h"
#include "equations/state.h"
#include "initial/newton_min_norm.h"
#include "initial/row_factors.h"
#include "linalg/lapack.h"
#include "model/quantities.h"
#include "model/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Singular values below this share of the largest are rounding. */
static const double rounding = 1e-13;
/* Remaining residual, in scales, up to which inexact data are the likely cause of a failure. */
static const double data_suspected = 1e-4;

enum { FINISH_MAX = 50 };

size_t mbs_correct_workspace(const mbs_model *model) {
  size_t n = model->nv, m = model->rows + model->held_count;
  size_t dense = mbs_dense_fits(model) ? 2 * m * n + mbs_lapack_workspace(m, n) : 0;
  return dense + 14 * n + 16 * m + 6 * model->nq + 64;
}

/* Returns the unit of a row's residual; "" if it has none or it is not known. */
static const char *row_unit(const mbs_model *model, size_t row) {
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if ((int)row < block->first_row || (int)row >= block->first_row + block->rows) continue;
    const mbs_dimension dimension = mbs_row_dimension(block);
    return !dimension.known ? "" : dimension.rad ? " rad" : dimension.m == 1 ? " m" : "";
  }
  return "";
}

/* Reports `what`, the row with the largest residual, and the remedies: first that of its data, then `more`. */
static void fail(mbs_system *system, mbs_status status, size_t row, double residual, const char *what,
                 const char *more) {
  mbs_error *error = system->error;
  if (!error || error->message[0]) return;
  const char *element = mbs_row_element(system->model, row);
  error->status = status;
  error->time = system->t;
  snprintf(error->element, sizeof error->element, "%s", element);
  if (isfinite(residual))
    mbs_message(
        error->message, sizeof error->message,
        "%s; at t = %.9g the largest residual is that of '%s': %.3g%s; check its points, lengths and their units%s",
        what, system->t, element, residual, row_unit(system->model, row), more);
  else
    mbs_message(error->message, sizeof error->message, "%s; '%s' has no finite residual at t = %.9g", what, element,
                system->t);
}

static size_t largest_row(const double *x, const double *units, size_t n) {
  size_t row = 0;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) / units[i] <= fabs(x[row]) / units[row])) row = i;
  return row;
}

/* ---- positions ----------------------------------------------------------------------------------------------- */

/* Iterates as near as inexact data permit, from the first position that was near enough. Returns true if the remaining
 * residual belongs to rows that are redundant there and, unlike at a singular position, also after a small motion. */
static bool iterate_inexact(const mbs_correction_rows *strict, double t, double *q, int *iterations,
                            double *workspace) {
  mbs_system *system = strict->system;
  mbs_correction_rows self = *strict;
  double *rest = workspace, *moved = mbs_suballocate(&rest, system->model->nq);
  int rank, rank_there;
  self.inexact = true;
  self.near = NULL;
  memcpy(q, strict->near->q, system->model->nq * sizeof *q);
  if (!mbs_descend(&self, t, q, iterations, &rank, rest) || (size_t)rank == mbs_correction_count(&self)) return false;
  memcpy(moved, q, system->model->nq * sizeof *q);
  /* the rank after a small motion */
  if (mbs_free_motion(&self, moved, rest))
    if (!mbs_descend(&self, t, moved, iterations, &rank_there, rest) || rank_there > rank) return false;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  mbs_position_residual(&self);
  return true;
}

/* Iterates with Newton from `start` to q. If the iteration does not converge, or ends far from the first position that
 * was near enough, it tries a solution for inexact data. Returns true if the position is acceptable; out->inexact tells
 * which case applies. Far means more than the square root of the residual, the distance of a solution near a singular
 * position. */
static bool settle(mbs_correction_rows *self, double t, const double *start, double *q, mbs_correction *out,
                   double *workspace) {
  const mbs_model *model = self->system->model;
  mbs_newton_progress near = {.step = INFINITY, .q = workspace};
  double *found = workspace + model->nq, *rest = found + model->nq;
  self->near = &near;
  memcpy(q, start, model->nq * sizeof *q);
  /* full steps, then damped ones from the start */
  bool good = !self->longest && mbs_newton_min_norm(self, t, q, false, &out->iterations, rest);
  if (!good) {
    near.damped = true;
    memcpy(q, start, model->nq * sizeof *q);
    good = mbs_newton_min_norm(self, t, q, true, &out->iterations, rest);
    mbs_update_newton_progress(self, q);
  }
  self->near = NULL;
  out->wandered = near.damped || near.travelled > mbs_far_away;
  out->inexact = false;
  if (!near.known || (good && near.path <= 10 * sqrt(near.residual))) return good;
  /* a solution within the precision of data */
  memcpy(found, q, model->nq * sizeof *q);
  self->near = &near;
  out->inexact = iterate_inexact(self, t, q, &out->iterations, rest);
  self->near = NULL;
  if (out->inexact) return true;
  memcpy(q, found, model->nq * sizeof *q);
  mbs_set_position(self->system, t, q);
  mbs_constraints(self->system, MBS_WANT_PHI | MBS_WANT_C);
  mbs_position_residual(self);
  return good;
}

/* Returns true if the gradient of norm(Phi)^2 / 2, in scales, nearly vanishes. */
static bool is_stationary(const mbs_correction_rows *self, double *gradient) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  const double *units = self->accuracy;
  double sum = 0;
  /* C' Phi */
  for (size_t r = 0; r < model->rows; r++) system->combination[r] = system->Phi[r] / (units[r] * units[r]);
  mbs_jacobian_transposed(system, system->combination, gradient);
  for (size_t k = 0; k < model->nv; k++) sum += gradient[k] * gradient[k] * system->v_weights[k];
  return sqrt(sum) < 1e-6 * mbs_scaled_norm(system->Phi, units, model->rows);
}

/* Returns true if a row includes full revolutions of angles that orientations do not determine. */
static bool counts_turns(const mbs_model *model, size_t row) {
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if ((int)row >= block->first_row && (int)row < block->first_row + block->rows) return block->turns >= 0;
  }
  return false;
}

/* Reports why Newton stopped. A stationary point of norm(Phi) with dependent rows means that constraints contradict one
 * another. */
static mbs_status name_failure(const mbs_correction_rows *self, mbs_correction *out, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  out->position_residual = NAN;
  if (system->fault.status != MBS_OK) return system->fault.status;
  size_t n = model->nv, m = mbs_correction_count(self) - self->held,
         row = largest_row(system->Phi, self->accuracy, model->rows);
  double residual = fabs(system->Phi[row]);
  out->failed = true;
  out->worst_row = row;
  out->position_residual = residual;
  /* C' Phi = 0 and rank C < rows: a contradiction */
  bool stationary = is_stationary(self, workspace);
  int rank = mbs_min_norm_solve(self, self->residual, workspace, workspace + n);
  mbs_status status = stationary && rank >= 0 && (size_t)rank < m ? MBS_CONTRADICTION : MBS_NOT_ASSEMBLED;
  const char *what = "the mechanism cannot be assembled from this start", *more = "";
  if (mbs_worst_in_units(self) <= data_suspected)
    what = "the mechanism nearly closes, but the constraints cannot all be satisfied; give its lengths, points and "
           "angles with more digits, especially those of redundant constraints";
  else if (counts_turns(model, row))
    what = "the mechanism cannot be assembled from this start: the orientations of bodies do not determine how many "
           "full revolutions an angle includes; give the joints initial positions that include them, such as 400 deg, "
           "or set \"formulation\": \"joint\"";
  else if (status == MBS_CONTRADICTION) {
    what = "constraints contradict one another";
    more = model->driver_count > 0 || mbs_has_gears(model)
               ? ", and the signs and ratios of drivers and gears, or give initial positions nearer to the assembled "
                 "mechanism"
               : ", or give initial positions nearer to the assembled mechanism";
  } else if (model->any_hold)
    what = "the mechanism cannot be assembled from this start while 'hold' fixes the values of its joints";
  else if (stationary)
    what = "the mechanism cannot be assembled from this start; give initial positions nearer to the assembled "
           "mechanism";
  fail(system, status, row, residual, what, more);
  return status;
}

/* Takes a step that reduces the residual, `before`. q does not change if no step does, or if a full step of the size of
 * rounding does not. Returns the residual. */
static double try_better(mbs_correction_rows *self, double t, double *q, double before, double *workspace) {
  mbs_system *system = self->system;
  double *rest = workspace, *start = mbs_suballocate(&rest, system->model->nq);
  memcpy(start, q, system->model->nq * sizeof *q);
  for (int damped = 0; damped < 2; damped++) {
    const bool good = mbs_newton_step(self, t, q, damped, rest);
    const double after = mbs_position_residual(self);
    if (good && after < before) return after;
    memcpy(q, start, system->model->nq * sizeof *q);
    mbs_set_position(system, t, q);
    mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
    mbs_position_residual(self);
    if (self->near->step <= mbs_position_tolerance) break;
  }
  return before;
}

/* Improves a solution. Convergence is quadratic: one further step reduces the residual to rounding. Near a singular
 * position it is slower, and the error of positions is much larger than their residual. There steps continue while they
 * are longer than the tolerance. */
static void finish(mbs_correction_rows *self, double t, double *q, double *workspace) {
  mbs_newton_progress near = {.step = INFINITY, .known = true};
  double residual = mbs_position_residual(self);
  self->near = &near;
  for (int k = 0; k < FINISH_MAX && residual > 1e-15 && near.step > mbs_position_tolerance; k++) {
    const double before = residual;
    residual = try_better(self, t, q, before, workspace);
    if (!(residual < before)) break;
  }
  self->near = NULL;
}

/* Corrects positions from q; with `longest` by damped steps only. */
static mbs_status correct(mbs_system *system, double t, double *q, const double *longest, mbs_correction *out,
                          double *workspace) {
  const mbs_model *model = system->model;
  out->failed = false;
  if (mbs_restricting_rows(model, MBS_LEVEL_POSITION) == 0) return MBS_OK;
  mbs_set_position(system, t, q);
  mbs_correction_rows self = mbs_correction_rows_of(system, MBS_LEVEL_POSITION, model->held_count, &workspace);
  self.longest = longest;
  double *rest = workspace, *start = mbs_suballocate(&rest, model->nq);
  memcpy(start, q, model->nq * sizeof *q);
  mbs_read_held(&self, 0, self.target);
  if (!settle(&self, t, start, q, out, rest)) return name_failure(&self, out, rest);
  if (!out->inexact) finish(&self, t, q, rest);
  out->position_residual = mbs_largest(system->Phi, model->rows);
  out->worst_row = largest_row(system->Phi, self.accuracy, model->rows);
  return MBS_OK;
}

mbs_status mbs_correct_positions(mbs_system *system, double t, double *q, mbs_correction *out, double *workspace) {
  return correct(system, t, q, NULL, out, workspace);
}

mbs_status mbs_correct_damped(mbs_system *system, double t, double *q, const double *longest, mbs_correction *out,
                              double *workspace) {
  return correct(system, t, q, longest, out, workspace);
}

/* theory (9.8) */
bool mbs_allowed_motion(mbs_system *system, double *dv, double *workspace) {
  const mbs_model *model = system->model;
  if (model->rows + model->held_count == 0) return true;
  mbs_correction_rows self = mbs_correction_rows_of(system, MBS_LEVEL_POSITION, model->held_count, &workspace);
  double *rest = workspace, *image = mbs_suballocate(&rest, self.count), *back = mbs_suballocate(&rest, model->nv);
  for (size_t k = 0; k < model->nv; k++)
    if (model->hold_v[k]) dv[k] = 0;
  /* dv - C+ C dv */
  mbs_jacobian_times(system, dv, image);
  mbs_input_row row;
  for (size_t c = 0, at = model->rows; self.held && mbs_held_coordinate_next(system, &c, &row);)
    image[at++] = mbs_held_coordinate_rate(model, &row, dv);
  if (mbs_min_norm_solve(&self, image, back, rest) < 0) return false;
  for (size_t k = 0; k < model->nv; k++) dv[k] -= back[k];
  return true;
}

/* ---- velocities ---------------------------------------------------------------------------------------------- */

/* Computes rhsV - C v, and the differences of the held rates, at v. */
static void missing_velocities(const mbs_correction_rows *self, double *v) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  mbs_set_velocity(system, v);
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  mbs_jacobian_times(system, v, self->residual);
  for (size_t r = 0; r < model->rows; r++) self->residual[r] = system->rhsV[r] - self->residual[r];
  mbs_read_held(self, 1, self->residual + model->rows);
  for (size_t k = 0; k < self->held; k++)
    self->residual[model->rows + k] = self->target[k] - self->residual[model->rows + k];
}

/* Computes the smallest change of v after which C v = rhsV. Returns false on failure. theory (9.4) */
static bool shorten_rates(mbs_correction_rows *self, double *v, double *workspace) {
  mbs_system *system = self->system;
  double *rest = workspace, *delta = mbs_suballocate(&rest, system->model->nv);
  /* v += W C' (C W C')^-1 (rhsV - C v) */
  for (int pass = 0; pass < 2; pass++) { /* the second pass removes the effect of rounding */
    missing_velocities(self, v);
    if (pass == 1 &&
        mbs_largest_in_units(self->residual, self->accuracy, self->count) < 1e-14 / system->constants->time)
      break;
    if (mbs_min_norm_solve(self, self->residual, delta, rest) < 0) return false;
    for (size_t k = 0; k < system->model->nv; k++) v[k] += delta[k];
  }
  missing_velocities(self, v);
  return true;
}

/* Returns the permitted size of the largest residual of the rates, which is stored in `out`. */
static double allowed_rates(const mbs_correction_rows *self, const double *v, mbs_correction *out) {
  const mbs_system *system = self->system;
  const mbs_model *model = system->model;
  const size_t row = largest_row(self->residual, self->accuracy, model->rows);
  out->velocity_residual = fabs(self->residual[row]);
  double allowed = fmax(mbs_velocity_tolerance, mbs_residual_rounding(system)) * self->accuracy[row];
  double scale = mbs_speed_floor(system, v) + mbs_largest_in_units(system->rhsV, self->accuracy, model->rows);
  if (out->inexact) { /* redundant rows contradict one another in their rates as well */
    allowed = mbs_data_precision * self->units[row];
    for (size_t k = 0; k < model->nv; k++)
      scale = fmax(scale, 1 / system->constants->time + fabs(v[k]) / self->velocity_units[k]);
  }
  return allowed * scale;
}

/* Solves for rates near a singular position, which may need a direction that is nearly lost there. Returns false if
 * the rates are still not satisfied, or only at speeds beyond the precision of data. */
static bool reach_rates(mbs_correction_rows *self, double *v, mbs_correction *out, double *workspace) {
  const mbs_system *system = self->system;
  const size_t n = system->model->nv, m = system->model->rows;
  double *rest = workspace, *reached = mbs_suballocate(&rest, n);
  const double most =
      (mbs_speed_floor(system, v) + mbs_largest_in_units(system->rhsV, self->units, m)) / mbs_data_precision;
  mbs_correction tried = *out;
  memcpy(reached, v, n * sizeof *v);
  self->lost = rounding;
  bool good = shorten_rates(self, reached, rest);
  const double allowed = allowed_rates(self, reached, &tried);
  good = good && tried.velocity_residual <= allowed && mbs_largest_in_units(reached, self->velocity_units, n) <= most;
  if (good) memcpy(v, reached, n * sizeof *v);
  if (good) *out = tried;
  missing_velocities(self, v);
  return good;
}

mbs_status mbs_correct_velocities(mbs_system *system, double t, const double *q, double *v, mbs_correction *out,
                                  double *workspace) {
  const mbs_model *model = system->model;
  size_t m = model->rows;
  if (m == 0) return MBS_OK;
  out->velocity_residual = NAN;
  mbs_set_position(system, t, q);
  if (system->fault.status != MBS_OK) return system->fault.status;
  mbs_correction_rows self = mbs_correction_rows_of(system, MBS_LEVEL_VELOCITY, model->held_count, &workspace);
  double *rest = workspace;
  bool *dependent = (bool *)rest;
  if (out->inexact) { /* rates of redundant rows would remove degrees of freedom */
    rest += m;
    mbs_constraints(system, MBS_WANT_C);
    size_t joint_rank;
    if (mbs_find_dependents(system, MBS_LEVEL_VELOCITY, 10 * mbs_data_precision, dependent, m, &joint_rank, rest) < 0)
      return MBS_NO_MEMORY;
    self.skipped = dependent;
  }
  mbs_set_velocity(system, v);
  mbs_read_held(&self, 1, self.target);
  if (!shorten_rates(&self, v, rest)) return MBS_NOT_FINITE;
  const double allowed = allowed_rates(&self, v, out);
  if (out->velocity_residual <= allowed || reach_rates(&self, v, out, rest)) return MBS_OK;
  out->failed = true;
  out->worst_row = largest_row(self.residual, self.accuracy, m);
  fail(system, MBS_CONTRADICTION, out->worst_row, out->velocity_residual,
       model->any_hold
           ? "no velocities satisfy the constraints at this position while 'hold' fixes the values of its joints"
           : "no velocities satisfy the constraints at this position",
       "");
  return MBS_CONTRADICTION;
}
