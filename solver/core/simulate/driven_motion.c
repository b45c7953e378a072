/* Follows a driven motion along its path (continuation/path.h); see driven_motion.h. */
#include "simulate/driven_motion.h"

#include "equations/contacts.h"
#include "equations/forces.h"
#include "equations/masses.h"
#include "equations/sliding.h"
#include "equations/switches.h"
#include "model/report_times.h"
#include "ode/integrator.h"
#include "run/breakpoints.h"
#include "run/lock_up.h"
#include "run/notes.h"
#include "run/overflow_check.h"
#include "run/record.h"
#include "run/run_errors.h"
#include "run/start.h"
#include "run/touch_checks.h"
#include "simulate/analyses.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* If multipliers have no limit, rows are recorded up to this scaled distance before the singular position. */
static const double unbounded_way = 1e-4;
static const double rounding = 1e-15, loosest_tolerance = 1e-3;
/* If the path ends within this share of the span after the integration failed, the end of the path is the cause. */
static const double end_share = 1e-2;

/* ---- states ---------------------------------------------------------------------------------------------------- */

mbs_status mbs_driven_motion_state(mbs_driven_motion *self, double t) {
  mbs_status status = mbs_path_state(&self->path, t, self->q, self->v);
  return status == MBS_OK && self->analysis->forces ? self->analysis->forces(self, t) : status;
}

/* Returns true if the motion integrates work and dissipation. */
static bool has_integrals(const mbs_driven_motion *self) {
  return self->analysis->forces && self->run->model->has_power;
}

/* Sets the states z. */
static void enter(mbs_driven_motion *self, const double *y) {
  memcpy(self->run->system->z, y, self->run->model->nz * sizeof *y);
}

/* Computes the rates of the states z and of the integrals. theory (14.10) */
static mbs_status rhs(void *context, double t, const double *y, double *dydt) {
  mbs_driven_motion *self = context;
  mbs_system *system = self->run->system;
  const size_t nz = self->run->model->nz;
  if (nz == 0 && !has_integrals(self)) return MBS_OK;
  enter(self, y);
  const mbs_status status = mbs_driven_motion_state(self, t);
  if (status != MBS_OK) return status;
  if (nz > 0 && !self->analysis->forces) { /* rates may read forces, which are those of the state */
    system->mode = NULL;
    mbs_apply_forces(system);
    system->mode = system->mode_held;
  }
  mbs_states_rates(system, dydt);
  if (has_integrals(self)) self->analysis->powers(self, dydt + nz);
  return MBS_OK;
}

static mbs_status report(void *context, size_t row, double t, const double *y) {
  mbs_driven_motion *self = context;
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  enter(self, y);
  mbs_status status = self->analysis->begin_row ? self->analysis->begin_row(self, t, y + run->model->nz) : MBS_OK;
  if (status != MBS_OK) return status;
  uint64_t evaluations = system->evaluations;
  status = mbs_driven_motion_state(self, t);
  self->row = self->first_row + row + 1;
  system->evaluations = evaluations; /* results are not part of the method's work */
  if (status != MBS_OK) return status;
  if (!self->analysis->forces) system->mode = NULL; /* forces are those of the state, without memory of modes */
  status = mbs_run_record_given(run, self->first_row + row, t, self->path.crossing.active);
  system->mode = system->mode_held;
  return status == MBS_OK ? mbs_run_require_finite(run, self->first_row + row, t) : status;
}

/* An observed step; the path provides any state in it. */
typedef struct observed {
  mbs_driven_motion *self;
  const mbs_ode_step *step;
} observed;

static mbs_status set_state(void *context, double t) {
  const observed *piece = context;
  mbs_driven_motion *self = piece->self;
  mbs_run_state *run = self->run;
  mbs_system *system = run->system;
  const size_t nz = run->model->nz;
  if (nz > 0 || has_integrals(self)) piece->step->state(piece->step, t, self->shown);
  enter(self, self->shown);
  mbs_status status = self->analysis->begin_row ? self->analysis->begin_row(self, t, self->shown + nz) : MBS_OK;
  if (status == MBS_OK) status = mbs_driven_motion_state(self, t);
  if (status != MBS_OK) return status;
  if (!self->analysis->forces) system->mode = NULL;
  mbs_run_set_state_given(run, self->path.crossing.active);
  system->mode = system->mode_held;
  return MBS_OK;
}

