/* start.c - starts a motion at the corrected start, or at the static equilibrium found from there. */
#include "run/start.h"

#include "equations/state.h"
#include "run/notes.h"
#include "simulate/analyses.h"
#include "simulate/linearize.h"
#include "simulate/static_equilibrium.h"

#include <string.h>

/* Notes an equilibrium that is unstable by the equations linearized about it, with held drivers, or by its stiffness if
 * these equations do not exist. */
static mbs_status note_unstable(mbs_run_state *run, int stiffness) {
  const size_t size = run->model->nv * sizeof *run->v;
  double *moving = mbs_arena_alloc(run->system->arena, run->model->nv + 1, sizeof *moving);
  int stable = stiffness;
  if (!moving) return MBS_NO_MEMORY;
  memcpy(moving, run->v, size);
  memset(run->v, 0, size);
  run->system->drivers_held = true;
  mbs_status status = mbs_equilibrium_stability(run, &stable);
  run->system->drivers_held = false;
  memcpy(run->v, moving, size);
  mbs_set_position(run->system, run->model->t_start, run->q);
  mbs_set_velocity(run->system, run->v);
  if (status == MBS_OK && stable == 0)
    mbs_run_note(run, "the initial equilibrium is unstable: the smallest disturbance grows; another start may lead to "
                      "a stable equilibrium");
  return status;
}

mbs_status mbs_run_start_motion(mbs_run_state *run) {
  if (!run->model->from_equilibrium) return mbs_run_start(run);
  double *lambda = mbs_arena_alloc(run->system->arena, run->model->rows + 1, sizeof *lambda);
  if (!lambda) return MBS_NO_MEMORY;
  int stiffness = -1;
  mbs_status status = mbs_run_place(run);
  if (status == MBS_OK && run->model->discrete_count > 0) status = mbs_run_sample_start(run);
  if (status == MBS_OK) status = mbs_find_equilibrium(run, lambda, &stiffness);
  run->system->drivers_held = false;
  if (status == MBS_OK) status = mbs_run_start_at_equilibrium(run);
  if (status == MBS_OK) status = mbs_run_prepare(run);
  return status == MBS_OK && !run->observer ? note_unstable(run, stiffness) : status;
}
