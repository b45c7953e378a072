/* Spatial primitives: g, its derivatives in (v, omega) of both bodies, and g'' for V' = beta. With d = rP1 - rP2, and a
 * vector a fixed in a body a' = omega x a, a'' = omega' x a + omega x (omega x a):
 *
 *   point     d                     d' = v1 + omega1 x s1 - v2 - omega2 x s2
 *   distance  norm(d)               e.d', e = d / norm(d)
 *   along     -u1.d + weight2 turn
 *   dot       u1.u2                 omega1.(u1 x u2) + omega2.(u2 x u1)
 *   turn      2 atan2(e.u1, e0)     (e0, e): Euler parameters of A1' A2 A(zero)', the rotation from its zero
 *   cross     atan2((u x w).c, w.c) u, w on one body, c on the other
 *   euler     e_k of A1' A2
 *
 * (Haug, Computer-Aided Kinematics and Dynamics, ch. 9.) */
#include "kernels/spatial/spatial.h"

#include <string.h>

int spatial_turn_count(const mbs_block *block) {
  switch (block->primitive) {
  case MBS_PRIMITIVE_ANGLE: return 2;
  case MBS_PRIMITIVE_TURN:
  case MBS_PRIMITIVE_CROSS1:
  case MBS_PRIMITIVE_CROSS2: return 1;
  case MBS_PRIMITIVE_ALONG: return block->turning;
  case MBS_PRIMITIVE_CUSTOM: return block->custom ? block->custom->cls->angle_count : 0;
  default: return 0;
  }
}

int spatial_primitive_rows(mbs_primitive primitive) { return primitive == MBS_PRIMITIVE_POINT ? 3 : 1; }

/* Adds `sign` times the motion of a point to d, v and a. theory (4.1), (1.4) */
static void point_motion(const spatial_body *body, const mbs_real s[3], double sign, spatial_two_points *p) {
  mbs_real v[3], a[3];
  memcpy(v, body->v, sizeof v);
  memcpy(a, body->b, sizeof a);
  /* v = r' + omega x s, a = beta + beta_w x s + omega x (omega x s) */
  mbs_add_cross(body->w, s, v);
  mbs_add_cross(body->bw, s, a);
  mbs_add_double_cross(body->w, body->w, s, a);
  for (int k = 0; k < 3; k++) {
    p->d[k] += sign * (body->r[k] + s[k]);
    p->v[k] += sign * v[k];
    p->a[k] += sign * a[k];
  }
}

/* Computes both points, d, v and a. theory (4.1) */
spatial_two_points spatial_points_of(const mbs_geometry *at, const spatial_body *first, const spatial_body *second) {
  spatial_two_points p = {.d = {MBS_ALL(0)}};
  mbs_rotate(first->A, at->s1, p.s1);
  mbs_rotate(second->A, at->s2, p.s2);
  point_motion(first, p.s1, 1, &p);
  point_motion(second, p.s2, -1, &p);
  return p;
}

/* Computes the second derivative of a vector fixed in a body, for V' = beta. theory (1.2) */
static void vector_bias(const spatial_body *body, const mbs_real a[3], mbs_real out[3]) {
  mbs_cross(body->bw, a, out);
  mbs_add_double_cross(body->w, body->w, a, out);
}

/* theory (4.8) */
static void primitive_point(const spatial_two_points *p, spatial_primitive out[3]) {
  for (int k = 0; k < 3; k++) {
    mbs_real axis[3] = {MBS_ALL(k == 0), MBS_ALL(k == 1), MBS_ALL(k == 2)};
    out[k] = (spatial_primitive){.g = p->d[k], .bias = p->a[k]};
    /* D1 = (x_k, s1 x x_k), D2 = (-x_k, x_k x s2) */
    for (int i = 0; i < 3; i++) {
      out[k].v1[i] = axis[i];
      out[k].v2[i] = -axis[i];
    }
    mbs_cross(p->s1, axis, out[k].w1);
    mbs_cross(axis, p->s2, out[k].w2);
  }
}

