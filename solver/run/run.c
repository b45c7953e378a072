/* mbs_run: from a model to its result. */
#include "run/run.h"

#include "constraints/held.h"
#include "equations/switches.h"
#include "initial/assemble.h"
#include "kernels/kernels.h"
#include "results/accuracy.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHECK_EVERY = 64, NOTES_MAX = 32, EVENTS_MAX = 10000 };

mbs_status mbs_run_fail(mbs_run_state *run, mbs_status status, double t, const char *element, const char *format, ...) {
  mbs_error *error = run->error;
  error->status = status;
  if (error->message[0]) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  error->time = run->t_failed = t;
  snprintf(error->element, sizeof error->element, "%s", element);
  return status;
}

mbs_status mbs_run_fail_nested(mbs_run_state *run, size_t index, double t) {
  const mbs_owner owner = mbs_switches_owner(run->model, index);
  mbs_run_forget_error(run);
  snprintf(run->error->pointer, sizeof run->error->pointer, "%s", owner.pointer);
  return mbs_run_fail(run, MBS_STEP_TOO_SMALL, t, owner.element,
                      "the law '%.200s' of '%s' (%s) cannot be followed at t = %.9g, where one of its switches, which "
                      "stands inside another, should hold; write it with one sign(x) or if(...) of the speed",
                      owner.text ? owner.text : "", owner.element, owner.pointer, t);
}

void mbs_run_forget_error(mbs_run_state *run) {
  run->error->message[0] = run->error->element[0] = run->error->pointer[0] = 0;
  run->t_failed = NAN;
}

mbs_status mbs_run_fail_jump(mbs_run_state *run, double t, const char *element, double jump) {
  return mbs_run_fail(run, MBS_CONTRADICTION, t, element,
                      "'%s' jumps by %.3g at t = %.9g, which no mechanism can follow; give it a continuous function",
                      element, jump, t);
}

mbs_status mbs_run_fail_endless(mbs_run_state *run, size_t index, double t) {
  const mbs_owner owner = mbs_switches_owner(run->model, index);
  run->error->message[0] = 0; /* of steps that were tried again */
  snprintf(run->error->pointer, sizeof run->error->pointer, "%s", owner.pointer);
  if (!owner.text)
    return mbs_run_fail(run, MBS_STEP_TOO_SMALL, t, owner.element,
                        "'%s' begins and ends without end at t = %.9g; give it some damping, or another law",
                        owner.element, t);
  return mbs_run_fail(run, MBS_STEP_TOO_SMALL, t, owner.element,
                      "the law '%.200s' of '%s' (%s) changes its branch without end at t = %.9g; give its switch a "
                      "width, as tanh(x/0.001) has in place of sign(x), or the motion some damping",
                      owner.text, owner.element, owner.pointer, t);
}

/* A function of time that has grown by this since the start, and would by as much again in this share of the span, is
 * at a pole. */
static const double pole_growth = 1e6, pole_share = 1e-6;
/* One that changes by more than this share of its value and rate within this share of its time jumps. */
static const double jump_share = 1e-5, instant = 1e-9;

mbs_status mbs_run_functions_end(mbs_run_state *run, double t) {
  for (size_t f = 0; f < run->model->function_count; f++) {
    const mbs_function *function = &run->model->functions[f];
    double start[3] = {0}, here[3] = {0}, after[3] = {0};
    function->cls->value(run->system, function, run->model->t_start, start);
    function->cls->value(run->system, function, t, here);
    double unit = mbs_function_unit(run->system, f), time = run->model->time;
    function->cls->value(run->system, function, t + instant * (time + fabs(t)), after);
    double share = pole_share * (run->model->t_end - run->model->t_start);
    bool pole = fabs(here[0]) > pole_growth * (unit + fabs(start[0])) && fabs(here[1]) * share > fabs(here[0]);
    double jump = after[0] - here[0];
    bool jumps = isfinite(jump) && fabs(jump) > jump_share * (unit + fabs(here[0]) + fabs(here[1]) * time);
    if (isfinite(after[0]) && !pole && !jumps) continue;
    run->error->message[0] = 0;
    if (jumps && !pole) return mbs_run_fail_jump(run, t, function->element, jump);
    return mbs_run_fail(run, MBS_OUT_OF_RANGE, t, function->element, "the function of time of '%s' %s t = %.9g",
                        function->element, pole ? "grows beyond all bounds at" : "is not defined after", t);
  }
  return MBS_OK;
}

