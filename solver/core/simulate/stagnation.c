#include "simulate/stagnation.h"

#include <assert.h>

/* A driver that leads into a dead position makes ever shorter steps: this many of less than this share of the run, all
 * near a loss of rank, do not come through. */
static const double short_share = 1e-6;
enum { SHORT_STEPS_MAX = 200 };
/* So does a load on a structure that has no freedom but a singular one. Leaving a singular position takes many short
 * steps, too, but they grow faster and faster. Windows of steps at a pace that leaves so many steps to go, whose second
 * half grew no more than their first, do not come through. */
static const double hopeless_steps = 1e8;
enum { WINDOW = 2000, WINDOWS = 10 };

/* A window of steps has ended at t. Returns true if the second half of the slow windows grew no more than the first. */
static bool stays_slow(mbs_stagnation *self, double t) {
  const double advance = t - self->window_start;
  /* steps to go at the pace of this window */
  const bool hopeless = (self->model->t_end - t) * WINDOW > hopeless_steps * advance;
  self->window_start = t;
  self->slow_windows = hopeless ? self->slow_windows + 1 : 0;
  if (self->slow_windows == 2) self->windows[0] = advance; /* the first one has the start's own steps */
  if (self->slow_windows == 2 + WINDOWS) self->windows[1] = advance;
  if (self->slow_windows < 2 + 2 * WINDOWS) return false;
  self->slow_windows = 1;
  return advance / self->windows[1] <= self->windows[1] / self->windows[0];
}

bool mbs_stagnation_accepted(mbs_stagnation *self, double t, double step, bool near) {
  const mbs_model *model = self->model;
  assert(self->steps >= 0 && self->slow_windows >= 0);
  const bool slow = near && (!model->driver_count || step < short_share * (model->t_end - model->t_start));
  self->steps = slow ? self->steps + 1 : 0;
  if (model->driver_count) return self->steps > SHORT_STEPS_MAX;
  if (self->steps == 1) {
    self->window_start = t;
    self->slow_windows = 0;
  }
  if (self->steps <= WINDOW) return false;
  self->steps = 2;
  return stays_slow(self, t);
}
