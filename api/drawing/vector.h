/* vector.h - vectors in space and rotations by Euler parameters. */
#ifndef API_DRAWING_VECTOR_H
#define API_DRAWING_VECTOR_H

#include <math.h>
#include <string.h>

static inline double api_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline double api_norm(const double a[3]) { return sqrt(api_dot(a, a)); }

/* Sets out = a + factor b. */
static inline void api_plus(const double a[3], const double b[3], double factor, double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = a[k] + factor * b[k];
}

static inline void api_cross(const double a[3], const double b[3], double out[3]) {
  const double made[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  memcpy(out, made, sizeof made);
}

/* Sets out to the unit vector along `a`; to `otherwise` if `a` is zero. */
static inline void api_unit(const double a[3], const double otherwise[3], double out[3]) {
  const double length = api_norm(a);
  for (int k = 0; k < 3; k++) out[k] = length > 0 ? a[k] / length : otherwise[k];
}

/* Sets out to the vector that a rotation by Euler parameters of norm 1 makes of `v`: v + 2 e x (e x v + e0 v). */
static inline void api_rotate(const double p[4], const double v[3], double out[3]) {
  double inner[3], outer[3];
  api_cross(p + 1, v, inner);
  api_plus(inner, v, p[0], inner);
  api_cross(p + 1, inner, outer);
  api_plus(v, outer, 2, out);
}

/* Sets p to the Euler parameters of the shortest rotation from one unit vector to another. */
static inline void api_turn_between(const double from[3], const double to[3], double p[4]) {
  double axis[3];
  const double cosine = api_dot(from, to);
  api_cross(from, to, axis);
  p[0] = 1 + cosine;
  memcpy(p + 1, axis, sizeof axis);
  if (p[0] < 1e-12) { /* opposite: about any perpendicular */
    const int least = fabs(from[0]) < 0.6 ? 0 : 1;
    double other[3] = {least == 0, least == 1, 0};
    api_cross(from, other, axis);
    p[0] = 0;
    memcpy(p + 1, axis, sizeof axis);
  }
  const double length = sqrt(p[0] * p[0] + api_dot(p + 1, p + 1));
  for (int k = 0; k < 4; k++) p[k] /= length;
}

#endif
