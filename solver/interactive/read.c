/* Functions that read a session: arrays in the order of the document, in buffers of the session. */
#include "constraints/min_norm_reactions.h"
#include "constraints/projection.h"
#include "equations/evaluate.h"
#include "equations/forces.h"
#include "equations/state.h"
#include "equations/teeth.h"
#include "interactive/session.h"
#include "kernels/kernels.h"
#include "results/records.h"
#include "run/overflow_check.h"
#include "run/record.h"
#include "run/sticking.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Limits of instant centres [extents]: largest distance from the mass centre, and smallest motion of a body relative to
 * the largest. */
static const double farthest_centre = 20, at_rest = 1e-9;

bool mbs_session_open_arrays(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_arena *arena = session->arena;
  session->bodies = mbs_arena_alloc(arena, 7 * model->nB + 1, sizeof(double));
  session->reactions = mbs_arena_alloc(arena, 6 * model->joint_count + 1, sizeof(double));
  session->forces = mbs_arena_alloc(arena, 3 * model->force_count + 1, sizeof(double));
  session->mass_centre = mbs_arena_alloc(arena, 3, sizeof(double));
  session->instant_centres = mbs_arena_alloc(arena, 2 * model->nB + 1, sizeof(double));
  for (int level = 0; level < 3; level++) {
    session->points[level] = mbs_arena_alloc(arena, 3 * model->nP + 1, sizeof(double));
    session->centres[level] = mbs_arena_alloc(arena, 3 * model->nB + 1, sizeof(double));
    if (!session->points[level] || !session->centres[level]) return false;
  }
  return session->bodies && session->reactions && session->forces && session->mass_centre && session->instant_centres;
}

/* Fills an array like a row of results. */
static const double *record(const mbs_session *session, mbs_record *fill, int level, double *out) {
  const mbs_output output = {.model = session->model};
  const mbs_recording recording = {.output = &output, .system = session->run.system, .level = level};
  fill(&recording, out);
  return out;
}

const double *mbs_session_poses(mbs_session *session) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = session->model;
  const mbs_system *system = session->run.system;
  double *out = session->bodies, r[3], turn[3];
  for (size_t b = 0; b < model->nB; b++, out += model->dim == 3 ? 7 : 3) {
    model->kernels->point(system, model->user_body[b], centre, 0, r);
    memcpy(out, r, (size_t)model->dim * sizeof *r);
    if (model->dim == 3) {
      model->kernels->orientation(system, model->user_body[b], out + 3);
    } else {
      model->kernels->rotation(system, model->user_body[b], 0, turn);
      out[2] = turn[2];
    }
  }
  return session->bodies;
}

bool mbs_session_coordinates(const mbs_session *session, size_t nq, double *q, size_t nv, double *v) {
  const mbs_model *model = session->model;
  if (nq != model->nq || nv != model->nv) return false;
  for (size_t k = 0; k < nq; k++) q[k] = session->now.q[model->user_q[k]];
  for (size_t k = 0; k < nv; k++) v[k] = session->now.v[model->user_v[k]];
  return true;
}

/* Computes the instant centres from velocities in the plane. theory (18.12) */
static void record_instant_centres(const mbs_session *session) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = session->model;
  const mbs_system *system = session->run.system;
  double *out = session->instant_centres, extent = session->constants->extent, r[3], v[3], w[3], most = 0;
  if (model->dim != 2) return;
  for (int b = 1; b <= (int)model->nB; b++) {
    model->kernels->point(system, b, centre, 1, v);
    model->kernels->rotation(system, b, 1, w);
    most = fmax(most, fmax(hypot(v[0], v[1]), fabs(w[2]) * extent));
  }
  for (size_t b = 0; b < model->nB; b++, out += 2) {
    model->kernels->point(system, model->user_body[b], centre, 0, r);
    model->kernels->point(system, model->user_body[b], centre, 1, v);
    model->kernels->rotation(system, model->user_body[b], 1, w);
    /* r + perp(r') / omega */
    double speed = hypot(v[0], v[1]), turn = fabs(w[2]) * extent;
    bool none = !(fmax(speed, turn) > at_rest * most) || speed > farthest_centre * turn;
    out[0] = none ? NAN : r[0] - v[1] / w[2];
    out[1] = none ? NAN : r[1] + v[0] / w[2];
  }
}

mbs_status mbs_session_close_rates(mbs_session *session) {
  mbs_system *system = session->run.system;
  if (!session->now.rates_open || !session->model->rows) return MBS_OK;
  /* v onto C v = rhsV */
  mbs_status status = mbs_project_velocities(system, session->now.v);
  mbs_set_velocity(system, session->now.v);
  return status;
}

/* Settles the branches of laws: a motion has determined sticking, for other states it is determined anew, without notes
 * in the report. */
static mbs_status settle_laws(mbs_session *session) {
  mbs_run_state *run = &session->run;
  const bool quiet = run->quiet;
  if (session->playing) return MBS_OK;
  run->quiet = true;
  const mbs_status status = mbs_run_settle_laws(run, session->now.t);
  run->quiet = quiet;
  return status;
}

mbs_status mbs_session_evaluate(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_run_state *run = &session->run;
  mbs_session_state *now = &session->now;
  if (session->reading == MBS_READS_STATE) return MBS_OK;
  bool playing = session->playing;
  mbs_session_begin(session);
  session->playing = playing;
  mbs_status status = mbs_session_close_rates(session);
  if (status == MBS_OK) status = settle_laws(session);
  if (status == MBS_OK) status = mbs_evaluate(run->system, now->t, now->q, now->v);
  if (status != MBS_OK) return mbs_session_end(session, status);
  now->rates_open = false;
  model->kernels->accelerations(run->system);
  if (run->least.open > 0)
    mbs_choose_reactions(&run->least, run->system);
  else
    mbs_read_reactions(run->system);
  session->reading = MBS_READS_STATE;
  return MBS_OK;
}

