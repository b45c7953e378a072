/* stagnation.h - detects motions that stagnate near a loss of rank, with ever shorter steps. */
#ifndef MBS_STAGNATION_H
#define MBS_STAGNATION_H

#include "model/model.h"

typedef struct mbs_stagnation {
  const mbs_model *model;
  int steps;           /* successive short steps near a loss of rank; without drivers, those of the current window */
  double window_start; /* [s] */
  double windows[2];   /* progress in the first and in the middle slow window [s] */
  int slow_windows;
} mbs_stagnation;

/* Updates the count after an accepted step of length `step` [s] to t; `near` is true if it ended near a loss of rank.
 * Returns true if the motion stagnates. */
bool mbs_stagnation_accepted(mbs_stagnation *self, double t, double step, bool near);

#endif