mbs_status mbs_run_check(mbs_run_state *run, double t) {
  const mbs_limits *limits = &run->model->limits;
  uint64_t evaluations = run->system->evaluations;
  if (!isfinite(t)) return MBS_NOT_FINITE; /* a method that lost its way */
  if (limits->evaluations && evaluations >= limits->evaluations)
    return mbs_run_fail(run, MBS_TOO_MANY_EVALUATIONS, t, "", "the limit of %llu evaluations was reached at t = %.9g",
                        (unsigned long long)limits->evaluations, t);
  if (evaluations < run->next_check) return MBS_OK;
  run->next_check = evaluations + CHECK_EVERY;
  const mbs_hooks *hooks = run->hooks;
  if (!hooks) return MBS_OK;
  if (limits->wall_seconds > 0 && hooks->now && hooks->now(hooks->user) - run->started > limits->wall_seconds)
    return mbs_run_fail(run, MBS_TIMED_OUT, t, "", "the limit of %g s (%s) was reached at t = %.9g",
                        limits->wall_seconds, limits->wall_name ? limits->wall_name : "the wall clock", t);
  double span = run->model->t_end - run->model->t_start;
  double fraction = span > 0 ? (t - run->model->t_start) / span : 0;
  if (hooks->progress && !hooks->progress(hooks->user, t, fmin(fmax(fraction, 0), 1), evaluations))
    return mbs_run_fail(run, MBS_CANCELLED, t, "", "cancelled at t = %.9g", t);
  return MBS_OK;
}

__attribute__((format(printf, 2, 0))) static void add_note(mbs_result *result, const char *format, va_list arguments) {
  mbs_report *report = &result->report;
  char text[512];
  vsnprintf(text, sizeof text, format, arguments);
  const char *kept = report->note_count < NOTES_MAX ? mbs_arena_text(result->arena, text) : NULL;
  if (kept) report->notes[report->note_count++] = kept;
}

void mbs_run_note(mbs_run_state *run, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_note(run->result, format, arguments);
  va_end(arguments);
}

void mbs_report_note(mbs_result *result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_note(result, format, arguments);
  va_end(arguments);
}

/* Several switches of one law may change together; its user sees one event. */
static bool is_reported(const mbs_report *report, double t, const char *element, const char *kind) {
  for (size_t i = report->event_count; i > 0 && report->events[i - 1].t >= t; i--)
    if (strcmp(report->events[i - 1].element, element) == 0 && strcmp(report->events[i - 1].kind, kind) == 0)
      return true;
  return false;
}

/* Equal numbers for equal names, in the order of their first event, from 1. */
static void number_event(const mbs_report *report, mbs_event *event) {
  int elements = 0, kinds = 0;
  for (const mbs_event *before = report->events; before < event; before++) {
    if (strcmp(before->element, event->element) == 0) event->element_number = before->element_number;
    if (strcmp(before->kind, event->kind) == 0) event->kind_number = before->kind_number;
    if (before->element_number > elements) elements = before->element_number;
    if (before->kind_number > kinds) kinds = before->kind_number;
  }
  if (event->element_number == 0) event->element_number = elements + 1;
  if (event->kind_number == 0) event->kind_number = kinds + 1;
}

