/* rotation.h - operations on vectors of three components and on Euler parameters p = (e0, e1, e2, e3) = (cos(chi/2),
 * sin(chi/2) u), the rotation by chi about u. Matrices are row-major; s = A s' transforms from body axes to global
 * axes. (Haug, ch. 9; Nikravesh, ch. 6.) */
#ifndef MBS_ROTATION_H
#define MBS_ROTATION_H

#include "base/real.h"

#include <math.h>

static inline mbs_real mbs_dot(const mbs_real a[3], const mbs_real b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out must be neither a nor b. */
static inline void mbs_cross(const mbs_real a[3], const mbs_real b[3], mbs_real out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out += a x b */
static inline void mbs_add_cross(const mbs_real a[3], const mbs_real b[3], mbs_real out[3]) {
  out[0] += a[1] * b[2] - a[2] * b[1];
  out[1] += a[2] * b[0] - a[0] * b[2];
  out[2] += a[0] * b[1] - a[1] * b[0];
}

/* out += a x (b x c) */
static inline void mbs_add_double_cross(const mbs_real a[3], const mbs_real b[3], const mbs_real c[3],
                                        mbs_real out[3]) {
  mbs_real ac = mbs_dot(a, c), ab = mbs_dot(a, b);
  for (int k = 0; k < 3; k++) out[k] += b[k] * ac - c[k] * ab;
}

static inline void mbs_rotate(const mbs_real A[9], const mbs_real s[3], mbs_real out[3]) {
  out[0] = A[0] * s[0] + A[1] * s[1] + A[2] * s[2];
  out[1] = A[3] * s[0] + A[4] * s[1] + A[5] * s[2];
  out[2] = A[6] * s[0] + A[7] * s[1] + A[8] * s[2];
}

/* out = A' s */
static inline void mbs_rotate_back(const mbs_real A[9], const mbs_real s[3], mbs_real out[3]) {
  out[0] = A[0] * s[0] + A[3] * s[1] + A[6] * s[2];
  out[1] = A[1] * s[0] + A[4] * s[1] + A[7] * s[2];
  out[2] = A[2] * s[0] + A[5] * s[1] + A[8] * s[2];
}

static const double mbs_full_turn = 6.28318530717958647693; /* [rad] */

/* Returns the value nearest to `expected` among those that differ from `angle` by full revolutions. theory (13.2) */
static inline mbs_real mbs_unwrap_angle(mbs_real angle, mbs_real expected) {
  return angle + mbs_full_turn * mbs_nearbyint((expected - angle) / mbs_full_turn);
}

/* Computes the rotation b followed by a, in global axes: A(out) = A(a) A(b). out must not alias a or b. theory
 * (1.10) */
static inline void mbs_euler_product(const mbs_real a[4], const mbs_real b[4], mbs_real out[4]) {
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
  out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

static inline void mbs_euler_inverse(const mbs_real p[4], mbs_real out[4]) {
  out[0] = p[0];
  for (int k = 1; k < 4; k++) out[k] = -p[k];
}

/* theory (1.9) */
static inline void mbs_euler_matrix(const mbs_real p[4], mbs_real A[9]) {
  mbs_real x = 2 * p[1], y = 2 * p[2], z = 2 * p[3];
  mbs_real xx = x * p[1], yy = y * p[2], zz = z * p[3], xy = x * p[2], xz = x * p[3], yz = y * p[3];
  mbs_real wx = x * p[0], wy = y * p[0], wz = z * p[0];
  A[0] = 1 - (yy + zz);
  A[1] = xy - wz;
  A[2] = xz + wy;
  A[3] = xy + wz;
  A[4] = 1 - (xx + zz);
  A[5] = yz - wx;
  A[6] = xz - wy;
  A[7] = yz + wx;
  A[8] = 1 - (xx + yy);
}

/* Normalizes to p'p = 1; the rotation is that of p / norm(p). out may be p. */
static inline void mbs_euler_normalize(const mbs_real p[4], mbs_real out[4]) {
  mbs_real norm = mbs_sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  mbs_real inverse = mbs_if_positive(norm, 1 / norm, MBS_ALL(0));
  for (int k = 0; k < 4; k++) out[k] = p[k] * inverse;
  out[0] = mbs_if_positive(norm, out[0], mbs_if_zero(norm, MBS_ALL(1), norm));
}

/* p' = 1/2 (0, omega) p, omega in global axes. theory (1.11) */
static inline void mbs_euler_rate(const mbs_real p[4], const mbs_real omega[3], mbs_real out[4]) {
  const mbs_real half[4] = {MBS_ALL(0), 0.5 * omega[0], 0.5 * omega[1], 0.5 * omega[2]};
  mbs_euler_product(half, p, out);
}

/* Computes p rotated by the rotation vector w (global axes), normalized. out may be p. theory (1.15) */
static inline void mbs_euler_turn_on(const mbs_real p[4], const mbs_real w[3], mbs_real out[4]) {
  mbs_real angle = mbs_sqrt(mbs_dot(w, w)), turned[4], turn[4], sine;
  mbs_sine_of(0.5 * angle, &sine, &turn[0]);
  /* sin(angle/2) / angle */
  mbs_real share = mbs_if_positive(angle - 1e-8, sine / angle, MBS_ALL(0.5));
  for (int k = 0; k < 3; k++) turn[k + 1] = share * w[k];
  mbs_euler_product(turn, p, turned);
  mbs_euler_normalize(turned, out);
}

/* Functions that branch on values exist for a single mechanism only. */
#ifndef MBS_LANES

/* Returns the angle without full revolutions, in (-pi, pi]; a value that equals -pi up to rounding becomes pi.
 * theory (13.1) */
static inline double mbs_wrap_angle(double angle) {
  static const double rounding = 1e-9;
  return angle - mbs_full_turn * ceil(angle / mbs_full_turn - 0.5 - rounding);
}

/* Returns true if a step is so short that no full revolution of an angle can be lost: `change` is its change, `before`
 * and `now` are its rates at both ends, times the step. theory (13.5) */
static inline bool mbs_turn_certain(double change, double before, double now) {
  /* A step is certain if no angle changes by more than the first number, by its rates at both ends and by its change,
   * and these agree within the second [rad]. With longer steps a lost revolution could agree by chance. */
  static const double farthest = 2, agreement = 1;
  return fabs(change) <= farthest && fabs(before) <= farthest && fabs(now) <= farthest &&
         fabs(change - 0.5 * (before + now)) <= agreement;
}

static inline void mbs_euler_of_turn(const double axis[3], double angle, double out[4]) {
  double s = sin(0.5 * angle);
  out[0] = cos(0.5 * angle);
  for (int k = 0; k < 3; k++) out[k + 1] = s * axis[k];
}

/* Computes a unit vector perpendicular to the unit vector u; it depends only on u. */
static inline void mbs_perpendicular(const double u[3], double out[3]) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(u[k]) < fabs(u[least])) least = k;
  double length = sqrt(1 - u[least] * u[least]);
  for (int k = 0; k < 3; k++) out[k] = ((k == least) - u[least] * u[k]) / length;
}

/* Computes the unit vector along the part of the unit vector s perpendicular to the unit vector u. Returns false if s
 * is not perpendicular to u. */
static inline bool mbs_part_across(const double s[3], const double u[3], double out[3]) {
  double along = mbs_dot(s, u), length = sqrt(fmax(0, 1 - along * along));
  for (int k = 0; k < 3; k++) out[k] = (s[k] - along * u[k]) / (length > 0 ? length : 1);
  return fabs(along) <= 1e-6;
}

/* Computes the smallest rotation that maps the unit vector a to the unit vector b; if they are opposite, the axis is
 * mbs_perpendicular(a). */
static inline void mbs_euler_between(const double a[3], const double b[3], double out[4]) {
  double cosine = mbs_dot(a, b), p[4];
  if (cosine < -1 + 1e-14) {
    out[0] = 0;
    mbs_perpendicular(a, out + 1);
    return;
  }
  p[0] = 1 + cosine;
  mbs_cross(a, b, p + 1);
  mbs_euler_normalize(p, out);
}

#endif

#endif
