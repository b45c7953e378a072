/* sensitivity_equations.h - a motion together with its tangents, how its state changes with parameters:
 *
 *   s_j = dy/dp_j,   s_j' = (df/dy) s_j + df/dp_j,
 *
 * integrated with the state y' = f(t, y, p), whose step control counts them. What is differentiated along s_j is what
 * the run itself evaluates, by differences in a direction: of f, of Phi and of C v - rhsV, onto whose zeros tangents
 * are projected as the state is, and of expressions that an observer reads. theory (19.10) to (19.13)
 *
 * Only of a motion that is smooth in its parameters: no switches, no breaks of functions of time, no position near a
 * loss of rank. Any other ends the run with MBS_NO_DERIVATIVE, which is no error of the motion: it says that tangents
 * do not tell. */
#ifndef MBS_SENSITIVITY_EQUATIONS_H
#define MBS_SENSITIVITY_EQUATIONS_H

#include "model/constants.h"

/* The places of a difference, in steps from the state: D = sum of w_k x_k, with these weights, to the fourth order. */
enum { MBS_FD_POINTS = 4 };

/* What parameters change by along a direction: those of these tangents, by so much for a step of 1. */
typedef struct mbs_parameter_direction {
  size_t count; /* 0: none, the state alone moves */
  const size_t *of;
  const double *by;
} mbs_parameter_direction;

/* How far differences of one kind reach along a direction, and the numbers of the model where they are taken. */
typedef struct mbs_fd_step {
  mbs_parameter_direction direction;
  mbs_constants *displaced[MBS_FD_POINTS]; /* for p - 2 step, p - step, p + step, p + 2 step */
  struct mbs_lane_numbers *lanes;          /* the same, a lane each; NULL: the model is none that lanes take */
  double size;                             /* of the parameter */
  double width;                            /* what steps are shares of: its size, or more, where that changes little */
  bool bounded;                            /* the width may not grow */
  double share;                            /* how far differences reach, in units of the state or widths of p */
  double step;                             /* that `beside` is bound to; 0: none yet */
} mbs_fd_step;

/* By a parameter. */
typedef struct mbs_tangent {
  size_t index;              /* its own */
  double size;               /* of the parameter; 1 where it is 0 */
  double counted;            /* errors are counted for a change of the parameter by this */
  double most;               /* the largest extent of the tangent, in units of the state */
  const double *start;       /* [nq + nv] ds of the start */
  mbs_fd_step motion, reads; /* of what is integrated; of what is read along it */
} mbs_tangent;

typedef struct mbs_tangents {
  size_t count;
  mbs_tangent *of; /* [count] */
  /* Binds constants to p + step by; false: the model refuses that. */
  bool (*bind)(void *user, const mbs_parameter_direction *direction, double step, mbs_constants *constants);
  void *user;
  struct mbs_tangent_work *work; /* of the run */
} mbs_tangents;

/* The extension of a run that has them (state_extension.h); its data is a mbs_tangents. */
extern const struct mbs_state_extension mbs_tangents_extension;

#endif
