/* Records rows of results. */
#include "run/record.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/teeth.h"
#include "equations/touches.h"
#include "kernels/kernels.h"
#include "run/notes.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Computes what results and sensors read of the system's state, accelerations and multipliers, except its constraint
 * rows, which are known. If multipliers are not unique and not `chosen`, chooses them. */
static void complete_rows_known(mbs_run_state *run, bool chosen) {
  mbs_system *system = run->system;
  run->model->kernels->accelerations(system);
  if (run->output.forces && run->least.open > 0 && !chosen)
    mbs_choose_reactions(&run->least, system);
  else if (run->output.forces)
    mbs_read_reactions(system);
  if (system->touches) mbs_touches_show(system);
  mbs_forces_show(system);
}

/* Does that, and evaluates the constraint rows, with the factors that tooth forces need. */
static void complete(mbs_run_state *run, bool chosen) {
  mbs_constraints(run->system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  if (run->system->teeth) (void)mbs_factor(run->system); /* an evaluation reports what has no inertia */
  complete_rows_known(run, chosen);
}

static const double *residuals_of(const mbs_run_state *run, size_t row) {
  assert(run->output.arrays[MBS_OUTPUT_RESIDUALS] != NULL);
  return run->output.arrays[MBS_OUTPUT_RESIDUALS]->data + 3 * row;
}

/* Updates the largest residuals, with their rows and times. */
static void note_residuals(mbs_run_state *run, const double residuals[3], double t) {
  mbs_system *system = run->system;
  mbs_report *report = &run->result->report;
  size_t m = run->model->bilateral_rows;
  for (int k = 0; k < 3; k++) {
    if (!(residuals[k] > report->residual_max[k])) continue;
    report->residual_max[k] = residuals[k];
    report->residual_time[k] = t;
    /* Phi; C v - rhsV; C v' - rhsA */
    if (k > 0) mbs_jacobian_times(system, k == 1 ? system->v : system->vdot, system->rates);
    const double *right = k == 1 ? system->rhsV : system->rhsA;
    for (size_t r = 0; r < m; r++) {
      double left = k == 0 ? system->Phi[r] : system->rates[r] - right[r];
      if (fabs(left) == residuals[k]) report->residual_row[k] = (int)r;
    }
  }
}

/* Updates the balance of energy. */
static void note_energy(mbs_report *report, const double energy[4], double potential, size_t row, double t) {
  /* T + V - W + E_d */
  double balance = energy[0] + energy[1] - energy[2] + energy[3];
  if (row == 0) report->energy_start = balance;
  double change = fabs(balance - report->energy_start);
  if (change > report->energy_change_max) report->energy_time = t;
  report->energy_change_max = fmax(report->energy_change_max, change);
  double largest = fmax(fmax(energy[0], fabs(energy[1] - potential)), fmax(fabs(energy[2]), fabs(energy[3])));
  report->energy_scale = fmax(report->energy_scale, largest);
}

/* Notes what elements have to say about their outputs, once each. */
static void note_outputs(mbs_run_state *run, double t) {
  for (size_t f = 0; f < run->model->force_count && run->warned; f++) {
    const mbs_force *force = &run->model->forces[f];
    const char *text = force->cls->warn && !run->warned[f] ? force->cls->warn(run->system, force) : NULL;
    if (!text) continue;
    mbs_run_note(run, "'%s' at t = %.9g: %s", force->name, t, text);
    run->warned[f] = true;
  }
}

/* Adds a recorded row to the report. */
static void note_row(mbs_run_state *run, size_t row, double t) {
  assert(row < run->model->nt);
  mbs_report *report = &run->result->report;
  const mbs_system *system = run->system;
  run->drift = fmax(run->drift, mbs_largest_in_units(system->Phi, system->row_units, run->model->rows));
  report->residual_share = run->drift;
  note_residuals(run, residuals_of(run, row), t);
  if (run->output.forces) {
    const double *energy = run->output.arrays[MBS_OUTPUT_ENERGY]->data;
    note_energy(report, energy + 4 * row, energy[1], row, t);
  }
  if (run->output.forces || (system->touches && system->touches->follows)) note_outputs(run, t);
}

/* Stores the row of the system's state, accelerations, multipliers and forces, completed by complete(). */
static mbs_status store(mbs_run_state *run, size_t row, double t) {
  mbs_system *system = run->system;
  run->t_reached = t;
  if (run->observer) return run->observer->state(run->observer->user, system);
  mbs_output_record(&run->output, system, row);
  note_row(run, row, t);
  /* two bearings may drift by as much as their rows */
  return mbs_teeth_check(system, 2 * residuals_of(run, row)[0]);
}

void mbs_run_set_state_given(mbs_run_state *run, bool chosen) {
  assert(run->observer != NULL);
  mbs_apply_forces(run->system);
  if (run->observer->forces) complete(run, chosen);
}

mbs_status mbs_run_show(mbs_run_state *run, double t, const double *q, const double *v) {
  const mbs_status status = mbs_evaluate(run->system, t, q, v);
  if (status == MBS_OK) complete(run, false);
  return status;
}

mbs_status mbs_run_set_state(mbs_run_state *run, double t, const double *q, const double *v) {
  assert(run->observer != NULL);
  if (run->observer->forces) return mbs_run_show(run, t, q, v);
  mbs_set_position(run->system, t, q);
  if (run->observer->velocities) mbs_set_velocity(run->system, v);
  return run->system->fault.status;
}

mbs_status mbs_run_evaluate(mbs_run_state *run, double t, const double *q, const double *v) {
  mbs_status status = mbs_evaluate(run->system, t, q, v);
  if (status != MBS_OK || run->least.open == 0) return status;
  run->model->kernels->accelerations(run->system);
  mbs_choose_reactions(&run->least, run->system);
  return status;
}

mbs_status mbs_run_record(mbs_run_state *run, size_t row, double t, const double *q, const double *v) {
  mbs_status status = mbs_evaluate(run->system, t, q, v);
  if (status != MBS_OK) return status;
  complete(run, false);
  return store(run, row, t);
}

mbs_status mbs_run_record_placed(mbs_run_state *run, size_t row, double t, const double *v) {
  mbs_status status = mbs_evaluate_placed(run->system, v);
  if (status != MBS_OK) return status;
  complete_rows_known(run, false);
  return store(run, row, t);
}

mbs_status mbs_run_record_given(mbs_run_state *run, size_t row, double t, bool chosen) {
  mbs_apply_forces(run->system);
  complete(run, chosen);
  return store(run, row, t);
}

mbs_status mbs_run_record_static(mbs_run_state *run, size_t row, double t, const double *q, const double *lambda) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  memcpy(system->lambda, lambda, model->rows * sizeof *lambda);
  if (system->feedback) { /* the laws that read reactions */
    const mbs_status status = mbs_evaluate(system, t, q, run->v);
    if (status != MBS_OK) return status;
    memset(system->vdot, 0, model->nv * sizeof *system->vdot);
    memcpy(system->lambda, lambda, model->rows * sizeof *lambda);
  }
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, run->v);
  mbs_apply_forces(system);
  complete(run, false);
  return store(run, row, t);
}
