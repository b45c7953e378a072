/* Starts a run: correction, ranks, redundant rows, bodies without inertia. */
#include "run/start.h"

#include "equations/forces.h"

#include "base/norms.h"
#include "constraints/held_coordinates.h"
#include "constraints/jacobian_check.h"
#include "constraints/projection.h"
#include "equations/contacts.h"
#include "equations/discrete.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/law.h"
#include "equations/masses.h"
#include "equations/residual_rounding.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/teeth.h"
#include "initial/assemble.h"
#include "initial/newton_min_norm.h"
#include "model/rows.h"
#include "run/assembly_note.h"
#include "run/model_notes.h"
#include "run/names.h"
#include "run/notes.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "run/touch_checks.h"
#include "run/undriven.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void store_state(const mbs_model *model, const double *q, const double *v, double *user_q, double *user_v) {
  for (size_t i = 0; i < model->nq; i++) user_q[i] = q[model->user_q[i]];
  for (size_t i = 0; i < model->nv; i++) user_v[i] = v[model->user_v[i]];
}

mbs_status mbs_run_leave_out_redundant(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  run->ranks.redundant = mbs_arena_alloc(system->arena, model->rows + 1, sizeof(bool));
  if (!run->ranks.redundant) return MBS_NO_MEMORY;
  mbs_status status = mbs_find_ranks(system, model->t_start, run->q, &run->ranks, run->workspace);
  if (status != MBS_OK) return status;
  for (size_t r = 0; r < model->rows; r++) {
    if (!run->ranks.redundant[r]) continue;
    system->active[r] = false;
    system->all_active = false;
  }
  return MBS_OK;
}

/* Notes a dynamics whose joints hold all bodies. */
static void note_no_freedom(mbs_run_state *run) {
  const mbs_model *model = run->model;
  const bool moved = model->driver_count > 0 || mbs_has_rheonomic_joint(model) || model->state_count > 0;
  if (model->type != MBS_DYNAMICS || run->result->report.velocity_freedoms > 0 || moved) return;
  mbs_run_note(
      run,
      "the joints leave no degree of freedom: no body moves, whatever forces act; if one should move, remove a "
      "constraint%s",
      mbs_has_gears(model) ? ", and check the signs of the ratios of gears" : "");
}

/* Notes ropes that may become slack where drivers must determine the motion. */
static void note_slack_ropes(mbs_run_state *run) {
  const mbs_model *model = run->model;
  char names[150];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  if (model->asked != MBS_KINEMATICS && model->asked != MBS_INVERSE_DYNAMICS) return;
  for (size_t j = 0; j < model->joint_count && run->result->report.velocity_freedoms > 0; j++)
    if (model->joints[j].path >= 0 && model->joints[j].row_count == 0) mbs_name_list_add(&list, model->joints[j].name);
  if (list.count)
    mbs_run_note(run, "%s may become slack and so determine%s no coordinate; if %s taut, set \"unilateral\": false",
                 mbs_name_list_close(&list), list.count == 1 ? "s" : "", list.count == 1 ? "it stays" : "they stay");
}

/* Finds degrees of freedom and mobility, and removes the redundant rows for the rest of the run. theory (10.3) */
static mbs_status find_ranks(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_report *report = &run->result->report;
  mbs_status status = mbs_run_leave_out_redundant(run);
  if (status != MBS_OK) return status;
  report->ranked = true;
  /* n_v - rank C of position level, n_v - rank C, n_v - rank C of the joints */
  report->degrees_of_freedom = (int)model->nv - (int)run->ranks.position_rank;
  report->velocity_freedoms = (int)model->nv - (int)run->ranks.rank;
  report->mobility = (int)model->nv - (int)run->ranks.joint_rank;
  assert(run->ranks.position_rank <= model->rows && run->ranks.rank <= model->rows);
  for (size_t r = 0; r < mbs_given_rows(model); r++) {
    if (!run->ranks.redundant[r]) continue;
    report->constraints[r].redundant = true;
    report->redundant_count++;
  }
  if (report->redundant_count)
    mbs_run_note(run, "%zu constraint row%s redundant: the motion is unique%s", report->redundant_count,
                 report->redundant_count == 1 ? " is" : "s are",
                 run->output.forces ? ", but not all reactions are" : "");
  note_no_freedom(run);
  note_slack_ropes(run);
  if (report->redundant_count) {
    if (!mbs_min_norm_reactions_open(&run->least, system)) return MBS_NO_MEMORY;
    mbs_set_position(system, model->t_start, run->q);
    mbs_constraints(system, MBS_WANT_PHI);
    mbs_note_redundant(system);
  }
  if (run->ranks.singular)
    mbs_run_note(run, "the start is a singular position: the constraints lose rank there, and the mechanism may be "
                      "able to leave it in several ways; initial velocities select one");
  return MBS_OK;
}

