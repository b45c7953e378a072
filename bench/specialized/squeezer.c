/* squeezer.c - Andrews' squeezing mechanism in the notation of Hairer & Wanner, Solving Ordinary Differential Equations
 * II, VII.7: coordinates beta, Theta, gamma, Phi, delta, Omega, epsilon, of which the bodies' angles are sums. M
 * consists of blocks of two and one, and so does its inverse; S = G M^-1 G' is dense. */
#include "specialized/specialized.h"

#include <math.h>

enum { COORDINATES = 7, ROWS = 6 };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705, m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-6, I2 = 4.41e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                    I7 = 1.912e-5;
static const double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
                    sb = 0.01043, sc = 0.018, sd = 0.02, zt = 0.04, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                    ub = 0.00449, zf = 0.02, fa = 0.01421;
static const double c0 = 4530, l0 = 0.07785, torque = 0.033;

/* G x of a velocity, given by its columns: pairs of rows for E3, E4, E6. */
typedef struct squeezer {
  double G[ROWS][COORDINATES], r[ROWS]; /* r = -Gdot v */
  double f[COORDINATES];
  double pairs[3][3]; /* M^-1 of (beta, Theta), (Phi, delta), (Omega, epsilon): aa, ab, bb */
  double i3;          /* M^-1 of gamma */
} squeezer;

static void invert_pair(double aa, double ab, double bb, double *out) {
  double determinant = 1 / (aa * bb - ab * ab);
  out[0] = bb * determinant;
  out[1] = -ab * determinant;
  out[2] = aa * determinant;
}

/* Coordinates q, rates v. */
static void set_up(const double *q, const double *v, squeezer *s) {
  double sbe = sin(q[0]), cbe = cos(q[0]), sth = sin(q[1]), cth = cos(q[1]), sga = sin(q[2]), cga = cos(q[2]);
  double sph = sin(q[3]), cph = cos(q[3]), sde = sin(q[4]), cde = cos(q[4]), som = sin(q[5]), com = cos(q[5]);
  double sep = sin(q[6]), cep = cos(q[6]);
  double sbt = sbe * cth + cbe * sth, cbt = cbe * cth - sbe * sth; /* beta + Theta */
  double spd = sph * cde + cph * sde, cpd = cph * cde - sph * sde; /* Phi + delta */
  double soe = som * cep + com * sep, coe = com * cep - som * sep; /* Omega + epsilon */
  double E = e - ea, F = zf - fa;
  invert_pair(m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cth + da * da) + I1 + I2,
              m2 * (da * da - da * rr * cth) + I2, m2 * da * da + I2, s->pairs[0]);
  s->i3 = 1 / (m3 * (sa * sa + sb * sb) + I3);
  invert_pair(m4 * E * E + I4, m4 * (E * E + zt * E * sph) + I4,
              m4 * (zt * zt + 2 * zt * E * sph + E * E) + m5 * (ta * ta + tb * tb) + I4 + I5, s->pairs[1]);
  invert_pair(m6 * F * F + I6, m6 * (F * F - u * F * som) + I6,
              m6 * (F * F - 2 * u * F * som + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7, s->pairs[2]);
  double xd = sd * cga + sc * sga + xb, yd = sd * sga - sc * cga + yb;
  double length = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc)), force = -c0 * (length - l0) / length;
  double fx = force * (xd - xc), fy = force * (yd - yc);
  s->f[0] = torque - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sth;
  s->f[1] = m2 * da * rr * v[0] * v[0] * sth;
  s->f[2] = fx * (sc * cga - sd * sga) + fy * (sd * cga + sc * sga);
  s->f[3] = m4 * zt * E * v[4] * v[4] * cph;
  s->f[4] = -m4 * zt * E * v[3] * (v[3] + 2 * v[4]) * cph;
  s->f[5] = -m6 * u * F * v[6] * v[6] * com;
  s->f[6] = m6 * u * F * v[5] * (v[5] + 2 * v[6]) * com;
  double wbt = (v[0] + v[1]) * (v[0] + v[1]), wpd = (v[3] + v[4]) * (v[3] + v[4]), woe = (v[5] + v[6]) * (v[5] + v[6]);
  double bx = -rr * sbe + d * sbt, tx = d * sbt, by = rr * cbe - d * cbt, ty = -d * cbt;
  double x = rr * cbe * v[0] * v[0] - d * cbt * wbt, y = rr * sbe * v[0] * v[0] - d * sbt * wbt;
  const double G[ROWS][COORDINATES] = {{bx, tx, -ss * cga, 0, 0, 0, 0},
                                       {by, ty, -ss * sga, 0, 0, 0, 0},
                                       {bx, tx, 0, -e * cpd, -e * cpd + zt * sde, 0, 0},
                                       {by, ty, 0, -e * spd, -e * spd - zt * cde, 0, 0},
                                       {bx, tx, 0, 0, 0, zf * soe, zf * soe - u * cep},
                                       {by, ty, 0, 0, 0, -zf * coe, -zf * coe - u * sep}};
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COORDINATES; k++) s->G[i][k] = G[i][k];
  s->r[0] = x - ss * sga * v[2] * v[2];
  s->r[1] = y + ss * cga * v[2] * v[2];
  s->r[2] = x - e * spd * wpd - zt * cde * v[4] * v[4];
  s->r[3] = y + e * cpd * wpd - zt * sde * v[4] * v[4];
  s->r[4] = x - zf * coe * woe - u * sep * v[6] * v[6];
  s->r[5] = y - zf * soe * woe + u * cep * v[6] * v[6];
}

