/* Changes of parameters and driver values. Both move the mechanism from its current position, in small steps if the
 * change is large. */
#include "interactive/session.h"

#include "constraints/min_norm_reactions.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/masses.h"
#include "equations/state.h"
#include "initial/assemble.h"
#include "run/run_errors.h"
#include "run/start.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A change that moves no body farther than this stays on the branch [extents, radians]. */
static const double nearby = 0.5;
/* Largest step of a driver [scales]; it is reduced down to this fraction if a step fails. */
static const double stride = 0.1, least_share = 1.0 / 64;
enum { PARTS = 8 };

static bool project_nearby(mbs_session *session) {
  mbs_session_mark(session, session->marks);
  return mbs_session_project(session, true) && mbs_session_max_displacement(session, session->marks) <= nearby;
}

/* ---- parameters ------------------------------------------------------------------------------------------------ */

/* Makes numbers current. Inputs that the host has set stay. */
static void rebind(mbs_session *session, const mbs_constants *constants) {
  mbs_system *system = session->run.system;
  const size_t size = session->model->external_count * sizeof *system->externals;
  const double since = system->externals_time;
  memcpy(session->inputs.given, system->externals, size);
  mbs_system_rebind(system, constants);
  if (!session->inputs.set) return;
  memcpy(system->externals, session->inputs.given, size);
  system->externals_time = since;
}

/* Computes the numbers for session->tried with a new value of parameter i, and makes them current. */
static mbs_status try_numbers(mbs_session *session, size_t i, double value) {
  assert(i < session->model->parameter_count);
  assert(session->spare != session->constants);
  mbs_diagnostics list = {0};
  mbs_system *system = session->run.system;
  session->tried[i] = value;
  mbs_status status = mbs_bind(session->spare, session->tried, &list);
  if (status != MBS_OK && list.count) {
    session->error = list.items[0];
    session->error.time = NAN;
  }
  mbs_diagnostics_free(&list);
  if (status != MBS_OK) return status;
  rebind(session, session->spare);
  mbs_measure_row_units(system, session->now.t, session->now.q);
  mbs_set_position(system, session->now.t, session->now.q);
  mbs_session_mark(session, session->marks);
  return MBS_OK;
}

static double value_of(const mbs_session *session, size_t i) { return session->constants->parameters[i]; }

/* Changes the parameter in parts. Returns false if a part fails. */
static bool change_by_parts(mbs_session *session, size_t i, double value) {
  double from = value_of(session, i);
  memcpy(session->now.q, session->before.q, session->model->nq * sizeof *session->now.q);
  for (int part = 1; part <= PARTS; part++) {
    double between = part == PARTS ? value : from + (value - from) * part / PARTS;
    if (try_numbers(session, i, between) != MBS_OK || !project_nearby(session)) {
      mbs_run_forget_error(&session->run);
      return false;
    }
  }
  return true;
}

/* Makes the rows of all joints and drivers active. */
static void hold_all(mbs_session *session) {
  mbs_system *system = session->run.system;
  system->all_active = true;
  for (size_t r = 0; r < session->model->rows; r++)
    system->all_active &= system->active[r] = r < session->model->bilateral_rows;
}

/* Assembles the mechanism as for a run, with all rows, from its previous position. */
static mbs_status assemble_anew(mbs_session *session) {
  const mbs_model *model = session->model;
  hold_all(session);
  memcpy(session->now.q, session->before.q, model->nq * sizeof *session->now.q);
  return mbs_session_correct(session);
}

/* Determines ranks, and bodies without inertia, for the new numbers. */
static mbs_status judge(mbs_session *session) {
  mbs_run_state *run = &session->run;
  mbs_system *system = run->system;
  hold_all(session);
  mbs_status status = mbs_find_ranks(system, session->now.t, session->now.q, &run->ranks, run->workspace);
  if (status != MBS_OK) return status;
  mbs_session_take_ranks(session);
  mbs_set_mass_shift(system, 0);
  status = mbs_find_massless(run, session->now.t);
  size_t open = session->model->bilateral_rows - run->ranks.rank;
  if (status == MBS_OK && open != run->least.open && !mbs_min_norm_reactions_open(&run->least, system))
    status = MBS_NO_MEMORY;
  return status;
}