static mbs_status observe(void *context, const mbs_ode_step *step) {
  mbs_driven_motion *self = context;
  const mbs_observer *observer = self->run->observer;
  observed shown = {self, step};
  const mbs_piece piece = {
      .system = self->run->system, .t = step->t, .t1 = step->t1, .context = &shown, .set_state = set_state};
  uint64_t evaluations = self->run->system->evaluations;
  mbs_status status = observer->piece(observer->user, &piece);
  self->run->system->evaluations = evaluations;
  return status;
}

static bool inside(void *context, double t, double t1) {
  const mbs_driven_motion *self = context;
  return self->run->observer->inside(self->run->observer->user, t, t1);
}

/* ---- switches ------------------------------------------------------------------------------------------------ */

static size_t count_path_switches(const mbs_model *model) {
  size_t count = model->switch_count;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    if (force->cls->own.switches) count = (size_t)fmin((double)count, force->mode0);
    for (size_t l = 0; l < force->law_count; l++)
      if (force->laws[l].switches) count = (size_t)fmin((double)count, force->laws[l].mode0);
  }
  return count;
}

/* Returns the number of switches that are guards. The margins of joints whose curves may touch at another place
 * follow. */
static size_t guarded_switches(const mbs_driven_motion *self) {
  assert(self->path_switches <= self->run->model->switch_count);
  return self->analysis->forces ? self->run->model->switch_count : self->path_switches;
}

static mbs_status guards(void *context, double t, const double *y, double *out) {
  mbs_driven_motion *self = context;
  mbs_system *system = self->run->system;
  enter(self, y);
  mbs_status status = mbs_path_state(&self->path, t, self->q, self->v);
  if (status != MBS_OK) return status;
  mbs_switches_margins(system, t, self->q, self->v, self->margins);
  size_t switches = guarded_switches(self);
  memcpy(out, self->margins, switches * sizeof *out);
  mbs_read_margins(system, out + switches);
  mbs_read_limits(system, out + switches + mbs_count_margins(self->run->model));
  return system->fault.status;
}

/* Completes the events of an instant, at run->q, run->v. Drivers prescribe all velocities, so that nothing slides. */
static mbs_status settle(void *context, double t, double *y) {
  mbs_driven_motion *self = context;
  (void)y;
  return self->analysis->forces ? mbs_sliding_settle(self->run->system, t, self->run->q, self->run->v,
                                                     self->run->system->z, mbs_run_report_change, self->run)
                                : MBS_OK;
}

/* Restarts the path at t from the run's state, with the impulse of a change; mbs_impulse_before() must have been called
 * before it. */
static mbs_status restart_path(mbs_driven_motion *self, double t, double limit) {
  mbs_run_state *run = self->run;
  enter(self, self->y);
  mbs_status status = self->analysis->forces
                          ? mbs_impulse_apply(&self->impulse, run, t, run->q, run->v, true, &self->y[run->model->nz])
                          : mbs_impulse_check_values(&self->impulse, run, t, run->q, run->v);
  if (status != MBS_OK) return status;
  mbs_switches_follow(run->system, t, run->q, run->v);
  if ((status = settle(self, t, NULL)) != MBS_OK) return status;
  return mbs_path_start(&self->path, t, run->q, run->v, limit);
}

static mbs_status event(void *context, size_t index, double t, double *y) {
  mbs_driven_motion *self = context;
  mbs_run_state *run = self->run;
  enter(self, y);
  size_t switches = guarded_switches(self);
  mbs_status status = self->path_changed ? MBS_OK : mbs_path_state(&self->path, t, run->q, run->v);
  if (status == MBS_OK) memcpy(y, run->system->z, run->model->nz * sizeof *y); /* those of the path */
  const size_t margins = mbs_count_margins(run->model);
  if (status == MBS_OK && index >= switches + margins) {
    const mbs_touch *exceeded = mbs_exceed_limit(run->system, index - switches - margins);
    return exceeded ? mbs_fail_limit(run, t, exceeded) : MBS_OK;
  }
  if (status == MBS_OK && index >= switches) status = mbs_fail_margin(run->system, index - switches);
  if (status != MBS_OK) return status;
  if (self->analysis->forces && mbs_sliding_may(run->system, index)) {
    mbs_sliding_event(run->system, index, t, run->q, run->v);
    self->changed = true;
    return MBS_OK;
  }
  if (!self->path_changed) mbs_impulse_before(&self->impulse, run->system, t, run->q, run->v);
  mbs_change change = mbs_switches_event(run->system, index, t, run->q, run->v);
  if (change.kind) mbs_run_event(run, t, change.element, change.kind);
  self->path_changed |= index < self->path_switches;
  self->changed = true;
  return MBS_OK;
}

