/* state_extension.h - additional states that a run integrates with those of its motion, for an observer.
 *
 * The states of an extended run are y = [motion (n) | others], where n is that of the motion alone. An observer names
 * the extension and its data (mbs_observer.extension, .extended); an example is derivatives/tangents.c, forward
 * sensitivities. The simulation loop uses only this interface. A run with an extension has one segment: if functions of
 * time have breaks, mbs_motion_open() returns MBS_NO_DERIVATIVE. */
#ifndef MBS_STATE_EXTENSION_H
#define MBS_STATE_EXTENSION_H

#include "ode/integrator.h"
#include "simulate/dynamics.h"

typedef struct mbs_state_extension {
  /* Replaces the equations of a motion, *ode, by those of all states, and enlarges the arrays of `self` that have the
   * length of the state. Returns MBS_NO_DERIVATIVE if the motion cannot be extended. */
  mbs_status (*open)(mbs_dynamics *self, mbs_ode *ode);
  /* Sets the other states of y at the start. */
  void (*start)(const mbs_dynamics *self, double *y);
  /* Sets the scales of the other states before the first step, whose start y is on the constraints. */
  mbs_status (*begin)(const mbs_dynamics *self, const double *y);
  /* Largest additional error of states between the ends of steps, in tolerances. */
  double dense;
  /* Read values for the observer, like those of mbs_piece; the context is a mbs_observed_step. */
  mbs_status (*slope)(void *context, double t, const mbs_law *law, const double *mode, int tangent, double rate,
                      double nothing, mbs_slope *out);
  mbs_status (*bend)(void *context, double t, const mbs_law *law, int tangent, double *out);
  const double *(*at)(void *context, double t, size_t *stride);
} mbs_state_extension;

#endif