static mbs_status change(mbs_session *session, size_t i, double value) {
  mbs_status status = try_numbers(session, i, value);
  if (status != MBS_OK) return status;
  if (!project_nearby(session) && !change_by_parts(session, i, value)) {
    status = try_numbers(session, i, value);
    if (status == MBS_OK) status = assemble_anew(session);
  }
  if (status == MBS_OK) status = judge(session);
  session->now.rates_open = true;
  return status;
}

mbs_status mbs_session_set(mbs_session *session, const char *parameter, double value) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  mbs_report report = session->run.result->report;
  double mass_shift = system->mass_shift, usual_ratio = system->usual_ratio,
         reference_pivot_ratio = session->reference_pivot_ratio;
  size_t i = 0;
  mbs_session_begin(session);
  while (i < model->parameter_count && strcmp(model->parameters[i].name, parameter) != 0) i++;
  if (i == model->parameter_count)
    return mbs_session_end(session, mbs_run_fail(&session->run, MBS_UNKNOWN_NAME, session->now.t, parameter,
                                                 "there is no parameter '%.100s'", parameter));
  memcpy(session->tried, session->values, model->parameter_count * sizeof *session->tried);
  mbs_status status = change(session, i, value);
  if (status == MBS_OK) {
    mbs_constants *old = session->constants;
    session->constants = session->spare;
    session->spare = old;
    session->values[i] = value;
    return mbs_session_end(session, MBS_OK);
  }
  rebind(session, session->constants);
  mbs_measure_row_units(system, session->before.t, session->before.q);
  mbs_set_mass_shift(system, mass_shift);
  session->run.result->report.degrees_of_freedom = report.degrees_of_freedom;
  session->run.result->report.velocity_freedoms = report.velocity_freedoms;
  session->run.result->report.mobility = report.mobility;
  system->usual_ratio = usual_ratio;
  session->reference_pivot_ratio = reference_pivot_ratio;
  return mbs_session_end(session, status);
}

/* ---- drivers --------------------------------------------------------------------------------------------------- */

/* Moves the function's offset to `goal`. Returns false if the mechanism cannot follow. */
static bool lead(mbs_session *session, int function, double unit, double goal) {
  assert(function >= 0 && (size_t)function < session->model->function_count);
  mbs_session_state *now = &session->now;
  double *offset = &session->run.system->offsets[function], longest = stride * unit;
  while (*offset != goal) {
    double last = *offset, left = goal - last;
    *offset = fabs(left) <= longest ? goal : last + copysign(longest, left);
    memcpy(session->run.workspace, now->q, session->model->nq * sizeof *now->q);
    mbs_set_position(session->run.system, now->t, now->q);
    if (project_nearby(session)) {
      longest = fmin(2 * longest, stride * unit);
      continue;
    }
    memcpy(now->q, session->run.workspace, session->model->nq * sizeof *now->q);
    *offset = last;
    longest /= 2;
    if (longest < least_share * stride * unit) return false;
  }
  now->offsets[function] = goal;
  return true;
}

mbs_status mbs_session_drive(mbs_session *session, const char *driver, double value) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  size_t d = 0;
  mbs_session_begin(session);
  while (d < model->driver_count && strcmp(model->drivers[d].name, driver) != 0) d++;
  if (d == model->driver_count)
    return mbs_session_end(session, mbs_run_fail(&session->run, MBS_UNKNOWN_NAME, session->now.t, driver,
                                                 "there is no driver '%.100s'", driver));
  int function = model->blocks[model->drivers[d].block].function;
  double unit = mbs_is_length(model->blocks[model->drivers[d].block].primitive) ? session->constants->extent : 1;
  double goal = session->now.offsets[function] + value - system->functions[3 * function];
  if (!isfinite(goal))
    return mbs_session_end(session, mbs_run_fail(&session->run, MBS_OUT_OF_RANGE, session->now.t, driver,
                                                 "'%s' cannot be moved to a value that is not finite", driver));
  session->now.rates_open = true;
  if (lead(session, function, unit, goal)) return mbs_session_end(session, MBS_OK);
  double reached = system->functions[3 * function];
  return mbs_session_end(session,
                         mbs_run_fail(&session->run, MBS_LOCK_UP, session->now.t, driver,
                                      "'%s' cannot be moved to %.9g: the mechanism can follow only to about %.6g",
                                      driver, value, reached));
}
