/* Directions of axes. The rows w1.u2 = n1.u2 = 0 of parallel axes, and w1.n2 = 0 of bodies without relative rotation,
 * also hold if the axes (or w1 and w2) are opposite, but then the angles of the joint have no meaning. */
#include "kernels/spatial/spatial.h"

#include <string.h>

/* Returns true if the joint makes its axes parallel; *turns: its bodies may rotate about them. */
static bool keeps_parallel(const mbs_joint *joint, bool *turns) {
  bool parallel = false;
  *turns = true;
  for (size_t r = 0; r < joint->shape->row_count; r++) {
    const mbs_row *row = &joint->shape->rows[r];
    if (row->primitive != MBS_PRIMITIVE_DOT || row->vector1 != MBS_VECTOR_W) continue;
    if (row->vector2 == MBS_VECTOR_U) parallel = true;
    if (row->vector2 == MBS_VECTOR_N) *turns = false;
  }
  return parallel;
}

static double cosine(const spatial_body *first, const double a[3], const spatial_body *second, const double b[3]) {
  double one[3], two[3];
  mbs_rotate(first->A, a, one);
  mbs_rotate(second->A, b, two);
  return mbs_dot(one, two);
}

bool spatial_opposite(const mbs_system *system, const mbs_joint *joint) {
  const spatial_body *bodies = spatial_of(system)->bodies;
  const spatial_body *first = &bodies[joint->frames.body1], *second = &bodies[joint->frames.body2];
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  bool turns;
  if (!keeps_parallel(joint, &turns)) return false;
  if (cosine(first, at->u1, second, at->u2) < 0) return true;
  return !turns && cosine(first, at->w1, second, at->w2) < 0;
}

/* Turns the second body over about the joint's point; the first if the second is the ground. theory (9.9) */
void spatial_align_axes(const mbs_system *system, const mbs_joint *joint, double *q) {
  const spatial_body *bodies = spatial_of(system)->bodies;
  const mbs_frames *frames = &joint->frames;
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const spatial_body *first = &bodies[frames->body1], *second = &bodies[frames->body2];
  int body = frames->body2 ? frames->body2 : frames->body1;
  const spatial_body *turned = &bodies[body];
  const double *s = body == frames->body2 ? at->s2 : at->s1;
  double u1[3], u2[3], zero[4], p[4], turn[4], back[4], A[9], before[3], after[3], along = 0;
  bool turns;
  if (!keeps_parallel(joint, &turns)) return;
  if (body == frames->body2) { /* zero: orientation of the body where the rotation is zero */
    mbs_euler_product(first->p, at->zero, zero);
  } else {
    mbs_euler_inverse(at->zero, back);
    mbs_euler_product(second->p, back, zero);
  }
  memcpy(p, zero, sizeof p);
  if (turns) { /* turns by the smallest rotation, and to an angle below half a revolution */
    mbs_rotate(first->A, at->u1, u1);
    mbs_rotate(second->A, at->u2, u2);
    mbs_euler_between(body == frames->body2 ? u2 : u1, body == frames->body2 ? u1 : u2, turn);
    /* p = (u_2 to u_1) p of the body */
    mbs_euler_product(turn, turned->p, p);
    for (int k = 0; k < 4; k++) along += p[k] * zero[k];
    for (int k = 0; k < 4 && along < 0; k++) p[k] = -p[k];
  }
  mbs_euler_normalize(p, p);
  mbs_euler_matrix(p, A);
  mbs_rotate(turned->A, s, before);
  mbs_rotate(A, s, after);
  double *own = q + system->model->first_q[body];
  /* r + A s' - A_new s': the joint's point does not move */
  for (int k = 0; k < 3; k++) own[k] = turned->r[k] + before[k] - after[k];
  memcpy(own + 3, p, sizeof p);
}
