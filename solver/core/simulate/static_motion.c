/* Checks of a relative equilibrium after the search: the constraints permit the steady motion, and the equilibrium is
 * one at another instant of it, too. */
#include "simulate/statics.h"

#include "base/norms.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "run/run_errors.h"
#include "simulate/static_equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Eigenvalues of the stiffness that differ less, as a share of the largest, are those of constant equations: an error
 * of the differences. */
static const double periodic_share = 1e-6;

/* Returns true if the rates of the states are those of `rates` within rounding. */
static bool rates_agree(const mbs_statics *self, const double *rates) {
  const mbs_system *system = self->run->system;
  for (size_t k = 0; k < system->model->nz; k++)
    if (fabs(self->rates[k] - rates[k]) * system->constants->time > mbs_force_accepted * fmax(1, fabs(system->z[k])))
      return false;
  return true;
}

/* Compares the balance and the stiffness at run->q with those after the steady motion, at run->q and self->t then;
 * `values` [freedoms] are the eigenvalues of K before it. */
static mbs_status compare_after(mbs_statics *self, double force, const double *rates, const double *values,
                                int *stable) {
  const size_t before = self->freedoms;
  const double stiffest = mbs_largest(values, before);
  const mbs_status status = mbs_statics_examine(self);
  char reason[160];
  snprintf(reason, sizeof reason,
           "no relative equilibrium: the forces depend on the position of the steady joints; %.3g s later,",
           self->t - self->run->model->t_start);
  if (status != MBS_OK) return status;
  if (mbs_largest(self->F, self->n) > force + mbs_force_accepted * fmax(self->scale, stiffest))
    return mbs_statics_fail(self, reason);
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
static mbs_status check_motion(mbs_statics *self, int *stable) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  double *q = mbs_arena_alloc(arena, model->nq + 1, sizeof *q),
         *lambda = mbs_arena_alloc(arena, self->all + 1, sizeof *lambda),
         *rates = mbs_arena_alloc(arena, model->nz + 1, sizeof *rates),
         *values = mbs_arena_alloc(arena, self->n + 1, sizeof *values);
  if (!q || !lambda || !rates || !values) return MBS_NO_MEMORY;
  memcpy(lambda, self->lambda, self->all * sizeof *lambda);
  memcpy(q, run->q, model->nq * sizeof *q);
  mbs_set_position(run->system, self->t, run->q);
  mbs_status status = mbs_steady_check(&self->motion);
  if (status == MBS_OK) status = mbs_statics_examine(self);
  const double force = mbs_largest(self->F, self->n);
  if (status != MBS_OK || self->motion.first_angle == 0) return status;
  memcpy(values, self->values, self->freedoms * sizeof *values);
  mbs_statics_forces_at(self, run->q);
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

mbs_status mbs_statics_finish_motion(mbs_statics *self, mbs_status status, int *stable) {
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
