/* The motion of a mechanism along its degrees of freedom, with drivers released: the projection of a motion d onto the
 * constraints, theory (18.6),
 *     u = d - M^-1 C' S^-1 C d.
 * d is the last motion that the user requested or, with one degree of freedom, any motion. */
#include "interactive/session.h"

#include "base/suballocate.h"
#include "equations/jacobian.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "run/run_errors.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Pivot relative to usual pivots below which the mechanism counts as near a rank loss: then only its last motion is
 * used. */
static const double lost_share = 1e-4;

struct mbs_free_motion_work {
  double *missing, *spread; /* [rows], [nv] */
};

bool mbs_session_open_free_motion(mbs_session *session) {
  const mbs_model *model = session->model;
  struct mbs_free_motion_work *free_motion = mbs_arena_alloc(session->arena, 1, sizeof *free_motion);
  double *rest = mbs_arena_alloc(session->arena, model->rows + model->nv + 1, sizeof *rest);
  session->free_motion = free_motion;
  if (!free_motion || !rest) return false;
  free_motion->missing = mbs_suballocate(&rest, model->rows);
  free_motion->spread = mbs_suballocate(&rest, model->nv);
  return true;
}

/* ---- drivers --------------------------------------------------------------------------------------------------- */

void mbs_session_release_drivers(mbs_session *session) {
  assert(session->joint_rows <= session->model->rows);
  mbs_system *system = session->run.system;
  system->drivers_released = session->model->driver_count > 0;
  for (size_t r = session->joint_rows; r < session->model->rows; r++) system->active[r] = false;
  if (session->model->driver_count) system->all_active = false;
}

void mbs_session_restore_drivers(mbs_session *session) {
  assert(session->joint_rows <= session->model->rows);
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  system->drivers_released = false;
  if (!model->driver_count) return;
  system->all_active = true;
  for (size_t r = 0; r < model->rows; r++) {
    if (r >= session->joint_rows) system->active[r] = session->before.active[r];
    system->all_active &= system->active[r];
  }
}

void mbs_session_stop(mbs_session *session) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  mbs_session_restore_drivers(session);
  if (model->driver_count) mbs_constraints(system, MBS_WANT_PHI);
  for (size_t d = 0; d < model->driver_count; d++) {
    /* Phi = g - f */
    const mbs_driver *driver = &model->drivers[d];
    session->now.offsets[model->blocks[driver->block].function] += system->Phi[driver->row];
  }
  memset(session->now.v, 0, model->nv * sizeof *session->now.v);
  session->now.rates_open = model->driver_count > 0;
}

/* ---- motions --------------------------------------------------------------------------------------------------- */

bool mbs_session_near_singular(const mbs_session *session) {
  const mbs_system *system = session->run.system;
  return session->model->rows && system->pivot_ratio < lost_share * system->usual_ratio;
}

void mbs_session_project_velocity(mbs_session *session, double *dv) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  struct mbs_free_motion_work *free_motion = session->free_motion;
  for (int pass = 0; pass < 2 && model->rows; pass++) {
    /* dv - M^-1 C' S^-1 C dv */
    mbs_jacobian_times(system, dv, free_motion->missing);
    mbs_solve_multipliers(system, free_motion->missing);
    mbs_spread_multipliers(system, free_motion->missing, free_motion->spread);
    for (size_t i = 0; i < model->nv; i++) dv[i] -= free_motion->spread[i];
  }
}

static bool has_direction(const mbs_session *session) {
  for (size_t i = 0; i < session->model->nv; i++)
    if (session->now.direction[i] != 0) return true;
  return false;
}

mbs_status mbs_session_find_motion(mbs_session *session, double *u) {
  const mbs_model *model = session->model;
  mbs_system *system = session->run.system;
  bool led = has_direction(session);
  if (mbs_session_mobility(session) < 1 || (!led && mbs_session_mobility(session) > 1))
    return mbs_run_fail(
        &session->run, MBS_LOCK_UP, session->now.t, "",
        led ? "the joints of the mechanism leave no degree of freedom"
            : "the mechanism does not have exactly one degree of freedom; drag a body to choose a motion");
  mbs_constraints(system, MBS_WANT_C);
  mbs_status status = mbs_factor(system);
  if (status != MBS_OK) return status;
  if (led)
    memcpy(u, session->now.direction, model->nv * sizeof *u);
  else
    for (size_t i = 0; i < model->nv; i++) u[i] = sin(1.7 * (double)(i + 1)) * system->v_units[i];
  if (!led || !mbs_session_near_singular(session)) mbs_session_project_velocity(session, u);
  return MBS_OK;
}
