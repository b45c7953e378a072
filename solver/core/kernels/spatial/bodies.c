/* Spatial kinematics of the tree, from the ground to the leaves. A joint is a translation along axes a_k of its first
 * body, then a rotation about P2 to the second body:
 *
 *     A_2 = A_1 A(turns),   r_P2 = r_P1 + sum q_k a_k
 *
 *     turn     A(turns) = A(u, theta) A(zero); with a pitch h also a slide h theta along u
 *     cross    A(u, theta_1) A(w1, theta_2) A(zero), of a universal joint
 *     ball     A(e0, e1, e2, e3); its velocity is omega_2 - omega_1 in the first body's axes
 *     float    r, then Euler parameters; velocities r', omega in global axes
 *
 * A joint is evaluated from its first body to its second, or (`reversed`) the other way; the meaning of its coordinates
 * does not change. e is the vector from P2 to the child's mass centre, g = d - e from the parent's to P2. */
#include "kernels/spatial/spatial.h"
#include "model/rows.h"

#include <string.h>

static void quaternion_left(const mbs_real u[3], const mbs_real p[4], mbs_real out[4]) {
  const mbs_real pure[4] = {MBS_ALL(0), u[0], u[1], u[2]};
  mbs_euler_product(pure, p, out);
}

spatial_joint spatial_joint_of(const mbs_joint *joint, bool reversed) {
  const mbs_joint_shape *shape = joint->shape;
  spatial_joint out = {.motion = SPATIAL_RIGID, .reversed = reversed};
  for (size_t k = 0; k < shape->coordinate_count; k++) switch (shape->coordinates[k].primitive) {
    case MBS_PRIMITIVE_ALONG: out.slide_count++; break;
    case MBS_PRIMITIVE_TURN: out.motion = SPATIAL_TURN; break;
    case MBS_PRIMITIVE_CROSS1: out.motion = SPATIAL_CROSS; break;
    default: out.motion = out.motion == SPATIAL_RIGID ? SPATIAL_BALL : out.motion;
    }
  if (out.motion == SPATIAL_BALL && out.slide_count == 3) out.motion = SPATIAL_FLOAT;
  out.pitched = shape->pitch;
  out.slides = out.slide_count > 0 || shape->pitch;
  return out;
}

spatial_constants spatial_constants_of(const mbs_joint *joint, const mbs_joint_constants *numbers, bool reversed) {
  const mbs_geometry *at = &numbers->geometry;
  spatial_constants out = {.pitch = numbers->pitch};
  int slides = 0;
  memcpy(out.sp, reversed ? at->s2 : at->s1, sizeof out.sp);
  memcpy(out.sc, reversed ? at->s1 : at->s2, sizeof out.sc);
  memcpy(out.u, at->u1, sizeof out.u);
  memcpy(out.u2, at->u2, sizeof out.u2);
  memcpy(out.zero, at->zero, sizeof out.zero);
  /* (0, u) p_0, (0, w_1) p_0, (0, u) (0, w_1) p_0 */
  quaternion_left(out.u, out.zero, out.zero_turned);
  quaternion_left(at->w1, out.zero, out.cross);
  quaternion_left(out.u, out.cross, out.cross_turned);
  for (size_t k = 0; k < joint->shape->coordinate_count; k++) {
    const mbs_row *row = &joint->shape->coordinates[k];
    mbs_geometry chosen = *at;
    if (row->primitive != MBS_PRIMITIVE_ALONG) continue;
    mbs_row_vectors(row, &chosen);
    memcpy(out.slide[slides++], chosen.u1, sizeof chosen.u1);
  }
  return out;
}

/* Computes the Euler parameters of the second body relative to the first. theory (2.9) */
static inline void rotation_of_joint(const spatial_joint *joint, const spatial_constants *numbers, const mbs_real *q,
                                     mbs_real out[4]) {
  switch (joint->motion) {
  case SPATIAL_TURN: {
    mbs_real c, s;
    mbs_sine_of(0.5 * q[0], &s, &c);
    /* cos(theta/2) p_0 + sin(theta/2) (0, u) p_0 */
    for (int k = 0; k < 4; k++) out[k] = c * numbers->zero[k] + s * numbers->zero_turned[k];
    return;
  }
  case SPATIAL_CROSS: {
    mbs_real c1, s1, c2, s2;
    mbs_sine_of(0.5 * q[0], &s1, &c1);
    mbs_sine_of(0.5 * q[1], &s2, &c2);
    /* A(u, theta_1) A(w_1, theta_2) A_0 in Euler parameters */
    for (int k = 0; k < 4; k++)
      out[k] = c1 * (c2 * numbers->zero[k] + s2 * numbers->cross[k]) +
               s1 * (c2 * numbers->zero_turned[k] + s2 * numbers->cross_turned[k]);
    return;
  }
  case SPATIAL_BALL: mbs_euler_normalize(q, out); return;
  default: memcpy(out, numbers->zero, 4 * sizeof *out);
  }
}

