/* stagnation.h - recognizes motions that make ever shorter steps near a loss of rank and do not come through. */
#ifndef MBS_STAGNATION_H
#define MBS_STAGNATION_H

#include "model/model.h"

typedef struct mbs_stagnation {
  const mbs_model *model;
  int steps;           /* successive short steps near a loss of rank; of a load, those of the present window */
  double window_start; /* [s] */
  double windows[2];   /* progress of the first and the middle slow window [s] */
  int slow_windows;
} mbs_stagnation;

/* Sees an accepted step of length `step` [s] that ended at t; `near` is true if it ended near a loss of rank. Returns
 * true if the motion does not come through. */
bool mbs_stagnation_accepted(mbs_stagnation *self, double t, double step, bool near);

#endif
