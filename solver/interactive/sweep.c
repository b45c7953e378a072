/* The sweep of a mechanism with one degree of freedom through its positions. A step is a small motion u along the
 * degree of freedom, at first of a given length, followed by a projection onto the constraints; if that finds no
 * position nearby, the step is halved. The sweep is closed when the mechanism is at the start again. If it cannot move
 * on before that, it continues from the start in the other direction. */
#include "interactive/session.h"

#include "base/suballocate.h"
#include "equations/state.h"
#include "run/run_errors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { POSE = 7, POSITIONS_MOST = 1000 }; /* the second one in each direction */
/* Largest number of halvings of a step. */
enum { HALVES_MOST = 6 };
/* A position is accepted if its distance from the last one is between these fractions of the step. */
static const double least_share = 0.3, most_share = 1.5;
/* A position nearer to the start than this fraction of a step counts as the start; the sweep passes it at half a step
 * or less. */
static const double closing_share = 0.6;

struct mbs_sweep {
  mbs_session_state start;
  double *marks, *first; /* [nB x 7] poses; [nv] motion at the start */
  double *motion;        /* [nv] */
  double stride;         /* requested stride, and the next step [extents, radians] */
  double step;
  size_t positions; /* number of positions in this direction */
  bool turned;
};

bool mbs_session_open_sweep(mbs_session *session) {
  const mbs_model *model = session->model;
  struct mbs_sweep *sweep = mbs_arena_alloc(session->arena, 1, sizeof *sweep);
  double *rest = mbs_arena_alloc(session->arena, POSE * model->nB + 2 * model->nv + 1, sizeof *rest);
  session->sweep = sweep;
  if (!sweep || !rest) return false;
  sweep->marks = mbs_suballocate(&rest, POSE * model->nB);
  sweep->first = mbs_suballocate(&rest, model->nv);
  sweep->motion = mbs_suballocate(&rest, model->nv);
  return mbs_session_open_state(model, session->arena, &sweep->start);
}

mbs_status mbs_session_sweep_begin(mbs_session *session, double stride) {
  struct mbs_sweep *sweep = session->sweep;
  mbs_session_begin(session);
  if (mbs_session_mobility(session) != 1 || !(stride > 0))
    return mbs_session_end(
        session,
        mbs_run_fail(&session->run, MBS_OUT_OF_RANGE, session->now.t, "",
                     "a sweep needs a mechanism with exactly one degree of freedom and a step greater than 0"));
  sweep->stride = sweep->step = stride;
  sweep->positions = 0;
  sweep->turned = false;
  mbs_session_mark(session, sweep->marks);
  mbs_session_copy_state(session->model, &session->now, &sweep->start);
  return mbs_session_end(session, MBS_OK);
}

/* Makes a step of this length along the motion. Returns false if there is no position nearby. */
static bool try_step(mbs_session *session, double length, double reach) {
  assert(reach > 0);
  const mbs_model *model = session->model;
  struct mbs_sweep *sweep = session->sweep;
  for (size_t i = 0; i < model->nv; i++) session->now.direction[i] = length / reach * sweep->motion[i];
  mbs_displace(model, session->now.q, session->now.direction, session->now.q);
  if (!mbs_session_project(session, false)) return false;
  double travel = mbs_session_max_displacement(session, session->marks);
  return travel >= least_share * length && travel <= most_share * length;
}

/* Moves from the current position to the next one. theory (18.13) */
static mbs_status advance(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_session_state *now = &session->now;
  struct mbs_sweep *sweep = session->sweep;
  mbs_status status = mbs_session_find_motion(session, sweep->motion);
  if (status != MBS_OK) return status;
  double reach = mbs_session_predicted_displacement(session, sweep->motion);
  mbs_session_mark(session, session->marks);
  for (int half = 0; half < HALVES_MOST && reach > 0; half++) {
    if (try_step(session, sweep->step, reach)) {
      if (sweep->positions == 0 && !sweep->turned)
        memcpy(sweep->first, now->direction, model->nv * sizeof *sweep->first);
      return MBS_OK;
    }
    memcpy(now->q, session->before.q, model->nq * sizeof *now->q);
    mbs_set_position(session->run.system, now->t, now->q);
    sweep->step /= 2;
  }
  return mbs_run_fail(&session->run, MBS_LOCK_UP, now->t, "", "the mechanism cannot move any farther");
}

/* Ends this direction: returns to the start to continue in the other one. */
static mbs_sweep_result turn(mbs_session *session) {
  struct mbs_sweep *sweep = session->sweep;
  bool went = sweep->positions > 0;
  if (sweep->turned || !went) return MBS_SWEEP_DONE;
  mbs_session_begin(session);
  mbs_session_copy_state(session->model, &sweep->start, &session->now);
  for (size_t i = 0; i < session->model->nv; i++) session->now.direction[i] = -sweep->first[i];
  sweep->turned = true;
  sweep->positions = 0;
  sweep->step = sweep->stride;
  mbs_session_end(session, MBS_OK);
  return MBS_SWEEP_REVERSED;
}

mbs_sweep_result mbs_session_sweep_next(mbs_session *session) {
  assert(session->sweep->positions <= POSITIONS_MOST);
  struct mbs_sweep *sweep = session->sweep;
  if (sweep->positions >= POSITIONS_MOST) return turn(session);
  mbs_session_begin(session);
  mbs_session_release_drivers(session);
  mbs_status status = advance(session);
  mbs_session_stop(session);
  if (mbs_session_end(session, status) != MBS_OK) return turn(session);
  sweep->positions++;
  if (sweep->positions > 2 && mbs_session_pose_distance(session, sweep->marks) <= closing_share * sweep->step)
    return MBS_SWEEP_CLOSED;
  sweep->step = fmin(2 * sweep->step, sweep->stride);
  return MBS_SWEEP_MOVED;
}
