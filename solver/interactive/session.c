/* Sessions: creation, and begin and end of calls. */
#include "interactive/session.h"

#include "base/arena_image.h"
#include "base/rotation.h"
#include "constraints/projection.h"
#include "constraints/rank.h"
#include "equations/contacts.h"
#include "equations/jacobian.h"
#include "equations/near.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "equations/switches.h"
#include "initial/assemble.h"
#include "initial/multistart.h"
#include "kernels/kernels.h"
#include "model/rows.h"
#include "run/report.h"
#include "run/run_errors.h"
#include "run/start.h"
#include "simulate/analyses.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POSE = 7 };

/* ---- memory ---------------------------------------------------------------------------------------------------- */

bool mbs_session_open_state(const mbs_model *model, mbs_arena *arena, mbs_session_state *state) {
  state->q = mbs_arena_alloc(arena, model->nq + 1, sizeof *state->q);
  state->v = mbs_arena_alloc(arena, model->nv + 1, sizeof *state->v);
  state->z = mbs_arena_alloc(arena, model->nz + 1, sizeof *state->z);
  state->offsets = mbs_arena_alloc(arena, model->function_count + 1, sizeof *state->offsets);
  state->direction = mbs_arena_alloc(arena, model->nv + 1, sizeof *state->direction);
  state->active = mbs_arena_alloc(arena, model->rows + 1, sizeof *state->active);
  state->modes = mbs_arena_alloc(arena, model->switch_count + 1, sizeof *state->modes);
  state->memory = mbs_arena_alloc(arena, model->memory_count + 1, sizeof *state->memory);
  return state->modes && state->memory && state->q && state->v && state->z && state->offsets && state->direction &&
         state->active;
}

/* Opens the run of the session, whose system reads the session's own numbers. */
static bool open_run(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_arena *arena = session->arena;
  mbs_run_state *run = &session->run;
  *run = (mbs_run_state){.model = model, .error = &session->error, .t_reached = model->t_start, .t_failed = NAN};
  run->result = mbs_arena_alloc(session->lasting, 1, sizeof *run->result);
  run->workspace = mbs_arena_alloc(arena, mbs_assemble_workspace(model), sizeof *run->workspace);
  run->system = mbs_system_bound(session->constants, arena);
  run->q = session->now.q;
  run->v = session->now.v;
  if (!run->result || !run->workspace || !run->system) return false;
  run->result->arena = session->lasting;
  run->system->error = run->error;
  return mbs_report_open(model, run->result);
}

static bool open_session(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_arena *arena = session->arena;
  session->constants = mbs_constants_new(model, session->lasting);
  session->spare = mbs_constants_new(model, session->lasting);
  session->values = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *session->values);
  session->tried = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *session->tried);
  session->plain = mbs_arena_alloc(arena, model->function_count + 1, sizeof *session->plain);
  session->poses = mbs_arena_alloc(arena, POSE * model->nB + 1, sizeof *session->poses);
  session->marks = mbs_arena_alloc(arena, POSE * model->nB + 1, sizeof *session->marks);
  session->longest = mbs_arena_alloc(arena, model->nv + 1, sizeof *session->longest);
  session->drag = mbs_drag_new(model, arena);
  return session->constants && session->spare && session->values && session->tried && session->plain &&
         session->longest && session->poses && session->marks && session->drag &&
         mbs_session_open_state(model, arena, &session->now) &&
         mbs_session_open_state(model, arena, &session->before) && mbs_session_open_arrays(session) &&
         mbs_session_open_free_motion(session) && mbs_session_open_inputs(session) && mbs_session_open_sweep(session);
}

/* ---- the start ------------------------------------------------------------------------------------------------- */

static int body_named(const mbs_model *model, const char *name) {
  for (size_t b = 1; b <= model->nB; b++)
    if (strcmp(model->bodies[b].name, name) == 0) return (int)b;
  return 0;
}

/* Returns true if the same joint carries the body in both models, or none does. */
static bool is_carried_alike(const mbs_model *model, int body, const mbs_model *other, int other_body) {
  int one = model->tree_joint[body], two = other->tree_joint[other_body];
  if (one < 0 || two < 0) return one < 0 && two < 0;
  return model->joints[one].cls == other->joints[two].cls &&
         strcmp(model->joints[one].name, other->joints[two].name) == 0;
}

