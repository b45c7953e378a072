/* Switches of dynamics: guards, events, and their consequences. */
#include "equations/contacts.h"
#include "equations/discrete.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "equations/touches.h"
#include "run/notes.h"
#include "run/run_errors.h"
#include "run/touch_modes.h"
#include "simulate/dynamics.h"

#include <math.h>
#include <string.h>

/* Returns the index of the guard of the first trigger. */
static size_t first_trigger(const mbs_model *model) { return model->switch_count + mbs_count_margins(model); }

/* Computes the guards: the switches, the margins of joints whose curves may touch at another place, too, and the zeros
 * of triggers. */
mbs_status mbs_dynamics_guards(void *context, double t, const double *y, double *out) {
  mbs_dynamics *self = context;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_dynamics_enter(self, y);
  if (system->sliding->moving_count || mbs_touches_need_forces(system)) { /* margins need the forces */
    mbs_status status = mbs_evaluate(system, t, y, y + model->state.v);
    if (status != MBS_OK) return status;
    if (system->touches) mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  }
  mbs_switches_margins(system, t, y, y + model->state.v, out);
  mbs_read_margins(system, out + model->switch_count);
  if (model->trigger_count) mbs_triggers_margins(self, out + first_trigger(model));
  return system->fault.status;
}

mbs_status mbs_dynamics_guard(void *context, size_t index, double t, const double *y, double *value) {
  mbs_dynamics *self = context;
  mbs_system *system = self->run->system;
  const mbs_touch *touch = mbs_touch_of_switch(self->run->model, index);
  const double *v = y + self->run->model->state.v;
  mbs_status status = MBS_OK;
  mbs_dynamics_enter(self, y);
  if (!touch && mbs_switches_element_margin(system, index, t, y, v, value)) return system->fault.status;
  if (!touch) {
    status = mbs_dynamics_guards(context, t, y, self->guards);
    *value = self->guards[index];
    return status;
  }
  if (mbs_touch_margin_needs_forces(system, index)) {
    status = mbs_evaluate(system, t, y, v);
    if (status == MBS_OK) mbs_touches_share(system, MBS_SHARE_TO_HOLD);
  } else {
    mbs_set_position(system, t, y);
    mbs_set_velocity(system, v);
  }
  *value = mbs_touch_margin(system, index);
  return status == MBS_OK ? system->fault.status : status;
}

double mbs_dynamics_radian(void *context, double t, const double *y, const double *dydt) {
  const mbs_dynamics *self = context;
  double fastest = 0;
  (void)t, (void)y, (void)dydt;
  for (size_t b = 1; b <= self->run->model->nB; b++) {
    /* max norm(omega) */
    double omega[3];
    mbs_angular_velocity(self->run->system, (int)b, omega);
    fastest = fmax(fastest, sqrt(omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]));
  }
  return 1 / fastest;
}

/* Applies the impulse of a change at (t, y). mbs_dynamics_before_impulse() must have been called before it. */
mbs_status mbs_dynamics_apply_impulse(mbs_dynamics *self, double t, double *y) {
  const mbs_model *model = self->run->model;
  double *v = y + model->state.v, *work = model->has_power ? y + model->state.quadratures + MBS_WORK : NULL;
  if (!model->rows) return MBS_OK;
  mbs_status status = mbs_impulse_apply(&self->impulse, self->run, t, y, v, mbs_dynamics_keeps_constraints(self), work);
  if (status == MBS_OK && self->impulse.applied) mbs_switches_follow(self->run->system, t, y, v); /* laws that read v */
  return status;
}

void mbs_dynamics_before_impulse(mbs_dynamics *self, double t, const double *y) {
  if (self->run->model->rows)
    mbs_impulse_before(&self->impulse, self->run->system, t, y, y + self->run->model->state.v);
}

