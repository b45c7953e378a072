/* state_finder.h - finds several states inside a step in one batch, for an observer.
 *
 * An observer names the finder (mbs_observer.finder). The simulation loop calls it before it finds a state itself, and
 * uses no other function of it. An example is batch/lane_finder.c, which uses SIMD lanes. */
#ifndef MBS_STATE_FINDER_H
#define MBS_STATE_FINDER_H

#include "simulate/dynamics.h"

typedef struct mbs_state_finder {
  /* Creates the workspace *out of a finder for states of `states` numbers, in the system's arena; NULL if the motion is
   * not supported. Returns false if memory runs out. */
  bool (*open)(const mbs_dynamics *self, size_t states, void **out);
  /* Returns how many states are found at a time. */
  size_t (*width)(const void *finder);
  /* Finds the states at `count` times, like mbs_piece.ahead; the context is a mbs_observed_step. */
  void (*find)(void *context, size_t count, const double *times);
  /* Sets the system and self->y to the state at t. Returns false if it was not found or is no longer valid. */
  bool (*show)(const mbs_dynamics *self, double t);
} mbs_state_finder;

#endif