void mbs_run_event(mbs_run_state *run, double t, const char *element, const char *kind) {
  mbs_report *report = &run->result->report;
  if (is_reported(report, t - 8 * DBL_EPSILON * fabs(t), element, kind)) return;
  if (report->event_count == EVENTS_MAX) {
    if (!run->events_dropped)
      mbs_run_note(run, "events after t = %.9g were not kept: %d are the most that a report holds", t, EVENTS_MAX);
    run->events_dropped = true;
    return;
  }
  if (!report->events) {
    report->events = mbs_arena_alloc(run->result->arena, EVENTS_MAX, sizeof *report->events);
    if (!report->events) return;
  }
  const char *kept = mbs_arena_text(run->result->arena, element); /* the model may go before its results */
  if (!kept) return;
  mbs_event *event = &report->events[report->event_count++];
  *event = (mbs_event){.t = t, .element = kept, .kind = kind};
  number_event(report, event);
}

/* ---- the report ---------------------------------------------------------------------------------------------- */

static const char *analysis_name(const mbs_model *model) {
  static const char *const names[] = {
      [MBS_DYNAMICS] = "dynamics", [MBS_KINEMATICS] = "kinematics",   [MBS_INVERSE_DYNAMICS] = "inverse-dynamics",
      [MBS_ASSEMBLY] = "assembly", [MBS_EQUILIBRIUM] = "equilibrium", [MBS_LINEARIZATION] = "linearization"};
  return names[model->type];
}

static bool report_structure(const mbs_model *model, mbs_result *result) {
  mbs_report *report = &result->report;
  mbs_arena *arena = result->arena;
  report->tree = mbs_arena_alloc(arena, model->nB + 1, sizeof *report->tree);
  report->cut = mbs_arena_alloc(arena, model->joint_count + 1, sizeof *report->cut);
  report->constraints = mbs_arena_alloc(arena, model->rows + 1, sizeof *report->constraints);
  const char **labels = mbs_row_labels(model, arena);
  if (!report->tree || !report->cut || !report->constraints || !labels) return false;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b], j = model->tree_joint[body];
    report->tree[b] = (mbs_tree_entry){.body = mbs_arena_text(arena, model->bodies[body].name),
                                       .joint = mbs_arena_text(arena, j < 0 ? "" : model->joints[j].name),
                                       .type = j < 0 ? "floating" : model->joints[j].cls->base.name,
                                       .parent = mbs_arena_text(arena, model->bodies[model->parent[body]].name),
                                       .freedoms = model->first_v[body + 1] - model->first_v[body]};
    if (!report->tree[b].body || !report->tree[b].joint || !report->tree[b].parent) return false;
  }
  for (size_t j = 0; j < model->joint_count; j++)
    if (!model->joints[j].in_tree && !(report->cut[report->cut_count++] = mbs_arena_text(arena, model->joints[j].name)))
      return false;
  size_t driver_row = model->driver_count ? (size_t)model->drivers[0].row : model->rows;
  for (size_t r = 0; r < model->rows; r++) {
    report->constraints[r] = (mbs_row_entry){
        .element = mbs_arena_text(arena, mbs_row_element(model, r)), .label = labels[r], .driver = r >= driver_row};
    if (!report->constraints[r].element) return false;
  }
  return true;
}

static bool integrates(const mbs_model *model) {
  return model->type == MBS_DYNAMICS || model->type == MBS_INVERSE_DYNAMICS;
}

static bool report_open(const mbs_model *model, mbs_result *result) {
  mbs_report *report = &result->report;
  mbs_arena *arena = result->arena;
  *report = (mbs_report){.model_name = mbs_arena_text(arena, model->name),
                         .analysis = analysis_name(model),
                         .formulation = model->body_formulation ? "body" : "joint",
                         .space = model->kernels->name,
                         .bodies = model->nB,
                         .coordinates = model->nq,
                         .velocities = model->nv,
                         .rows = model->rows,
                         .method = mbs_arena_text(arena, integrates(model) ? model->method : ""),
                         .coordinate_labels = mbs_coordinate_labels(model, 0, arena),
                         .velocity_labels = mbs_coordinate_labels(model, 1, arena),
                         .q_before = mbs_arena_alloc(arena, model->nq + 1, sizeof(double)),
                         .q_after = mbs_arena_alloc(arena, model->nq + 1, sizeof(double)),
                         .v_before = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                         .v_after = mbs_arena_alloc(arena, model->nv + 1, sizeof(double)),
                         .notes = mbs_arena_alloc(arena, NOTES_MAX, sizeof(char *)),
                         .jacobian_error = NAN,
                         .stable = -1};
  return report->model_name && report->method && report->coordinate_labels && report->velocity_labels &&
         report->q_before && report->q_after && report->v_before && report->v_after && report->notes &&
         (!integrates(model) || mbs_accuracy_open(model, result)) && report_structure(model, result);
}