/* Computes the Euler parameters of the body relative to its parent; does nothing for a floating body. */
static inline void relative_rotation(const spatial_joint *joint, const spatial_constants *numbers, const mbs_real *q,
                                     mbs_real out[4]) {
  rotation_of_joint(joint, numbers, q + joint->slide_count, out);
  for (int k = 1; k < 4 && joint->reversed; k++) out[k] = -out[k];
}

static void float_body(const mbs_real *q, spatial_body *child, spatial_column *columns) {
  mbs_euler_normalize(q + 3, child->p);
  mbs_euler_matrix(child->p, child->A);
  memset(columns, 0, 6 * sizeof *columns);
  for (int k = 0; k < 3; k++) {
    child->r[k] = child->d[k] = q[k];
    child->e[k] = MBS_ALL(0);
    columns[k].v[k] = columns[3 + k].w[k] = MBS_ALL(1);
  }
}

/* Computes the column of a rotation about the global axis z through P2; with a pitch also a velocity `pitch` z along
 * it. theory (2.10) */
static void turn_column(const mbs_real z[3], const mbs_real e[3], double sign, const mbs_real *pitch,
                        spatial_column *column) {
  for (int k = 0; k < 3; k++) column->w[k] = sign * z[k];
  mbs_cross(column->w, e, column->v);
  for (int k = 0; k < 3 && pitch; k++) column->v[k] += sign * *pitch * z[k];
}

/* Computes the columns of B at the child: slides, then rotations. theory (2.10) */
static void set_columns(const spatial_joint *joint, const spatial_constants *numbers, const spatial_body *parent,
                        const spatial_body *child, spatial_column *columns) {
  const spatial_body *first = joint->reversed ? child : parent, *second = joint->reversed ? parent : child;
  const double sign = joint->reversed ? -1 : 1;
  mbs_real z[3];
  for (int k = 0; k < joint->slide_count; k++) {
    /* (sigma A_f a_k, 0) */
    mbs_rotate(first->A, numbers->slide[k], columns[k].v);
    for (int i = 0; i < 3; i++) {
      columns[k].v[i] *= sign;
      columns[k].w[i] = MBS_ALL(0);
    }
  }
  columns += joint->slide_count;
  if (joint->motion == SPATIAL_BALL) {
    for (int k = 0; k < 3; k++) {
      /* rotation about column k of A_f */
      for (int i = 0; i < 3; i++) z[i] = first->A[3 * i + k];
      turn_column(z, child->e, sign, NULL, &columns[k]);
    }
    return;
  }
  if (joint->motion == SPATIAL_RIGID) return;
  /* rotation about z = A_f u */
  mbs_rotate(first->A, numbers->u, z);
  turn_column(z, child->e, sign, joint->pitched ? &numbers->pitch : NULL, &columns[0]);
  if (joint->motion != SPATIAL_CROSS) return;
  /* rotation about z = A_s u_2 */
  mbs_rotate(second->A, numbers->u2, z);
  turn_column(z, child->e, sign, NULL, &columns[1]);
}

/* Computes the column of a hinge on the ground, whose axes are the global ones and whose mass centre is the origin.
 * theory (2.9) */
static inline void swing(const spatial_joint *joint, const spatial_constants *restrict numbers,
                         const mbs_real relative[4], spatial_body *restrict child, spatial_column *restrict column) {
  const double sign = joint->reversed ? -1 : 1;
  memcpy(child->p, relative, sizeof child->p);
  mbs_euler_matrix(child->p, child->A);
  mbs_rotate(child->A, numbers->sc, child->e);
  for (int k = 0; k < 3; k++) {
    child->e[k] = -child->e[k];
    child->r[k] = child->d[k] = numbers->sp[k] + child->e[k];
  }
  if (joint->reversed)
    mbs_rotate(child->A, numbers->u, column->w);
  else
    memcpy(column->w, numbers->u, sizeof column->w);
  for (int k = 0; k < 3; k++) column->w[k] *= sign;
  mbs_cross(column->w, child->e, column->v);
}

