/* rotation_vector.h - the rotation of the second body of a force element against the first, from the declared start, as
 * a vector: its direction is the axis, its length the angle. Euler parameters are continuous along a motion, and with
 * their sign they determine angles from 0 to a full turn. theory (7.25) */
#ifndef MBS_ROTATION_VECTOR_H
#define MBS_ROTATION_VECTOR_H

#include "elements/forces/force.h"

/* Computes the rotation vector theta in the axes of the first body. Sets the fault of the position if the angle is so
 * near a full turn that the vector is not continuous. */
void mbs_rotation_vector(mbs_system *system, const mbs_force *force, double theta[3]);
/* Computes the rate of theta for a relative angular velocity w; all in the same axes. */
void mbs_rotation_vector_rate(const double theta[3], const double w[3], double rate[3]);
/* Computes the moment n with n.w = Q.theta' for every w. */
void mbs_rotation_vector_moment(const double theta[3], const double Q[3], double n[3]);

#endif