static void store_state(const mbs_model *model, const double *q, const double *v, double *user_q, double *user_v) {
  for (size_t i = 0; i < model->nq; i++) user_q[i] = q[model->user_q[i]];
  for (size_t i = 0; i < model->nv; i++) user_v[i] = v[model->user_v[i]];
}

/* ---- the start ----------------------------------------------------------------------------------------------- */

static mbs_status find_ranks(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_report *report = &run->result->report;
  run->ranks.redundant = mbs_arena_alloc(system->arena, model->rows + 1, sizeof(bool));
  if (!run->ranks.redundant) return MBS_NO_MEMORY;
  mbs_status status = mbs_find_ranks(system, model->t_start, run->q, &run->ranks, run->workspace);
  if (status != MBS_OK) return status;
  report->degrees_of_freedom = (int)model->nv - (int)run->ranks.rank;
  report->mobility = (int)model->nv - (int)run->ranks.joint_rank;
  for (size_t r = 0; r < model->rows; r++) {
    if (!run->ranks.redundant[r]) continue;
    report->constraints[r].redundant = true;
    report->redundant_count++;
    system->active[r] = false;
    system->all_active = false;
  }
  if (report->redundant_count)
    mbs_run_note(run, "%zu constraint row%s redundant: the motion is unique%s", report->redundant_count,
                 report->redundant_count == 1 ? " is" : "s are",
                 run->output.dynamics ? ", but not all reactions are" : "");
  if (report->redundant_count && !mbs_least_reactions_open(&run->least, system)) return MBS_NO_MEMORY;
  if (run->ranks.singular)
    mbs_run_note(run,
                 "the start is a singular position: the constraints lose rank there, and the way on may not be unique; "
                 "initial velocities choose it");
  return MBS_OK;
}

/* Pivots of S that unequal masses make smaller than this cost too many digits: such a mass counts as none, unless it is
 * the only one that a freedom has. */
static const double vanishing_share = 1e-9;

/* Inertia: a mass matrix that cannot be factored is shifted, and refused for a motion that it leaves open. */
static mbs_status find_massless(mbs_run_state *run) {
  mbs_system *system = run->system;
  mbs_error ignored = {0}, *error = system->error;
  system->error = &ignored;
  mbs_set_position(system, run->model->t_start, run->q);
  mbs_constraints(system, MBS_WANT_C);
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

/* Largest difference between C and differences of Phi at the start, in the displacements that C multiplies; both in
 * units. */
static mbs_status check_jacobian(mbs_run_state *run) {
  static const double step = 1e-5;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  size_t m = model->rows, n = model->nv;
  double *above = mbs_arena_alloc(system->arena, m + 1, sizeof *above), *q, *dv, *C;
  q = mbs_arena_alloc(system->arena, model->nq + 1, sizeof *q);
  dv = mbs_arena_alloc(system->arena, n + 1, sizeof *dv);
  C = mbs_arena_alloc(system->arena, m * n + 1, sizeof *C);
  if (!above || !q || !dv || !C) return MBS_NO_MEMORY;
  double *error = &run->result->report.jacobian_error;
  *error = 0;
  mbs_set_position(system, model->t_start, run->q);
  mbs_constraints(system, MBS_WANT_C);
  mbs_jacobian_dense(system, C);
  for (size_t k = 0; k < n; k++) {
    double moved = step * system->v_units[k];
    for (int side = 0; side < 2; side++) {
      dv[k] = side ? -moved : moved;
      mbs_displace(model, run->q, dv, q);
      mbs_set_position(system, model->t_start, q);
      mbs_constraints(system, MBS_WANT_PHI);
      if (side == 0) memcpy(above, system->Phi, m * sizeof *above);
    }
    dv[k] = 0;
    for (size_t r = 0; r < m; r++) {
      double difference = (above[r] - system->Phi[r]) / (2 * moved) - C[k * m + r];
      *error = fmax(*error, fabs(difference) * (system->v_units[k] / system->row_units[r]));
    }
  }
  mbs_set_position(system, model->t_start, run->q);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C);
  return MBS_OK;
}

