/* The row of a slip. V_i(p) = v_i + omega_i x (p - r_i) is the velocity of the point of body i that is at p:
 *
 *     u.(V2(p) - V1(p)) = 0
 *     D_i = +-(u, (p - r_i) x u)
 *     bias = u'.(V2(p) - V1(p)) + u.(V2(p)' - V1(p)'),   V_i(p)' = a_i + alpha_i x (p - r_i) + omega_i x (p' - v_i)
 *
 * Source: Neimark, Fufaev, Dynamics of Nonholonomic Systems, 1972, ch. 1. */
#include "equations/slip.h"

#include "base/rotation.h"
#include "kernels/kernels.h"

#include <math.h>

mbs_moving mbs_moving_point(const mbs_system *system, int body, const double s[3]) {
  mbs_moving point = {.at = {0}};
  mbs_rigid_motion motion;
  double arm[3] = {0};
  system->model->kernels->motion(system, body, &motion);
  system->model->kernels->to_global(system, body, s, arm);
  for (int k = 0; k < 3; k++) {
    point.at[k] = motion.r[k] + arm[k];
    point.rate[k] = motion.v[k];
  }
  mbs_add_cross(motion.w, arm, point.rate);
  return point;
}

mbs_moving mbs_moving_vector(const mbs_system *system, int body, const double own[3]) {
  mbs_moving a = {.at = {0}};
  mbs_rigid_motion motion;
  system->model->kernels->motion(system, body, &motion);
  system->model->kernels->to_global(system, body, own, a.at);
  mbs_cross(motion.w, a.at, a.rate);
  return a;
}

mbs_moving mbs_moving_cross(const mbs_moving *a, const mbs_moving *b) {
  mbs_moving c;
  mbs_cross(a->at, b->at, c.at);
  mbs_cross(a->rate, b->at, c.rate);
  mbs_add_cross(a->at, b->rate, c.rate);
  return c;
}

mbs_moving mbs_moving_unit(const mbs_moving *a, double *length) {
  mbs_moving u;
  const double norm = sqrt(mbs_dot(a->at, a->at));
  if (length) *length = norm;
  for (int k = 0; k < 3; k++) u.at[k] = a->at[k] / norm;
  /* u' = (a' - (u.a') u) / norm(a) */
  const double along = mbs_dot(u.at, a->rate);
  for (int k = 0; k < 3; k++) u.rate[k] = (a->rate[k] - along * u.at[k]) / norm;
  return u;
}

void mbs_row_add_wrench(const mbs_system *system, const mbs_joint *joint, int body, double sign, const double force[3],
                        const double moment[3], mbs_custom_row *out) {
  const int width = system->model->kernels->width, dim = system->model->dim;
  for (int b = 0; b < joint->body_count; b++) {
    if (joint->bodies[b] != body) continue;
    double *D = out->D + b * width;
    for (int k = 0; k < dim && force; k++) D[k] += sign * force[k];
    for (int k = dim; k < width; k++) D[k] += sign * moment[width == 3 ? 2 : k - 3];
  }
}

/* Adds `sign` times the contribution of one body to the bias, and to D if the body has columns. theory (3.14) */
static void add_side(mbs_system *system, const mbs_joint *joint, int body, double sign, const mbs_slip_direction *slip,
                     mbs_custom_row *out) {
  const mbs_model *model = system->model;
  mbs_rigid_motion at;
  double arm[3], drift[3], v[3], a[3], moment[3];
  model->kernels->motion(system, body, &at);
  for (int k = 0; k < 3; k++) {
    arm[k] = slip->p.at[k] - at.r[k];
    drift[k] = slip->p.rate[k] - at.v[k];
    v[k] = at.v[k];
    a[k] = at.a[k];
  }
  mbs_add_cross(at.w, arm, v);
  mbs_add_cross(at.alpha, arm, a);
  mbs_add_cross(at.w, drift, a);
  out->bias += sign * (mbs_dot(slip->u.rate, v) + mbs_dot(slip->u.at, a));
  mbs_cross(arm, slip->u.at, moment);
  mbs_row_add_wrench(system, joint, body, sign, slip->u.at, moment, out);
}

void mbs_slip_row(mbs_system *system, const mbs_joint *joint, const mbs_slip_direction *slip, mbs_custom_row *out) {
  add_side(system, joint, joint->frames.body1, -1, slip, out);
  add_side(system, joint, joint->frames.body2, 1, slip, out);
}

void mbs_turn_row(mbs_system *system, const mbs_joint *joint, const mbs_moving *e, double scale, mbs_custom_row *out) {
  const mbs_model *model = system->model;
  for (int side = 0; side < 2; side++) {
    const int body = side ? joint->frames.body2 : joint->frames.body1;
    const double signed_scale = side ? scale : -scale;
    mbs_rigid_motion at;
    model->kernels->motion(system, body, &at);
    out->bias += signed_scale * (mbs_dot(e->rate, at.w) + mbs_dot(e->at, at.alpha));
    mbs_row_add_wrench(system, joint, body, signed_scale, NULL, e->at, out);
  }
}
