/* Dynamics: integration of   q' = v,   v' from the equations of motion,   with the work of drivers and actuators and
 * the dissipation as two more states. Constraints are kept by projection after each step. */
#include "integrators/integrator.h"
#include "run.h"
#include "space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct dynamics {
  mbs_run_state *run;
  size_t first_row;   /* of the segment that is being integrated */
  double *y;          /* scratch state for reports */
  double *guards;     /* [switch_count] */
  double *stage;      /* [nq + nv] a stage on the constraints */
  bool near_singular; /* since the last accepted step */
  bool may_project;
  mbs_tolerance tolerance; /* of the integrator at this moment */
} dynamics;

static const mbs_method *find_method(const char *name) {
  static const mbs_method *const methods[] = {&mbs_dopri5, &mbs_dop853, &mbs_rk4};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i]->name, name) == 0) return methods[i];
  return &mbs_dopri5;
}

static mbs_status project(void *context, double t, double *y) {
  dynamics *self = context;
  const mbs_model *model = self->run->model;
  mbs_system *system = self->run->system;
  mbs_status status = mbs_project_positions(system, t, y);
  if (status != MBS_OK) return status;
  mbs_set_velocity(system, y + model->nq);
  mbs_constraints(system, MBS_WANT_RHS);
  return mbs_project_velocities(system, y + model->nq);
}

/* Below this ratio of the smallest pivot of S to its diagonal a stage of the integrator is moved onto the constraints
 * before it is evaluated. Accelerations are smooth along the mechanism's own motion, also through a position where rank
 * is lost, but off the constraints they change within the distance to it, and the order of the method is lost. */
static const double near_ratio = 0.02;
/* Rounding is amplified by the inverse of that ratio, too: a tolerance below rounding_share / ratio would only make the
 * steps collapse. */
static const double rounding_share = 1e-12, near_tolerance = 1e-8;

static void set_near(dynamics *self, bool near, double ratio) {
  const mbs_model *model = self->run->model;
  double floor = near ? fmin(near_tolerance, rounding_share / fmax(ratio, 1e-100)) : 0;
  self->near_singular = near;
  self->tolerance.rtol = fmax(model->rtol, floor);
  self->tolerance.atol = fmax(model->atol, floor);
}

static mbs_status rhs(void *context, double t, const double *y, double *dydt) {
  dynamics *self = context;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_status status = mbs_run_check(run, t);
  if (status != MBS_OK) return status;
  if (!self->near_singular) status = mbs_evaluate(system, t, y, y + model->nq);
  if (status == MBS_OK && self->may_project && (self->near_singular || system->pivot_ratio < near_ratio)) {
    set_near(self, true, system->pivot_ratio);
    memcpy(self->stage, y, (model->nq + model->nv) * sizeof *y);
    status = project(self, t, self->stage);
    y = self->stage;
    if (status == MBS_OK) status = mbs_evaluate(system, t, y, y + model->nq);
  }
  if (status != MBS_OK) return status;
  model->space->rates(model, y, y + model->nq, dydt);
  memcpy(dydt + model->nq, system->vdot, model->nv * sizeof *dydt);
  if (model->has_power) {
    dydt[model->nq + model->nv] = system->power_work + mbs_driver_power(system);
    dydt[model->nq + model->nv + 1] = system->power_dissipated;
  }
  return MBS_OK;
}

/* The laws that have switches: those of functions of time and of force elements. */
static void for_each_law(const mbs_model *model, void (*visit)(void *, const mbs_law *, const char *), void *context) {
  for (size_t f = 0; f < model->function_count; f++)
    if (model->functions[f].law) visit(context, model->functions[f].law, "");
  for (size_t f = 0; f < model->force_count; f++)
    for (size_t l = 0; l < model->forces[f].law_count; l++)
      visit(context, &model->forces[f].laws[l], model->forces[f].name);
}

static void visit_guards(void *context, const mbs_law *law, const char *name) {
  dynamics *self = context;
  (void)name;
  mbs_law_margins(self->run->system, law, self->guards);
}