/* From here on contacts are followed from state to state. */
static mbs_status start_contacts(mbs_run_state *run) {
  const mbs_model *model = run->model;
  if (!model->curve_count) return MBS_OK;
  mbs_set_position(run->system, model->t_start, run->q);
  mbs_set_velocity(run->system, run->v);
  mbs_keep_contacts(run->system);
  return mbs_check_contacts(run->system);
}

/* Where coordinates are divided into independent and dependent ones, those of balls are not there to choose. */
static void note_held(mbs_run_state *run) {
  const mbs_model *model = run->model;
  if (model->held_count && !mbs_held_apart(model) &&
      (model->type == MBS_LINEARIZATION || model->constraints == MBS_PARTITIONING))
    mbs_run_note(run, "'hold' counts for the correction of the start only: in the body formulation the coordinates "
                      "of balls cannot be independent");
}

/* Positions and velocities that satisfy the constraints. */
static mbs_status correct_start(mbs_run_state *run, mbs_correction *out) {
  const mbs_model *model = run->model;
  mbs_assembly assembly = {.other_start = 0};
  mbs_status status = mbs_assemble(run->system, model->t_start, run->q, &assembly, run->workspace);
  *out = assembly.correction;
  if (status == MBS_OK && out->inexact)
    mbs_run_note(run,
                 "redundant constraints contradict one another by %.2g ('%s'), about the rounding of the data: the "
                 "mechanism is assembled as well as these allow; give them to more decimals",
                 out->position_residual, mbs_row_element(model, out->worst_row));
  if (status == MBS_OK && assembly.turned_over)
    mbs_run_note(run,
                 "from the start that is given the axes of '%s' would end opposite, so a body was turned over to begin "
                 "with; give its initial orientation to choose another",
                 assembly.turned_over->name);
  if (assembly.nearer)
    mbs_run_note(run,
                 "the mechanism can be assembled in several ways, and the initial values are far from all: of those "
                 "found the nearest was taken (other start %d); give initial values nearer to the one that is meant",
                 assembly.other_start);
  else if (assembly.other_start)
    mbs_run_note(run,
                 "from the start that is given the constraints do not say which way to go, so the correction began a "
                 "little beside it (attempt %d); give initial values to choose the branch",
                 assembly.other_start);
  if (status == MBS_OK) status = mbs_note_moved(run);
  if (status == MBS_OK)
    status = mbs_correct_velocities(run->system, model->t_start, run->q, run->v, out, run->workspace);
  return status;
}