static mbs_status fail_zeno(void *context, size_t index, double t) {
  mbs_driven_motion *self = context;
  return mbs_run_fail_zeno(self->run, index, t);
}

/* Ends an integration whose path has changed, or whose forces have changed in a crossing, which has the multipliers of
 * before. */
static mbs_status accepted(void *context, double t, const double *y) {
  mbs_driven_motion *self = context;
  mbs_system *system = self->run->system;
  if (system->touches || system->near) {
    enter(self, y);
    const mbs_status status = mbs_path_state(&self->path, t, self->q, self->v);
    if (status != MBS_OK) return status;
    if (system->touches)
      mbs_touches_look(system);
    else
      mbs_near_accepted(system);
  }
  self->interrupted = self->path_changed || (self->changed && self->path.crossing.active);
  self->changed = false;
  return self->interrupted ? MBS_CANCELLED : MBS_OK;
}

/* ---- intervals ----------------------------------------------------------------------------------------------- */

/* Returns the method for the states and integrals. Power is a plain integral, for which methods for stiff equations
 * have no advantage. */
static const mbs_method *method_of(const mbs_driven_motion *self) {
  const char *name = self->run->model->method;
  if (self->run->model->nz > 0) return mbs_method_named(name);
  return mbs_method_named(!self->analysis->forces || mbs_method_is_stiff(name) ? MBS_DEFAULT_METHOD : name);
}

/* Returns the tolerance that an integral over the interval can meet: at a distance d from a loss of rank, errors of
 * multipliers grow as 1/d^3. theory (11.11), (11.12) */
static double reachable_tolerance(const mbs_driven_motion *self) {
  const mbs_path *path = &self->path;
  /* distance = det C / det_max, rounding / distance^3 */
  double distance = exp(fmin(path->from.log_determinant, path->to.log_determinant) - path->largest_determinant);
  double reachable = path->crossing.active ? 0 : rounding / (distance * distance * distance);
  return fmax(self->run->model->rtol, fmin(reachable, loosest_tolerance));
}

static mbs_status integrate(mbs_driven_motion *self, double *workspace, const double *times, size_t rows,
                            mbs_integration *stats) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  const mbs_path *path = &self->path;
  const bool integrals = has_integrals(self);
  mbs_ode ode = {.context = self,
                 .n = model->nz + (integrals ? 2 : 0),
                 .n_error = model->nz,
                 .quadrature_size =
                     integrals && mbs_has_energy(self->run->system->constants) ? self->analysis->energy_size : NULL,
                 .rhs = rhs,
                 .n_guards = guarded_switches(self) + mbs_count_margins(model) + mbs_count_limits(model),
                 .guards = guards,
                 .event = event,
                 .settle = settle,
                 .fail_zeno = fail_zeno,
                 .accepted = accepted,
                 .report = report,
                 .observe = self->run->observer ? observe : NULL,
                 .inside = self->run->observer ? inside : NULL};
  mbs_tolerance tolerance = {.rtol = reachable_tolerance(self),
                             .atol = model->atol,
                             .max_step = model->max_step,
                             .first_step = model->nz > 0 ? 0 : path->to.t - self->t,
                             .fixed_step = model->fixed_step};
  return mbs_integrate(method_of(self), &ode, self->t, path->to.t, self->y, times, rows, &tolerance, workspace, stats,
                       run->error);
}

/* Finds the cause of an integration that failed with `status` at t. If power grows without bounds, the integration
 * fails before the path ends: checks if the path ends soon after. */
static mbs_status find_end(mbs_driven_motion *self, mbs_status status, double t) {
  mbs_run_state *run = self->run;
  const mbs_error error = *run->error;
  double farthest = t + end_share * (run->model->t_end - run->model->t_start);
  mbs_status ended = MBS_OK;
  mbs_run_forget_error(run);
  if (mbs_run_undefined_force(run, status, t)) return status;
  while (ended == MBS_OK && self->path.to.t < fmin(farthest, self->path.limit)) ended = mbs_path_advance(&self->path);
  if (ended != MBS_OK && run->error->message[0]) return ended;
  *run->error = error;
  return status;
}

/* Prepares the multipliers of the active crossing. If forces change too fast for it, tries a shorter one, nearer to the
 * singular position; if that does not help either, the path ends there. */
