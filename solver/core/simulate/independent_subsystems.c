/* independent_subsystems.c - the subsystems of a model as parts of the state, for the Jacobian of stiff methods. */
#include "model/subsystems.h"
#include "simulate/dynamics.h"

bool mbs_dynamics_find_parts(const mbs_dynamics *self, const mbs_ode_parts **out) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  int *of = mbs_arena_alloc(arena, model->state.motion + 1, sizeof *of);
  mbs_ode_parts *listed = mbs_arena_alloc(arena, 1, sizeof *listed);
  mbs_subsystems found;
  *out = NULL;
  if (!of || !listed || !mbs_subsystems_find(model, arena, &found)) return false;
  if (found.count < 2) return true;
  for (int b = 1; b <= (int)model->nB; b++) {
    for (int k = model->first_q[b]; k < model->first_q[b + 1]; k++) of[k] = found.of[b];
    for (int k = model->first_v[b]; k < model->first_v[b + 1]; k++) of[model->state.v + (size_t)k] = found.of[b];
  }
  *listed = (mbs_ode_parts){found.count, of, found.first, found.others};
  *out = listed;
  return true;
}
