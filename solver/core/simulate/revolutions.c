#include "simulate/revolutions.h"

#include "equations/state.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* If an integrated angle and the angle of the orientation differ by more over a step, the step is too long to determine
 * full revolutions [rad]. */
static const double parted = 0.25;

bool mbs_revolutions_open(mbs_revolutions *self, const mbs_model *model, mbs_arena *arena) {
  self->count = mbs_turn_count(&model->state);
  assert(self->count == model->kernels->integrated_angles(model));
  self->expected = mbs_arena_alloc(arena, 3 * self->count + 1, sizeof *self->expected);
  if (!self->expected) return false;
  self->turned = self->expected + self->count;
  self->drift = self->turned + self->count;
  return true;
}

void mbs_revolutions_expect(const mbs_revolutions *self, mbs_system *system, const double *y) {
  if (!self->count) return;
  /* theta* = integral + drift */
  for (size_t k = 0; k < self->count; k++) self->expected[k] = y[system->model->state.turns + k] + self->drift[k];
  system->kernels->expect_integrated_angles(system, self->expected);
}

mbs_status mbs_revolutions_check(const mbs_revolutions *self, mbs_system *system, double t, const double *y) {
  if (!self->count) return MBS_OK;
  mbs_set_position(system, t, y);
  system->kernels->read_integrated_angles(system, 0, self->turned);
  /* |theta - theta*| */
  for (size_t k = 0; k < self->count; k++)
    if (!(fabs(self->turned[k] - self->expected[k]) <= parted)) return MBS_NOT_ASSEMBLED;
  return MBS_OK;
}

void mbs_revolutions_accept(mbs_revolutions *self, const mbs_model *model, const double *y) {
  /* drift = theta - integral */
  for (size_t k = 0; k < self->count; k++) self->drift[k] = self->turned[k] - y[model->state.turns + k];
}

void mbs_revolutions_restart(mbs_revolutions *self, mbs_system *system, double *y) {
  memset(self->drift, 0, self->count * sizeof *self->drift);
  if (self->count) system->kernels->read_integrated_angles(system, 0, y + system->model->state.turns);
}
