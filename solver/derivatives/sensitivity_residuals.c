/* Residuals that are differentiated along a direction (theory (19.10)), at the points of a difference, and the
 * assessment of the difference. */
#include "derivatives/sensitivity_internal.h"

#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

mbs_tangent_parts mbs_tangent_parts_of(const mbs_tangent_work *work) {
  const mbs_model *model = work->self->run->model;
  mbs_tangent_parts at = {.rows = model->nv};
  at.positions = at.rows + model->rows;
  at.powers = at.positions + model->nq;
  at.turns = at.powers + (model->has_power ? 2 : 0);
  at.count = at.turns + work->self->revolutions.count;
  return at;
}

/* Records the largest terms of r and a, C' lambda and rhsA, at the first point. Entries are `stride` numbers apart. */
static void note_sizes(mbs_tangent_work *work, const double *pushed, const double *rhsA, size_t stride) {
  const mbs_system *system = work->self->run->system;
  double force = work->force, bias = work->bias;
  for (size_t i = 0; i < system->model->nv; i++)
    force = mbs_larger(fabs(pushed[stride * i]) * system->v_units[i], force);
  for (size_t r = 0; r < system->model->rows; r++)
    bias = mbs_larger(fabs(rhsA[stride * r]) / system->row_units[r], bias);
  work->force = force;
  work->bias = bias;
}

/* Computes W', at constant lambda, and E_d' from the powers of forces. */
static void read_powers(const mbs_tangent_work *work, const mbs_tangent_parts *at, double given, double taken,
                        const double *rhsV, size_t stride, double *out) {
  const mbs_system *system = work->self->run->system;
  double driven = 0;
  if (!system->model->has_power) return;
  for (size_t r = 0; r < system->model->rows; r++) driven += work->lambda[r] * rhsV[stride * r];
  out[MBS_FD_POINTS * at->powers] = given + driven;
  out[MBS_FD_POINTS * (at->powers + 1)] = taken;
}

/* Computes the residuals at the state y near the motion into one point of a difference: out[MBS_FD_POINTS i]. */
static mbs_status residual_at(mbs_tangent_work *work, double t, const double *y, const mbs_tangent_parts *at,
                              double *out) {
  mbs_dynamics *self = work->self;
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  mbs_set_position(system, t, y);
  system->evaluations++;
  if (system->fault.status != MBS_OK) return system->fault.status;
  mbs_set_velocity(system, y + model->state.v);
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  mbs_apply_forces(system);
  /* r = h - M v' + C' lambda, a = rhsA - C v' */
  model->kernels->residual_forces(system);
  mbs_jacobian_transposed(system, work->lambda, work->step);
  mbs_jacobian_times(system, work->vdot, work->missing);
  for (size_t i = 0; i < model->nv; i++) out[MBS_FD_POINTS * i] = system->h[i] + work->step[i];
  for (size_t r = 0; r < model->rows; r++)
    out[MBS_FD_POINTS * (at->rows + r)] = system->active[r] ? system->rhsA[r] - work->missing[r] : 0;
  read_powers(work, at, system->power_work, system->power_dissipated, system->rhsV, 1, out);
  model->kernels->rates(model, y, y + model->state.v, work->displaced);
  for (size_t i = 0; i < model->nq; i++) out[MBS_FD_POINTS * (at->positions + i)] = work->displaced[i];
  if (self->revolutions.count) model->kernels->read_integrated_angles(system, 1, work->displaced);
  for (size_t i = 0; i < self->revolutions.count; i++) out[MBS_FD_POINTS * (at->turns + i)] = work->displaced[i];
  return MBS_OK;
}

static mbs_status residuals_one_by_one(mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y,
                                       const double *s, const mbs_tangent_parts *at) {
  mbs_system *system = work->self->run->system;
  mbs_status status = MBS_OK;
  memcpy(system->vdot, work->vdot, system->model->nv * sizeof *work->vdot);
  for (int k = 0; k < MBS_FD_POINTS && status == MBS_OK; k++) {
    mbs_tangent_displace(work, fd, k, y, s, work->y);
    status = residual_at(work, t, work->y, at, work->f + k);
    if (k == 0) note_sizes(work, work->step, system->rhsA, 1);
  }
  return status;
}

/* Applies forces without a vector version, for all points in turn, with the one system. */
static void apply_forces(void *user) {
  mbs_tangent_work *work = user;
  mbs_system *system = work->self->run->system;
  mbs_lanes *lanes = work->lanes;
  for (int k = 0; k < MBS_FD_POINTS; k++) {
    system->constants = work->fd->displaced[k];
    mbs_lanes_extract(lanes, k, system);
    mbs_apply_forces(system);
    mbs_lanes_store_forces(lanes, k, system);
  }
}

mbs_lane_host mbs_tangent_host(mbs_tangent_work *work) { return (mbs_lane_host){.user = work, .forces = apply_forces}; }