/* theory (4.9) */
static void primitive_distance(const spatial_two_points *p, spatial_primitive *out) {
  mbs_real length = mbs_sqrt(mbs_dot(p->d, p->d));
  /* e = d / l, D1 = (e, s1 x e), D2 = (-e, -s2 x e) */
  for (int k = 0; k < 3; k++) {
    out->v1[k] = p->d[k] / length;
    out->v2[k] = -out->v1[k];
  }
  mbs_cross(p->s1, out->v1, out->w1);
  mbs_cross(p->s2, out->v2, out->w2);
  mbs_real rate = mbs_dot(out->v1, p->v);
  out->g = length;
  /* bias = e.a + (v.v - (e.v)^2) / l */
  out->bias = mbs_dot(out->v1, p->a) + (mbs_dot(p->v, p->v) - rate * rate) / length;
}

/* theory (4.10) */
static void primitive_along(const mbs_real u1[3], const spatial_body *first, const spatial_two_points *p,
                            spatial_primitive *out) {
  mbs_real u[3], rate[3], bias[3], arm[3];
  mbs_rotate(first->A, u1, u);
  mbs_cross(first->w, u, rate);
  vector_bias(first, u, bias);
  /* D1 = (-u, u x (s1 - d)), D2 = (u, s2 x u) */
  for (int k = 0; k < 3; k++) {
    out->v1[k] = -u[k];
    out->v2[k] = u[k];
    arm[k] = p->s1[k] - p->d[k]; /* vector from the first mass centre to P2 */
  }
  mbs_cross(u, arm, out->w1);
  mbs_cross(p->s2, u, out->w2);
  out->g = -mbs_dot(u, p->d);
  /* bias = -u''.d - 2 u'.v - u.a */
  out->bias = -mbs_dot(bias, p->d) - 2 * mbs_dot(rate, p->v) - mbs_dot(u, p->a);
}

/* Computes a1.a2 of two vectors, global axes. theory (4.11) */
static void primitive_dot(const mbs_real a1[3], const mbs_real a2[3], const spatial_body *first,
                          const spatial_body *second, spatial_primitive *out) {
  mbs_real rate1[3], rate2[3], bias1[3], bias2[3];
  *out = (spatial_primitive){.g = mbs_dot(a1, a2)};
  /* D1 = (0, a1 x a2), D2 = (0, a2 x a1) */
  mbs_cross(a1, a2, out->w1);
  mbs_cross(a2, a1, out->w2);
  mbs_cross(first->w, a1, rate1);
  mbs_cross(second->w, a2, rate2);
  vector_bias(first, a1, bias1);
  vector_bias(second, a2, bias2);
  /* bias = a1''.a2 + 2 a1'.a2' + a1.a2'' */
  out->bias = mbs_dot(bias1, a2) + 2 * mbs_dot(rate1, rate2) + mbs_dot(a1, bias2);
}

/* Computes the Euler parameters of the second body relative to the first, without the rotation `zero`. */
static void relative_parameters(const spatial_body *first, const spatial_body *second, const mbs_real zero[4],
                                mbs_real out[4]) {
  mbs_real back[4], relative[4];
  /* p1^-1 p2 p_0^-1 */
  mbs_euler_inverse(first->p, back);
  mbs_euler_product(back, second->p, relative);
  mbs_euler_inverse(zero, back);
  mbs_euler_product(relative, back, out);
}

/* Computes omega2 - omega1, and the rate of its components on the first body for V' = beta, in global axes. theory
 * (4.12) */
static void relative_motion(const spatial_body *first, const spatial_body *second, mbs_real w[3], mbs_real bias[3]) {
  mbs_real drift[3];
  for (int k = 0; k < 3; k++) w[k] = second->w[k] - first->w[k];
  mbs_cross(first->w, w, drift);
  for (int k = 0; k < 3; k++) bias[k] = second->bw[k] - first->bw[k] - drift[k];
}