static mbs_status cross(mbs_driven_motion *self) {
  mbs_path *path = &self->path;
  mbs_status status = self->analysis->begin_crossing ? self->analysis->begin_crossing(self) : MBS_OK;
  if (status == MBS_OK) self->any_poles |= self->has_poles;
  if (status != MBS_SINGULAR_POSITION) return status;
  mbs_run_forget_error(self->run);
  if (path->crossing.points[0].t > path->from.t) /* a start, which cannot be approached from before */
    return path->crossing.t < path->from.t ? mbs_path_shorten(path)
                                           : mbs_run_unbounded(self->run, path->crossing.t, path->from.q);
  if (mbs_path_shorten_crossing(path, &status)) return status;
  self->unbounded = path->crossing.t;
  path->examined = INFINITY;
  path->limit = self->unbounded - unbounded_way * mbs_path_time_scale(path, &path->from);
  return path->limit > path->from.t ? mbs_path_shorten(path) : MBS_SINGULAR_POSITION;
}

/* Continues after an integration that did not reach its end. */
static mbs_status resume(mbs_driven_motion *self, mbs_status status) {
  mbs_run_state *run = self->run;
  bool path_changed = self->path_changed;
  if (self->interrupted || (path_changed && self->path.unresolved)) { /* states of the old path */
    mbs_run_forget_error(run);
    self->path_changed = self->interrupted = false;
    return path_changed ? restart_path(self, self->t, self->path.limit) : cross(self);
  }
  if (!self->path.unresolved)
    return status == MBS_STEP_TOO_SMALL || status == MBS_NOT_FINITE ? find_end(self, status, self->t) : status;
  mbs_run_forget_error(run);
  return mbs_path_shorten(&self->path);
}

/* Computes the next interval. Fails if forces have no limit at the next singular position and it is nearly reached. */
static mbs_status advance(mbs_driven_motion *self) {
  mbs_path *path = &self->path;
  if (path->crossing.active) path->crossing.share = 1;
  self->has_poles = false;
  if (path->to.t >= path->limit) return mbs_run_unbounded(self->run, self->unbounded, path->to.q);
  mbs_status status = mbs_path_advance(path);
  if (status == MBS_OK && path->crossing.active) status = cross(self);
  if (status == MBS_OK && path->crossing.active && self->crossings++ == 0) self->first_crossing = path->crossing.t;
  if (status == MBS_OK || isnan(self->unbounded) || !mbs_path_rejects(status)) return status;
  return mbs_run_unbounded(self->run, self->unbounded, path->from.q);
}

/* Follows the path up to `limit`, where functions of time break or the span ends. */
static mbs_status follow(mbs_driven_motion *self, const mbs_break *limit, const double *times, size_t rows,
                         double *workspace) {
  assert(self->row <= rows);
  mbs_run_state *run = self->run;
  mbs_report *summary = &run->result->report;
  const mbs_path_node *to = &self->path.to;
  mbs_status status = MBS_OK;
  while (status == MBS_OK && self->t < limit->end) {
    if (to->t <= self->t) {
      status = advance(self);
      continue;
    }
    mbs_integration stats;
    /* the reporting times in this interval */
    size_t end = self->row;
    while (end < rows && (times[end] <= to->t || to->t >= run->model->t_end ||
                          (to->t >= limit->end && mbs_is_before_break(limit, times[end], 0))))
      end++;
    self->first_row = self->row;
    status = integrate(self, workspace, times + self->row, end - self->row, &stats);
    self->t = stats.t;
    summary->steps += stats.steps;
    summary->rejected += stats.rejected;
    summary->longest_step = fmax(summary->longest_step, stats.longest_step);
    if (status != MBS_OK) status = resume(self, status);
  }
  return status;
}

static void note_crossings(mbs_driven_motion *self) {
  if (self->crossings)
    mbs_run_note(self->run,
                 "the motion passes %zu singular position%s, the first at t = %.9g: the constraints lose rank there, "
                 "and the mechanism could also continue in another way; the smooth continuation was computed%s",
                 self->crossings, self->crossings == 1 ? "" : "s", self->first_crossing,
                 self->any_poles ? "; multipliers and reactions grow without bound near these positions" : "");
}

