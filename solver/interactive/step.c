/* Time steps of a session. They work as in a run of dynamics, except at their ends: the method restarts in each call,
 * with the last step size of the call before; switches and the memory of elements continue until another call moves the
 * mechanism. Projection satisfies the constraints, whatever the model selects for runs. */
#include "equations/error_scales.h"
#include "equations/sliding.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "interactive/session.h"
#include "kernels/kernels.h"
#include "run/run_errors.h"
#include "simulate/dynamics.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

struct mbs_player {
  mbs_dynamics dynamics;
  mbs_ode ode;
  double *y, *workspace;
};

bool mbs_session_open_player(mbs_session *session) {
  const mbs_model *model = session->model;
  struct mbs_player *player = mbs_arena_alloc(session->arena, 1, sizeof *player);
  if (!player) return false;
  session->player = player;
  player->dynamics = (mbs_dynamics){.run = &session->run, .constraints = MBS_PROJECTION};
  if (!mbs_dynamics_open(&player->dynamics, &player->ode)) return false;
  player->ode.stopped = NULL; /* 'stop_when' ends runs, not a mechanism in motion */
  size_t size = mbs_integrate_workspace(mbs_method_named(model->method), &player->ode);
  player->y = mbs_arena_alloc(session->arena, player->ode.n + 1, sizeof *player->y);
  player->workspace = mbs_arena_alloc(session->arena, size + 1, sizeof *player->workspace);
  return player->y && player->workspace;
}

/* Returns true if a function of time has a breakpoint at t, where the last step ended, within two roundings. */
static bool is_break(const mbs_system *system, double t, mbs_break *out) {
  const double nearby = fmax(2 * DBL_EPSILON * fabs(t), DBL_MIN);
  *out = mbs_next_break(system, true, t - nearby, t + nearby);
  return out->end <= t && t <= out->next;
}

/* Begins a motion that does not continue an earlier step. */
static void begin_motion(mbs_session *session) {
  mbs_dynamics *dynamics = &session->player->dynamics;
  mbs_system *system = session->run.system;
  const mbs_session_state *now = &session->now;
  mbs_triggers_restart(dynamics);
  mbs_switches_settle(system, now->t, now->q, now->v, NULL, NULL);
  mbs_fill_error_scales(system, now->q, now->v, dynamics->units);
  dynamics->last.length = 0;
  dynamics->stagnation.steps = 0;
  dynamics->last.zeno = dynamics->near.blurred = dynamics->last.again = false;
  mbs_dynamics_set_near(dynamics, false);
  system->work = system->dissipated = 0;
}

/* y = (q, v, z, W, E_d, turns) */
static void fill_state(mbs_session *session) {
  assert(session->player != NULL);
  const mbs_model *model = session->model;
  struct mbs_player *player = session->player;
  memcpy(player->y, session->now.q, model->nq * sizeof *player->y);
  memcpy(player->y + model->state.v, session->now.v, model->nv * sizeof *player->y);
  memcpy(player->y + model->state.z, session->now.z, model->nz * sizeof *player->y);
  if (model->has_power) {
    player->y[model->state.quadratures + MBS_WORK] = session->run.system->work;
    player->y[model->state.quadratures + MBS_DISSIPATED] = session->run.system->dissipated;
  }
  mbs_set_position(session->run.system, session->now.t, session->now.q);
  mbs_revolutions_restart(&player->dynamics.revolutions, session->run.system, player->y);
}

/* Sets the error of a motion that cannot continue from (t, y); uses its own memory. */
static mbs_status explain(mbs_session *session, mbs_status status, double t) {
  mbs_system *system = session->run.system;
  mbs_arena *arena = mbs_arena_new(session->model->limits.memory), *own = system->arena;
  if (!arena) return status;
  system->arena = arena;
  status = mbs_dynamics_classify(&session->player->dynamics, status, t, session->player->y);
  system->arena = own;
  mbs_arena_free(arena);
  return status;
}

