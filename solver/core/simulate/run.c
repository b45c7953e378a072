/* Runs the analysis of a model: mbs_run() and its variants. */
#include "mbs/run.h"
#include "initial/assemble.h"
#include "model/discrete.h"
#include "run/driver_conflict.h"
#include "run/names.h"
#include "run/notes.h"
#include "run/overflow_check.h"
#include "run/report.h"
#include "run/run_errors.h"
#include "run/start.h"
#include "run/summary.h"
#include "simulate/analyses.h"
#include "simulate/error_estimate.h"
#include "simulate/observed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool open_run(mbs_run_state *run, const mbs_constants *constants, mbs_arena *scratch) {
  const mbs_model *model = run->model;
  bool forces = model->type != MBS_KINEMATICS;
  run->system = mbs_system_bound(constants, scratch);
  run->workspace = mbs_arena_alloc(scratch, mbs_assemble_workspace(model), sizeof *run->workspace);
  run->q = mbs_arena_alloc(scratch, model->nq + 1, sizeof *run->q);
  run->v = mbs_arena_alloc(scratch, model->nv + 1, sizeof *run->v);
  if (!run->system || !run->workspace || !run->q || !run->v || !mbs_report_open(model, run->result)) return false;
  run->system->error = run->error;
  if (run->observer) return mbs_output_open_bare(&run->output, model, forces, run->result);
  if (!mbs_output_open(&run->output, model, forces, run->result)) return false;
  if (model->body_formulation && !model->formulation_given)
    mbs_run_note(run, "body coordinates were chosen because many loops are coupled; give \"formulation\": \"joint\" "
                      "for joint coordinates");
  if (run->output.jacobian_left_out)
    mbs_run_note(run, "the Jacobian is omitted: it would need %.0f MiB",
                 mbs_output_jacobian_bytes(&run->output) / 1048576);
  else if (run->output.arrays[MBS_OUTPUT_JAC_DATA])
    mbs_run_note(run,
                 "the full Jacobian would have %zu x %zu entries for each reporting time; instead, Jac_data, "
                 "Jac_indices and Jac_indptr contain it as a sparse matrix (CSR)",
                 model->rows, model->nv);
  return true;
}

/* Adds the events of the report as an array of numbers. */
static void add_events(mbs_run_state *run) {
  static const char *const labels[] = {"t", "element", "kind"}, *const units[] = {"s", "", ""};
  const mbs_report *report = &run->result->report;
  size_t shape[] = {report->event_count, 3};
  double *data = mbs_output_add(&run->output, MBS_OUTPUT_EVENTS, run->result, 2, shape, labels, units);
  for (size_t i = 0; data && i < report->event_count; i++) {
    data[3 * i] = report->events[i].t;
    data[3 * i + 1] = report->events[i].element_number;
    data[3 * i + 2] = report->events[i].kind_number;
  }
}

/* Lists the elements whose reactions and efforts are not unique because of redundant rows. */
static void add_not_unique(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_report *report = &run->result->report;
  size_t most = model->joint_count + model->driver_count;
  if (!run->least.open || !(report->not_unique = mbs_arena_alloc(run->result->arena, most + 1, sizeof(char *)))) return;
  for (size_t i = 0; i < most; i++) {
    const char *name = i < model->joint_count ? model->joints[i].name : model->drivers[i - model->joint_count].name;
    if (!run->least.shared[i] || !(name = mbs_arena_text(run->result->arena, name))) continue;
    report->not_unique[report->not_unique_count++] = name;
  }
  char names[300];
  mbs_name_list list = mbs_name_list_open(names, sizeof names);
  for (size_t i = 0; i < report->not_unique_count; i++) mbs_name_list_add(&list, report->not_unique[i]);
  if (report->not_unique_count)
    mbs_run_note(run,
                 "redundant constraints make the reactions of %s not unique; of all reactions that fit, the results "
                 "have the smallest: least sum of squares, torques divided by %.3g m, the size of the model",
                 mbs_name_list_close(&list), run->system->constants->extent);
}

/* Notes requested arrays that this run does not have. */
static void note_missing_arrays(mbs_run_state *run) {
  const mbs_model *model = run->model;
  for (size_t i = 0; i < model->array_name_count; i++)
    if (strcmp(model->array_names[i], "sensors") != 0 && !mbs_result_array(run->result, model->array_names[i]))
      mbs_run_note(run, "the requested array '%s' does not exist in this run", model->array_names[i]);
}

static mbs_status analyse(mbs_run_state *run) {
  static mbs_status (*const analyses[])(mbs_run_state *) = {[MBS_DYNAMICS] = mbs_run_dynamics,
                                                            [MBS_KINEMATICS] = mbs_run_kinematics,
                                                            [MBS_INVERSE_DYNAMICS] = mbs_run_inverse_dynamics,
                                                            [MBS_ASSEMBLY] = mbs_run_assembly,
                                                            [MBS_EQUILIBRIUM] = mbs_run_equilibrium,
                                                            [MBS_LINEARIZATION] = mbs_run_linearization,
                                                            [MBS_FREQUENCY_RESPONSE] = mbs_run_frequency_response,
                                                            [MBS_RELATIVE_EQUILIBRIUM] = mbs_run_equilibrium};
  if (mbs_has_discrete(run->model) && run->model->type != MBS_DYNAMICS)
    mbs_run_note(run, "variables and sampled values keep their values at the start: events and samples happen in "
                      "dynamics only");
  return analyses[run->model->type](run);
}

