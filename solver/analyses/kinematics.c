/* Kinematics: every freedom is driven, so the constraints alone give positions, velocities and accelerations,
 *   Phi(q, t) = 0,   C v = rhsV,   C v' = rhsA,
 * at each reporting time, by Newton from the state before. */
#include "linear/lapack.h"
#include "run.h"
#include "space.h"

#include <math.h>
#include <string.h>

/* Substeps between reporting times, at the least 2^-SUBDIVISIONS of one: enough to name the time of a lock-up to 1e-3 s
 * and better. */
enum { SUBDIVISIONS = 30 };

static mbs_status solve_accelerations(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_constraints(system, MBS_WANT_C | MBS_WANT_RHS);
  mbs_jacobian_dense(system, run->work);
  int rank = mbs_least_squares(model->rows, model->nv, run->work, system->rhsA, 1e-12, system->vdot,
                               run->work + model->rows * model->nv);
  return rank < 0 ? MBS_NOT_FINITE : MBS_OK;
}

/* The state at t from one a little before, (q, v, vdot) at t - h. Leaves q, v as they were where Newton fails. */
static mbs_status advance(mbs_run_state *run, double t, double h, double *q, double *v, const double *vdot,
                          double *scratch) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_correction ignored = {0};
  mbs_error quiet = {0}, *error = system->error;
  double *trial_q = scratch, *trial_v = scratch + model->nq, *guess = trial_v + model->nv;
  for (size_t k = 0; k < model->nv; k++) guess[k] = h * v[k] + 0.5 * h * h * vdot[k];
  mbs_displace(model, q, guess, trial_q);
  memcpy(trial_v, v, model->nv * sizeof *v);
  memcpy(guess, trial_q, model->nq * sizeof *guess);
  system->error = &quiet;
  mbs_status status = mbs_correct_positions(system, t, trial_q, &ignored, run->work);
  if (status == MBS_OK) status = mbs_correct_velocities(system, t, trial_q, trial_v, &ignored, run->work);
  system->error = error;
  if (status != MBS_OK) return status;
  /* A correction much longer than the prediction is another branch. */
  double moved = 0, corrected = 0;
  for (size_t k = 0; k < model->nq; k++) {
    moved = fmax(moved, fabs(guess[k] - q[k]));
    corrected = fmax(corrected, fabs(trial_q[k] - guess[k]));
  }
  if (corrected > 0.3 * moved + 1e-6) return MBS_NOT_ASSEMBLED;
  memcpy(q, trial_q, model->nq * sizeof *q);
  memcpy(v, trial_v, model->nv * sizeof *v);
  return MBS_OK;
}

static mbs_status fail_locked(mbs_run_state *run, double t) {
  const mbs_model *model = run->model;
  const char *driver = model->driver_count ? model->drivers[0].name : "";
  return mbs_run_fail(run, MBS_LOCK_UP, t, driver,
                      "the mechanism locks at t = %.9g: the drivers ask for a motion that the joints do not allow", t);
}

/* From t to t_next in as few steps as Newton likes. */
static mbs_status reach(mbs_run_state *run, double t, double t_next, double *scratch) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  double span = t_next - t, h = span;
  while (t < t_next) {
    mbs_status status = mbs_run_check(run, t);
    if (status != MBS_OK) return status;
    double to = t + h >= t_next ? t_next : t + h;
    memcpy(scratch, system->vdot, model->nv * sizeof *scratch);
    system->evaluations++;
    status = advance(run, to, to - t, run->q, run->v, scratch, scratch + model->nv);
    if (status != MBS_OK) {
      h /= 2;
      if (h < ldexp(span, -SUBDIVISIONS) || t + h == t) return fail_locked(run, t);
      memcpy(system->vdot, scratch, model->nv * sizeof *scratch);
      continue;
    }
    t = to;
    h *= 2;
    mbs_set_position(system, t, run->q);
    mbs_set_velocity(system, run->v);
    status = solve_accelerations(run);
    if (status != MBS_OK) return status;
  }
  return MBS_OK;
}

mbs_status mbs_run_require_drivers(mbs_run_state *run) {
  int freedoms = run->result->report.degrees_of_freedom;
  if (freedoms <= 0) return MBS_OK;
  return mbs_run_fail(run, MBS_NOT_DRIVEN, run->model->t_start, "",
                      "%s needs a driver for every freedom, and %d %s left; add drivers or choose dynamics",
                      run->result->report.analysis, freedoms, freedoms == 1 ? "is" : "are");
}

mbs_status mbs_run_kinematics(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  double *scratch = mbs_arena_alloc(system->arena, 4 * model->nv + 4 * model->nq + 4, sizeof *scratch);
  if (!scratch) return MBS_NO_MEMORY;
  mbs_status status = mbs_run_start(run);
  if (status != MBS_OK) return status;
  status = mbs_run_require_drivers(run);
  if (status != MBS_OK) return status;
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->v);
  status = solve_accelerations(run);
  for (size_t row = 0; row < model->nt && status == MBS_OK; row++) {
    double t = mbs_report_time(model, row);
    if (row > 0) status = reach(run, run->t_reached, t, scratch);
    if (status != MBS_OK) return status;
    mbs_set_position(system, t, run->q);
    mbs_set_velocity(system, run->v);
    status = mbs_run_record(run, row, t, run->q, run->v);
  }
  return status;
}
