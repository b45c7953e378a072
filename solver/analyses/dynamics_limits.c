/* dynamics_limits.c - rows of results at a position where the constraints lose their rank. The equations tell no
 * accelerations and multipliers there; the motion does, by what they tend to from both sides:
 *
 *   m(d) = (x(t + d) + x(t - d)) / 2,   x(t) = (4 m(d) - m(2 d)) / 3 + O(d^4)
 *
 * in the states q +- d v, v, moved onto the constraints. theory (11.14) */
#include "analyses/dynamics.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* How far the states beside are, in units of the state: rounding grows as 1 / d^3, what is left out as d^4. */
static const double reach = 1e-2;

/* With d half as long the two sides are half as far apart where there is a limit, and the means as good as the same. */
static const double apart_share = 0.75, same_share = 0.1, rounded = 1e-6;

enum { PLACES = 4 };
static const int places[PLACES] = {-2, -1, 1, 2};

struct mbs_dynamics_limit {
  double *y, *step;       /* a state beside; [nv] the way there */
  double *vdot[PLACES];   /* [nv] */
  double *lambda[PLACES]; /* [rows] */
};

static mbs_dynamics_limit *open_limit(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  mbs_dynamics_limit *limit = mbs_arena_alloc(arena, 1, sizeof *limit);
  double *numbers = mbs_arena_alloc(
      arena, self->first_turn + self->turns + (PLACES + 1) * model->nv + PLACES * model->rows + 1, sizeof *numbers);
  if (!limit || !numbers) return NULL;
  limit->y = numbers;
  limit->step = numbers + self->first_turn + self->turns;
  for (size_t k = 0; k < PLACES; k++) {
    limit->vdot[k] = limit->step + model->nv + k * (model->nv + model->rows);
    limit->lambda[k] = limit->vdot[k] + model->nv;
  }
  return limit;
}

/* Accelerations and multipliers in the state d after that of the row, self->y. */
static mbs_status evaluate_beside(mbs_dynamics *self, double t, double d, double *vdot, double *lambda) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const mbs_dynamics_limit *limit = self->limit;
  double *q = limit->y, *v = limit->y + model->nq;
  memcpy(limit->y, self->y, (self->first_turn + self->turns) * sizeof *limit->y);
  for (size_t i = 0; i < model->nv; i++) limit->step[i] = d * v[i];
  mbs_displace(model, q, limit->step, q);
  mbs_status status = mbs_dynamics_keep_constraints(self, t + d, limit->y);
  if (status == MBS_OK) status = mbs_evaluate(system, t + d, q, v);
  if (status == MBS_OK && mbs_dynamics_is_blurred(system)) status = MBS_SINGULAR_POSITION;
  memcpy(vdot, system->vdot, model->nv * sizeof *vdot);
  memcpy(lambda, system->lambda, model->rows * sizeof *lambda);
  return status;
}

/* What x [PLACES][n] tends to between the places; false: nothing, it jumps or grows there. */
static bool take_limit(double *const x[PLACES], size_t n, double *out) {
  double size = 0, near = 0, far = 0, moved = 0;
  for (size_t i = 0; i < n; i++) {
    const double inner = 0.5 * (x[1][i] + x[2][i]), outer = 0.5 * (x[0][i] + x[3][i]);
    size = fmax(size, fmax(fabs(x[1][i]), fabs(x[2][i])));
    near = fmax(near, fabs(x[2][i] - x[1][i]));
    far = fmax(far, fabs(x[3][i] - x[0][i]));
    moved = fmax(moved, fabs(inner - outer));
    out[i] = (4 * inner - outer) / 3;
  }
  return mbs_finite(out, n) && near <= apart_share * far + rounded * size && moved <= same_share * size;
}

bool mbs_dynamics_stand_at_limit(mbs_dynamics *self, double t) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const double *v = self->y + model->nq;
  if (model->switch_count || model->memory_count || !mbs_dynamics_keeps_constraints(self)) return false;
  const double speed = mbs_largest_in_units(v, system->v_units, model->nv);
  if (!(speed > 0) || (!self->limit && !(self->limit = open_limit(self)))) return false;
  for (int k = 0; k < PLACES; k++)
    if (evaluate_beside(self, t, places[k] * reach / speed, self->limit->vdot[k], self->limit->lambda[k]) != MBS_OK)
      return false;
  mbs_dynamics_expect_turns(self, self->y);
  mbs_set_position(system, t, self->y);
  mbs_set_velocity(system, v);
  return system->fault.status == MBS_OK && take_limit(self->limit->vdot, model->nv, system->vdot) &&
         take_limit(self->limit->lambda, model->rows, system->lambda);
}