/* Completes the report, and the error, of a run that ended with `status`. Returns the status, which may be that of a
 * table without a value. */
static mbs_status finish(mbs_run_state *run, mbs_status status) {
  run->result->report.evaluations = run->system->evaluations;
  run->result->report.redundant_residual = run->system->redundant_residual;
  if (!isnan(run->t_failed)) run->error->time = run->t_failed; /* the integrator has set the time it reached */
  status = mbs_run_outside_table(run, status);
  if (status == MBS_CONTRADICTION) mbs_run_name_drivers(run);
  if (status != MBS_OK) mbs_finish_error(run->error, status, run->t_reached, &run->system->fault);
  if (status != MBS_OK && !isfinite(run->error->time))
    run->error->time = run->t_reached; /* the error always has a time */
  return status;
}

static mbs_run_state begin(const mbs_model *model, const mbs_hooks *hooks, mbs_error *error) {
  *error = (mbs_error){.time = NAN};
  return (mbs_run_state){.model = model, .hooks = hooks, .error = error, .t_reached = model->t_start, .t_failed = NAN};
}

mbs_status mbs_observed_begin(mbs_run_state *run, const mbs_constants *constants, const mbs_observer *observer,
                              const mbs_hooks *hooks, mbs_result *result, mbs_arena *scratch, mbs_error *error) {
  *run = begin(constants->model, hooks, error);
  run->observer = observer;
  run->result = result;
  run->quiet = true;
  run->started = hooks && hooks->now ? hooks->now(hooks->user) : 0;
  if (open_run(run, constants, scratch)) return MBS_OK;
  return mbs_run_fail(run, MBS_NO_MEMORY, run->model->t_start, "", "no memory for a run");
}

mbs_status mbs_observed_end(mbs_run_state *run, mbs_status status) { return finish(run, status); }

mbs_status mbs_run_observed(const mbs_constants *constants, const mbs_observer *observer, const mbs_hooks *hooks,
                            mbs_result *result, mbs_arena *scratch, mbs_error *error) {
  mbs_run_state run;
  mbs_status status = mbs_observed_begin(&run, constants, observer, hooks, result, scratch, error);
  return status == MBS_OK ? mbs_observed_end(&run, analyse(&run)) : status;
}

mbs_status mbs_run_started(const mbs_constants *constants, const mbs_hooks *hooks, mbs_result *result,
                           mbs_arena *scratch, double *y, mbs_error *error) {
  static const mbs_observer no_observer = {.user = NULL};
  const mbs_model *model = constants->model;
  mbs_run_state run;
  mbs_status status = mbs_observed_begin(&run, constants, &no_observer, hooks, result, scratch, error);
  if (status != MBS_OK) return status;
  status = mbs_observed_end(&run, mbs_run_start_motion(&run));
  memcpy(y, run.q, model->nq * sizeof *y);
  memcpy(y + model->state.v, run.v, model->nv * sizeof *y);
  return status;
}

mbs_status mbs_run(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error) {
  if (model->error_estimate) return mbs_run_twice(model, hooks, result, error);
  mbs_error local;
  mbs_run_state run = begin(model, hooks, error ? error : &local);
  *result = NULL;
  mbs_arena *arena = mbs_arena_new(model->limits.memory), *scratch = mbs_arena_new(model->limits.memory);
  run.result = arena ? mbs_arena_alloc(arena, 1, sizeof *run.result) : NULL;
  if (!run.result || !scratch) {
    mbs_arena_free(arena);
    mbs_arena_free(scratch);
    return mbs_run_fail(&run, MBS_NO_MEMORY, model->t_start, "", "no memory for a run");
  }
  run.result->arena = arena;
  run.started = hooks && hooks->now ? hooks->now(hooks->user) : 0;
  mbs_status status;
  if (!open_run(&run, model->constants, scratch)) {
    status = mbs_run_fail(&run, MBS_TOO_LARGE, model->t_start, "",
                          "the results exceed the memory limit of %.4g MiB; use a larger dt%s%s",
                          (double)model->limits.memory / (1 << 20), model->limits.advice ? ", or " : "",
                          model->limits.advice ? model->limits.advice : "");
    mbs_arena_free(arena);
    mbs_arena_free(scratch);
    return status;
  }
  status = analyse(&run);
  mbs_output_close(&run.output);
  if (run.output.forces && model->type == MBS_DYNAMICS) add_events(&run);
  add_not_unique(&run);
  note_missing_arrays(&run);
  mbs_run_report_non_finite(&run);
  mbs_run_summarize(&run);
  if (status == MBS_OK && hooks && hooks->progress)
    hooks->progress(hooks->user, run.t_reached, 1, run.system->evaluations);
  run.result->report.wall_seconds = hooks && hooks->now ? hooks->now(hooks->user) - run.started : 0;
  status = finish(&run, status);
  mbs_arena_free(scratch);
  *result = run.result;
  return status;
}

mbs_status mbs_run_assembly_report(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result,
                                   mbs_error *error) {
  /* only these are checked for numbers that are not finite; the others are not needed */
  const char *names[] = {"sensors", "Lam", "reactions", "forces"};
  mbs_model start = *model;
  start.array_names = names;
  start.array_name_count = sizeof names / sizeof *names;
  start.type = MBS_ASSEMBLY;
  start.nt = 1;
  start.t_end = start.dt = 0;
  start.error_estimate = false;
  return mbs_run(&start, hooks, result, error);
}