/* How far the start that is given is from the constraints, and whether it will stay there. */
static mbs_status judge_start(mbs_run_state *run, mbs_correction *out) {
  static const double noticed = 1e-10;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_set_position(system, model->t_start, run->q);
  mbs_set_velocity(system, run->v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  mbs_jacobian_times(system, run->v, system->s3);
  for (size_t r = 0; r < model->rows; r++) system->s3[r] -= system->rhsV[r];
  out->position_residual = mbs_largest(system->Phi, model->rows);
  out->velocity_residual = mbs_largest(system->s3, model->rows);
  if (!isfinite(out->position_residual) || !isfinite(out->velocity_residual)) return mbs_not_finite(system);
  bool moves = model->type == MBS_KINEMATICS || model->type == MBS_INVERSE_DYNAMICS || model->type == MBS_DYNAMICS;
  if (model->type == MBS_DYNAMICS && (model->constraints == MBS_BAUMGARTE || model->constraints == MBS_NONE))
    moves = false;
  double missed = mbs_largest_in_units(system->Phi, system->row_units, model->rows);
  double missed_rates = mbs_largest_in_units(system->s3, system->row_units, model->rows) * model->time;
  if (moves && fmax(missed, missed_rates) > noticed)
    mbs_run_note(run,
                 "'correct' is false, but the start that is given misses the constraints by %.3g and their rates by "
                 "%.3g, and %s moves it onto them",
                 out->position_residual, out->velocity_residual,
                 model->type != MBS_DYNAMICS              ? "this analysis"
                 : model->constraints == MBS_PARTITIONING ? "partitioning"
                                                          : "projection");
  return MBS_OK;
}

/* Gravity forgotten and gravity absent look alike in a document. */
static void note_gravity(mbs_run_state *run) {
  const mbs_model *model = run->model;
  double mass = 0;
  for (size_t b = 1; b <= model->nB; b++) mass += model->bodies[b].mass;
  if (model->gravity_given || model->type == MBS_KINEMATICS || mass == 0) return;
  mbs_run_note(run, "the document gives no 'gravity', so none acts; give it, or %s where that is meant",
               model->dim == 3 ? "[0, 0, 0]" : "[0, 0]");
}

/* Turns that are counted as drivers say may not fit what counts them, too: a gear, or the thread of a screw. */
static mbs_status check_turns(mbs_run_state *run, const mbs_correction *correction) {
  static const double misfit = 1e-6;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  size_t worst = 0;
  if (!model->rows) return MBS_OK;
  mbs_constraints(system, MBS_WANT_PHI);
  for (size_t r = 0; r < model->rows; r++)
    if (fabs(system->Phi[r]) / system->row_units[r] > fabs(system->Phi[worst]) / system->row_units[worst]) worst = r;
  double residual = fabs(system->Phi[worst]);
  if (!(residual > misfit * system->row_units[worst] && residual > 10 * correction->position_residual)) return MBS_OK;
  const char *element = mbs_row_element(model, worst);
  return mbs_run_fail(
      run, MBS_NOT_ASSEMBLED, model->t_start, element,
      "'%s' does not hold (residual %.3g) where angles count the turns that their drivers ask for; give "
      "the joints' initial positions with these turns",
      element, residual);
}

mbs_status mbs_run_start(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_report *report = &run->result->report;
  mbs_correction correction = {0};
  mbs_status status = MBS_OK;
  memcpy(run->q, model->q0, model->nq * sizeof *run->q);
  memcpy(run->v, model->v0, model->nv * sizeof *run->v);
  store_state(model, run->q, run->v, report->q_before, report->v_before);
  note_gravity(run);
  if (model->kernels->begin) {
    mbs_set_position(system, model->t_start, run->q);
    model->kernels->begin(system);
  }
  mbs_measure_row_units(system, model->t_start, run->q);
  if (model->correct) {
    status = correct_start(run, &correction);
    report->corrected = model->rows > 0;
    note_held(run);
  } else {
    status = judge_start(run, &correction);
  }
  mbs_set_position(system, model->t_start, run->q);
  if (status == MBS_OK) status = mbs_check_axes(system);
  if (model->kernels->take_turns) {
    model->kernels->take_turns(system, run->q);
    mbs_set_position(system, model->t_start, run->q);
    if (status == MBS_OK && model->correct) status = check_turns(run, &correction);
  }
  mbs_set_velocity(system, run->v);
  model->kernels->remember(system);
  system->rounding = mbs_rounding(system);
  store_state(model, run->q, run->v, report->q_after, report->v_after);
  report->correction_iterations = correction.iterations;
  report->position_residual = correction.position_residual;
  report->velocity_residual = correction.velocity_residual;
  if (status == MBS_CONTACT_NOT_UNIQUE || status == MBS_OUT_OF_RANGE) return status; /* the position has no rows */
  mbs_status ranked = find_ranks(run);
  if (status != MBS_OK || ranked != MBS_OK) return status != MBS_OK ? status : ranked;
  if (run->output.arrays[MBS_OUTPUT_JAC_P] && (status = check_jacobian(run)) != MBS_OK) return status;
  status = find_massless(run);
  return status == MBS_OK ? start_contacts(run) : status;
}

/* ---- rows of results ----------------------------------------------------------------------------------------- */

/* The row of what the system holds: state, accelerations, multipliers, forces. Multipliers that are not unique are yet
 * to be chosen unless they are `chosen`. */
static void store(mbs_run_state *run, size_t row, double t, bool chosen) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  mbs_report *report = &run->result->report;
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  model->kernels->accelerations(system);
  if (run->output.dynamics && run->least.open > 0 && !chosen)
    mbs_choose_reactions(&run->least, system);
  else if (run->output.dynamics)
    model->kernels->reactions(system);
  mbs_output_record(&run->output, system, row);
  run->t_reached = t;
  run->drift = fmax(run->drift, mbs_largest_in_units(system->Phi, system->row_units, model->rows));
  const double *residuals = run->output.arrays[MBS_OUTPUT_RESIDUALS]->data + 3 * row;
  for (int k = 0; k < 3; k++) report->residual_max[k] = fmax(report->residual_max[k], residuals[k]);
  if (run->output.dynamics) {
    const double *energy = run->output.arrays[MBS_OUTPUT_ENERGY]->data + 4 * row;
    double balance = energy[0] + energy[1] - energy[2] + energy[3];
    if (row == 0) report->energy_start = balance;
    report->energy_change_max = fmax(report->energy_change_max, fabs(balance - report->energy_start));
  }
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
  if (status == MBS_OK) store(run, row, t, false);
  return status;
}

