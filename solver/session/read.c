/* What is read of a session: arrays in the order of the document, in buffers of the session. */
#include "constraints/least_reactions.h"
#include "constraints/projection.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "results/records.h"
#include "session/session.h"

#include <string.h>

bool mbs_session_open_arrays(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_arena *arena = session->arena;
  session->bodies = mbs_arena_alloc(arena, 7 * model->nB + 1, sizeof(double));
  session->reactions = mbs_arena_alloc(arena, 6 * model->joint_count + 1, sizeof(double));
  for (int level = 0; level < 3; level++) {
    session->points[level] = mbs_arena_alloc(arena, 3 * model->nP + 1, sizeof(double));
    if (!session->points[level]) return false;
  }
  return session->bodies && session->reactions;
}

/* Fills an array as a row of results would be. */
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

mbs_status mbs_session_close_rates(mbs_session *session) {
  mbs_system *system = session->run.system;
  if (!session->now.rates_open || !session->model->rows) return MBS_OK;
  /* v onto C v = rhsV */
  mbs_status status = mbs_project_velocities(system, session->now.v);
  mbs_set_velocity(system, session->now.v);
  return status;
}

mbs_status mbs_session_evaluate(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_run_state *run = &session->run;
  mbs_session_state *now = &session->now;
  if (session->evaluated) return MBS_OK;
  bool playing = session->playing;
  mbs_session_begin(session);
  session->playing = playing;
  mbs_status status = mbs_session_close_rates(session);
  if (status == MBS_OK) status = mbs_evaluate(run->system, now->t, now->q, now->v);
  if (status != MBS_OK) return mbs_session_end(session, status);
  now->rates_open = false;
  model->kernels->accelerations(run->system);
  if (run->least.open > 0)
    mbs_choose_reactions(&run->least, run->system);
  else
    model->kernels->reactions(run->system);
  session->evaluated = true;
  return MBS_OK;
}

const double *mbs_session_points(mbs_session *session, int level) {
  if (level > 0 && !session->evaluated) return NULL;
  return record(session, mbs_record_points, level, session->points[level]);
}

const double *mbs_session_reactions(mbs_session *session) {
  return session->evaluated ? record(session, mbs_record_reactions, 0, session->reactions) : NULL;
}
