/* state_extension.h - more states that a run integrates with those of its motion, for an observer that asks for them.
 *
 * The states of an extended run are y = [motion (n) | others], where n is that of the motion alone. An observer names
 * the extension and its data (mbs_observer.extension, .extended); derivatives/sensitivity_equations.c has one, forward
 * sensitivities. The loop of dynamics calls it here and knows no more of it. A run with an extension has one segment:
 * where functions of time break, mbs_motion_open() returns MBS_NO_DERIVATIVE. */
#ifndef MBS_STATE_EXTENSION_H
#define MBS_STATE_EXTENSION_H

#include "ode/integrator.h"
#include "simulate/dynamics.h"

typedef struct mbs_state_extension {
  /* Replaces the equations of a motion, *ode, by those of all states, and enlarges the arrays of `self` that have the
   * length of the state. Returns MBS_NO_DERIVATIVE if the motion is none that can be extended. */
  mbs_status (*open)(mbs_dynamics *self, mbs_ode *ode);
  /* Sets the other states of y at the start. */
  void (*start)(const mbs_dynamics *self, double *y);
  /* Sets the units of the other states before the first step, whose start y is on the constraints. */
  mbs_status (*begin)(const mbs_dynamics *self, const double *y);
  /* Tolerances by which states between the ends of steps may be wrong. */
  double dense;
  /* Readings for the observer, as mbs_piece has them; the context is a mbs_observed_step. */
  mbs_status (*slope)(void *context, double t, const mbs_law *law, int tangent, double rate, double nothing,
                      mbs_slope *out);
  mbs_status (*bend)(void *context, double t, const mbs_law *law, int tangent, double *out);
  const double *(*at)(void *context, double t, size_t *stride);
} mbs_state_extension;

#endif