void mbs_run_record_given(mbs_run_state *run, size_t row, double t, bool chosen) {
  mbs_apply_forces(run->system);
  store(run, row, t, chosen);
}

void mbs_run_record_static(mbs_run_state *run, size_t row, double t, const double *q, const double *lambda) {
  mbs_system *system = run->system;
  const mbs_model *model = run->model;
  memset(run->v, 0, model->nv * sizeof *run->v);
  memset(system->vdot, 0, model->nv * sizeof *system->vdot);
  memcpy(system->lambda, lambda, model->rows * sizeof *lambda);
  mbs_set_position(system, t, q);
  mbs_set_velocity(system, run->v);
  mbs_apply_forces(system);
  store(run, row, t, false);
}

/* ---- mbs_run ------------------------------------------------------------------------------------------------- */

static bool open_run(mbs_run_state *run, mbs_arena *scratch) {
  const mbs_model *model = run->model;
  run->system = mbs_system_new(model, scratch);
  run->workspace = mbs_arena_alloc(scratch, mbs_assemble_workspace(model), sizeof *run->workspace);
  run->q = mbs_arena_alloc(scratch, model->nq + 1, sizeof *run->q);
  run->v = mbs_arena_alloc(scratch, model->nv + 1, sizeof *run->v);
  if (!run->system || !run->workspace || !run->q || !run->v || !report_open(model, run->result)) return false;
  run->system->error = run->error;
  bool left_out;
  if (!mbs_output_open(&run->output, model, model->type != MBS_KINEMATICS, run->result, &left_out)) return false;
  if (left_out)
    mbs_run_note(run, "the array Jac was left out: it would need %.0f MiB",
                 (double)model->nt * (double)model->rows * (double)model->nv * 8 / 1048576);
  return true;
}

/* The events of the report as an array of numbers. */
static void add_events(mbs_run_state *run) {
  static const char *const labels[] = {"t", "element", "kind"};
  const mbs_report *report = &run->result->report;
  size_t shape[] = {report->event_count, 3};
  double *data = mbs_output_add(&run->output, MBS_OUTPUT_EVENTS, run->result, 2, shape, labels);
  for (size_t i = 0; data && i < report->event_count; i++) {
    data[3 * i] = report->events[i].t;
    data[3 * i + 1] = report->events[i].element_number;
    data[3 * i + 2] = report->events[i].kind_number;
  }
}

