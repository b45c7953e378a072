/* mass.c - see mass.h. For mass m:
 *     ellipsoid   V = 4/3 pi a b c,  J_xx = m (b^2 + c^2) / 5
 *     box         V = 8 a b c,       J_xx = m (b^2 + c^2) / 3
 *     cylinder    V = 2 pi r^2 h,    J_xx = m (3 r^2 + 4 h^2) / 12,  J_zz = m r^2 / 2
 *     half sphere: its centre is 3 r / 8 from its flat face, so two of mass m at the distance h have about the middle
 *                  J_xx = 2 m r^2 / 5 + m (h^2 + 3 h r / 4) */
#include "import/mass.h"

static const double pi = 3.14159265358979323846;

void import_mass_of_ellipsoid(double a, double b, double c, import_mass *out) {
  const double m = 4 * pi / 3 * a * b * c;
  *out =
      (import_mass){.mass = m, .inertia = {m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5}};
}

void import_mass_of_box(double a, double b, double c, import_mass *out) {
  const double m = 8 * a * b * c;
  *out =
      (import_mass){.mass = m, .inertia = {m * (b * b + c * c) / 3, m * (a * a + c * c) / 3, m * (a * a + b * b) / 3}};
}

void import_mass_of_cylinder(double radius, double half, import_mass *out) {
  const double m = 2 * pi * radius * radius * half, across = m * (3 * radius * radius + 4 * half * half) / 12;
  *out = (import_mass){.mass = m, .inertia = {across, across, m * radius * radius / 2}};
}

void import_mass_of_capsule(double radius, double half, import_mass *out) {
  const double m = 4 * pi / 3 * radius * radius * radius, axial = 2 * m * radius * radius / 5;
  const double across = axial + m * (half * half + 0.75 * half * radius);
  import_mass_of_cylinder(radius, half, out);
  out->mass += m;
  out->inertia[0] += across;
  out->inertia[1] += across;
  out->inertia[2] += axial;
}

void import_mass_scale(import_mass *mass, double factor) {
  mass->mass *= factor;
  for (int k = 0; k < 6; k++) mass->inertia[k] *= factor;
}

void import_mass_move(import_mass *mass, const import_pose *pose) {
  double at[3], J[6];
  import_point_at(pose, mass->com, at);
  import_rotate_tensor(pose->R, mass->inertia, J);
  memcpy(mass->com, at, sizeof at);
  memcpy(mass->inertia, J, sizeof J);
}

void import_mass_add_point(double J[6], double m, const double d[3]) {
  const double square = import_dot(d, d);
  for (int k = 0; k < 3; k++) J[k] += m * (square - d[k] * d[k]);
  J[3] -= m * d[0] * d[1];
  J[4] -= m * d[0] * d[2];
  J[5] -= m * d[1] * d[2];
}

void import_mass_add(import_mass *sum, const import_mass *mass) {
  const double all = sum->mass + mass->mass;
  double centre[3], d[3];
  for (int k = 0; k < 3; k++)
    centre[k] = all > 0 ? (sum->mass * sum->com[k] + mass->mass * mass->com[k]) / all : sum->com[k];
  for (int k = 0; k < 6; k++) sum->inertia[k] += mass->inertia[k];
  for (int k = 0; k < 3; k++) d[k] = sum->com[k] - centre[k];
  import_mass_add_point(sum->inertia, sum->mass, d);
  for (int k = 0; k < 3; k++) d[k] = mass->com[k] - centre[k];
  import_mass_add_point(sum->inertia, mass->mass, d);
  sum->mass = all;
  memcpy(sum->com, centre, sizeof centre);
}

void import_principal(const double J[6], double moments[3], double axes[9]) {
  double A[9] = {J[0], J[3], J[4], J[3], J[1], J[5], J[4], J[5], J[2]};
  memcpy(axes, import_no_pose.R, sizeof import_no_pose.R);
  for (int sweep = 0; sweep < 30; sweep++) { /* the iteration converges quadratically: 30 sweeps are ample */
    for (int p = 0; p < 2; p++)
      for (int q = p + 1; q < 3; q++) {
        if (A[3 * p + q] == 0) continue;
        double axis[3] = {0, 0, 0}, turn[9], left[9], back[9], turned[9];
        const int r = 3 - p - q;
        /* the rotation in the plane (p, q) that makes A_pq zero */
        const double angle = atan2(2 * A[3 * p + q], A[3 * p + p] - A[3 * q + q]) / 2;
        axis[r] = (q - p) % 3 == 1 ? 1 : -1;
        import_rotation_about(axis, angle, turn);
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) back[3 * i + j] = turn[3 * j + i];
        import_multiply(back, A, left);
        import_multiply(left, turn, A);
        A[3 * p + q] = A[3 * q + p] = 0;
        import_multiply(axes, turn, turned);
        memcpy(axes, turned, sizeof turned);
      }
  }
  for (int k = 0; k < 3; k++) moments[k] = A[4 * k];
}