static mbs_status guards(void *context, double t, const double *y, double *out) {
  dynamics *self = context;
  mbs_system *system = self->run->system;
  mbs_set_position(system, t, y);
  mbs_set_velocity(system, y + self->run->model->nq);
  mbs_apply_forces(system); /* laws may read the outputs of others */
  self->guards = out;
  for_each_law(self->run->model, visit_guards, self);
  return MBS_OK;
}

static void visit_modes(void *context, const mbs_law *law, const char *name) {
  dynamics *self = context;
  (void)name;
  mbs_law_mode(self->run->system, law, self->run->system->mode_held);
}

/* The modes that belong to the state; evaluated live. */
static void set_modes(dynamics *self, double t, const double *y) {
  mbs_system *system = self->run->system;
  if (self->run->model->switch_count == 0) return;
  system->mode = NULL;
  mbs_set_position(system, t, y);
  mbs_set_velocity(system, y + self->run->model->nq);
  mbs_apply_forces(system);
  for_each_law(self->run->model, visit_modes, self);
  system->mode = system->mode_held;
}

typedef struct switch_search {
  size_t index;
  const mbs_law *law;
  const char *name;
} switch_search;

static void visit_search(void *context, const mbs_law *law, const char *name) {
  switch_search *search = context;
  if ((int)search->index >= law->mode0 && (int)search->index < law->mode0 + law->switches) {
    search->law = law;
    search->name = name;
  }
}

static mbs_status accepted(void *context, double t, const double *y) {
  (void)t, (void)y;
  dynamics *self = context;
  double ratio = self->run->model->rows ? self->run->system->pivot_ratio : 1;
  set_near(self, ratio < near_ratio, ratio);
  return MBS_OK;
}

static mbs_status event(void *context, size_t index, double t, double *y) {
  dynamics *self = context;
  switch_search search = {.index = index};
  for_each_law(self->run->model, visit_search, &search);
  double before = self->run->system->mode_held[index];
  set_modes(self, t, y);
  double *mode = &self->run->system->mode_held[index];
  if (*mode == before && mbs_expression_switch_is_binary(search.law->expression, index - (size_t)search.law->mode0))
    *mode = 1 - before; /* the state is at the switch to within rounding */
  mbs_run_event(self->run, t, search.name, "switch");
  return MBS_OK;
}

