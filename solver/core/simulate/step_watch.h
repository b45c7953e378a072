/* step_watch.h - interface for checks of each step: a watch may limit a step before it is made, and receives each
 * accepted step. The simulation loop calls its watches in order and uses only this interface. */
#ifndef MBS_STEP_WATCH_H
#define MBS_STEP_WATCH_H

#include "mbs/status.h"

typedef struct mbs_step_watch {
  void *self;
  /* Returns the longest step from the state y at t [s], whose rates are `dydt`. The system has its position and its
   * velocities. NULL if the watch sets no limit. */
  double (*longest)(void *self, double t, const double *y, const double *dydt);
  /* Receives an accepted step of length `step` [s] to the state y at t. A status other than MBS_OK ends the run. NULL
   * if the watch ignores steps. */
  mbs_status (*accepted)(void *self, double t, double step, const double *y);
} mbs_step_watch;

#endif
