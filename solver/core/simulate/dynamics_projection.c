/* Projects the states of dynamics onto the constraints, also near a loss of rank. */
#include "constraints/projection.h"
#include "equations/residual_rounding.h"
#include "equations/sliding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "simulate/dynamics.h"

#include <math.h>
#include <string.h>

bool mbs_dynamics_keeps_constraints(const mbs_dynamics *self) {
  return self->run->model->rows && (self->constraints == MBS_PROJECTION || self->constraints == MBS_PARTITIONING);
}

void mbs_dynamics_enter(const mbs_dynamics *self, const double *y) {
  const mbs_model *model = self->run->model;
  memcpy(self->run->system->z, y + model->state.z, model->nz * sizeof *y);
  mbs_revolutions_expect(&self->revolutions, self->run->system, y);
}

/* Projects a state onto the constraints, including those of Euler parameters. */
mbs_status mbs_dynamics_keep_constraints(mbs_dynamics *self, double t, double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  double *q = y, *v = y + model->state.v;
  model->kernels->normalize(model, q);
  if (!mbs_dynamics_keeps_constraints(self)) return MBS_OK;
  if (self->constraints == MBS_PARTITIONING) {
    mbs_status status = mbs_partition_positions(&self->partitioning.partition, system, t, q);
    return status == MBS_OK ? mbs_partition_velocities(&self->partitioning.partition, system, v) : status;
  }
  /* q onto Phi = 0, then v onto C v = rhsV */
  mbs_status status = mbs_project_positions(system, t, q);
  if (status != MBS_OK) return status;
  mbs_set_velocity(system, v);
  return mbs_project_velocities(system, v);
}

/* Returns max |R_ij| at the current position; INFINITY if C_D is not regular. */
static double amplification_of(mbs_partition *partition, mbs_system *system) {
  if (!partition->factored) mbs_partition_factor(partition, system);
  return partition->regular ? mbs_partition_amplification(partition, system) : INFINITY;
}

/* Projects a state onto the constraints, and onto the surfaces along which laws slide. */
mbs_status mbs_dynamics_project(void *context, double t, double *y) {
  mbs_dynamics *self = context;
  mbs_dynamics_enter(self, y);
  mbs_status status = mbs_dynamics_keep_constraints(self, t, y);
  if (status == MBS_OK && self->constraints == MBS_PARTITIONING)
    self->partitioning.amplification = amplification_of(&self->partitioning.partition, self->run->system);
  const mbs_state_layout *at = &self->run->model->state;
  if (status == MBS_OK) status = mbs_sliding_project(self->run->system, t, y, y + at->v, y + at->z);
  return status == MBS_OK ? mbs_revolutions_check(&self->revolutions, self->run->system, t, y) : status;
}

/* Pivots at a distance d from a loss of rank are d^2 of the usual ones, and rounding errors of accelerations grow as
 * 1 / d^3. A tolerance below those errors would only make the steps collapse; it is raised to at most near_tolerance.
 * Below blur_share of the usual pivots, rounding dominates the differences within a step. */
static const double near_tolerance = 1e-8, blur_share = 1e-6;

/* Returns the tolerance that rounding allows at this nearness. theory (11.11), (11.12) */
static double reachable_tolerance(const mbs_system *system) {
  /* 1e-16 share^(-3/2) */
  double share = system->pivot_ratio / system->usual_ratio;
  return fmin(mbs_unit_rounding / (share * sqrt(share)), near_tolerance);
}

void mbs_dynamics_relax_tolerance(mbs_dynamics *self) {
  double reachable = reachable_tolerance(self->run->system);
  self->near.worst_tolerance = fmax(self->near.worst_tolerance, reachable);
  self->tolerance.rtol = fmax(self->tolerance.rtol, reachable);
  self->tolerance.atol = fmax(self->tolerance.atol, reachable);
}

/* Near a loss of rank a stage of the integrator is projected before it is evaluated. Accelerations are smooth along the
 * mechanism's own motion, also through a loss of rank; but off the constraints they change within the distance to it,
 * and the method loses its order. It also does if only some stages of a step are projected: if a step comes near, it is
 * repeated with all stages projected. The state is near until pivots are above this share of the usual ones. That is
 * well above the limit for becoming near, so that steps do not change back and forth. */
static const double leaving_share = 0.1;

void mbs_dynamics_set_near(mbs_dynamics *self, bool near) {
  const mbs_model *model = self->run->model;
  self->near.singular = self->run->system->fresh_factors = near;
  self->tolerance.rtol = model->rtol;
  self->tolerance.atol = model->atol;
  if (near) mbs_dynamics_relax_tolerance(self);
}

bool mbs_dynamics_still_near(const mbs_dynamics *self) {
  const mbs_system *system = self->run->system;
  return mbs_near_singular(system) ||
         (self->near.singular && system->pivot_ratio < leaving_share * system->usual_ratio);
}

/* Returns true if rounding dominates the differences of the accelerations evaluated last. */
bool mbs_dynamics_rounding_dominates(const mbs_system *system) {
  return system->model->rows && system->pivot_ratio < blur_share * system->usual_ratio;
}

/* Returns true if the last evaluation was at a loss of rank, or nearly so. */
bool mbs_dynamics_has_lost_rank(const mbs_system *system) {
  return mbs_dynamics_rounding_dominates(system) || system->shifted;
}
