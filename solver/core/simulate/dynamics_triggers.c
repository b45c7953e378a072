/* Triggers of a motion, and samples.
 *
 * The zero of a trigger is a guard of the integrator,   side value >= 0,   where `side` is the sign of its value since
 * its last zero. After an event the value is zero within rounding, so that its sign is that of its rate: a ball
 * that an event throws back has not passed the floor again. A jump of the value is no zero.
 *
 * Conditions are laws whose switches are located like those of forces. They are evaluated at each event; one that has
 * become true fires. */
#include "equations/discrete.h"
#include "equations/forces.h"
#include "equations/input.h"
#include "equations/law.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "kernels/kernels.h"
#include "model/report_times.h"
#include "run/notes.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "simulate/dynamics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ---- workspace ----------------------------------------------------------------------------------------------- */

bool mbs_triggers_open(mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  mbs_trigger_run *work = &self->triggers;
  size_t sets = 0;
  if (!mbs_has_discrete(model)) return true;
  for (size_t i = 0; i < model->trigger_count; i++) sets += model->triggers[i].set_count;
  work->at = mbs_arena_alloc(arena, model->trigger_count + 1, sizeof *work->at);
  work->values = mbs_arena_alloc(arena, sets + model->discrete_count + 1, sizeof *work->values);
  work->samples = mbs_arena_alloc(arena, model->discrete_count + 1, sizeof *work->samples);
  work->rates = mbs_arena_alloc(arena, sets + 1, sizeof *work->rates);
  work->matrix = mbs_arena_alloc(arena, sets * (sets + 1) + 1, sizeof *work->matrix);
  if (!work->at || !work->values || !work->samples || !work->rates || !work->matrix) return false;
  for (size_t k = 0; k < sets; k++) {
    work->rates[k].J = mbs_arena_alloc(arena, model->nv + 1, sizeof(double));
    work->rates[k].effect = mbs_arena_alloc(arena, model->nv + 1, sizeof(double));
    if (!work->rates[k].J || !work->rates[k].effect) return false;
  }
  return true;
}

void mbs_triggers_restart(mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_trigger_run *work = &self->triggers;
  work->begun = false;
  work->stopped = NULL;
  if (!mbs_has_discrete(model)) return;
  memset(work->at, 0, model->trigger_count * sizeof *work->at);
  memset(work->samples, 0, model->discrete_count * sizeof *work->samples);
  mbs_discrete_reset(self->run->system);
}

/* ---- zeros ---------------------------------------------------------------------------------------------------- */

static void set_state(mbs_dynamics *self, double t, const double *y) {
  mbs_dynamics_enter(self, y);
  mbs_set_position(self->run->system, t, y);
  mbs_set_velocity(self->run->system, y + self->run->model->state.v);
}

void mbs_triggers_margins(const mbs_dynamics *self, double *out) {
  const mbs_model *model = self->run->model;
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_trigger *trigger = &model->triggers[i];
    out[i] = trigger->condition ? 1 : self->triggers.at[i].side * mbs_law_value(self->run->system, &trigger->when);
  }
}

/* Returns true if some triggers fire at zeros. */
static bool has_zeros(const mbs_model *model) {
  bool any = false;
  for (size_t i = 0; i < model->trigger_count; i++) any |= !model->triggers[i].condition;
  return any;
}

void mbs_triggers_accepted(mbs_dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  if (!has_zeros(model)) return;
  set_state(self, t, y);
  for (size_t i = 0; i < model->trigger_count; i++)
    if (!model->triggers[i].condition)
      self->triggers.at[i].value = mbs_law_value(self->run->system, &model->triggers[i].when);
}

void mbs_triggers_cross(mbs_dynamics *self, size_t trigger) {
  self->triggers.at[trigger].crossed = self->triggers.at[trigger].zero = true;
}

/* Returns the sign, 1 or -1, that a law of positions and velocities has after t: that of its value or, if this is zero
 * within `instant` [s], of its rate, or of its second rate. The system has its accelerations. */
static double sign_after(mbs_system *system, const mbs_law *law, double instant) {
  double jet[3];
  for (size_t i = 0; i < law->input_count; i++)
    mbs_input_jet(system, &system->model->inputs[law->inputs[i]], system->jets + 3 * i);
  mbs_expression_jet(mbs_law_expression(system, law), system->jets,
                     system->mode && law->switches ? system->mode + law->mode0 : NULL, system->slots, jet);
  for (int k = 0; k < 2; k++)
    if (!(fabs(jet[k]) <= fabs(jet[k + 1]) * instant)) return jet[k] < 0 ? -1 : 1;
  return jet[2] < 0 ? -1 : 1;
}

