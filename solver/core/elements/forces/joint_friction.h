/* joint_friction.h - dry friction in joints: slip, and the load by the joint's reaction. */
#ifndef MBS_JOINT_FRICTION_H
#define MBS_JOINT_FRICTION_H

#include "elements/forces/friction_law.h"
#include "model/touch.h"

/* Numbers of friction in a joint, or between a point and the plane of the ground. */
typedef struct mbs_joint_friction {
  mbs_friction_law law; /* a smooth law */
  mbs_dry_friction dry;
  double radius;       /* r [m]; 1 for a slide */
  double length;       /* L [m]; 0: not given */
  double axial_radius; /* [m]; 0: not given */
} mbs_joint_friction;

/* Indices of the laws of a force element of this class. */
enum { MBS_FRICTION_PRELOAD, MBS_FRICTION_BELT };

/* Adds the touch of a force element with dry friction; its frames and its coordinate must be set. `joint`: index, or -1
 * for a point. `free_slip`: the slip has all directions of a cylindrical, spherical or planar joint; then only the
 * first has a coordinate. */
void mbs_add_joint_friction(mbs_builder *builder, mbs_force *force, int joint, bool preloaded, bool free_slip);

/* Returns a note if the friction of an element is open, because a prescribed motion has no slip; else NULL. */
const char *mbs_warn_friction_at_rest(const struct mbs_system *system, const mbs_force *force);

#endif