mbs_status mbs_tangent_residuals(mbs_tangent_work *work, const mbs_fd_step *fd, double t, const double *y,
                                 const double *s) {
  const mbs_tangent_parts at = mbs_tangent_parts_of(work);
  mbs_system *system = work->self->run->system;
  const mbs_model *model = system->model;
  mbs_lanes *lanes = work->lanes;
  double *f = work->f;
  mbs_status status = mbs_tangent_displace_lanes(work, fd, t, 0, y, s);
  system->evaluations += MBS_FD_POINTS;
  if (status != MBS_OK) return status;
  mbs_lanes_set_velocity(lanes);
  mbs_lanes_constraints(lanes, MBS_WANT_C | MBS_WANT_RHS);
  work->fd = fd;
  if (model->force_count) mbs_lanes_forces(lanes);
  for (int k = 0; k < MBS_FD_POINTS; k++)
    read_powers(work, &at, lanes->power_work[k], lanes->power_dissipated[k], lanes->rhsV + k, MBS_FD_POINTS, f + k);
  /* r = h - M v' + C' lambda, a = rhsA - C v' */
  mbs_lanes_residual_forces(lanes);
  mbs_lanes_jacobian_transposed(lanes, lanes->lambda);
  mbs_lanes_jacobian_times(lanes, lanes->vdot);
  note_sizes(work, lanes->pushed, lanes->rhsA, MBS_FD_POINTS);
  for (size_t i = 0; i < MBS_FD_POINTS * model->nv; i++) f[i] = lanes->h[i] + lanes->pushed[i];
  f += MBS_FD_POINTS * at.rows;
  for (size_t i = 0; i < MBS_FD_POINTS * model->rows; i++)
    f[i] = system->active[i / MBS_FD_POINTS] ? lanes->rhsA[i] - lanes->rates[i] : 0;
  f += MBS_FD_POINTS * model->rows;
  for (size_t i = 0; i < MBS_FD_POINTS * model->nq; i++) f[i] = lanes->v[i];
  return MBS_OK;
}

/* Computes the residuals at the state y itself, where they should be zero: their rounding. */
static mbs_status measure_noise(mbs_tangent_work *work, double t, const double *y, const mbs_tangent_parts *at) {
  mbs_system *system = work->self->run->system;
  const mbs_model *model = system->model;
  double forces = 0, rows = 0;
  mbs_tangents_restore_constants(work);
  memcpy(system->vdot, work->vdot, model->nv * sizeof *work->vdot);
  mbs_status status = residual_at(work, t, y, at, work->still);
  for (size_t i = 0; i < model->nv; i++)
    forces = mbs_larger(fabs(work->still[MBS_FD_POINTS * i]) * system->v_units[i], forces);
  for (size_t r = 0; r < model->rows; r++)
    rows = mbs_larger(fabs(work->still[MBS_FD_POINTS * (at->rows + r)]) / system->row_units[r], rows);
  work->force_noise = forces;
  work->bias_noise = rows;
  work->measured = true;
  return status;
}

/* Returns true if a difference that is small compared with all forces is significant compared with the forces of some
 * row. */
static bool counts_somewhere(const mbs_tangent_work *work) {
  const mbs_system *system = work->self->run->system;
  for (size_t i = 0; i < system->model->nv; i++)
    if (mbs_fd_assess(work->f + MBS_FD_POINTS * i, 1, system->v_units + i, false, work->sizes[i], 0) < MBS_FD_WEAK)
      return true;
  return false;
}

/* Computes the differences into work->change and assesses them. */
static mbs_status judge_differences(mbs_tangent_work *work, const mbs_tangent_parts *at, double step, bool each,
                                    mbs_fd_verdict *forces, mbs_fd_verdict *rows) {
  const mbs_system *system = work->self->run->system;
  const mbs_model *model = system->model;
  mbs_central_differences(at->count, work->f, step, work->change);
  for (size_t i = 0; i < at->count; i++) /* not finite if the value at any point is not */
    if (!isfinite(work->change[i])) return MBS_NOT_FINITE;
  *rows = *forces = MBS_FD_ZERO;
  const size_t nv = each ? 1 : model->nv, count = each ? 1 : model->rows;
  for (size_t i = 0; i < model->nv; i += nv) {
    const double size = each ? work->sizes[i] : work->force;
    *forces = mbs_fd_verdict_worse(
        *forces, mbs_fd_assess(work->f + MBS_FD_POINTS * i, nv, system->v_units + i, false, size, work->force_noise));
  }
  if (*forces == MBS_FD_WEAK && counts_somewhere(work)) *forces = MBS_FD_GOOD;
  for (size_t r = 0; r < model->rows; r += count)
    *rows = mbs_fd_verdict_worse(*rows, mbs_fd_assess(work->f + MBS_FD_POINTS * (at->rows + r), count,
                                                      system->row_units + r, true, work->bias, work->bias_noise));
  return MBS_OK;
}

mbs_status mbs_tangent_differentiate(mbs_tangent_work *work, mbs_fd_step *fd, double t, const double *y,
                                     const double *s, bool each) {
  const mbs_tangent_parts at = mbs_tangent_parts_of(work);
  for (bool good = false; !good;) {
    mbs_fd_verdict forces = MBS_FD_GOOD, rows = MBS_FD_GOOD;
    if (!mbs_fd_step_choose(work, fd, y, s)) return MBS_NO_DERIVATIVE;
    mbs_status status =
        work->lanes ? mbs_tangent_residuals(work, fd, t, y, s) : residuals_one_by_one(work, fd, t, y, s, &at);
    if (status == MBS_OK) status = judge_differences(work, &at, fd->step, each, &forces, &rows);
    if (status != MBS_OK && !mbs_fd_step_shrink(fd)) return status;
    if (status != MBS_OK) continue;
    if ((forces <= MBS_FD_CORNER || rows <= MBS_FD_CORNER) && !work->measured) {
      status = measure_noise(work, t, y, &at);
      if (status == MBS_OK) status = judge_differences(work, &at, fd->step, each, &forces, &rows);
      if (status != MBS_OK) return status;
    }
    if (forces == MBS_FD_CORNER || rows == MBS_FD_CORNER) return MBS_NO_DERIVATIVE;
    good = mbs_fd_step_update(fd, forces, rows);
  }
  return MBS_OK;
}
