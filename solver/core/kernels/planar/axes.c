/* Directions of vectors. The row perp(u1).u2 = 0 also holds for opposite vectors, but they must have the same
 * direction, as those of a joint of the tree have. */
#include "base/rotation.h"
#include "kernels/planar/planar.h"

#include <math.h>

/* Returns the angle from u1 to u2, both global. */
static double angle_between(const mbs_system *system, const mbs_joint *joint) {
  const planar_body *bodies = planar_of(system)->bodies;
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const double *u1 = at->u1, *u2 = at->u2;
  return bodies[joint->frames.body2].phi - bodies[joint->frames.body1].phi +
         atan2(u1[0] * u2[1] - u1[1] * u2[0], u1[0] * u2[0] + u1[1] * u2[1]);
}

bool planar_opposite(const mbs_system *system, const mbs_joint *joint) {
  return mbs_keeps_parallel(joint->shape) && cos(angle_between(system, joint)) < 0;
}

/* Turns the second body over about the joint's point; the first if the second is the ground. theory (9.9) */
void planar_align_axes(const mbs_system *system, const mbs_joint *joint, double *q) {
  const mbs_frames *frames = &joint->frames;
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const int body = frames->body2 ? frames->body2 : frames->body1;
  const planar_body *turned = &planar_of(system)->bodies[body];
  const double *s = body == frames->body2 ? at->s2 : at->s1;
  if (!mbs_keeps_parallel(joint->shape)) return;
  const double turn = remainder(angle_between(system, joint), mbs_full_turn),
               angle = turned->phi + (body == frames->body2 ? -turn : turn);
  const double c = cos(angle), sine = sin(angle);
  double *own = q + system->model->first_q[body];
  /* r + A s' - A_new s': the joint's point does not move */
  own[0] = turned->x + (turned->c - c) * s[0] - (turned->s - sine) * s[1];
  own[1] = turned->y + (turned->s - sine) * s[0] + (turned->c - c) * s[1];
  own[2] = angle;
}
