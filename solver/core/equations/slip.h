/* slip.h - rows of velocity level between two bodies: wheels, edges, rolling balls. */
#ifndef MBS_SLIP_H
#define MBS_SLIP_H

#include "equations/system.h"

/* A contact point of two bodies and a direction there, with their rates; global axes, in the plane z = 0. Both may move
 * relative to both bodies, as the contact point of a wheel does. */
typedef struct mbs_slip_direction {
  double p[3], p_rate[3]; /* [m], [m/s] */
  double u[3], u_rate[3]; /* [1], [1/s] */
} mbs_slip_direction;

/* Computes the row u.(V2(p) - V1(p)) = 0: the material points of the joint's two bodies at p have no relative velocity
 * along u. theory (3.14). The rows of the joint must depend on the bodies of its frames. Position and velocity are
 * those of the system. */
void mbs_slip_row(mbs_system *system, const mbs_joint *joint, const mbs_slip_direction *slip, mbs_custom_row *out);

#endif
