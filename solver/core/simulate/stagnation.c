#include "simulate/stagnation.h"

#include <assert.h>

/* A driver that moves into a dead position makes steps ever shorter. The motion stagnates after SHORT_STEPS_MAX steps
 * near a loss of rank, each shorter than this share of the run. */
static const double short_share = 1e-6;
enum { SHORT_STEPS_MAX = 200 };
/* A load on a structure without degrees of freedom, except at a singular position, stagnates, too. Leaving a singular
 * position takes many short steps, but these grow ever faster. A window of steps is slow if its pace would need this
 * many steps to the end. The motion stagnates if the time that a window covers grows, in the second half of the slow
 * windows, at most by the factor of the first half. */
static const double hopeless_steps = 1e8;
enum { WINDOW = 2000, WINDOWS = 10 };

/* Ends a window of steps at t. Returns true if the motion stagnates: the time that a window covers has grown, in the
 * second half of the slow windows, at most by the factor of the first half. */
static bool stays_slow(mbs_stagnation *self, double t) {
  const double advance = t - self->window_start;
  /* number of steps to the end at the pace of this window */
  const bool hopeless = (self->model->t_end - t) * WINDOW > hopeless_steps * advance;
  self->window_start = t;
  self->slow_windows = hopeless ? self->slow_windows + 1 : 0;
  if (self->slow_windows == 2) self->windows[0] = advance; /* the first window includes the steps of the start */
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
