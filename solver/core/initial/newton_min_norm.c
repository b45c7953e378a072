/* Newton steps of minimum norm, delta = -C+ Phi: full ones, or the longest of their halves that make norm(Phi) smaller.
 * theory (9.1) to (9.3) */
#include "initial/newton_min_norm.h"

#include "base/norms.h"
#include "base/suballocate.h"
#include "equations/jacobian.h"
#include "equations/residual_rounding.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* Largest ratio of the residual after PATIENCE steps to that before; an attempt with less progress ends. */
static const double least_progress = 0.98;
enum { FULL_STEPS_MAX = 50, DAMPED_STEPS_MAX = 200, HALVINGS_MAX = 40, INEXACT_STEPS_MAX = 30, PATIENCE = 10 };

void mbs_update_newton_progress(const mbs_correction_rows *self, const double *q) {
  mbs_newton_progress *near = self->near;
  double residual = near->known ? INFINITY : mbs_worst_in_units(self);
  if (!(residual <= mbs_data_precision)) return;
  near->known = true;
  near->residual = residual;
  near->path = 0;
  memcpy(near->q, q, self->system->model->nq * sizeof *q);
}

/* Adds the length of a step to the path. theory (9.6) */
static void add_path(const mbs_correction_rows *self, const double *step) {
  double longest = 0;
  for (size_t k = 0; k < self->system->model->nv; k++) longest = fmax(longest, fabs(step[k]) / self->velocity_units[k]);
  self->near->path += longest;
  self->near->travelled += longest;
  self->near->step = longest;
}

/* theory (9.3) */
bool mbs_newton_step(const mbs_correction_rows *self, double t, double *q, bool damped, double *workspace) {
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  size_t n = model->nv;
  double *rest = workspace, *delta = mbs_suballocate(&rest, n), *trial = mbs_suballocate(&rest, model->nq),
         *scaled = mbs_suballocate(&rest, n);
  double before = mbs_position_residual(self);
  if (mbs_min_norm_solve(self, self->residual, delta, rest) < 0) return false;
  mbs_jacobian_times(system, delta, system->rates);
  /* A full step should remove the whole residual, except where rows contradict one another. */
  double removed = mbs_scaled_norm(system->rates, self->accuracy, model->rows), predicted = removed * removed / before;
  double scale = -1;
  for (size_t i = 0; i < n && damped && self->longest; i++)
    if (fabs(scale * delta[i]) > self->longest[i]) scale = -self->longest[i] / fabs(delta[i]);
  for (int k = 0; k <= HALVINGS_MAX; k++, scale /= 2) {
    /* q - s C+ Phi, s = -scale */
    for (size_t i = 0; i < n; i++) scaled[i] = scale * delta[i];
    mbs_displace(model, q, scaled, trial);
    mbs_set_position(system, t, trial);
    mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
    double after = mbs_position_residual(self);
    /* norm(Phi) there below norm(Phi) - 1e-4 s norm(C C+ Phi)^2 / norm(Phi) */
    if (!damped || after < before - 1e-4 * -scale * predicted) {
      memcpy(q, trial, model->nq * sizeof *q);
      mbs_set_position(system, t, q);
      if (self->near) add_path(self, scaled);
      return isfinite(after);
    }
  }
  return false;
}

/* `rounding`: where the iteration began. That of a start far away does not count nearer, and the other way round.
 * theory (9.2) */
static bool is_assembled(const mbs_correction_rows *self, double rounding) {
  if (mbs_position_residual(self) < mbs_position_tolerance) return true;
  return mbs_largest_in_units(self->residual, self->accuracy, self->count) <
         fmin(rounding, mbs_residual_rounding(self->system));
}

bool mbs_newton_min_norm(const mbs_correction_rows *self, double t, double *q, bool damped, int *iterations,
                         double *workspace) {
  mbs_set_position(self->system, t, q);
  mbs_constraints(self->system, MBS_WANT_PHI | MBS_WANT_C);
  double rounding = mbs_residual_rounding(self->system), before = INFINITY;
  int most = damped ? DAMPED_STEPS_MAX : FULL_STEPS_MAX;
  for (int k = 0; k < most; k++) {
    if (is_assembled(self, rounding)) return true;
    if (self->near) mbs_update_newton_progress(self, q);
    if (self->longest && k % PATIENCE == 0) { /* an attempt from one of several starts must progress */
      double residual = mbs_scaled_norm(self->residual, self->accuracy, self->count);
      if (residual > least_progress * before) break;
      before = residual;
    }
    ++*iterations;
    if (!mbs_newton_step(self, t, q, damped, workspace)) break;
  }
  return is_assembled(self, rounding);
}

/* theory (10.2) */
bool mbs_free_motion(const mbs_correction_rows *self, double *q, double *workspace) {
  const mbs_model *model = self->system->model;
  size_t n = model->nv;
  double *rest = workspace, *motion = mbs_suballocate(&rest, n), *image = mbs_suballocate(&rest, self->count),
         *back = mbs_suballocate(&rest, n), length = 0;
  const double *units = self->velocity_units; /* a hundredth of the mechanism of any size */
  for (size_t k = 0; k < n; k++)              /* fixed numbers without a pattern */
    motion[k] = (sin(1.7 * (double)(k + 1)) + 0.3 * cos(5.1 * (double)k)) * units[k];
  /* (1 - C+ C) motion */
  mbs_jacobian_times(self->system, motion, image);
  memset(image + model->rows, 0, self->held * sizeof *image);
  if (mbs_min_norm_solve(self, image, back, rest) < 0) return false;
  for (size_t k = 0; k < n; k++) {
    motion[k] -= back[k];
    length = fmax(length, fabs(motion[k]) / units[k]);
  }
  if (!(length > 1e-6)) return false;
  for (size_t k = 0; k < n; k++) motion[k] *= 1e-2 / length;
  mbs_displace(model, q, motion, q);
  return true;
}

bool mbs_descend(const mbs_correction_rows *self, double t, double *q, int *iterations, int *rank, double *workspace) {
  mbs_system *system = self->system;
  size_t n = system->model->nv;
  *rank = -1;
  mbs_set_position(system, t, q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  for (int k = 0; k < INEXACT_STEPS_MAX; k++) {
    double *step = workspace, length = 0;
    mbs_position_residual(self);
    *rank = mbs_min_norm_solve(self, self->residual, step, workspace + n);
    /* the largest |delta_k| in units */
    for (size_t i = 0; i < n; i++) length = fmax(length, fabs(step[i]) / self->velocity_units[i]);
    if (length < mbs_position_tolerance) return *rank >= 0 && mbs_worst_in_units(self) <= mbs_data_precision;
    ++*iterations;
    if (!mbs_newton_step(self, t, q, false, workspace)) return false;
  }
  return false;
}