/* Takes the start from another session: coordinates of bodies that both have, and offsets of its drivers from their
 * functions of time. */
static void carry(mbs_session *session, const mbs_session *from) {
  const mbs_model *model = session->model, *other = from->model;
  if (model->dim != other->dim) return;
  for (int b = 1; b <= (int)model->nB; b++) {
    int same = body_named(other, model->bodies[b].name);
    if (!same || !is_carried_alike(model, b, other, same)) continue;
    assert(model->first_q[b + 1] - model->first_q[b] == other->first_q[same + 1] - other->first_q[same]);
    memcpy(session->constants->q0 + model->first_q[b], from->now.q + other->first_q[same],
           (size_t)(model->first_q[b + 1] - model->first_q[b]) * sizeof *from->now.q);
  }
  for (size_t d = 0; d < model->driver_count; d++)
    for (size_t k = 0; k < other->driver_count; k++) {
      if (strcmp(model->drivers[d].name, other->drivers[k].name) != 0) continue;
      int to = model->blocks[model->drivers[d].block].function, at = other->blocks[other->drivers[k].block].function;
      session->run.system->offsets[to] = from->run.system->functions[3 * at] - from->plain[at];
    }
}

void mbs_session_take_ranks(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  mbs_report *report = &session->run.result->report;
  const mbs_ranks *ranks = &session->run.ranks;
  assert(ranks->position_rank <= model->rows && ranks->rank <= model->rows);
  system->all_active = true;
  report->redundant_count = 0;
  for (size_t r = 0; r < model->rows; r++) {
    system->active[r] = !ranks->redundant[r];
    system->all_active &= system->active[r];
    if (r >= model->bilateral_rows) continue;
    report->constraints[r].redundant = ranks->redundant[r];
    report->redundant_count += ranks->redundant[r];
  }
  report->degrees_of_freedom = (int)model->nv - (int)ranks->position_rank;
  report->velocity_freedoms = (int)model->nv - (int)ranks->rank;
  report->mobility = (int)model->nv - (int)ranks->joint_rank;
  session->reference_pivot_ratio = system->usual_ratio = 0;
}

/* Finds the first position, assembled as for a run; with `correct` false it is projected onto the constraints only. */
static mbs_status start(mbs_session *session, const mbs_session *from) {
  const mbs_model *model = session->model;
  mbs_run_state *run = &session->run;
  mbs_system *system = run->system;
  if (from) carry(session, from);
  mbs_status status = from ? mbs_run_start(run) : mbs_run_start_motion(run);
  if (status != MBS_OK) return status;
  session->joint_rows = mbs_joint_rows(model);
  session->now.t = model->t_start;
  memcpy(session->now.z, system->z, model->nz * sizeof *system->z);
  memcpy(session->now.offsets, system->offsets, model->function_count * sizeof *system->offsets);
  for (size_t f = 0; f < model->function_count; f++) session->plain[f] = system->functions[3 * f] - system->offsets[f];
  if (!model->correct && !mbs_session_project(session, true))
    return mbs_run_fail(run, MBS_NOT_ASSEMBLED, session->now.t, "",
                        "the mechanism cannot be assembled from this start; set \"correct\": true, or give initial "
                        "values nearer to the assembled mechanism");
  return mbs_session_open_player(session) ? MBS_OK : MBS_NO_MEMORY;
}

mbs_session *mbs_session_new(const mbs_model *model, const mbs_session *from, mbs_error *error) {
  mbs_arena *arena = mbs_arena_new(model->limits.memory);
  mbs_arena *lasting = arena ? mbs_arena_new(model->limits.memory) : NULL;
  mbs_session *session = lasting ? mbs_arena_alloc(arena, 1, sizeof *session) : NULL;
  mbs_diagnostics list = {0};
  mbs_status status = MBS_NO_MEMORY;
  *error = (mbs_error){.status = status, .time = NAN, .message = "no memory for a session"};
  if (session) {
    session->model = model;
    session->arena = arena;
    session->lasting = lasting;
    session->error.time = NAN;
    bool complete = open_session(session) && mbs_bind(session->constants, NULL, &list) == MBS_OK && open_run(session);
    for (size_t i = 0; complete && i < model->parameter_count; i++) session->values[i] = NAN;
    if (complete) {
      status = mbs_session_end(session, start(session, from));
      *error = session->error;
    }
  }
  mbs_diagnostics_free(&list);
  if (status == MBS_OK) return session;
  mbs_arena_free(lasting);
  mbs_arena_free(arena);
  return NULL;
}