/* If unequal masses make pivots of S smaller than this, rounding loses too many digits: such a mass is treated as zero,
 * unless it is the only mass of a degree of freedom. */
static const double vanishing_share = 1e-9;

mbs_status mbs_find_massless(mbs_run_state *run, double t) {
  mbs_system *system = run->system;
  mbs_error ignored = {0}, *error = system->error;
  system->error = &ignored;
  mbs_set_position(system, t, run->q);
  mbs_constraints(system, MBS_WANT_C);
  /* the factors of M and S at the start */
  mbs_status status = mbs_factor(system);
  system->error = error;
  bool vanishing = status == MBS_OK && system->unequal_masses && system->pivot_ratio < vanishing_share;
  if (status != MBS_SINGULAR_MASS && !vanishing) return MBS_OK;
  mbs_shift_masses(system);
  if (vanishing) {
    system->error = &ignored;
    if (mbs_probe_masses(system) != MBS_OK) mbs_set_mass_shift(system, 0);
    system->error = error;
    return MBS_OK;
  }
  return run->model->type == MBS_DYNAMICS ? mbs_probe_masses(system) : MBS_OK;
}

/* Notes a start so close to a loss of rank that the factors show it. */
static void note_near_singular(mbs_run_state *run) {
  if (!run->system->shifted || run->ranks.singular) return;
  mbs_run_note(run, "the start is close to a singular position, where the constraints lose rank; accelerations and "
                    "reactions near it may be inaccurate; give 'initial' positions closer to the intended position");
}

/* Returns true if recorded results contain Jac_p, or would contain it if it were kept. */
static bool records_euler_jacobian(const mbs_run_state *run) {
  return run->output.recorded_count > 0 && mbs_output_has(&run->output, MBS_OUTPUT_JAC_P);
}

/* Compares C with finite differences of Phi at the start. */
static mbs_status check_jacobian(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  double *workspace = mbs_arena_alloc(system->arena, mbs_jacobian_check_workspace(model), sizeof *workspace);
  if (!workspace) return MBS_NO_MEMORY;
  run->result->report.jacobian_error = mbs_jacobian_check(system, model->t_start, run->q, workspace).largest;
  return MBS_OK;
}

/* Stores the contacts at the start; later states continue from them. */
static mbs_status start_contacts(mbs_run_state *run) {
  const mbs_model *model = run->model;
  if (!model->curve_count) return MBS_OK;
  mbs_set_position(run->system, model->t_start, run->q);
  mbs_set_velocity(run->system, run->v);
  mbs_accept_contacts(run->system);
  return mbs_check_contacts(run->system);
}

/* Notes that coordinates of balls cannot be independent, if coordinates are partitioned. */
static void note_held(mbs_run_state *run) {
  const mbs_model *model = run->model;
  if (model->held_count && !mbs_held_coordinates_independent(model) &&
      (model->type == MBS_LINEARIZATION || model->constraints == MBS_PARTITIONING))
    mbs_run_note(run, "'hold' applies only to the correction of the start here: in body coordinates, the coordinates "
                      "of ball joints cannot be independent");
}

/* Finds the position by a correction. A quiet run uses the position of an earlier run of the same model, if it is
 * known. */
