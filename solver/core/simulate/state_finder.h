/* state_finder.h - finds states inside a step several at a time, for an observer that looks there.
 *
 * An observer names the finder (mbs_observer.finder). The loop asks it before it finds a state by itself, and knows no
 * more of it; batch/lane_finder.c is one, in SIMD lanes. */
#ifndef MBS_STATE_FINDER_H
#define MBS_STATE_FINDER_H

#include "simulate/dynamics.h"

typedef struct mbs_state_finder {
  /* Creates the workspace *out of a finder for states of so many numbers, in the system's arena; NULL if the motion
   * does not suit it. Returns false if memory runs out. */
  bool (*open)(const mbs_dynamics *self, size_t states, void **out);
  /* Returns how many states are found at a time. */
  size_t (*width)(const void *finder);
  /* Finds the states at `count` times, as mbs_piece.ahead; the context is a mbs_observed_step. */
  void (*find)(void *context, size_t count, const double *times);
  /* Sets the system and self->y to the state at t. Returns false if it was not found or is out of date. */
  bool (*show)(const mbs_dynamics *self, double t);
} mbs_state_finder;

#endif