/* Advances from now.t to `end`, across breakpoints. */
static mbs_status advance(mbs_session *session, double end, bool changed) {
  const mbs_model *model = session->model;
  struct mbs_player *player = session->player;
  mbs_dynamics *dynamics = &player->dynamics;
  mbs_status status = MBS_OK;
  mbs_break at = {.end = session->now.t, .next = session->now.t};
  bool after_break = session->playing && (is_break(session->run.system, at.next, &at) || changed);
  dynamics->last.adaptive = mbs_method_named(model->method)->adaptive;
  while (at.next < end && status == MBS_OK) {
    const double t = at.next;
    const mbs_break ahead = mbs_next_break(session->run.system, true, t, end);
    assert(ahead.end <= ahead.next);
    mbs_integration stats = {.t = t};
    const mbs_segment segment = {.before = at.end, .start = t, .end = ahead, .after_break = after_break};
    dynamics->tolerance = (mbs_tolerance){.rtol = model->rtol,
                                          .atol = model->atol,
                                          .units = dynamics->units,
                                          .max_step = model->max_step,
                                          .first_step = dynamics->last.length,
                                          .fixed_step = model->fixed_step};
    dynamics->last.t = t;
    status = mbs_dynamics_advance(dynamics, &player->ode, &segment, player->y, player->workspace, &stats);
    if (status != MBS_OK) status = explain(session, status, stats.t);
    dynamics->given = NULL;
    after_break = true;
    at = ahead;
  }
  session->run.system->span_end = session->run.system->span_start = INFINITY;
  return status;
}

static void take_state(mbs_session *session, double end) {
  const mbs_model *model = session->model;
  const double *y = session->player->y;
  memcpy(session->now.q, y, model->nq * sizeof *y);
  memcpy(session->now.v, y + model->state.v, model->nv * sizeof *y);
  memcpy(session->now.z, y + model->state.z, model->nz * sizeof *y);
  if (model->has_power) {
    session->run.system->work = y[model->state.quadratures + MBS_WORK];
    session->run.system->dissipated = y[model->state.quadratures + MBS_DISSIPATED];
  }
  session->now.t = end;
}

void mbs_session_visit_player(mbs_session *session, void (*visit)(void *context, void *data, size_t size),
                              void *context) {
  const mbs_model *model = session->model;
  mbs_dynamics *dynamics = &session->player->dynamics;
  mbs_trigger_run *triggers = &dynamics->triggers;
  visit(context, dynamics->units, model->state.motion * sizeof *dynamics->units);
  visit(context, &dynamics->last, sizeof dynamics->last);
  visit(context, &dynamics->near, sizeof dynamics->near);
  visit(context, &dynamics->energy, sizeof dynamics->energy);
  visit(context, &dynamics->stagnation.steps, sizeof dynamics->stagnation.steps);
  visit(context, &dynamics->stagnation.window_start, sizeof dynamics->stagnation.window_start);
  visit(context, dynamics->stagnation.windows, sizeof dynamics->stagnation.windows);
  visit(context, &dynamics->stagnation.slow_windows, sizeof dynamics->stagnation.slow_windows);
  visit(context, &triggers->begun, sizeof triggers->begun);
  visit(context, &triggers->fired, sizeof triggers->fired);
  visit(context, &triggers->stop_time, sizeof triggers->stop_time);
  if (!triggers->at) return;
  visit(context, triggers->at, model->trigger_count * sizeof *triggers->at);
  visit(context, triggers->samples, model->sampled_count * sizeof *triggers->samples);
}

mbs_status mbs_session_step(mbs_session *session, double dt, const mbs_hooks *hooks) {
  mbs_run_state *run = &session->run;
  mbs_system *system = run->system;
  bool playing = session->playing, slid = system->sliding->count > 0;
  double work = system->work, dissipated = system->dissipated;
  mbs_session_begin(session);
  session->playing = playing;
  if (!(dt > 0) || !isfinite(dt))
    return mbs_session_end(session, mbs_run_fail(run, MBS_OUT_OF_RANGE, session->now.t, "",
                                                 "the duration of a step must be greater than 0 s, not %g", dt));
  run->hooks = hooks;
  run->quiet = true;
  run->started = hooks && hooks->now ? hooks->now(hooks->user) : 0;
  run->next_check = system->evaluations = 0;
  double end = session->now.t + dt;
  mbs_dynamics *dynamics = &session->player->dynamics;
  const bool changed = session->inputs.changed;
  mbs_status status = mbs_session_take_inputs(session, &dynamics->given);
  if (status == MBS_OK) status = mbs_session_close_rates(session);
  if (status == MBS_OK) {
    if (!playing) begin_motion(session);
    fill_state(session);
    system->history_kept = mbs_method_named(session->model->method)->history;
    status = advance(session, end, changed);
    system->history_kept = false;
  }
  dynamics->given = NULL;
  run->hooks = NULL;
  if (status == MBS_OK) {
    take_state(session, end);
    session->playing = true;
    return mbs_session_end(session, status);
  }
  session->playing = playing && !slid; /* sliding states are not stored */
  mbs_sliding_forget(system);
  system->work = work;
  system->dissipated = dissipated;
  return mbs_session_end(session, status);
}
