/* Adds the notes of dynamics to the report. */
#include "base/methods.h"
#include "constraints/held_coordinates.h"
#include "constraints/projection.h"
#include "equations/jacobian.h"
#include "equations/masses.h"
#include "equations/state.h"
#include "run/notes.h"
#include "simulate/dynamics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Returns the document's name of a method that does not enforce the constraints exactly. */
static const char *loose_word(const mbs_dynamics *self) {
  return self->constraints == MBS_BAUMGARTE ? "baumgarte" : "none";
}

/* Scaled drift above which a note is added; error of the energy balance, as a share of the energies, that adds a
 * note. */
static const double noted_drift = 1e-3, noted_imbalance = 0.01;

/* Checks the redundant rows of a motion without projection, in which all rows drift. Fails if a redundant row
 * contradicts the others. */
mbs_status mbs_dynamics_check_drifting(mbs_dynamics *self, double t, const double *y) {
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  double active = 0, redundant = 0;
  mbs_set_position(system, t, y);
  mbs_constraints(system, MBS_WANT_PHI);
  for (size_t r = 0; r < model->rows; r++) {
    double *largest = system->active[r] ? &active : &redundant;
    *largest = fmax(*largest, fabs(system->Phi[r]) / system->row_units[r]);
  }
  if (redundant <= noted_drift + 10 * active) return MBS_OK;
  mbs_run_note(self->run,
               "\"constraints\": \"%s\" lets the constraints drift, which may be the cause of the contradiction; set "
               "\"constraints\": \"projection\" to find out",
               loose_word(self));
  return mbs_check_redundant(system);
}

/* Notes smooth friction that crept at two successive reporting times; at one time it may just pass through zero. */
void mbs_dynamics_note_creep(mbs_dynamics *self, double t) {
  const mbs_model *model = self->run->model;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    double transition, slip;
    if (!force->cls->creep || self->crept[f] < 0) continue;
    slip = force->cls->creep(self->run->system, force, &transition);
    self->crept[f] = slip > 0 ? self->crept[f] + 1 : 0;
    if (self->crept[f] < 2) continue;
    self->crept[f] = -1;
    mbs_run_note(self->run,
                 "'%s' creeps at t = %.9g with %.3g m/s, where dry friction would stick: its law is smooth, with a "
                 "transition_velocity of %.3g m/s; reduce transition_velocity to slow the creep, or use a force or "
                 "torque with sign(), as in -mu*N*sign(v), which sticks",
                 force->name, t, slip, transition);
  }
}

/* Returns the energy [J] that rounding and the absolute tolerance explain. */
static double faint_energy(const mbs_dynamics *self) {
  return self->energy.least / self->run->model->atol + 1e-9 * fabs(self->run->result->report.energy_start);
}

/* Returns true if a recorded motion exchanges no more energy than that. */
static bool stays_at_rest(const mbs_dynamics *self) {
  const mbs_run_state *run = self->run;
  return !run->observer && mbs_has_energy(run->system->constants) &&
         run->result->report.energy_scale <= faint_energy(self);
}

/* Returns true if the energy balance of a motion on its constraints has an error above a share of the energies, and
 * above what rounding and the absolute tolerance explain. */
static bool is_off_balance(const mbs_dynamics *self, const mbs_report *summary) {
  const mbs_system *system = self->run->system;
  const bool kept = !system->model->rows || mbs_dynamics_keeps_constraints(self);
  return kept && self->last.adaptive && mbs_has_energy(system->constants) &&
         summary->energy_change_max > fmax(noted_imbalance * summary->energy_scale, faint_energy(self));
}

/* Adds notes on accuracy and method at the end of a run. */
void mbs_dynamics_note_method(const mbs_dynamics *self, double stiffness) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  const mbs_report *summary = &run->result->report;
  if (self->near.worst_tolerance > model->rtol)
    mbs_run_note(run,
                 "the motion passed close to a singular position, where rounding limits the accuracy; steps there used "
                 "a relative tolerance of up to %.1g",
                 self->near.worst_tolerance);
  if (self->lost.count > 0)
    mbs_run_note(run,
                 "the constraints lost rank, or nearly lost it, at %zu reporting time%s, first at t = %.9g; "
                 "accelerations, multipliers and reactions there may be inaccurate or unbounded",
                 self->lost.count, self->lost.count > 1 ? "s" : "", self->lost.first);
  if (model->rows && !mbs_dynamics_keeps_constraints(self) && run->drift > noted_drift)
    mbs_run_note(run,
                 "the constraints have drifted by up to %.2g, because \"constraints\": \"%s\" does not enforce them "
                 "exactly; set \"constraints\": \"projection\", or reduce the drift with smaller tolerances",
                 summary->residual_max[0], loose_word(self));
  mbs_step_limiter_note(self->limiter);
  if (model->fixed_step > 0 && summary->rejected > 0 && mbs_method_has_fixed_steps(model->method))
    mbs_run_note(run, "the step 'fixed_step' was too long %llu times; shorter steps replaced it there",
                 (unsigned long long)summary->rejected);
  if (is_off_balance(self, summary))
    mbs_run_note(run,
                 "the energy balance has an error of %.2g J (energy exchanged: %.2g J) at t = %.9g: the steps missed a "
                 "fast change, or the tolerance is too loose; check with a smaller 'rtol' or 'max_step'",
                 summary->energy_change_max, summary->energy_scale, summary->energy_time);
  if (stiffness > 0.5 && !stays_at_rest(self))
    mbs_report_note(run->result, /* also in runs of a study */
                    "the equations are stiff: stability, not accuracy, limited most steps; \"method\": \"%s\" would "
                    "need fewer steps",
                    mbs_stiff_method());
}

void mbs_dynamics_note_independent(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  const mbs_partition *partition = &self->partitioning.partition;
  const char **held = mbs_held_coordinate_labels(model, self->run->result->arena);
  char text[400] = "";
  size_t length = 0;
  for (size_t i = 0; i < model->nv + (held ? partition->held : 0); i++) { /* velocities in the document's order */
    bool own = i < model->nv;
    if ((own && partition->place[model->user_v[i]] >= 0) || length + 1 >= sizeof text) continue;
    int written = snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "",
                           own ? self->run->result->report.velocity_labels[i] : held[i - model->nv]);
    length += written > 0 ? (size_t)written : 0;
  }
  if (length) mbs_run_note(self->run, "independent velocities at the start: %s", text);
}