/* Computes the pose of the child and its columns. theory (2.9) */
static inline void carry(const spatial_joint *restrict joint, const spatial_constants *restrict numbers,
                         const spatial_body *restrict parent, const mbs_real *q, const mbs_real relative[4],
                         spatial_body *restrict child, spatial_column *columns) {
  mbs_real gp[3];
  if (joint->motion == SPATIAL_FLOAT) {
    float_body(q, child, columns);
    return;
  }
  if (joint->swings) {
    swing(joint, numbers, relative, child, columns);
    return;
  }
  /* A_c = A_p A(turns), e_c = -A_c s'_c, d_c = A_p s'_p + e_c */
  mbs_euler_product(parent->p, relative, child->p);
  mbs_euler_matrix(child->p, child->A);
  mbs_rotate(parent->A, numbers->sp, gp);
  mbs_rotate(child->A, numbers->sc, child->e);
  for (int k = 0; k < 3; k++) {
    child->e[k] = -child->e[k];
    child->d[k] = gp[k] + child->e[k];
  }
  if (joint->slides) {
    /* d_c += sigma A_f (sum of q_k a_k + h theta u) */
    mbs_real along[3], slide[3], turned = joint->motion == SPATIAL_TURN ? q[joint->slide_count] : MBS_ALL(0);
    for (int i = 0; i < 3; i++) along[i] = numbers->pitch * turned * numbers->u[i];
    for (int k = 0; k < joint->slide_count; k++)
      for (int i = 0; i < 3; i++) along[i] += q[k] * numbers->slide[k][i];
    mbs_rotate(joint->reversed ? child->A : parent->A, along, slide);
    for (int i = 0; i < 3; i++) {
      child->d[i] += joint->reversed ? -slide[i] : slide[i];
      if (joint->reversed) child->e[i] -= slide[i];
    }
  }
  /* r_c = r_p + d_c */
  for (int k = 0; k < 3; k++) child->r[k] = parent->r[k] + child->d[k];
  set_columns(joint, numbers, parent, child, columns);
}

void spatial_carry(const spatial_joint *joint, const spatial_constants *numbers, const spatial_body *parent,
                   const mbs_real *q, spatial_body *child, spatial_column *columns) {
  mbs_real relative[4];
  relative_rotation(joint, numbers, q, relative);
  carry(joint, numbers, parent, q, relative, child, columns);
}

/* Computes the velocity and beta of the child of a hinge on the ground: omega_p = 0, beta_p = 0. theory (2.11), (2.12),
 * (2.13) */
static inline void turn_on_ground(mbs_real v, const mbs_real column[3], spatial_body *child) {
  for (int i = 0; i < 3; i++) {
    child->w[i] = v * column[i];
    child->b[i] = child->bw[i] = MBS_ALL(0);
  }
  /* r_c' = omega_c x e, beta_c = omega_c x (omega_c x e) */
  mbs_cross(child->w, child->e, child->v);
  mbs_add_cross(child->w, child->v, child->b);
}

/* Computes the velocity and beta of the child of a hinge. theory (2.11), (2.12), (2.13) */
static inline void carry_turn(const spatial_body *restrict parent, mbs_real v, const mbs_real column[3],
                              spatial_body *restrict child) {
  /* t = theta' w_k, omega_c = omega_p + t, beta_w_c = beta_w_p + omega_p x t */
  mbs_real turn[3], w[3], bw[3], b[3], g[3], vg[3], ve[3];
  for (int i = 0; i < 3; i++) {
    turn[i] = v * column[i];
    g[i] = child->d[i] - child->e[i];
    w[i] = parent->w[i] + turn[i];
    bw[i] = parent->bw[i];
  }
  mbs_add_cross(parent->w, turn, bw);
  mbs_cross(parent->w, g, vg);
  mbs_cross(w, child->e, ve);
  /* beta_c - beta_p = beta_w_p x g + omega_p x (omega_p x g) + beta_w_c x e + omega_c x (omega_c x e) */
  mbs_cross(parent->bw, g, b);
  mbs_add_cross(parent->w, vg, b);
  mbs_add_cross(bw, child->e, b);
  mbs_add_cross(w, ve, b);
  /* r_c' = r_p' + omega_p x g + omega_c x e */
  for (int i = 0; i < 3; i++) {
    child->w[i] = w[i];
    child->v[i] = parent->v[i] + vg[i] + ve[i];
    child->b[i] = parent->b[i] + b[i];
    child->bw[i] = bw[i];
  }
}