/* out = M^-1 x. */
static void weigh(const squeezer *s, const double *x, double *out) {
  static const int first[] = {0, 3, 5};
  for (int k = 0; k < 3; k++) {
    const double *p = s->pairs[k], a = x[first[k]], b = x[first[k] + 1];
    out[first[k]] = p[0] * a + p[1] * b;
    out[first[k] + 1] = p[1] * a + p[2] * b;
  }
  out[2] = s->i3 * x[2];
}

void specialized_squeezer(const double *angles, const double *rates, double *out) {
  const double q[] = {angles[0], angles[1] - angles[0], angles[2], angles[3] - angles[4],
                      angles[4], angles[5] - angles[6], angles[6]};
  const double v[] = {rates[0], rates[1] - rates[0], rates[2], rates[3] - rates[4],
                      rates[4], rates[5] - rates[6], rates[6]};
  squeezer s;
  double Y[ROWS][COORDINATES], S[ROWS][ROWS], x[ROWS], free[COORDINATES];
  set_up(q, v, &s);
  weigh(&s, s.f, free);
  for (int i = 0; i < ROWS; i++) weigh(&s, s.G[i], Y[i]);
  for (int i = 0; i < ROWS; i++) {
    x[i] = s.r[i];
    for (int k = 0; k < COORDINATES; k++) x[i] -= s.G[i][k] * free[k];
    for (int j = 0; j <= i; j++) {
      S[i][j] = s.G[i][0] * Y[j][0] + s.G[i][1] * Y[j][1];
      if (i / 2 == j / 2)
        for (int k = 2; k < COORDINATES; k++) S[i][j] += s.G[i][k] * Y[j][k];
    }
  }
  /* S = L D L' */
  for (int j = 0; j < ROWS; j++) {
    double pivot = 1 / S[j][j];
    for (int i = j + 1; i < ROWS; i++) {
      double l = S[i][j] * pivot;
      for (int k = i; k < ROWS; k++) S[k][i] -= l * S[k][j];
      x[i] -= l * x[j];
    }
    S[j][j] = pivot;
  }
  for (int j = ROWS; j-- > 0;) {
    for (int i = j + 1; i < ROWS; i++) x[j] -= S[i][j] * x[i];
    x[j] *= S[j][j];
  }
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < COORDINATES; k++) free[k] += Y[i][k] * x[i];
  out[0] = free[0];
  out[1] = free[0] + free[1];
  out[2] = free[2];
  out[3] = free[3] + free[4];
  out[4] = free[4];
  out[5] = free[5] + free[6];
  out[6] = free[6];
}