/* Sets the sides of zeros that were passed at t, or whose value has jumped, and of all at the start. */
static mbs_status choose_sides(mbs_dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  const double instant = mbs_instant_share * (system->constants->time + fabs(t));
  bool shown = false;
  set_state(self, t, y);
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_law *law = &model->triggers[i].when;
    mbs_trigger_at *at = &self->triggers.at[i];
    const double value = mbs_law_value(system, law), before = at->value;
    const bool stays = self->triggers.begun && !at->zero && value == before;
    at->zero = false;
    at->value = value;
    if (stays || model->triggers[i].condition) continue;
    const mbs_status status = shown ? MBS_OK : mbs_run_show(self->run, t, y, y + model->state.v);
    if (status != MBS_OK) return status;
    shown = true;
    at->side = sign_after(system, law, instant);
  }
  return MBS_OK;
}

/* Sets the system to the state (t, y) with all that expressions may read. */
static mbs_status show_state(mbs_dynamics *self, double t, const double *y) {
  mbs_dynamics_set_energies(self, y);
  mbs_dynamics_enter(self, y);
  return mbs_run_show(self->run, t, y, y + self->run->model->state.v);
}

mbs_status mbs_triggers_reach(mbs_dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  const bool zeros = has_zeros(model);
  const mbs_status status = zeros ? show_state(self, t, y) : MBS_OK;
  for (size_t i = 0; i < model->trigger_count && zeros && status == MBS_OK; i++)
    if (!model->triggers[i].condition && sign_after(self->run->system, &model->triggers[i].when,
                                                    mbs_time_resolution(model)) != self->triggers.at[i].side)
      mbs_triggers_cross(self, i);
  return status;
}

/* ---- changes -------------------------------------------------------------------------------------------------- */

/* Fails for a value that is not finite. */
static mbs_status fail_value(mbs_dynamics *self, double t, const char *element, const char *target) {
  return mbs_run_fail(self->run, MBS_NOT_FINITE, t, element, "'%s' gives '%s' no finite value at t = %.9g", element,
                      target, t);
}

/* Records what happens first, after which outputs have no derivatives. */
static void note_passed(mbs_dynamics *self, const char *name, double t) {
  mbs_report *report = &self->run->result->report;
  if (report->passed) return;
  report->passed = mbs_arena_text(self->run->result->arena, name);
  report->passed_at = t;
}

/* Completes a change of discrete values: laws follow the new ones, and constraints may cause an impulse. The jump of
 * the potential of forces is work. */
static mbs_status close_change(mbs_dynamics *self, double t, double *y, double potential) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_dynamics_enter(self, y); /* states may have been set */
  mbs_switches_follow(system, t, y, y + model->state.v);
  const mbs_status status = mbs_dynamics_apply_impulse(self, t, y);
  if (status != MBS_OK || model->force_count == 0) return status;
  set_state(self, t, y);
  mbs_apply_forces(system);
  y[model->state.quadratures + MBS_WORK] += system->potential_forces - potential;
  return MBS_OK;
}

/* ---- samples -------------------------------------------------------------------------------------------------- */

bool mbs_samples_are_due(const mbs_dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  for (size_t i = 0; i < model->sampled_count; i++)
    if (mbs_samples_until(self->run->system->constants, i, t) > self->triggers.samples[i]) return true;
  return false;
}

mbs_status mbs_samples_measure(mbs_dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  const mbs_system *system = self->run->system;
  const size_t first = model->variable_count;
  const mbs_status status = show_state(self, t, y);
  for (size_t i = first; i < model->discrete_count && status == MBS_OK; i++) {
    self->triggers.values[i] = mbs_law_value(system, &model->discrete[i].value);
    if (mbs_samples_until(system->constants, i - first, t) > self->triggers.samples[i - first] &&
        !isfinite(self->triggers.values[i]))
      return fail_value(self, t, model->discrete[i].name, model->discrete[i].name);
  }
  self->triggers.potential = system->potential_forces;
  return status;
}

void mbs_samples_take(mbs_dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  const size_t first = model->variable_count;
  for (size_t i = first; i < model->discrete_count; i++) {
    const double until = mbs_samples_until(self->run->system->constants, i - first, t);
    if (!(until > self->triggers.samples[i - first])) continue;
    self->triggers.samples[i - first] = until;
    self->run->system->discrete[i] = self->triggers.values[i];
    note_passed(self, model->discrete[i].name, t);
  }
}

mbs_status mbs_samples_close(mbs_dynamics *self, double t, double *y) {
  return close_change(self, t, y, self->triggers.potential);
}

/* ---- events --------------------------------------------------------------------------------------------------- */

/* Marks the triggers that fire at (t, y). Returns the number of values that they set. */
static size_t find_firing(mbs_dynamics *self, double t, const double *y, bool *any) {
  const mbs_model *model = self->run->model;
  size_t sets = 0;
  *any = false;
  set_state(self, t, y);
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_trigger *trigger = &model->triggers[i];
    mbs_trigger_at *at = &self->triggers.at[i];
    const bool before = at->holds, wanted = trigger->direction == 0 || trigger->direction * at->side < 0;
    at->holds = trigger->condition && mbs_law_value(self->run->system, &trigger->when) != 0;
    at->fires = trigger->condition ? at->holds && !before : at->crossed && wanted;
    at->crossed = false;
    *any |= at->fires;
    if (at->fires) sets += trigger->set_count;
  }
  return sets;
}