/* Computes a rotation with (x, c) = (e.u, e0):  theta' = K.w,  K = (c (c u + e x u) + x e) / (c^2 + x^2), theta'' =
 * K.w' - 2 theta' (c c' + x x') / (c^2 + x^2), because p'' has no other part perpendicular to (x, c). theory (4.14),
 * (4.15), (4.16) */
static void primitive_turn(const mbs_geometry *at, const spatial_body *first, const spatial_body *second,
                           spatial_primitive *out) {
  mbs_real rho[4], e[3], u[3], across[3], w[3], bias[3];
  relative_parameters(first, second, at->zero, rho);
  mbs_rotate(first->A, rho + 1, e);
  mbs_rotate(first->A, at->u1, u);
  mbs_real c = rho[0], x = mbs_dot(e, u), size = c * c + x * x;
  /* K = (c (c u + e x u) + x e) / (c^2 + x^2), D1 = (0, -K), D2 = (0, K) */
  mbs_cross(e, u, across);
  for (int k = 0; k < 3; k++) {
    across[k] += c * u[k];
    out->w2[k] = (c * across[k] + x * e[k]) / size;
    out->w1[k] = -out->w2[k];
  }
  relative_motion(first, second, w, bias);
  /* theta' = K.w, c' = -w.e / 2, x' = w.(c u + e x u) / 2 */
  mbs_real rate = mbs_dot(out->w2, w), c_rate = -0.5 * mbs_dot(w, e), x_rate = 0.5 * mbs_dot(w, across);
  /* theta = 2 atan2(x, c), bias = K.w_1' - 2 theta' (c c' + x x') / (c^2 + x^2) */
  out->g = 2 * mbs_atan2(x, c);
  out->bias = mbs_dot(out->w2, bias) - 2 * rate * (c * c_rate + x * x_rate) / size;
}

/* Computes the angle about u from w to the other body's vector c; `one` carries u and w. theory (4.17) */
static void primitive_cross(const mbs_real u[3], const mbs_real w[3], const mbs_real c[3], const spatial_body *one,
                            const spatial_body *other, spatial_primitive *out) {
  mbs_real a[3], b[3], n[3], z[3];
  mbs_cross(u, w, z);
  mbs_rotate(one->A, w, a);
  mbs_rotate(one->A, z, n);
  mbs_rotate(other->A, c, b);
  spatial_primitive cosine, sine;
  /* x = w.c, y = (u x w).c */
  primitive_dot(a, b, one, other, &cosine);
  primitive_dot(n, b, one, other, &sine);
  mbs_real size = cosine.g * cosine.g + sine.g * sine.g, cosine_rate, sine_rate;
  cosine_rate = mbs_dot(cosine.w1, one->w) + mbs_dot(cosine.w2, other->w);
  sine_rate = mbs_dot(sine.w1, one->w) + mbs_dot(sine.w2, other->w);
  /* theta' = (x y' - y x') / (x^2 + y^2), and D likewise */
  mbs_real rate = (cosine.g * sine_rate - sine.g * cosine_rate) / size;
  for (int k = 0; k < 3; k++) {
    out->w1[k] = (cosine.g * sine.w1[k] - sine.g * cosine.w1[k]) / size;
    out->w2[k] = (cosine.g * sine.w2[k] - sine.g * cosine.w2[k]) / size;
  }
  /* bias = (x bias_y - y bias_x - 2 theta' (x x' + y y')) / (x^2 + y^2) */
  out->g = mbs_atan2(sine.g, cosine.g);
  out->bias = (cosine.g * sine.bias - sine.g * cosine.bias) / size -
              2 * rate * (cosine.g * cosine_rate + sine.g * sine_rate) / size;
}

/* Computes the angle of the second arm from the second body: both bodies are exchanged, and with them the sense of
 * rotation. */
static void primitive_second_cross(const mbs_geometry *at, const spatial_body *first, const spatial_body *second,
                                   spatial_primitive *out) {
  spatial_primitive swapped = {.g = MBS_ALL(0)};
  primitive_cross(at->u2, at->w2, at->u1, second, first, &swapped);
  out->g = -swapped.g;
  out->bias = -swapped.bias;
  for (int k = 0; k < 3; k++) {
    out->w1[k] = -swapped.w2[k];
    out->w2[k] = -swapped.w1[k];
  }
}