static mbs_status assemble(mbs_run_state *run, mbs_assembly *out) {
  mbs_kept_start *kept = run->quiet ? run->system->constants->kept_start : NULL;
  const size_t size = run->model->nq * sizeof *run->q;
  if (kept && kept->known) {
    memcpy(run->q, kept->q, size);
    out->correction = (mbs_correction){.iterations = kept->iterations, .position_residual = kept->position_residual};
    return MBS_OK;
  }
  const mbs_status status = mbs_assemble(run->system, run->model->t_start, run->q, out, run->workspace);
  if (!kept || status != MBS_OK) return status;
  memcpy(kept->q, run->q, size);
  kept->iterations = out->correction.iterations;
  kept->position_residual = out->correction.position_residual;
  kept->known = true;
  return status;
}

/* Finds positions and velocities that satisfy the constraints. */
static mbs_status correct_start(mbs_run_state *run, mbs_correction *out) {
  const mbs_model *model = run->model;
  mbs_assembly assembly = {.other_start = 0};
  mbs_status status = assemble(run, &assembly);
  *out = assembly.correction;
  if (status == MBS_OK && out->inexact)
    mbs_run_note(run,
                 "redundant constraints agree only to within %.2g (largest gap in '%s'), probably because numbers of "
                 "the document are rounded; the mechanism is assembled with this gap; to close it, give lengths, "
                 "points and angles with more digits",
                 out->position_residual, mbs_row_element(model, out->worst_row));
  if (status == MBS_OK && assembly.aligned_joint)
    mbs_run_note(run,
                 "from the given start, the axes of '%s' would end in opposite directions, so one body was turned over "
                 "before the assembly; to choose another position, give the initial orientation of the body",
                 assembly.aligned_joint->name);
  if (assembly.nearer)
    mbs_run_note(run,
                 "the mechanism can be assembled in several ways, and the initial values are far from all of them; the "
                 "nearest position found is used (search %d); give initial values nearer to the intended position",
                 assembly.other_start);
  else if (assembly.other_start)
    mbs_run_note(run,
                 "from the given start the mechanism could be assembled in several directions, so the assembly began "
                 "at a position slightly beside it (attempt %d); give other initial values to choose the direction",
                 assembly.other_start);
  if (status == MBS_OK) status = mbs_separate_surfaces(run, out);
  if (status == MBS_OK) status = mbs_note_moved(run);
  if (status == MBS_OK)
    status = mbs_correct_velocities(run->system, model->t_start, run->q, run->v, out, run->workspace);
  else
    out->velocity_residual = NAN;
  return status;
}

/* Measures the residuals of the given start, and notes if the analysis corrects it anyway. */
static mbs_status judge_start(mbs_run_state *run, mbs_correction *out) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  /* Phi, C v - rhsV */
  mbs_jacobian_times(system, run->v, system->rates);
  for (size_t r = 0; r < model->rows; r++) system->rates[r] -= system->rhsV[r];
  out->position_residual = mbs_largest(system->Phi, model->rows);
  out->velocity_residual = mbs_largest(system->rates, model->rows);
  if (!isfinite(out->position_residual) || !isfinite(out->velocity_residual)) return mbs_not_finite(system);
  bool moves = model->type == MBS_KINEMATICS || model->type == MBS_INVERSE_DYNAMICS || model->type == MBS_DYNAMICS;
  if (model->type == MBS_DYNAMICS && (model->constraints == MBS_BAUMGARTE || model->constraints == MBS_NONE))
    moves = false;
  double missed = mbs_largest_in_units(system->Phi, system->row_units, model->rows);
  double missed_rates =
      mbs_largest_in_units(system->rates, system->row_units, model->rows) * run->system->constants->time;
  if (moves && fmax(missed, missed_rates) > mbs_position_tolerance)
    mbs_run_note(run,
                 "'correct' is false, but the given start violates the constraints by %.3g and their rates by %.3g; %s "
                 "corrects it all the same",
                 out->position_residual, out->velocity_residual,
                 model->type != MBS_DYNAMICS              ? "this analysis"
                 : model->constraints == MBS_PARTITIONING ? "partitioning"
                                                          : "projection");
  return MBS_OK;
}

