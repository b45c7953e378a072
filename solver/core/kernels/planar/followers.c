/* The rows of joints of curves. T = dr/dalpha of a curve, n its outward normal, tau = perp(n), T = L tau, and theta the
 * rate dangle(T)/dalpha. P1, P2 are the contact points, w the difference of the velocities of the bodies there, and g
 * the gap. As d = P2 - P1 is along n and the curves are along tau, the first derivative does not depend on the rates of
 * the parameters (envelope theorem):
 *
 *     g = n.d,   g' = n.w
 *
 * The second does:   g'' = n'.w + n.w',   n' = omega_n tau,   and w' has a term omega perp(T) alpha' of each curve. The
 * rates of the parameters follow from the derivatives of the conditions of contact, tau.d = 0 and n.T2 = 0. Source:
 * Haug, Computer-Aided Kinematics and Dynamics, 3.4, with the parameters eliminated. */
#include "kernels/planar/followers.h"

#include <assert.h>
#include <math.h>

/* A curve at its contact parameter, global axes; p from the mass centre of its body. */
typedef struct curve_point {
  const planar_body *body;
  double p[2], T[2], theta;
  double v[2], a[2]; /* motion of the body's point there, a for V' = beta */
} curve_point;

/* Computes the contact point on a curve. theory (5.2) */
static curve_point curve_point_of(mbs_system *system, const mbs_joint *joint, int curve, int body, const double s[3]) {
  assert(curve >= 0 && curve < joint->curve_count);
  const mbs_curve *shape = &system->model->curves[joint->first_curve + curve];
  curve_point out = {.body = &planar_of(system)->bodies[body]};
  double r[3][2], bend[2];
  mbs_curve_at(shape, system->contacts[joint->first_curve + curve].alpha, system->mode, system->slots, r);
  r[0][0] += s[0];
  r[0][1] += s[1];
  planar_turn(out.body, r[0], out.p);
  planar_turn(out.body, r[1], out.T);
  planar_turn(out.body, r[2], bend);
  /* theta = T x T' / T.T */
  out.theta = planar_cross(out.T, bend) / planar_dot(out.T, out.T);
  planar_point_rate(out.body, out.p, out.v, out.a);
  return out;
}

/* Returns a point of a body as a curve point; T and theta are 0. */
static curve_point point_of(mbs_system *system, int body, const double s[3]) {
  curve_point out = {.body = &planar_of(system)->bodies[body]};
  planar_turn(out.body, s, out.p);
  planar_point_rate(out.body, out.p, out.v, out.a);
  return out;
}

/* Computes b minus a. */
static void between(const curve_point *a, const curve_point *b, double d[2], double w[2], double acceleration[2]) {
  d[0] = b->body->x + b->p[0] - a->body->x - a->p[0];
  d[1] = b->body->y + b->p[1] - a->body->y - a->p[1];
  for (int k = 0; k < 2; k++) {
    w[k] = b->v[k] - a->v[k];
    acceleration[k] = b->a[k] - a->a[k];
  }
}

/* Adds the force n at `at` on the joint's body `side` (1 or 2), times `sign`, to D. */
static void push(const mbs_joint *joint, int side, double sign, const double n[2], const curve_point *at, double *D) {
  assert(side == 1 || side == 2);
  int body = side == 1 ? joint->frames.body1 : joint->frames.body2;
  if (body == 0) return;
  if (joint->bodies[0] != body) D += 3;
  D[0] = sign * n[0];
  D[1] = sign * n[1];
  D[2] = sign * planar_cross(at->p, n);
}