/* Computes an Euler parameter: rho' = 1/2 (0, w) rho,   rho'' = 1/2 (0, w') rho - 1/4 w.w rho, in the first body's
 * axes. theory (4.13) */
static void primitive_euler(int component, const spatial_body *first, const spatial_body *second,
                            spatial_primitive *out) {
  static const mbs_real none[4] = {MBS_ONE};
  mbs_real rho[4], w[3], bias[3], row[3];
  relative_parameters(first, second, none, rho);
  relative_motion(first, second, w, bias);
  for (int k = 0; k < 3; k++) {
    mbs_real axis[3] = {MBS_ALL(k == 0), MBS_ALL(k == 1), MBS_ALL(k == 2)}, rate[4];
    mbs_euler_rate(rho, axis, rate);
    row[k] = rate[component];
  }
  /* D2 = (0, A1 eps_k / 2), D1 = -D2 */
  mbs_rotate(first->A, row, out->w2);
  for (int k = 0; k < 3; k++) out->w1[k] = -out->w2[k];
  /* bias = (A1 eps_k).w_1' / 2 - w.w rho_k / 4 */
  out->g = rho[component];
  out->bias = mbs_dot(out->w2, bias) - 0.25 * mbs_dot(w, w) * out->g;
}

/* Sets an angle to the one nearest to `expected` that differs by full revolutions. theory (13.2) */
static void unwrap(spatial_primitive *turn, mbs_real expected) {
  turn->g = mbs_if_none(expected, turn->g, mbs_unwrap_angle(turn->g, expected));
}

/* Returns the expected value of an angle: its known value, and the change given by the first derivatives. theory
 * (13.3) */
static mbs_real expected_turn(const spatial_near *near, const spatial_primitive *turn) {
  return near->angle[0] + mbs_dot(turn->w1, near->moved1) + mbs_dot(turn->w2, near->moved2);
}

static void add_turn(mbs_real weight, const spatial_primitive *turn, spatial_primitive *out) {
  out->g += weight * turn->g;
  out->bias += weight * turn->bias;
  for (int k = 0; k < 3; k++) {
    out->w1[k] += weight * turn->w1[k];
    out->w2[k] += weight * turn->w2[k];
  }
}

/* Computes the rotations of both bodies relative to the ground, each about its axis. */
static void primitive_angles(const mbs_block_constants *numbers, const spatial_body *first, const spatial_body *second,
                             const spatial_near *near, spatial_primitive *out) {
  static const spatial_body ground = {.A = {[0] = MBS_ONE, [4] = MBS_ONE, [8] = MBS_ONE}, .p = {MBS_ONE}};
  const mbs_geometry *at = &numbers->geometry;
  mbs_geometry own = {.s1 = {MBS_ALL(0)}};
  spatial_primitive turn[2];
  /* theta1 of the first body about w1, theta2 of the second about w2, by (4.14) */
  memcpy(own.u1, at->w1, sizeof own.u1);
  memcpy(own.zero, at->zero1, sizeof own.zero);
  primitive_turn(&own, &ground, first, &turn[0]);
  memcpy(own.u1, at->w2, sizeof own.u1);
  memcpy(own.zero, at->zero, sizeof own.zero);
  primitive_turn(&own, &ground, second, &turn[1]);
  unwrap(&turn[0], near->angle[0] + mbs_dot(turn[0].w2, near->moved1));
  unwrap(&turn[1], near->angle[1] + mbs_dot(turn[1].w2, near->moved2));
  /* g = alpha1 theta1 + alpha2 theta2 */
  out->g = numbers->weight1 * turn[0].g + numbers->weight2 * turn[1].g;
  out->bias = numbers->weight1 * turn[0].bias + numbers->weight2 * turn[1].bias;
  for (int k = 0; k < 3; k++) {
    out->w1[k] = numbers->weight1 * turn[0].w2[k];
    out->w2[k] = numbers->weight2 * turn[1].w2[k];
  }
}