/* Notes missing gravity: a document that forgot it looks like one that has none. */
static void note_gravity(mbs_run_state *run) {
  const mbs_model *model = run->model;
  double mass = 0;
  for (size_t b = 1; b <= model->nB; b++) mass += run->system->constants->bodies[b].mass;
  if (model->gravity_given || model->type == MBS_KINEMATICS || mass == 0) return;
  mbs_run_note(run, "the document has no 'gravity', so no gravity acts; give 'gravity', or %s if none is intended",
               model->dim == 3 ? "[0, 0, 0]" : "[0, 0]");
}

/* Checks the constraints after angles include the full revolutions that drivers prescribe: a gear, or the thread of a
 * screw, may contradict them. */
static mbs_status check_turns(mbs_run_state *run, mbs_correction *correction) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  size_t worst = 0;
  if (!model->rows) return MBS_OK;
  mbs_constraints(system, MBS_WANT_PHI);
  /* the largest scaled |Phi_r| */
  for (size_t r = 0; r < model->rows; r++)
    if (fabs(system->Phi[r]) / system->row_units[r] > fabs(system->Phi[worst]) / system->row_units[worst]) worst = r;
  double residual = fabs(system->Phi[worst]);
  if (!(residual > mbs_data_precision * system->row_units[worst] && residual > 10 * correction->position_residual))
    return MBS_OK;
  const char *element = mbs_row_element(model, worst);
  *correction = (mbs_correction){.iterations = correction->iterations,
                                 .failed = true,
                                 .worst_row = worst,
                                 .position_residual = residual,
                                 .velocity_residual = correction->velocity_residual};
  return mbs_run_fail(
      run, MBS_NOT_ASSEMBLED, model->t_start, element,
      "'%s' is not satisfied (residual %.3g) once angles include the full revolutions that drivers prescribe; give its "
      "joints initial positions that include them, such as 400 deg instead of 40 deg",
      element, residual);
}

/* Makes (run->q, run->v), whose position the system has, the start of the run. */
static void set_start(mbs_run_state *run) {
  assert(run->system->q != NULL || run->model->nq == 0);
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_report *report = &run->result->report;
  mbs_set_velocity(system, run->v);
  model->kernels->remember(system);
  system->rounding = mbs_residual_rounding(system);
  store_state(model, run->q, run->v, report->q_after, report->v_after);
}

/* Reports the start, with the element and row that prevented it. If the correction found no position, there are no
 * velocities. */
static void report_start(mbs_run_state *run, const mbs_correction *correction, mbs_status status) {
  const mbs_model *model = run->model;
  mbs_report *report = &run->result->report;
  report->corrected = model->correct && model->rows > 0 && status == MBS_OK;
  report->correction_iterations = correction->iterations;
  report->position_residual = correction->position_residual;
  report->velocity_residual = correction->velocity_residual;
  if (status == MBS_OK) return;
  if (isnan(correction->velocity_residual))
    for (size_t i = 0; i < model->nv; i++) report->v_after[i] = NAN;
  if (correction->failed) report->failed_row = (int)correction->worst_row;
  const char *element = correction->failed                    ? mbs_row_element(model, correction->worst_row)
                        : status == run->system->fault.status ? run->system->fault.element
                                                              : run->error->element;
  report->failed_element = mbs_arena_text(run->result->arena, element);
}

