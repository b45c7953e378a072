/* rotation.h - vectors of three components, rotation matrices (row by row) and poses. A pose maps coordinates of an
 * inner frame to those of an outer frame, x_outer = R x_inner + p. */
#ifndef IMPORT_ROTATION_H
#define IMPORT_ROTATION_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct import_pose {
  double R[9], p[3];
} import_pose;

static const import_pose import_no_pose = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static inline double import_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double import_length(const double a[3]) { return sqrt(import_dot(a, a)); }

/* out = a x b; out must be neither a nor b. */
static inline void import_cross(const double a[3], const double b[3], double out[3]) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = R s; out must not be s. */
static inline void import_rotate(const double R[9], const double s[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * s[0] + R[3 * i + 1] * s[1] + R[3 * i + 2] * s[2];
}

/* out = R' s; out must not be s. */
static inline void import_rotate_back(const double R[9], const double s[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = R[i] * s[0] + R[3 + i] * s[1] + R[6 + i] * s[2];
}

/* out = A B; out must be neither A nor B. */
static inline void import_multiply(const double A[9], const double B[9], double out[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

/* Computes the point `at` of a pose's inner frame in its outer frame. */
static inline void import_point_at(const import_pose *pose, const double at[3], double out[3]) {
  double turned[3];
  import_rotate(pose->R, at, turned);
  for (int k = 0; k < 3; k++) out[k] = turned[k] + pose->p[k];
}

/* Returns the pose of `inner` in the outer frame of `outer`. */
static inline import_pose import_compose(const import_pose *outer, const import_pose *inner) {
  import_pose out;
  import_multiply(outer->R, inner->R, out.R);
  import_point_at(outer, inner->p, out.p);
  return out;
}

/* Returns the pose of the outer frame in the inner one. */
static inline import_pose import_inverse(const import_pose *pose) {
  import_pose out;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out.R[3 * i + j] = pose->R[3 * j + i];
  import_rotate(out.R, pose->p, out.p);
  for (int k = 0; k < 3; k++) out.p[k] = -out.p[k];
  return out;
}

/* Returns the pose of b in the frame of a, where both are given in one outer frame. */
static inline import_pose import_between(const import_pose *a, const import_pose *b) {
  const import_pose back = import_inverse(a);
  return import_compose(&back, b);
}

/* Computes the rotation by `angle` about the unit vector u. */
static inline void import_rotation_about(const double u[3], double angle, double R[9]) {
  const double c = cos(angle), s = sin(angle), d = 1 - c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = d * u[i] * u[j] + (i == j ? c : 0);
  R[1] -= s * u[2], R[3] += s * u[2], R[2] += s * u[1], R[6] -= s * u[1], R[5] -= s * u[0], R[7] += s * u[0];
}

/* Computes the rotation about the fixed axes x, y, z in this order, by rpy[0], rpy[1], rpy[2] (URDF, SDF). */
static inline void import_of_rpy(const double rpy[3], double R[9]) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double x[9], y[9], z[9], zy[9];
  import_rotation_about(axes[0], rpy[0], x);
  import_rotation_about(axes[1], rpy[1], y);
  import_rotation_about(axes[2], rpy[2], z);
  import_multiply(z, y, zy);
  import_multiply(zy, x, R);
}

/* Computes the rotation of the unit quaternion q = (w, x, y, z). */
static inline void import_of_quaternion(const double q[4], double R[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

/* Computes the unit quaternion (w, x, y, z) of a rotation, from the largest of its components. */
static inline void import_quaternion(const double R[9], double q[4]) {
  const double trace = R[0] + R[4] + R[8];
  const double squares[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace, 1 + 2 * R[8] - trace};
  const double pairs[4][4] = {{0, R[7] - R[5], R[2] - R[6], R[3] - R[1]},
                              {R[7] - R[5], 0, R[1] + R[3], R[2] + R[6]},
                              {R[2] - R[6], R[1] + R[3], 0, R[5] + R[7]},
                              {R[3] - R[1], R[2] + R[6], R[5] + R[7], 0}};
  int largest = 0;
  for (int k = 1; k < 4; k++) largest = squares[k] > squares[largest] ? k : largest;
  const double root = sqrt(squares[largest]);
  for (int k = 0; k < 4; k++) q[k] = k == largest ? root / 2 : pairs[largest][k] / (2 * root);
  const double sign = q[0] < 0 ? -1 : 1;
  for (int k = 0; k < 4; k++) q[k] *= sign;
}

/* Computes a unit vector perpendicular to u. */
static inline void import_perpendicular(const double u[3], double out[3]) {
  int least = 0;
  double axis[3] = {0, 0, 0}, across[3];
  for (int k = 1; k < 3; k++) least = fabs(u[k]) < fabs(u[least]) ? k : least;
  axis[least] = 1;
  import_cross(u, axis, across);
  const double length = import_length(across);
  for (int k = 0; k < 3; k++) out[k] = across[k] / length;
}

/* Computes the smallest rotation that brings the unit vector a onto b: with v = a x b and c = a.b,
 * R = c E + [v]x + v v' / (1 + c); for c = -1 half a turn about a perpendicular n, R = 2 n n' - E. */
static inline void import_smallest_rotation(const double a[3], const double b[3], double R[9]) {
  double v[3], n[3];
  import_cross(a, b, v);
  const double c = import_dot(a, b);
  const bool opposite = c <= -1 || import_dot(v, v) == 0;
  if (opposite) import_perpendicular(a, n);
  if (opposite && c > 0) {
    memcpy(R, import_no_pose.R, sizeof import_no_pose.R);
    return;
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      R[3 * i + j] = opposite ? 2 * n[i] * n[j] - (i == j) : v[i] * v[j] / (1 + c) + (i == j ? c : 0);
  if (opposite) return;
  R[1] -= v[2], R[3] += v[2], R[2] += v[1], R[6] -= v[1], R[5] -= v[0], R[7] += v[0];
}

/* out = R J R' for symmetric tensors [xx, yy, zz, xy, xz, yz]. */
static inline void import_rotate_tensor(const double R[9], const double J[6], double out[6]) {
  const double full[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
  double left[9], turned[9], transposed[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) transposed[3 * i + j] = R[3 * j + i];
  import_multiply(R, full, left);
  import_multiply(left, transposed, turned);
  out[0] = turned[0], out[1] = turned[4], out[2] = turned[8];
  out[3] = turned[1], out[4] = turned[2], out[5] = turned[5];
}

static inline bool import_is_unit_matrix(const double R[9]) {
  return memcmp(R, import_no_pose.R, sizeof import_no_pose.R) == 0;
}

#endif
