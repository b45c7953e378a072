/* Projection of a state onto the constraints, in the metric of the mass matrix:   q -= M^-1 C' S^-1 Phi,   v += M^-1 C'
 * S^-1 (rhsV - C v). The factors of the last evaluation are used as long as the iteration converges well; then new
 * factors are computed. */
#include "constraints/projection.h"

#include "base/message.h"
#include "equations/jacobian.h"
#include "equations/residual_rounding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "model/rows.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

/* Returns the residual that ends an iteration. The resulting error of the coordinates is larger if the lever arms are
 * shorter than 1 m. theory (11.3) */
static double goal_of(const mbs_system *system) {
  /* Errors grow with the inverse distance to a loss of rank, so there only rounding ends the iteration. */
  if (mbs_near_singular(system)) return mbs_unit_rounding;
  return system->history_kept ? fmin(system->rounding, system->projection_goal) : system->projection_goal;
}

static double largest_active(const mbs_system *system, const double *x) {
  double largest = 0;
  for (size_t r = 0; r < system->model->rows; r++) {
    if (isnan(x[r])) return INFINITY;
    double size = fabs(x[r]) / system->row_units[r];
    if (system->active[r] && size > largest) largest = size;
  }
  return largest;
}

void mbs_note_redundant(mbs_system *system) {
  for (size_t r = 0; r < system->model->bilateral_rows; r++)
    if (!system->active[r])
      system->redundant_residual = fmax(system->redundant_residual, fabs(system->Phi[r]) / system->row_units[r]);
}

/* Reports a redundant row with its residual. */
static mbs_status fail_redundant(mbs_system *system, size_t r, double residual) {
  assert(r < system->model->rows && !system->active[r]);
  mbs_error *error = system->error;
  const char *element = mbs_row_element(system->model, r);
  if (error && error->message[0] == 0) {
    error->time = system->t;
    snprintf(error->element, sizeof error->element, "%s", element);
    mbs_message(error->message, sizeof error->message,
                "'%s' agreed with the other constraints at the start (redundant) but contradicts them at t = %.9g "
                "(residual %.3g)",
                element, system->t, residual);
  }
  return MBS_CONTRADICTION;
}

mbs_status mbs_check_redundant(mbs_system *system) {
  mbs_note_redundant(system);
  for (size_t r = 0; r < system->model->bilateral_rows; r++)
    if (!system->active[r] && fabs(system->Phi[r]) > mbs_data_precision * system->row_units[r])
      return fail_redundant(system, r, system->Phi[r]);
  return MBS_OK;
}

/* Returns the magnitude of velocities: at least 1 in scales, and the largest of v. */
static double scale_of(const mbs_system *system, const double *v) {
  double scale = 1 / system->constants->time;
  for (size_t i = 0; i < system->model->nv; i++) scale = fmax(scale, fabs(v[i]) / system->v_units[i]);
  return scale;
}

mbs_status mbs_check_redundant_rates(mbs_system *system, const double *v) {
  const mbs_model *model = system->model;
  if (system->all_active || model->velocity_rows == 0) return MBS_OK;
  const double scale = scale_of(system, v);
  /* C v - rhsV */
  mbs_jacobian_times(system, v, system->rates);
  for (size_t r = 0; r < model->bilateral_rows; r++) {
    if (system->active[r] || model->levels[r] != MBS_LEVEL_VELOCITY) continue;
    const double residual = system->rates[r] - system->rhsV[r];
    if (fabs(residual) > mbs_data_precision * scale * system->row_units[r]) return fail_redundant(system, r, residual);
  }
  return MBS_OK;
}

/* theory (11.1) */
mbs_status mbs_project_positions(mbs_system *system, double t, double *q) {
  const mbs_model *model = system->model;
  double *x = system->lambda, *step = system->vdot, before = INFINITY;
  bool near = mbs_near_singular(system), fresh = false;
  double goal = goal_of(system);
  for (int k = 0; k < MBS_PROJECTION_STEPS; k++) {
    mbs_set_position(system, t, q);
    mbs_constraints(system, MBS_WANT_PHI);
    double residual = largest_active(system, system->Phi);
    if (!isfinite(residual)) return mbs_not_finite(system);
    if (residual <= goal ||
        (fresh && residual > 0.5 * before && residual <= fmax(mbs_projection_accepted, system->rounding))) {
      system->rounding = mbs_residual_rounding(system);
      return system->all_active ? MBS_OK : mbs_check_redundant(system);
    }
    bool foreign = k == 0 && system->fresh_factors;
    if (foreign || residual > mbs_projection_slow * before || (near && k > 0)) { /* the factors are too old */
      mbs_constraints(system, MBS_WANT_C);
      mbs_status status = mbs_factor(system);
      if (status != MBS_OK) return status;
      fresh = true;
    }
    before = residual;
    /* delta = -M^-1 C' S^-1 Phi */
    for (size_t r = 0; r < model->rows; r++) x[r] = -system->Phi[r];
    mbs_solve_multipliers(system, x);
    mbs_spread_multipliers(system, x, step);
    mbs_displace(model, q, step, q);
  }
  return MBS_SINGULAR_POSITION;
}

/* theory (11.2) */
mbs_status mbs_project_velocities(mbs_system *system, double *v) {
  const mbs_model *model = system->model;
  double *x = system->lambda, *step = system->vdot, before = INFINITY;
  bool fresh = false;
  double goal = goal_of(system), left = fmax(mbs_projection_accepted, system->rounding);
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  for (int k = 0; k < MBS_PROJECTION_STEPS; k++) {
    const double scale = scale_of(system, v);
    /* x = rhsV - C v */
    mbs_jacobian_times(system, v, x);
    for (size_t r = 0; r < model->rows; r++) x[r] = system->rhsV[r] - x[r];
    double residual = largest_active(system, x);
    if (!isfinite(residual)) return MBS_NOT_FINITE;
    if (residual <= goal * scale || (fresh && residual > 0.5 * before && residual <= left * scale))
      return mbs_check_redundant_rates(system, v);
    if (residual > mbs_projection_slow * before) {
      mbs_status status = mbs_factor(system);
      if (status != MBS_OK) return status;
      fresh = true;
    }
    before = residual;
    /* v += M^-1 C' S^-1 x */
    mbs_solve_multipliers(system, x);
    mbs_spread_multipliers(system, x, step);
    for (size_t i = 0; i < model->nv; i++) v[i] += step[i];
  }
  return MBS_SINGULAR_POSITION;
}
