/* slip.h - rows of velocity level between two bodies: wheels, edges, rolling balls. */
#ifndef MBS_SLIP_H
#define MBS_SLIP_H

#include "equations/system.h"

/* A point or a vector with its rate, global axes; in the plane z = 0. */
typedef struct mbs_moving {
  double at[3], rate[3];
} mbs_moving;

/* A contact point p of two bodies and a direction u there. Both may move relative to both bodies, as the contact point
 * of a wheel does. */
typedef struct mbs_slip_direction {
  mbs_moving p, u;
} mbs_slip_direction;

/* Returns the point s (body axes) of a body. */
mbs_moving mbs_moving_point(const mbs_system *system, int body, const double s[3]);
/* Returns a vector that is fixed in a body, given in body axes. */
mbs_moving mbs_moving_vector(const mbs_system *system, int body, const double own[3]);
/* Returns a x b. */
mbs_moving mbs_moving_cross(const mbs_moving *a, const mbs_moving *b);
/* Returns a / norm(a); its length goes to *length unless that is NULL. */
mbs_moving mbs_moving_unit(const mbs_moving *a, double *length);

/* Adds `sign` times a force and a moment on a body of the joint to D of a row. `force` may be NULL. */
void mbs_row_add_wrench(const mbs_system *system, const mbs_joint *joint, int body, double sign, const double force[3],
                        const double moment[3], mbs_custom_row *out);

/* Computes the row u.(V2(p) - V1(p)) = 0: the material points of the joint's two bodies at p have no relative velocity
 * along u. theory (3.14). The rows of the joint must depend on the bodies of its frames. Position and velocity are
 * those of the system. */
void mbs_slip_row(mbs_system *system, const mbs_joint *joint, const mbs_slip_direction *slip, mbs_custom_row *out);
/* Computes the row scale e.(omega2 - omega1) = 0 likewise: the joint's bodies do not turn against each other about e.
 * theory (3.14) */
void mbs_turn_row(mbs_system *system, const mbs_joint *joint, const mbs_moving *e, double scale, mbs_custom_row *out);

#endif