/* Computes the row of a pin (first body) and a curve (second). theory (5.5), (5.6), (5.7) */
void planar_point_follower_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_frames *frames = &joint->frames;
  const mbs_geometry *at = planar_geometry(system, joint);
  curve_point pin = point_of(system, frames->body1, at->s1),
              slot = curve_point_of(system, joint, 0, frames->body2, at->s2);
  double d[2], w[2], a[2];
  between(&slot, &pin, d, w, a);
  /* T = L tau, tau = perp(n) */
  double L = system->model->curves[joint->first_curve].outward * sqrt(planar_dot(slot.T, slot.T));
  double tau[2] = {slot.T[0] / L, slot.T[1] / L}, n[2] = {tau[1], -tau[0]}, omega = slot.body->w;
  /* g = n.d, alpha' = (tau.w - omega g) / (L + theta g) */
  double g = planar_dot(n, d), along = planar_dot(tau, w);
  double rate = (along - omega * g) / (L + slot.theta * g);
  system->contacts[joint->first_curve].rate = rate;
  /* bias = (omega + theta alpha') tau.w + n.a + omega L alpha' */
  out->value = g;
  out->bias = (omega + slot.theta * rate) * along + planar_dot(n, a) + omega * L * rate;
  push(joint, 1, 1, n, &pin, out->D);
  push(joint, 2, -1, n, &slot, out->D);
}

/* Computes the row of two curves. theory (5.8), (5.9) */
void planar_cam_follower_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_frames *frames = &joint->frames;
  const mbs_geometry *at = planar_geometry(system, joint);
  curve_point one = curve_point_of(system, joint, 0, frames->body1, at->s1),
              two = curve_point_of(system, joint, 1, frames->body2, at->s2);
  double d[2], w[2], a[2];
  between(&one, &two, d, w, a);
  double L1 = system->model->curves[joint->first_curve].outward * sqrt(planar_dot(one.T, one.T));
  double tau[2] = {one.T[0] / L1, one.T[1] / L1}, n[2] = {tau[1], -tau[0]}, L2 = planar_dot(tau, two.T);
  double omega1 = one.body->w, omega2 = two.body->w, g = planar_dot(n, d), along = planar_dot(tau, w);
  /* tau.d = 0:   (L1 + theta1 g) alpha1' - L2 alpha2' = tau.w - omega1 g
   * n.T2 = 0:    theta1 alpha1' - theta2 alpha2' = omega2 - omega1 */
  double lever = L1 + one.theta * g, slip = along - omega1 * g, turn = omega2 - omega1;
  double determinant = two.theta * lever - one.theta * L2;
  double rate1 = (two.theta * slip - L2 * turn) / determinant, rate2 = (one.theta * slip - lever * turn) / determinant;
  system->contacts[joint->first_curve].rate = rate1;
  system->contacts[joint->first_curve + 1].rate = rate2;
  /* bias = (omega1 + theta1 alpha1') tau.w + n.a + omega1 L1 alpha1' - omega2 L2 alpha2' */
  out->value = g;
  out->bias = (omega1 + one.theta * rate1) * along + planar_dot(n, a) + omega1 * L1 * rate1 - omega2 * L2 * rate2;
  push(joint, 1, -1, n, &one, out->D);
  push(joint, 2, 1, n, &two, out->D);
}

/* Computes the row of a cam and a flat face. The face's normal m, on the side of the cam, replaces n. It rotates with
 * the face, and the parameter follows from m.T = 0.   g = m.(P1 - rP2). The force acts on the face's body at P1. theory
 * (5.10), (5.11) */
void planar_flat_follower_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_frames *frames = &joint->frames;
  const mbs_geometry *at = planar_geometry(system, joint);
  mbs_curve_contact *contact = &system->contacts[joint->first_curve];
  curve_point face = point_of(system, frames->body2, at->s2),
              cam = curve_point_of(system, joint, 0, frames->body1, at->s1);
  double d[2], w[2], a[2], m[2];
  between(&face, &cam, d, w, a);
  planar_face_normal(at->u2, face.body, contact->side, m);
  double across[2] = {-m[1], m[0]}, g = planar_dot(m, d), L = planar_dot(across, cam.T);
  double omega1 = cam.body->w, omega2 = face.body->w;
  /* m.T' = -(rotation of T relative to m) L */
  contact->rate = (omega2 - omega1) / cam.theta;
  /* bias = 2 omega2 perp(m).w + m.a - omega2^2 g - (omega1 - omega2) alpha' L */
  out->value = g;
  out->bias = 2 * omega2 * planar_dot(across, w) + planar_dot(m, a) - omega2 * omega2 * g -
              (omega1 - omega2) * contact->rate * L;
  push(joint, 1, 1, m, &cam, out->D);
  curve_point met = {.p = {face.p[0] + d[0], face.p[1] + d[1]}};
  push(joint, 2, -1, m, &met, out->D);
}