static mbs_status report(void *context, size_t row, double t, const double *y) {
  dynamics *self = context;
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  size_t n = model->nq + model->nv + (model->has_power ? 2 : 0);
  memcpy(self->y, y, n * sizeof *y);
  if (model->project && model->rows) {
    mbs_status status = project(self, t, self->y);
    if (status != MBS_OK) return status;
  }
  if (model->has_power) {
    run->system->work = self->y[n - 2];
    run->system->dissipated = self->y[n - 1];
  }
  uint64_t evaluations = run->system->evaluations;
  mbs_status status = mbs_run_record(run, self->first_row + row, t, self->y, self->y + model->nq);
  run->system->evaluations = evaluations; /* results are not part of the method's work */
  return status;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Times within the span where functions of time are less smooth: integration ends and begins anew there. */
static size_t find_breaks(const mbs_model *model, double *breaks) {
  size_t count = 0;
  for (size_t f = 0; f < model->function_count; f++)
    for (size_t k = 0; k < model->functions[f].break_count; k++) {
      double t = model->functions[f].breaks[k];
      if (t > model->t_start && t < model->t_end) breaks[count++] = t;
    }
  qsort(breaks, count, sizeof *breaks, compare_doubles);
  breaks[count++] = model->t_end;
  return count;
}

/* A step that cannot go on where S has lost its rank is a lock-up or a singular position; the rest keeps its name. */
static mbs_status classify(mbs_run_state *run, mbs_status status, double t) {
  const mbs_model *model = run->model;
  bool collapsed = status == MBS_STEP_TOO_SMALL || status == MBS_NOT_FINITE || status == MBS_SINGULAR_POSITION ||
                   status == MBS_NOT_ASSEMBLED;
  if (!collapsed || !model->rows || !run->system->was_shifted) return status;
  size_t row = 0;
  for (size_t r = 1; r < model->rows; r++)
    if (fabs(run->system->lambda[r]) > fabs(run->system->lambda[row])) row = r;
  run->error->message[0] = 0;
  if (model->driver_count) {
    const char *driver = model->drivers[0].name;
    for (size_t d = 1; d < model->driver_count; d++)
      if (fabs(run->system->lambda[model->drivers[d].row]) > fabs(run->system->lambda[model->drivers[0].row]))
        driver = model->drivers[d].name;
    return mbs_run_fail(run, MBS_LOCK_UP, t, driver,
                        "the mechanism locks at t = %.9g: driver '%s' asks for a motion that the joints do not allow",
                        t, driver);
  }
  return mbs_run_fail(run, MBS_SINGULAR_POSITION, t, mbs_row_element(model, row),
                      "the constraints lose rank at t = %.9g, at '%s', and the motion cannot go on", t,
                      mbs_row_element(model, row));
}

static mbs_status integrate(dynamics *self, const mbs_ode *ode, double *y, mbs_arena *arena) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_report *summary = &run->result->report;
  const mbs_method *method = find_method(model->method);
  double *work = mbs_arena_alloc(arena, mbs_integrate_work(method, ode), sizeof *work);
  double *times = mbs_arena_alloc(arena, model->nt, sizeof *times);
  double *breaks = mbs_arena_alloc(arena, 2 * model->function_count + 1, sizeof *breaks);
  if (!work || !times || !breaks) return MBS_NO_MEMORY;
  for (size_t row = 0; row < model->nt; row++) times[row] = mbs_report_time(model, row);
  self->tolerance = (mbs_tolerance){.rtol = model->rtol,
                                    .atol = model->atol,
                                    .max_step = model->max_step,
                                    .fixed_step = model->fixed_step > 0 ? model->fixed_step : model->dt};
  double t = model->t_start, stiffness = 0;
  size_t segments = find_breaks(model, breaks), row = 0;
  mbs_status status = MBS_OK;
  for (size_t s = 0; s < segments && status == MBS_OK; s++) {
    size_t end = row;
    while (end < model->nt && (times[end] <= breaks[s] || s + 1 == segments)) end++;
    mbs_integration stats;
    self->first_row = row;
    set_modes(self, t, y);
    status =
        mbs_integrate(method, ode, t, breaks[s], y, times + row, end - row, &self->tolerance, work, &stats, run->error);
    t = stats.t;
    row = end;
    summary->steps += stats.steps;
    summary->rejected += stats.rejected;
    stiffness = fmax(stiffness, stats.stiffness);
  }
  if (status != MBS_OK) return classify(run, status, t);
  if (stiffness > 0.5)
    mbs_run_note(run, "stability, not accuracy, limited most steps: the equations are stiff, and a stiff method would "
                      "take fewer steps");
  return MBS_OK;
}

mbs_status mbs_run_dynamics(mbs_run_state *run) {
  const mbs_model *model = run->model;
  mbs_arena *arena = run->system->arena;
  mbs_status status = mbs_run_start(run);
  if (status != MBS_OK) return status;
  size_t n = model->nq + model->nv;
  dynamics self = {.run = run};
  mbs_ode ode = {.context = &self,
                 .n = n + (model->has_power ? 2 : 0),
                 .n_error = n,
                 .rhs = rhs,
                 .project = model->project && model->rows ? project : NULL,
                 .n_guards = model->switch_count,
                 .guards = guards,
                 .event = event,
                 .accepted = accepted,
                 .report = report};
  double *y = mbs_arena_alloc(arena, ode.n + 1, sizeof *y);
  self.y = mbs_arena_alloc(arena, ode.n + 1, sizeof *self.y);
  self.stage = mbs_arena_alloc(arena, n + 1, sizeof *self.stage);
  self.may_project = ode.project != NULL;
  if (!y || !self.y || !self.stage) return MBS_NO_MEMORY;
  memcpy(y, run->q, model->nq * sizeof *y);
  memcpy(y + model->nq, run->v, model->nv * sizeof *y);
  return integrate(&self, &ode, y, arena);
}