bool mbs_session_open_record(mbs_session *session) {
  mbs_run_state *run = &session->run;
  session->recorded = mbs_output_open(&run->output, session->model, true, run->result);
  return session->recorded;
}

mbs_status mbs_session_record(mbs_session *session) {
  assert(session->recorded);
  mbs_status status = mbs_session_evaluate(session);
  if (status == MBS_OK) status = mbs_run_record_given(&session->run, 0, session->now.t, true);
  if (status == MBS_OK) status = mbs_run_require_tables(&session->run, 0);
  if (status == MBS_OK && !session->run.output.row_finite) status = MBS_NOT_FINITE;
  return status == MBS_OK ? status : mbs_session_end(session, status);
}

const mbs_array *mbs_session_arrays(const mbs_session *session, size_t *count) {
  *count = session->run.result->array_count;
  return session->run.result->arrays;
}

/* ---- the unit motion ------------------------------------------------------------------------------------------- */

static double fastest_of(const double *velocities, size_t count, int dim) {
  double fastest = 0;
  for (size_t i = 0; i < count; i++, velocities += dim) {
    double square = 0;
    for (int k = 0; k < dim; k++) square += velocities[k] * velocities[k];
    fastest = fmax(fastest, sqrt(square));
  }
  return fastest;
}

/* Scales u so that the fastest of points and mass centres has 1 m/s, or, if none moves, the fastest body 1 rad/s. */
static void scale_motion(mbs_session *session, double *u) {
  const mbs_model *model = session->model;
  double reach = mbs_session_predicted_displacement(session, u);
  record(session, mbs_record_points, 1, session->points[1]);
  record(session, mbs_record_centres, 1, session->centres[1]);
  double fastest = fmax(fastest_of(session->points[1], model->nP, model->dim),
                        fastest_of(session->centres[1], model->nB, model->dim));
  if (!(fastest > at_rest * reach * session->constants->extent)) fastest = reach;
  for (size_t i = 0; i < model->nv && fastest > 0; i++) u[i] /= fastest;
}

/* theory (18.10) */
mbs_status mbs_session_take_unit_motion(mbs_session *session) {
  double *u = session->run.workspace;
  if (session->reading == MBS_READS_UNIT_MOTION) return MBS_OK;
  bool playing = session->playing;
  mbs_session_begin(session);
  session->playing = playing;
  mbs_session_release_drivers(session);
  mbs_status status = mbs_session_find_motion(session, u);
  mbs_session_restore_drivers(session);
  if (status != MBS_OK) return mbs_session_end(session, status);
  scale_motion(session, u);
  mbs_set_velocity(session->run.system, u);
  record(session, mbs_record_points, 1, session->points[1]);
  record(session, mbs_record_centres, 1, session->centres[1]);
  record_instant_centres(session);
  mbs_session_hold(session);
  session->reading = MBS_READS_UNIT_MOTION;
  return MBS_OK;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------- */

/* Returns NULL if this level was not computed. */
static const double *read_level(const mbs_session *session, mbs_record *fill, int level, double *out) {
  assert(level >= 0 && level <= 2);
  if (level > 0 && session->reading == MBS_READS_NOTHING) return NULL;
  if (level > 0 && session->reading == MBS_READS_UNIT_MOTION) return level == 1 ? out : NULL;
  return record(session, fill, level, out);
}

const double *mbs_session_points(mbs_session *session, int level) {
  return read_level(session, mbs_record_points, level, session->points[level]);
}

const double *mbs_session_centres(mbs_session *session, int level) {
  return read_level(session, mbs_record_centres, level, session->centres[level]);
}

/* theory (18.11) */
const double *mbs_session_mass_centre(mbs_session *session) {
  static const double centre[3] = {0, 0, 0};
  const mbs_model *model = session->model;
  double mass = 0, *out = session->mass_centre, r[3];
  memset(out, 0, 3 * sizeof *out);
  for (int b = 1; b <= (int)model->nB; b++) {
    model->kernels->point(session->run.system, b, centre, 0, r);
    mass += session->constants->bodies[b].mass;
    for (int k = 0; k < 3; k++) out[k] += session->constants->bodies[b].mass * r[k];
  }
  for (int k = 0; k < 3; k++) out[k] /= mass;
  return mass > 0 ? out : NULL;
}

const double *mbs_session_instant_centres(mbs_session *session) {
  if (session->model->dim != 2 || session->reading == MBS_READS_NOTHING) return NULL;
  if (session->reading == MBS_READS_STATE) record_instant_centres(session);
  return session->instant_centres;
}

const double *mbs_session_reactions(mbs_session *session) {
  if (session->reading != MBS_READS_STATE) return NULL;
  return record(session, mbs_record_reactions, 0, session->reactions);
}

const double *mbs_session_forces(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  double *out = session->forces, f[3], n[3];
  if (session->reading != MBS_READS_STATE) return NULL;
  for (size_t i = 0; i < model->force_count; i++, out += model->dim) {
    const mbs_force *force = &model->forces[i];
    memset(f, 0, sizeof f);
    model->kernels->clear_wrenches(system);
    force->cls->apply(system, force, i);
    if (force->frames.body2 >= 0) model->kernels->pushed(system, force->frames.body2, f, n);
    memcpy(out, f, (size_t)model->dim * sizeof *f);
  }
  mbs_apply_forces(system);
  return session->forces;
}