void mbs_session_free(mbs_session *session) {
  if (!session) return;
  mbs_arena_image_free(session->image);
  mbs_arena_free(session->lasting);
  mbs_arena_free(session->arena);
}

/* ---- states ---------------------------------------------------------------------------------------------------- */

void mbs_session_copy_state(const mbs_model *model, const mbs_session_state *from, mbs_session_state *to) {
  assert(from != to);
  to->t = from->t;
  to->rates_open = from->rates_open;
  to->damping = from->damping;
  memcpy(to->q, from->q, model->nq * sizeof *to->q);
  memcpy(to->v, from->v, model->nv * sizeof *to->v);
  memcpy(to->z, from->z, model->nz * sizeof *to->z);
  memcpy(to->offsets, from->offsets, model->function_count * sizeof *to->offsets);
  memcpy(to->direction, from->direction, model->nv * sizeof *to->direction);
  memcpy(to->active, from->active, model->rows * sizeof *to->active);
  memcpy(to->modes, from->modes, model->switch_count * sizeof *to->modes);
  memcpy(to->memory, from->memory, model->memory_count * sizeof *to->memory);
}

void mbs_session_hold(mbs_session *session) {
  mbs_system *system = session->run.system;
  system->drivers_released = false;
  if (!session->playing) mbs_switches_release(system);
  memcpy(system->offsets, session->now.offsets, session->model->function_count * sizeof *system->offsets);
  memcpy(system->z, session->now.z, session->model->nz * sizeof *system->z);
  mbs_set_position(system, session->now.t, session->now.q);
  mbs_set_velocity(system, session->now.v);
}

void mbs_session_begin(mbs_session *session) {
  mbs_session_state *now = &session->now;
  mbs_system *system = session->run.system;
  if (!session->playing) mbs_switches_release(system); /* releases the switches of a reading */
  memcpy(now->active, system->active, session->model->rows * sizeof *now->active);
  memcpy(now->modes, system->mode_held, session->model->switch_count * sizeof *now->modes);
  memcpy(now->memory, system->memory, session->model->memory_count * sizeof *now->memory);
  mbs_session_copy_state(session->model, now, &session->before);
  session->error = (mbs_error){.time = NAN};
  session->run.t_failed = NAN;
  session->playing = false;
}

/* Selects the independent rows again, because the selected rows may approach a rank loss where the mechanism does
 * not. */
static void renew_rows(mbs_session *session) {
  mbs_system *system = session->run.system;
  system->usual_ratio = fmax(system->usual_ratio, system->pivot_ratio);
  if (system->all_active) return;
  session->reference_pivot_ratio = fmax(session->reference_pivot_ratio, system->pivot_ratio);
  if (system->pivot_ratio >= mbs_renewal_share * session->reference_pivot_ratio) return;
  session->reference_pivot_ratio = 0;
  mbs_constraints(system, MBS_WANT_C);
  mbs_renew_rows(system, session->run.workspace);
}

mbs_status mbs_session_end(mbs_session *session, mbs_status status) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  session->reading = MBS_READS_NOTHING;
  if (status == MBS_OK) {
    session->error = (mbs_error){.time = NAN};
    mbs_session_hold(session);
    mbs_accept_contacts(system);
    model->kernels->remember(system);
    if (model->rows) renew_rows(session);
    return MBS_OK;
  }
  mbs_finish_error(&session->error, status, system->t, &system->fault);
  mbs_session_copy_state(model, &session->before, &session->now);
  memcpy(system->active, session->now.active, model->rows * sizeof *system->active);
  memcpy(system->mode_held, session->now.modes, model->switch_count * sizeof *system->mode_held);
  memcpy(system->memory, session->now.memory, model->memory_count * sizeof *system->memory);
  mbs_near_forget(system); /* its lists belong to other modes */
  system->all_active = true;
  for (size_t r = 0; r < model->rows; r++) system->all_active &= system->active[r];
  mbs_session_hold(session);
  return status;
}

bool mbs_session_project(mbs_session *session, bool own_factors) {
  mbs_system *system = session->run.system;
  session->model->kernels->normalize(session->model, session->now.q);
  system->fresh_factors = own_factors;
  mbs_status status = mbs_project_positions(system, session->now.t, session->now.q);
  system->fresh_factors = false;
  if (status == MBS_OK) status = mbs_check_axes(system);
  if (status != MBS_OK) mbs_run_forget_error(&session->run);
  return status == MBS_OK;
}