static mbs_status run_path(mbs_driven_motion *self) {
  mbs_run_state *run = self->run;
  const mbs_model *model = run->model;
  mbs_system *system = run->system;
  mbs_arena *arena = system->arena;
  size_t segments, rows = run->observer ? 0 : model->nt;
  const mbs_break *breaks = mbs_find_breaks(system, false, &segments);
  double *times = mbs_arena_alloc(arena, rows + 1, sizeof *times);
  mbs_ode largest = {.n = model->nz + 2,
                     .n_guards = model->switch_count + mbs_count_margins(model) + mbs_count_limits(model)};
  double *workspace = mbs_arena_alloc(arena, mbs_integrate_workspace(method_of(self), &largest), sizeof *workspace);
  if (!breaks || !times || !workspace) return MBS_NO_MEMORY;
  for (size_t row = 0; row < rows; row++) times[row] = mbs_report_time(model, row);
  system->span_end = breaks[0].end;
  system->span_start = breaks[0].next;
  memcpy(self->y, system->z, model->nz * sizeof *self->y);
  if (self->analysis->forces)
    mbs_switches_settle(system, model->t_start, run->q, run->v, mbs_run_report_start, run);
  else
    mbs_switches_follow(system, model->t_start, run->q, run->v);
  mbs_status status = settle(self, model->t_start, NULL);
  if (status == MBS_OK) status = mbs_path_start(&self->path, model->t_start, run->q, run->v, breaks[0].end);
  for (size_t s = 0; s < segments && status == MBS_OK; s++) {
    /* the path restarts at a break, with its impulse */
    if (s > 0) {
      memcpy(run->q, self->path.to.q, model->nq * sizeof *run->q);
      memcpy(run->v, self->path.to.v, model->nv * sizeof *run->v);
      mbs_path_read_states(&self->path, self->y);
      enter(self, self->y);
      mbs_impulse_before(&self->impulse, system, breaks[s - 1].end, run->q, run->v);
      system->span_end = breaks[s].end;
      system->span_start = breaks[s].next;
      self->t = breaks[s - 1].next;
      status = restart_path(self, self->t, breaks[s].end);
    }
    if (status == MBS_OK) status = follow(self, &breaks[s], times, rows, workspace);
  }
  note_crossings(self);
  return status;
}

static bool open_motion(mbs_driven_motion *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  self->q = mbs_arena_alloc(arena, model->nq + 1, sizeof *self->q);
  self->v = mbs_arena_alloc(arena, model->nv + 1, sizeof *self->v);
  self->y = mbs_arena_alloc(arena, model->nz + 2, sizeof *self->y);
  self->shown = mbs_arena_alloc(arena, model->nz + 2, sizeof *self->shown);
  self->margins = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *self->margins);
  self->path_switches = count_path_switches(model);
  self->known = mbs_arena_alloc(arena, 2 * model->rows + 1, sizeof *self->known);
  return self->q && self->v && self->y && self->shown && self->margins && self->known &&
         mbs_path_open(&self->path, self->run) && mbs_impulse_open(&self->impulse, model, arena);
}

mbs_status mbs_run_require_drivers(mbs_run_state *run) {
  assert(run->result != NULL);
  const mbs_report *report = &run->result->report;
  int freedoms = report->velocity_freedoms;
  if (freedoms <= 0) return MBS_OK;
  return mbs_run_fail(
      run, MBS_NOT_DRIVEN, run->model->t_start, "",
      "%s needs a driver for every degree of freedom, but %d %s no driver%s%s%s; add drivers or choose dynamics",
      report->analysis, freedoms, freedoms == 1 ? "has" : "have", report->undriven ? " (" : "",
      report->undriven ? report->undriven : "", report->undriven ? ")" : "");
}

/* Classifies why a state on the path cannot be found, if the error does not name a cause: only drivers move the
 * mechanism. */
static mbs_status classify(const mbs_driven_motion *self, mbs_status status) {
  mbs_run_state *run = self->run;
  const bool said = run->error->element[0] || run->error->pointer[0];
  if (status != MBS_SINGULAR_POSITION || said) return status;
  const double t = isfinite(run->error->time) ? run->error->time : self->path.to.t;
  return mbs_run_locked(run, t, self->path.to.q, true);
}

mbs_status mbs_driven_motion_run(mbs_run_state *run, const mbs_driven_analysis *analysis) {
  mbs_driven_motion self = {.run = run, .analysis = analysis, .t = run->model->t_start, .unbounded = NAN};
  if (!open_motion(&self)) return MBS_NO_MEMORY;
  mbs_status status = mbs_run_start(run);
  if (status == MBS_OK) status = mbs_run_require_drivers(run);
  mbs_touches_follow(run->system);
  if (status == MBS_OK) status = mbs_check_limits(run, run->model->t_start, run->q);
  if (status == MBS_OK) status = mbs_check_clutches(run);
  return status == MBS_OK ? classify(&self, run_path(&self)) : status;
}