mbs_status mbs_run_place(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_report *report = &run->result->report;
  mbs_correction correction = {0};
  memcpy(run->q, run->system->constants->q0, model->nq * sizeof *run->q);
  memcpy(run->v, run->system->constants->v0, model->nv * sizeof *run->v);
  store_state(model, run->q, run->v, report->q_before, report->v_before);
  note_gravity(run);
  mbs_status status = mbs_note_model(run);
  if (status != MBS_OK) return status;
  if (model->kernels->begin) {
    mbs_set_position(system, model->t_start, run->q);
    model->kernels->begin(system);
  }
  if (model->rows_read_states) {
    mbs_set_position(system, model->t_start, run->q);
    mbs_states_start(system);
  }
  mbs_measure_row_units(system, model->t_start, run->q);
  if (model->correct) {
    status = correct_start(run, &correction);
    note_held(run);
  } else {
    status = judge_start(run, &correction);
  }
  mbs_set_position(system, model->t_start, run->q);
  if (status == MBS_OK) status = mbs_check_axes(system);
  if (status == MBS_OK) status = mbs_teeth_check(system, 0);
  if (model->kernels->set_driven_revolutions) {
    model->kernels->set_driven_revolutions(system, run->q);
    mbs_set_position(system, model->t_start, run->q);
    if (status == MBS_OK && model->correct) status = check_turns(run, &correction);
  }
  if (status == MBS_OK) status = mbs_check_touching_start(run);
  set_start(run);
  mbs_set_velocity(system, run->v);
  mbs_states_start(system);
  report_start(run, &correction, status);
  return status;
}

mbs_status mbs_run_start_at_equilibrium(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_report *report = &run->result->report;
  mbs_correction correction = {0};
  memset(run->v, 0, model->nv * sizeof *run->v);
  mbs_status status = mbs_correct_velocities(run->system, model->t_start, run->q, run->v, &correction, run->workspace);
  mbs_set_position(run->system, model->t_start, run->q);
  set_start(run);
  if (model->rows) mbs_constraints(run->system, MBS_WANT_PHI);
  report->from_equilibrium = true;
  report->position_residual = mbs_largest(run->system->Phi, model->rows);
  report->velocity_residual = correction.velocity_residual;
  return status;
}

mbs_status mbs_run_prepare(mbs_run_state *run) {
  mbs_status status = find_ranks(run);
  if (status == MBS_OK) status = mbs_run_find_undriven(run);
  if (status != MBS_OK) return status;
  if (records_euler_jacobian(run) && (status = check_jacobian(run)) != MBS_OK) return status;
  status = mbs_find_massless(run, run->model->t_start);
  if (status == MBS_OK) note_near_singular(run);
  if (status == MBS_OK) status = start_contacts(run);
  return status == MBS_OK ? mbs_check_loads(run) : status;
}

/* Returns true if a law reads what only an evaluation of the forces gives. */
static bool reads_forces(const mbs_model *model, const mbs_law *law) {
  bool reads = false;
  for (size_t i = 0; i < law->input_count; i++) reads |= mbs_input_needs_forces(&model->inputs[law->inputs[i]]);
  return reads;
}

mbs_status mbs_run_sample_start(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  const size_t first = model->variable_count, count = model->discrete_count - first;
  double *values = mbs_arena_alloc(system->arena, count + 1, sizeof *values);
  bool forces = false;
  if (!values) return MBS_NO_MEMORY;
  for (size_t i = 0; i < count; i++) forces |= reads_forces(model, &model->discrete[first + i].value);
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->v);
  const mbs_status status = forces ? mbs_run_show(run, model->t_start, run->q, run->v) : MBS_OK;
  if (status != MBS_OK) return status;
  for (size_t i = 0; i < count; i++) values[i] = mbs_law_value(system, &model->discrete[first + i].value);
  for (size_t i = 0; i < count; i++) {
    const char *name = model->discrete[first + i].name;
    if (mbs_samples_until(system->constants, i, model->t_start) == 0) continue;
    if (!isfinite(values[i]))
      return mbs_run_fail(run, MBS_NOT_FINITE, model->t_start, name, "'%s' has no finite value at the start", name);
    system->discrete[first + i] = values[i];
  }
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->v);
  return MBS_OK;
}

mbs_status mbs_run_start(mbs_run_state *run) {
  mbs_status status = mbs_run_place(run);
  if (status == MBS_OK) status = mbs_run_prepare(run);
  if (status != MBS_OK || run->model->type == MBS_DYNAMICS || run->model->discrete_count == 0) return status;
  return mbs_run_sample_start(run);
}