mbs_status mbs_session_correct(mbs_session *session) {
  mbs_correction correction = {0};
  mbs_run_state *run = &session->run;
  mbs_short_steps(run->system->constants, session->longest);
  mbs_status status =
      mbs_correct_damped(run->system, session->now.t, session->now.q, session->longest, &correction, run->workspace);
  return status == MBS_OK ? mbs_check_axes(run->system) : status;
}

mbs_status mbs_session_assemble(mbs_session *session) {
  mbs_run_state *run = &session->run;
  mbs_session_begin(session);
  if (mbs_session_project(session, true)) return mbs_session_end(session, MBS_OK);
  memcpy(run->q, session->before.q, session->model->nq * sizeof *run->q);
  return mbs_session_end(session, mbs_session_correct(session));
}

/* ---- displacements of bodies ----------------------------------------------------------------------------------- */

void mbs_session_mark(const mbs_session *session, double *poses) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = session->model;
  const mbs_system *system = session->run.system;
  for (int b = 1; b <= (int)model->nB; b++, poses += POSE) {
    double turn[3];
    model->kernels->point(system, b, centre, 0, poses);
    if (model->dim == 3) {
      model->kernels->orientation(system, b, poses + 3);
    } else {
      model->kernels->rotation(system, b, 0, turn);
      poses[3] = turn[2];
    }
  }
}

/* Returns the angle between two orientations, from their Euler parameters. */
static double angle_between(const double p[4], const double other[4]) {
  double sum = 0, difference = 0;
  for (int k = 0; k < 4; k++) {
    sum += (p[k] + other[k]) * (p[k] + other[k]);
    difference += (p[k] - other[k]) * (p[k] - other[k]);
  }
  /* norm(p -+ other) = 2 sin(angle / 4) */
  return 4 * asin(fmin(1, sqrt(fmin(sum, difference)) / 2));
}

/* Returns the distance between the current pose and another one, with or without full revolutions in the plane. */
static double way_from(const mbs_session *session, const double *marks, bool full_turns) {
  const mbs_model *model = session->model;
  double farthest = 0, *poses = session->poses;
  mbs_session_mark(session, poses);
  for (size_t b = 0; b < model->nB; b++, poses += POSE, marks += POSE) {
    double sum = 0, turn;
    for (int k = 0; k < model->dim; k++) sum += (poses[k] - marks[k]) * (poses[k] - marks[k]);
    if (model->dim == 3)
      turn = angle_between(poses + 3, marks + 3);
    else
      turn = full_turns ? poses[3] - marks[3] : remainder(poses[3] - marks[3], mbs_full_turn);
    farthest = fmax(farthest, fmax(sqrt(sum) / session->constants->extent, fabs(turn)));
  }
  return farthest;
}

double mbs_session_max_displacement(const mbs_session *session, const double *marks) {
  return way_from(session, marks, true);
}

double mbs_session_pose_distance(const mbs_session *session, const double *marks) {
  return way_from(session, marks, false);
}

double mbs_session_predicted_displacement(const mbs_session *session, const double *dv) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  double farthest = 0;
  mbs_set_velocity(system, dv);
  for (int b = 1; b <= (int)model->nB; b++) {
    double v[3] = {0, 0, 0}, w[3] = {0, 0, 0};
    model->kernels->point(system, b, centre, 1, v);
    model->kernels->rotation(system, b, 1, w);
    if (model->dim == 2) v[2] = w[0] = w[1] = 0;
    farthest = fmax(farthest, sqrt(mbs_dot(v, v)) / session->constants->extent);
    farthest = fmax(farthest, sqrt(mbs_dot(w, w)));
  }
  return farthest;
}

/* ---- readings -------------------------------------------------------------------------------------------------- */

const mbs_error *mbs_session_error(const mbs_session *session) { return &session->error; }

double mbs_session_time(const mbs_session *session) { return session->now.t; }

int mbs_session_freedoms(const mbs_session *session) { return session->run.result->report.degrees_of_freedom; }

int mbs_session_mobility(const mbs_session *session) { return session->run.result->report.mobility; }

const mbs_report *mbs_session_report(const mbs_session *session) { return &session->run.result->report; }
