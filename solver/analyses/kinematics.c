/* Kinematics: every freedom is driven, so the constraints alone give positions, velocities and accelerations,
 *   Phi(q, t) = 0,   C v = rhsV,   C v' = rhsA,
 * at each reporting time, by Newton from the state before: every coordinate depends on the drivers (partition.h). */
#include "partition.h"
#include "run.h"
#include "space.h"

#include <math.h>
#include <string.h>

/* Substeps between reporting times, at the least 2^-SUBDIVISIONS of one: enough to name the time of a lock-up to 1e-3 s
 * and better. */
enum { SUBDIVISIONS = 30 };

typedef struct kinematics {
  mbs_run_state *run;
  mbs_partition partition;
  double *trial_q, *trial_v; /* [nq], [nv] */
  double *predicted;         /* [nq] */
  double *move;              /* [nv] */
} kinematics;

/* The state at t from one a little before, (q, v, vdot) at t - h: q, v and the system's vdot. Leaves them as they were
 * where Newton fails. */
static mbs_status advance(kinematics *self, double t, double h, double *q, double *v) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  for (size_t k = 0; k < model->nv; k++) self->move[k] = h * v[k] + 0.5 * h * h * system->vdot[k];
  mbs_displace(model, q, self->move, self->predicted);
  memcpy(self->trial_q, self->predicted, model->nq * sizeof *self->trial_q);
  memcpy(self->trial_v, v, model->nv * sizeof *self->trial_v);
  mbs_status status = mbs_partition_positions(&self->partition, system, t, self->trial_q);
  if (status == MBS_OK) status = mbs_partition_velocities(&self->partition, system, self->trial_v);
  if (status != MBS_OK) return status;
  /* A correction much longer than the prediction is another branch. */
  double moved = 0, corrected = 0;
  for (size_t k = 0; k < model->nq; k++) {
    moved = fmax(moved, fabs(self->predicted[k] - q[k]));
    corrected = fmax(corrected, fabs(self->trial_q[k] - self->predicted[k]));
  }
  if (corrected > 0.3 * moved + 1e-6) return MBS_NOT_ASSEMBLED;
  status = mbs_check_contacts(system);
  if (status != MBS_OK) return status;
  memcpy(q, self->trial_q, model->nq * sizeof *q);
  memcpy(v, self->trial_v, model->nv * sizeof *v);
  model->space->remember(system);
  mbs_keep_contacts(system);
  return mbs_partition_accelerations(&self->partition, system, system->vdot);
}

static mbs_status fail_locked(mbs_run_state *run, double t) {
  mbs_status ended = mbs_run_functions_end(run, t);
  if (ended != MBS_OK) return ended;
  return mbs_run_locked(run, t, run->q, true);
}

/* From t to t_next in as few steps as Newton likes. */
static mbs_status reach(kinematics *self, double t, double t_next) {
  mbs_run_state *run = self->run;
  double span = t_next - t, h = span;
  run->system->t_left = t_next; /* as in dynamics: a row is of what was before a change */
  while (t < t_next) {
    mbs_status status = mbs_run_check(run, t);
    if (status != MBS_OK) return status;
    double to = t + h >= t_next ? t_next : t + h;
    run->system->evaluations++;
    status = advance(self, to, to - t, run->q, run->v);
    if (status == MBS_OK) {
      t = to;
      h *= 2;
      if (!run->system->all_active) status = mbs_partition_choose(&self->partition, run->system, false);
      if (status != MBS_OK) return status;
      continue;
    }
    h /= 2;
    bool smallest = h < ldexp(span, -SUBDIVISIONS) || t + h == t;
    bool named = status == MBS_CONTRADICTION || (status != MBS_OK && status == run->system->fault.status);
    if (smallest) return named ? status : fail_locked(run, t);
    run->error->message[0] = 0; /* of a step that is tried again */
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

static bool open_kinematics(kinematics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  self->trial_q = mbs_arena_alloc(arena, model->nq + 1, sizeof(double));
  self->trial_v = mbs_arena_alloc(arena, model->nv + 1, sizeof(double));
  self->predicted = mbs_arena_alloc(arena, model->nq + 1, sizeof(double));
  self->move = mbs_arena_alloc(arena, model->nv + 1, sizeof(double));
  return self->trial_q && self->trial_v && self->predicted && self->move &&
         mbs_partition_open(&self->partition, self->run->system);
}

/* Velocities and accelerations of the start, whose positions are right. */
static mbs_status start(kinematics *self) {
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  double t = run->model->t_start;
  mbs_set_position(system, t, run->q);
  mbs_status status = mbs_partition_choose(&self->partition, system, false);
  if (status == MBS_OK) status = mbs_partition_positions(&self->partition, system, t, run->q);
  if (status == MBS_OK) status = mbs_partition_velocities(&self->partition, system, run->v);
  return status == MBS_OK ? mbs_partition_accelerations(&self->partition, system, system->vdot) : status;
}

mbs_status mbs_run_kinematics(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  kinematics self = {.run = run};
  if (!open_kinematics(&self)) return MBS_NO_MEMORY;
  mbs_status status = mbs_run_start(run);
  if (status == MBS_OK) status = mbs_run_require_drivers(run);
  if (status == MBS_OK) status = start(&self);
  for (size_t row = 0; row < model->nt && status == MBS_OK; row++) {
    double t = mbs_report_time(model, row);
    if (row > 0) status = reach(&self, run->t_reached, t);
    if (status != MBS_OK) return status;
    mbs_set_position(system, t, run->q);
    mbs_set_velocity(system, run->v);
    status = mbs_run_record(run, row, t, run->q, run->v);
    if (status == MBS_OK) status = mbs_run_require_finite(run, row, t);
  }
  return status;
}