/* "'a', 'b'", as many as there is room for. */
static void quote_names(const char *const *names, size_t count, char *out, size_t size) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    if (used + strlen(names[i]) + 32 > size) {
      snprintf(out + used, size - used, " and %zu more", count - i);
      return;
    }
    used += (size_t)snprintf(out + used, size - used, "%s'%s'", i ? ", " : "", names[i]);
  }
}

/* Whose reactions and efforts redundant rows leave open. */
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
  char names[300] = "";
  quote_names(report->not_unique, report->not_unique_count, names, sizeof names);
  if (report->not_unique_count)
    mbs_run_note(run,
                 "redundant constraints share what %s exert: of all reactions that hold the motion those of minimum "
                 "norm are given, torques counted over the model's extent of %.3g m",
                 names, model->extent);
}

static void finish_error(mbs_error *error, mbs_status status, double t, const mbs_fault *fault) {
  static const char *const meanings[] = {
#define MBS_STATUS(symbol, code, meaning) meaning,
#include "base/status.def"
#undef MBS_STATUS
  };
  error->status = status;
  bool at_fault = status == fault->status;
  if (error->message[0] && !at_fault) return;
  error->time = !at_fault ? t : isnan(error->time) ? fault->time : error->time;
  if (at_fault) {
    snprintf(error->element, sizeof error->element, "%s", fault->element);
    snprintf(error->message, sizeof error->message, "'%s': %s, at t = %.9g", fault->element, fault->what, error->time);
  } else
    snprintf(error->message, sizeof error->message, "%s, at t = %.9g", meanings[status], t);
}

mbs_status mbs_run(const mbs_model *model, const mbs_hooks *hooks, mbs_result **result, mbs_error *error) {
  static mbs_status (*const analyses[])(mbs_run_state *) = {[MBS_DYNAMICS] = mbs_run_dynamics,
                                                            [MBS_KINEMATICS] = mbs_run_kinematics,
                                                            [MBS_INVERSE_DYNAMICS] = mbs_run_inverse_dynamics,
                                                            [MBS_ASSEMBLY] = mbs_run_assembly,
                                                            [MBS_EQUILIBRIUM] = mbs_run_equilibrium,
                                                            [MBS_LINEARIZATION] = mbs_run_linearization};
  if (model->error_estimate) return mbs_run_twice(model, hooks, result, error);
  mbs_error local;
  mbs_run_state run = {
      .model = model, .hooks = hooks, .error = error ? error : &local, .t_reached = model->t_start, .t_failed = NAN};
  *run.error = (mbs_error){.time = NAN};
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
  if (!open_run(&run, scratch)) {
    status = mbs_run_fail(&run, MBS_TOO_LARGE, model->t_start, "",
                          "the results do not fit into the memory limit of %.4g MiB; report less often (dt)%s%s",
                          (double)model->limits.memory / (1 << 20), model->limits.advice ? ", or " : "",
                          model->limits.advice ? model->limits.advice : "");
    mbs_arena_free(arena);
    mbs_arena_free(scratch);
    return status;
  }
  status = analyses[model->type](&run);
  mbs_output_close(&run.output);
  if (run.output.dynamics && model->type == MBS_DYNAMICS) add_events(&run);
  add_not_unique(&run);
  run.result->report.evaluations = run.system->evaluations;
  if (status == MBS_OK && hooks && hooks->progress)
    hooks->progress(hooks->user, run.t_reached, 1, run.system->evaluations);
  run.result->report.wall_seconds = hooks && hooks->now ? hooks->now(hooks->user) - run.started : 0;
  if (!isnan(run.t_failed)) run.error->time = run.t_failed; /* the integrator puts the time it reached */
  if (status != MBS_OK) finish_error(run.error, status, run.t_reached, &run.system->fault);
  mbs_arena_free(scratch);
  *result = run.result;
  return status;
}

void mbs_result_free(mbs_result *result) {
  if (result) mbs_arena_free(result->arena);
}

const mbs_array *mbs_result_array(const mbs_result *result, const char *name) {
  for (size_t i = 0; i < result->array_count; i++)
    if (strcmp(result->arrays[i].name, name) == 0) return &result->arrays[i];
  return NULL;
}
