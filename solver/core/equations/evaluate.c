/* The right-hand side of the equations of motion. */
#include "equations/evaluate.h"

#include <assert.h>

#include "equations/jacobian.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"

/* Baumgarte: C v' = rhsA - 2 alpha (C v - rhsV) - beta^2 Phi. theory (11.4) */
static void stabilize(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_constraints(system, MBS_WANT_PHI);
  mbs_jacobian_times(system, system->v, system->rates);
  for (size_t r = 0; r < model->rows; r++)
    system->rhsA[r] -=
        2 * system->alpha * (system->rates[r] - system->rhsV[r]) + system->beta * system->beta * system->Phi[r];
}

/* Evaluates what follows the position, and the constraints in `want`. */
static mbs_status evaluate(mbs_system *system, const double *v, int want) {
  assert(system->alpha >= 0 && system->beta >= 0);
  system->evaluations++;
  if (system->fault.status != MBS_OK) return system->fault.status;
  mbs_set_velocity(system, v);
  const bool stabilized = system->alpha > 0 || system->beta > 0;
  if (stabilized) want &= ~MBS_WANT_KEPT;
  if (system->model->rows) mbs_constraints(system, want);
  if (stabilized) stabilize(system);
  const mbs_status status = system->sliding->count ? mbs_sliding_accelerate(system) : mbs_accelerate(system);
  return system->fault.status != MBS_OK ? system->fault.status : status; /* the fault is that of a force element */
}

mbs_status mbs_evaluate(mbs_system *system, double t, const double *q, const double *v) {
  mbs_set_position(system, t, q);
  return evaluate(system, v, MBS_WANT_C | MBS_WANT_RHS);
}

mbs_status mbs_evaluate_kept(mbs_system *system, double t, const double *q, const double *v) {
  mbs_set_position(system, t, q);
  return evaluate(system, v, MBS_WANT_C | MBS_WANT_RHS | MBS_WANT_KEPT);
}

mbs_status mbs_evaluate_placed(mbs_system *system, const double *v) { return evaluate(system, v, MBS_WANT_RHS); }

/* theory (17.8) */
double mbs_driver_power(const mbs_system *system) {
  double power = 0;
  /* lambda.rhsV */
  for (size_t r = 0; r < system->model->rows; r++) power += system->lambda[r] * system->rhsV[r];
  return power;
}