/* Lists the events that fire, and ends the run if it is to end here. */
static void report_firing(mbs_dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_trigger *trigger = &model->triggers[i];
    if (!self->triggers.at[i].fires) continue;
    note_passed(self, trigger->name, t);
    if (!trigger->stops_after)
      mbs_run_event(self->run, t, trigger->name, "when");
    else if (++self->triggers.fired == trigger->stops_after)
      self->triggers.stopped = trigger;
  }
}

/* Computes the new values of all events that fire, from the present state. */
static mbs_status compute_values(mbs_dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  double *value = self->triggers.values;
  for (size_t i = 0; i < model->trigger_count; i++) {
    const mbs_trigger *trigger = &model->triggers[i];
    for (size_t k = 0; k < trigger->set_count && self->triggers.at[i].fires; k++, value++) {
      *value = mbs_law_value(self->run->system, &trigger->sets[k].value);
      if (!isfinite(*value)) return fail_value(self, t, trigger->name, trigger->sets[k].name);
    }
  }
  return MBS_OK;
}

/* Gives variables and states their new values, and lists the rates to set. Of several values for one target the last
 * counts. Returns the number of rates. */
static size_t assign_values(mbs_dynamics *self, double *y) {
  const mbs_model *model = self->run->model;
  const double *value = self->triggers.values;
  mbs_rate_change *rates = self->triggers.rates;
  size_t count = 0;
  for (size_t i = 0; i < model->trigger_count; i++)
    for (size_t k = 0; k < model->triggers[i].set_count && self->triggers.at[i].fires; k++, value++) {
      const mbs_assignment *set = &model->triggers[i].sets[k];
      size_t at = 0;
      if (set->target == MBS_SETS_DISCRETE) self->run->system->discrete[set->index] = *value;
      if (set->target == MBS_SETS_STATE) y[model->state.z + (size_t)set->index] = *value;
      if (set->target != MBS_SETS_RATE) continue;
      while (at < count && strcmp(rates[at].name, set->name) != 0) at++;
      if (at == count) count++;
      rates[at].coordinate = set->index;
      rates[at].event = model->triggers[i].name;
      rates[at].name = set->name;
      rates[at].rate = *value;
    }
  return count;
}

/* Applies what the events that fire set. */
static mbs_status apply_sets(mbs_dynamics *self, double t, double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_status status = show_state(self, t, y);
  if (status == MBS_OK) status = compute_values(self, t);
  if (status != MBS_OK) return status;
  const double potential = system->potential_forces;
  mbs_dynamics_before_impulse(self, t, y);
  const size_t rates = assign_values(self, y);
  status = close_change(self, t, y, potential);
  if (status != MBS_OK || rates == 0) return status;
  double *v = y + model->state.v;
  status = mbs_impulse_set_rates(&self->impulse, self->run, t, y, v, self->triggers.rates, rates, self->triggers.matrix,
                                 y + model->state.quadratures + MBS_WORK);
  if (status == MBS_OK) mbs_switches_follow(system, t, y, v);
  return status;
}

mbs_status mbs_triggers_fire(mbs_dynamics *self, double t, double *y, bool *changed) {
  *changed = false;
  if (self->run->model->trigger_count == 0 || !self->triggers.begun) return MBS_OK;
  bool any;
  const size_t sets = find_firing(self, t, y, &any);
  if (any) report_firing(self, t);
  if (self->triggers.stopped && isnan(self->triggers.stop_time)) self->triggers.stop_time = t;
  *changed = sets > 0;
  return sets > 0 ? apply_sets(self, t, y) : MBS_OK;
}

mbs_status mbs_triggers_settled(mbs_dynamics *self, double t, const double *y) {
  if (self->run->model->trigger_count == 0 || !self->triggers.begun) return MBS_OK;
  return choose_sides(self, t, y);
}

mbs_status mbs_triggers_begin(mbs_dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  if (!mbs_has_discrete(model)) return MBS_OK;
  const mbs_status status = choose_sides(self, t, y);
  self->triggers.begun = true;
  self->triggers.stop_time = NAN;
  self->triggers.fired = 0;
  for (size_t i = 0; i < model->trigger_count && status == MBS_OK; i++) {
    const mbs_trigger *trigger = &model->triggers[i];
    self->triggers.at[i].holds = trigger->condition && self->triggers.at[i].value != 0;
    if (!trigger->stops_after || !self->triggers.at[i].holds || ++self->triggers.fired < trigger->stops_after) continue;
    self->triggers.stopped = trigger;
    self->triggers.stop_time = t;
  }
  return status;
}

bool mbs_triggers_stopped(const void *context) { return ((const mbs_dynamics *)context)->triggers.stopped != NULL; }