mbs_status mbs_dynamics_event(void *context, size_t index, double t, double *y) {
  mbs_dynamics *self = context;
  mbs_run_state *run = self->run;
  if (index >= first_trigger(run->model)) {
    mbs_triggers_cross(self, index - first_trigger(run->model));
    return MBS_OK;
  }
  if (index >= run->model->switch_count) return mbs_fail_margin(run->system, index - run->model->switch_count);
  mbs_dynamics_enter(self, y);
  if (mbs_touch_of_switch(run->model, index)) {
    mbs_touch_event(run->system, index);
    return MBS_OK;
  }
  if (mbs_sliding_may(run->system, index)) {
    mbs_sliding_event(run->system, index, t, y, y + run->model->state.v);
    return MBS_OK;
  }
  mbs_dynamics_before_impulse(self, t, y);
  mbs_change change = mbs_switches_event(run->system, index, t, y, y + run->model->state.v);
  if (change.kind) mbs_run_event(run, t, change.element, change.kind);
  double *mode = &run->system->mode_held[index], chosen = *mode; /* exactly at the switch the state does not determine
                                                                  * the mode */
  mbs_status status = mbs_dynamics_apply_impulse(self, t, y);
  *mode = chosen;
  return status;
}

/* Decides the modes of touches, adds the energy that impacts take to the dissipation, and chooses the coordinates again
 * that are independent of the rows that hold now. */
static mbs_status settle_touches(mbs_dynamics *self, double t, double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  if (!system->touches) return MBS_OK;
  mbs_status status =
      mbs_touches_settle(self->run, t, y, y + model->state.v, y + model->state.quadratures + MBS_DISSIPATED);
  self->near.reference_pivot_ratio = 0;
  self->last.zeno = status != MBS_OK && self->run->error->message[0] != 0; /* the error is explained */
  if (status == MBS_OK && self->constraints == MBS_PARTITIONING)
    status = mbs_partition_choose(&self->partitioning.partition, system, false);
  return status;
}

/* Largest number of rounds of events at one instant, each due to the values that the one before has set. */
enum { EVENT_ROUNDS_MAX = 100 };

static mbs_status fail_rounds(mbs_dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  size_t last = 0;
  for (size_t i = 0; i < model->trigger_count; i++)
    if (self->triggers.at[i].fires) last = i;
  self->last.zeno = true;
  return mbs_run_fail(self->run, MBS_STEP_TOO_SMALL, t, model->triggers[last].name,
                      "at t = %.9g the event '%s' and those that it causes trigger one another without end; change a "
                      "condition so that what the events set does not make it true again",
                      t, model->triggers[last].name);
}

/* Makes the impacts of an instant and decides the modes of touches and sliding laws. */
static mbs_status settle_modes(mbs_dynamics *self, double t, double *y) {
  mbs_system *system = self->run->system;
  mbs_dynamics_enter(self, y);
  mbs_status status = settle_touches(self, t, y);
  if (status != MBS_OK) return status;
  const mbs_state_layout *at = &self->run->model->state;
  status = mbs_sliding_settle(system, t, y, y + at->v, y + at->z, mbs_run_report_sliding, self->run);
  if (status != MBS_STEP_TOO_SMALL) return status;
  self->last.zeno = true;
  return mbs_run_fail_nested(self->run, (size_t)system->sliding->nested, t);
}

/* Completes the events of an instant. */
mbs_status mbs_dynamics_settle(void *context, double t, double *y) {
  mbs_dynamics *self = context;
  bool changed = true;
  mbs_status status = MBS_OK;
  for (int round = 0; changed && status == MBS_OK; round++) {
    if (round > EVENT_ROUNDS_MAX) return fail_rounds(self, t);
    status = settle_modes(self, t, y);
    if (status == MBS_OK) status = mbs_triggers_fire(self, t, y, &changed);
  }
  return status == MBS_OK ? mbs_triggers_settled(self, t, y) : status;
}

mbs_status mbs_dynamics_fail_zeno(void *context, size_t index, double t) {
  mbs_dynamics *self = context;
  const mbs_model *model = self->run->model;
  const mbs_trigger *trigger = index >= first_trigger(model) ? &model->triggers[index - first_trigger(model)]
                                                             : mbs_trigger_of_switch(model, index);
  self->last.zeno = true;
  if (trigger) {
    mbs_run_forget_error(self->run);
    return mbs_run_fail(self->run, MBS_STEP_TOO_SMALL, t, trigger->name,
                        "the event '%s' happens infinitely often at t = %.9g; add a condition that ends it",
                        trigger->name, t);
  }
  return mbs_run_fail_zeno(self->run, index, t);
}