static void primitive_scalar(const mbs_block *block, const mbs_block_constants *numbers, const spatial_body *first,
                             const spatial_body *second, const spatial_near *near, spatial_primitive *out) {
  const mbs_geometry *at = &numbers->geometry;
  mbs_real a1[3], a2[3];
  *out = (spatial_primitive){.g = MBS_ALL(0)};
  switch (block->primitive) {
  case MBS_PRIMITIVE_DOT:
    mbs_rotate(first->A, at->u1, a1);
    mbs_rotate(second->A, at->u2, a2);
    primitive_dot(a1, a2, first, second, out);
    return;
  case MBS_PRIMITIVE_ANGLE: primitive_angles(numbers, first, second, near, out); return;
  case MBS_PRIMITIVE_TURN: primitive_turn(at, first, second, out); break;
  case MBS_PRIMITIVE_CROSS1: primitive_cross(at->u1, at->w1, at->u2, first, second, out); break;
  case MBS_PRIMITIVE_CROSS2: primitive_second_cross(at, first, second, out); break;
  case MBS_PRIMITIVE_EULER: primitive_euler(block->component, first, second, out); return;
  default: {
    spatial_two_points p = spatial_points_of(at, first, second);
    if (block->primitive == MBS_PRIMITIVE_DISTANCE) {
      primitive_distance(&p, out);
      return;
    }
    primitive_along(at->u1, first, &p, out);
    if (!block->turning) return;
    /* + weight2 theta */
    spatial_primitive turn = {.g = MBS_ALL(0)};
    primitive_turn(at, first, second, &turn);
    unwrap(&turn, expected_turn(near, &turn));
    add_turn(numbers->weight2, &turn, out);
    return;
  }
  }
  unwrap(out, expected_turn(near, out));
}

void spatial_primitive_at(const mbs_block *block, const mbs_block_constants *numbers, const spatial_body *first,
                          const spatial_body *second, const spatial_near *near, spatial_primitive out[3]) {
  if (block->primitive == MBS_PRIMITIVE_POINT) {
    spatial_two_points p = spatial_points_of(&numbers->geometry, first, second);
    primitive_point(&p, out);
  } else {
    primitive_scalar(block, numbers, first, second, near, out);
  }
  for (int r = 0; r < block->rows; r++) {
    spatial_primitive *m = &out[r];
    /* a g - constant, a D, a bias, a = scale */
    if (block->scaled) {
      m->g *= numbers->scale;
      m->bias *= numbers->scale;
      for (int k = 0; k < 3; k++) {
        m->v1[k] *= numbers->scale;
        m->w1[k] *= numbers->scale;
        m->v2[k] *= numbers->scale;
        m->w2[k] *= numbers->scale;
      }
    }
    m->g -= numbers->constant;
  }
}

/* Returns the values that determine the revolutions of an angle. Revolutions along a pitch are different positions, so
 * there the coordinate has precedence. */
static spatial_near near_of(const mbs_system *system, const mbs_block *block) {
  const mbs_model *model = system->model;
  spatial_near near = {.angle = {MBS_ALL(0)}};
  if (spatial_turn_count(block) == 0) return near;
  bool in_tree = spatial_in_tree(model, block);
  if (block->function >= 0 && !(in_tree && model->joints[block->of_joint].shape->pitch))
    near.angle[0] = system->functions[3 * block->function]; /* theta* = f(t) */
  else if (in_tree)
    near.angle[0] = system->q[model->joints[block->of_joint].first_q + block->number]; /* theta* = the coordinate */
  else
    spatial_kept_turns(system, block, &near);
  return near;
}

void spatial_primitive_now(const mbs_system *system, const mbs_block *block, const mbs_block_constants *numbers,
                           spatial_primitive out[3]) {
  const spatial_body *bodies = spatial_of(system)->bodies;
  const spatial_near near = near_of(system, block);
  spatial_primitive_at(block, numbers, &bodies[block->frames.body1], &bodies[block->frames.body2], &near, out);
}
