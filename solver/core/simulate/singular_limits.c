/* singular_limits.c - rows of results at a position where the constraints lose their rank. The equations do not
 * determine accelerations and multipliers there. Their limits from both sides along the motion do:
 *
 *   m(d) = (x(t + d) + x(t - d)) / 2,   x(t) = (4 m(d) - m(2 d)) / 3 + O(d^4)
 *
 * in the states q +- d v, v, projected onto the constraints. theory (11.14) */
#include "simulate/dynamics.h"

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* Scaled distance d of the neighbouring states: rounding grows as 1 / d^3, the truncation error as d^4. */
static const double reach = 1e-2;

/* If there is a limit, half the distance d halves the difference of the two sides, and hardly changes their mean. */
static const double apart_share = 0.75, same_share = 0.1, rounded = 1e-6;

enum { PLACES = 4 };
static const int places[PLACES] = {-2, -1, 1, 2};

struct mbs_dynamics_limit {
  double *y, *step;       /* a neighbouring state; [nv] the displacement to it */
  double *vdot[PLACES];   /* [nv] */
  double *lambda[PLACES]; /* [rows] */
};

static mbs_dynamics_limit *open_limit(const mbs_dynamics *self) {
  const mbs_model *model = self->run->model;
  mbs_arena *arena = self->run->system->arena;
  mbs_dynamics_limit *limit = mbs_arena_alloc(arena, 1, sizeof *limit);
  double *numbers =
      mbs_arena_alloc(arena, model->state.size + (PLACES + 1) * model->nv + PLACES * model->rows + 1, sizeof *numbers);
  if (!limit || !numbers) return NULL;
  limit->y = numbers;
  limit->step = numbers + model->state.size;
  for (size_t k = 0; k < PLACES; k++) {
    limit->vdot[k] = limit->step + model->nv + k * (model->nv + model->rows);
    limit->lambda[k] = limit->vdot[k] + model->nv;
  }
  return limit;
}

/* Largest pivots of a mechanism near a loss of rank, as a share of the usual ones. */
static const double beside_share = 1e-3;

/* Moves the state of the row, self->y, by d along its velocity, projects it into limit->y, and evaluates it. */
static mbs_status evaluate_at(mbs_dynamics *self, double t, double d) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const mbs_dynamics_limit *limit = self->lost.limit;
  double *q = limit->y, *v = limit->y + model->state.v;
  memcpy(limit->y, self->y, model->state.size * sizeof *limit->y);
  for (size_t i = 0; i < model->nv; i++) limit->step[i] = d * v[i];
  mbs_displace(model, q, limit->step, q);
  const mbs_status status = mbs_dynamics_keep_constraints(self, t + d, limit->y);
  return status == MBS_OK ? mbs_evaluate(system, t + d, q, v) : status;
}

/* Computes accelerations and multipliers in that state. Projects as near a loss of rank, exactly and with factors of
 * that state. If the usual pivots are not known, estimates them from the pivots of the state. */
static mbs_status evaluate_beside(mbs_dynamics *self, double t, double d, double *vdot, double *lambda) {
  mbs_system *system = self->run->system;
  const double usual = system->usual_ratio;
  const bool own = system->fresh_factors;
  mbs_status status = evaluate_at(self, t, d);
  system->usual_ratio = fmax(usual, system->pivot_ratio / beside_share);
  system->fresh_factors = true;
  if (status == MBS_OK) status = evaluate_at(self, t, d);
  if (status == MBS_OK && mbs_dynamics_has_lost_rank(system)) status = MBS_SINGULAR_POSITION;
  system->usual_ratio = usual;
  system->fresh_factors = own;
  memcpy(vdot, system->vdot, system->model->nv * sizeof *vdot);
  memcpy(lambda, system->lambda, system->model->rows * sizeof *lambda);
  return status;
}

/* Computes the limit of x [PLACES][n] between the places. Returns false if there is none, because x jumps or grows
 * there. Each number is relative to its unit (NULL: 1); differences are relative to the largest number, or to `least`
 * if that is larger. */
static bool take_limit(double *const x[PLACES], const double *units, size_t n, double least, double *out) {
  double size = least, near = 0, far = 0, moved = 0;
  for (size_t i = 0; i < n; i++) {
    const double inner = 0.5 * (x[1][i] + x[2][i]), outer = 0.5 * (x[0][i] + x[3][i]), unit = units ? units[i] : 1;
    size = fmax(size, fmax(fabs(x[1][i]), fabs(x[2][i])) / unit);
    near = fmax(near, fabs(x[2][i] - x[1][i]) / unit);
    far = fmax(far, fabs(x[3][i] - x[0][i]) / unit);
    moved = fmax(moved, fabs(inner - outer) / unit);
    out[i] = (4 * inner - outer) / 3;
  }
  return mbs_finite(out, n) && near <= apart_share * far + rounded * size && moved <= same_share * size;
}

bool mbs_dynamics_evaluate_limit(mbs_dynamics *self, double t) {
  mbs_system *system = self->run->system;
  const mbs_model *model = system->model;
  const double *v = self->y + model->state.v;
  if (model->switch_count || model->memory_count || !mbs_dynamics_keeps_constraints(self)) return false;
  const double speed = mbs_largest_in_units(v, system->v_units, model->nv);
  if (!(speed > 0) || (!self->lost.limit && !(self->lost.limit = open_limit(self)))) return false;
  for (int k = 0; k < PLACES; k++)
    if (evaluate_beside(self, t, places[k] * reach / speed, self->lost.limit->vdot[k], self->lost.limit->lambda[k]) !=
        MBS_OK)
      return false;
  mbs_dynamics_enter(self, self->y);
  mbs_set_position(system, t, self->y);
  mbs_set_velocity(system, v);
  return system->fault.status == MBS_OK &&
         take_limit(self->lost.limit->vdot, system->v_units, model->nv, speed * speed, system->vdot) &&
         take_limit(self->lost.limit->lambda, NULL, model->rows, 0, system->lambda);
}
