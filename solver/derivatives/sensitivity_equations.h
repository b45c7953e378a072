/* sensitivity_equations.h - integrates a motion with its tangents, the derivatives of its state by parameters:
 *
 *   s_j = dy/dp_j,   s_j' = (df/dy) s_j + df/dp_j,
 *
 * together with the state y' = f(t, y, p). Step control includes the errors of the tangents. Derivatives along s_j are
 * central differences of what the run itself evaluates: of f, of Phi and C v - rhsV, onto whose zeros tangents are
 * projected like the state, and of expressions that an observer reads. theory (19.10) to (19.13)
 *
 * The motion must be smooth in its parameters: no switches, no breakpoints of functions of time, no position near a
 * loss of rank. Otherwise the run ends with MBS_NO_DERIVATIVE. That status is not an error of the motion: it means that
 * forward sensitivity does not apply. */
#ifndef MBS_SENSITIVITY_EQUATIONS_H
#define MBS_SENSITIVITY_EQUATIONS_H

#include "model/constants.h"

/* Number of points of a central difference of fourth order, at these offsets from the state in steps
 * (mbs_fd_offsets). */
enum { MBS_FD_POINTS = 4 };

/* The change of the parameters along a direction: for a step of 1, parameter of tangent of[k] changes by by[k]. */
typedef struct mbs_parameter_direction {
  size_t count; /* number of parameters; 0: only the state changes */
  const size_t *of;
  const double *by;
} mbs_parameter_direction;

/* Step of the differences of one kind along a direction, and the model's constants at their points. */
typedef struct mbs_fd_step {
  mbs_parameter_direction direction;
  mbs_constants *displaced[MBS_FD_POINTS]; /* constants at p - 2 step, p - step, p + step, p + 2 step */
  struct mbs_lane_numbers *lanes; /* displaced constants, one set per lane; NULL: lanes do not support the model */
  double size;                    /* size of the parameter */
  double width;                   /* the scale of parameter steps: its size, or more if that changes little */
  bool bounded;                   /* the width must not grow */
  double share;                   /* step as a share of the state's scales or of the width */
  double step;                    /* current step, for which `displaced` is bound; 0: none yet */
} mbs_fd_step;

/* Derivative of the state by a parameter. */
typedef struct mbs_tangent {
  size_t index;              /* index of the tangent */
  double size;               /* size of the parameter; 1 if it is 0 */
  double counted;            /* change of the parameter for which errors are counted */
  double most;               /* largest extent of the tangent, in scales of the state */
  const double *start;       /* [nq + nv] ds at the start */
  mbs_fd_step motion, reads; /* steps for integrated values, and for values read along the motion */
} mbs_tangent;

typedef struct mbs_tangents {
  size_t count;
  mbs_tangent *of; /* [count] */
  /* Binds constants to p + step direction. Returns false if the model rejects these values. */
  bool (*bind)(void *user, const mbs_parameter_direction *direction, double step, mbs_constants *constants);
  void *user;
  struct mbs_tangent_work *work; /* workspace of the run */
} mbs_tangents;

/* State extension that integrates tangents (state_extension.h); its data is a mbs_tangents. */
extern const struct mbs_state_extension mbs_tangents_extension;

#endif