/* theory (2.11), (2.12), (2.13) */
void spatial_carry_velocity(const spatial_joint *joint, const spatial_constants *numbers, const spatial_body *parent,
                            const mbs_real *v, const spatial_column *columns, spatial_body *child) {
  if (joint->motion == SPATIAL_FLOAT) {
    memcpy(child->v, v, sizeof child->v);
    memcpy(child->w, v + 3, sizeof child->w);
    memset(child->b, 0, sizeof child->b);
    memset(child->bw, 0, sizeof child->bw);
    return;
  }
  if (joint->motion == SPATIAL_TURN && !joint->slides) {
    if (joint->swings)
      turn_on_ground(v[0], columns[0].w, child);
    else
      carry_turn(parent, v[0], columns[0].w, child);
    return;
  }
  /* The axes of `turn` are fixed in the first body, that of `arm` in the second. */
  mbs_real turn[3] = {MBS_ALL(0)}, arm[3] = {MBS_ALL(0)}, slide[3] = {MBS_ALL(0)};
  int at = 0;
  for (; at < joint->slide_count; at++)
    for (int i = 0; i < 3; i++) slide[i] += v[at] * columns[at].v[i];
  int turns = joint->motion == SPATIAL_BALL ? 3 : joint->motion == SPATIAL_RIGID ? 0 : 1;
  for (int k = 0; k < turns; k++)
    for (int i = 0; i < 3; i++) turn[i] += v[at + k] * columns[at + k].w[i];
  if (joint->motion == SPATIAL_CROSS)
    for (int i = 0; i < 3; i++) arm[i] = v[at + 1] * columns[at + 1].w[i];
  /* omega_c = omega_p + t + tau, l' = sum of q_k' X_k + h t */
  mbs_real w[3], bw[3], b[3], g[3], e[3], both[3], vg[3], ve[3];
  for (int i = 0; i < 3; i++) {
    e[i] = child->e[i];
    g[i] = child->d[i] - e[i];
    both[i] = turn[i] + arm[i];
    w[i] = parent->w[i] + both[i];
    slide[i] += numbers->pitch * turn[i];
  }
  /* omega_1 x turn + omega_2 x arm; also used for the centripetal parts of beta */
  mbs_cross(parent->w, both, bw);
  if (joint->motion == SPATIAL_CROSS) mbs_add_cross(joint->reversed ? arm : turn, joint->reversed ? turn : arm, bw);
  mbs_cross(parent->w, g, vg);
  mbs_cross(w, e, ve);
  for (int i = 0; i < 3; i++) bw[i] += parent->bw[i];
  /* beta_c - beta_p = beta_w_p x g + omega_p x (omega_p x g) + beta_w_c x e + omega_c x (omega_c x e) */
  mbs_cross(parent->bw, g, b);
  mbs_add_cross(parent->w, vg, b);
  mbs_add_cross(bw, e, b);
  mbs_add_cross(w, ve, b);
  /* r_c' = r_p' + omega_p x g + omega_c x e + l' */
  for (int i = 0; i < 3; i++) {
    child->w[i] = w[i];
    child->v[i] = parent->v[i] + slide[i] + vg[i] + ve[i];
    child->b[i] = parent->b[i] + b[i];
    child->bw[i] = bw[i];
  }
  if (!joint->slides) return;
  /* beta_c += 2 omega_f x l' */
  for (int i = 0; i < 3; i++) slide[i] *= 2;
  mbs_add_cross(joint->reversed ? w : parent->w, slide, child->b);
}

/* Computes J = A J' A', with the inertia in body axes. theory (1.5) */
static void turn_inertia(const mbs_real A[9], const mbs_real Jb[6], mbs_real J[6]) {
  mbs_real AJ[9];
  for (int i = 0; i < 3; i++) spatial_symmetric_times(Jb, A + 3 * i, AJ + 3 * i);
  J[0] = mbs_dot(AJ, A);
  J[1] = mbs_dot(AJ + 3, A + 3);
  J[2] = mbs_dot(AJ + 6, A + 6);
  J[3] = mbs_dot(AJ, A + 3);
  J[4] = mbs_dot(AJ, A + 6);
  J[5] = mbs_dot(AJ + 3, A + 6);
}

void spatial_positions(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  const spatial_constants *numbers = spatial_numbers(system);
  spatial_workspace *workspace = spatial_of(system);
  if (model->nB == 0) return;
  /* Rotations are computed one body early: sines and cosines take long and depend on no other result. */
  mbs_real relative[2][4];
  relative_rotation(&joints[1], &numbers[1], system->q + joints[1].q, relative[1]);
  for (size_t i = 1; i <= model->nB; i++) {
    const spatial_joint *joint = &joints[i], *next = joint + (i < model->nB);
    spatial_body *body = &workspace->bodies[i];
    relative_rotation(next, &numbers[next - joints], system->q + next->q, relative[~i & 1]);
    carry(joint, &numbers[i], &workspace->bodies[joint->parent], system->q + joint->q, relative[i & 1], body,
          workspace->columns + joint->v);
    turn_inertia(body->A, numbers[i].J, body->J);
  }
}

void spatial_velocities(mbs_system *system) {
  const mbs_model *model = system->model;
  const spatial_joint *joints = spatial_joints(model);
  const spatial_constants *numbers = spatial_numbers(system);
  spatial_workspace *workspace = spatial_of(system);
  for (size_t i = 1; i <= model->nB; i++)
    spatial_carry_velocity(&joints[i], &numbers[i], &workspace->bodies[joints[i].parent], system->v + joints[i].v,
                           workspace->columns + joints[i].v, &workspace->bodies[i]);
}
