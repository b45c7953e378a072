/* Hand-written accelerations. The two closed mechanisms share one form, with the angles a, b of two rods in a row and
 * a third coordinate:
 *
 *   | maa  mab  0  |        | ha |
 *   | mab  mbb  0  |  v'  = | hb |  + C' lambda,      C v' = r
 *   | 0    0    m3 |        | h3 | */
#include "specialized.h"

#include <math.h>

typedef struct loop {
  double maa, mab, mbb, m3;
  double ha, hb, h3;
  double C[2][3], r[2];
} loop;

static inline void solve_loop(const loop *l, double *out) {
  double determinant = 1 / (l->maa * l->mbb - l->mab * l->mab), i3 = 1 / l->m3;
  double iaa = l->mbb * determinant, iab = -l->mab * determinant, ibb = l->maa * determinant;
  double fa = iaa * l->ha + iab * l->hb, fb = iab * l->ha + ibb * l->hb, f3 = i3 * l->h3;
  double Y[2][3], missing[2];
  for (int k = 0; k < 2; k++) {
    const double *C = l->C[k];
    Y[k][0] = iaa * C[0] + iab * C[1];
    Y[k][1] = iab * C[0] + ibb * C[1];
    Y[k][2] = i3 * C[2];
    missing[k] = l->r[k] - (C[0] * fa + C[1] * fb + C[2] * f3);
  }
  double s00 = l->C[0][0] * Y[0][0] + l->C[0][1] * Y[0][1] + l->C[0][2] * Y[0][2];
  double s01 = l->C[0][0] * Y[1][0] + l->C[0][1] * Y[1][1] + l->C[0][2] * Y[1][2];
  double s11 = l->C[1][0] * Y[1][0] + l->C[1][1] * Y[1][1] + l->C[1][2] * Y[1][2];
  double s = 1 / (s00 * s11 - s01 * s01);
  double x = (s11 * missing[0] - s01 * missing[1]) * s, y = (s00 * missing[1] - s01 * missing[0]) * s;
  out[0] = fa + Y[0][0] * x + Y[1][0] * y;
  out[1] = fb + Y[0][1] * x + Y[1][1] * y;
  out[2] = f3 + Y[0][2] * x + Y[1][2] * y;
}

/* The four-bar of models_four_bars(1): left upright a, right upright c, coupler b. */
void specialized_four_bar(const double *q, const double *v, double *out) {
  const double g = 9.81;
  double ca = cos(q[0]), sa = sin(q[0]), cc = cos(q[1]), sc = sin(q[1]), cb = cos(q[2]), sb = sin(q[2]);
  double cosine = ca * cb + sa * sb, sine = sa * cb - ca * sb, va = v[0] * v[0], vc = v[1] * v[1], vb = v[2] * v[2];
  loop l = {.maa = 4.0 / 3,
            .mab = 0.5 * cosine,
            .mbb = 1.0 / 3,
            .m3 = 1.0 / 3,
            .ha = -0.5 * sine * vb - 1.5 * g * ca,
            .hb = 0.5 * sine * va - 0.5 * g * cb,
            .h3 = -0.5 * g * cc,
            .C = {{-sa, -sb, sc}, {ca, cb, -cc}},
            .r = {ca * va + cb * vb - cc * vc, sa * va + sb * vb - sc * vc}};
  double x[3];
  solve_loop(&l, x);
  out[0] = x[0];
  out[1] = x[2];
  out[2] = x[1];
}

/* models/SC.json: crank a, rod b, slider x. */
void specialized_slider_crank(const double *q, const double *v, double *out) {
  const double g = 9.81, L = 0.12, l = 0.13;
  double ca = cos(q[0]), sa = sin(q[0]), cb = cos(q[1]), sb = sin(q[1]);
  double cosine = ca * cb + sa * sb, sine = sa * cb - ca * sb, va = v[0] * v[0], vb = v[1] * v[1];
  double distance = fabs(q[2]);
  loop m = {.maa = 0.1 + 0.06 * 0.06 + 2 * L * L,
            .mab = 2 * L * l * cosine,
            .mbb = 0.2 + 2 * l * l,
            .m3 = 4,
            .ha = -2 * L * l * sine * vb - (0.06 + 2 * L) * g * ca,
            .hb = 2 * L * l * sine * va - 2 * l * g * cb,
            .h3 = -20 * (distance - 0.6) * (q[2] < 0 ? -1 : 1),
            .C = {{-L * sa, -2 * l * sb, -1}, {L * ca, 2 * l * cb, 0}},
            .r = {L * ca * va + 2 * l * cb * vb, L * sa * va + 2 * l * sb * vb}};
  solve_loop(&m, out);
}

/* Articulated bodies, a rod at a time. A rod is held at its upper end by a pin, where it takes the force K a + p for
 * the acceleration a of that end; d leads to its lower end, h = m d / 2 is its first moment, J = m / 3, P = perp:
 *
 *   U = P h + K P d,   D = J + P d.K P d,   b = p - w^2 K d,   u = P d.b
 *   alpha = -(U.a + u) / D,   K <- m + K - U U'/D,   p <- b - w^2 h - U u / D */
void specialized_chain(size_t n, const double *q, const double *v, double *out, double *work) {
  double kxx = 0, kxy = 0, kyy = 0, px = 0, py = 0;
  for (size_t i = n; i-- > 0;) {
    double *at = work + 5 * i;
    double dx = sin(q[i]), dy = -cos(q[i]), w2 = v[i] * v[i];
    double ex = -dy, ey = dx; /* P d */
    double kex = kxx * ex + kxy * ey, key = kxy * ex + kyy * ey;
    double ux = 0.5 * ex + kex, uy = 0.5 * ey + key, inverse = 1 / (1.0 / 3 + ex * kex + ey * key);
    double bx = px - w2 * (kxx * dx + kxy * dy), by = py - w2 * (kxy * dx + kyy * dy), u = ex * bx + ey * by;
    at[0] = dx;
    at[1] = dy;
    at[2] = ux * inverse;
    at[3] = uy * inverse;
    at[4] = u * inverse;
    kxx += 1 - ux * at[2];
    kxy -= ux * at[3];
    kyy += 1 - uy * at[3];
    px = bx - 0.5 * w2 * dx - ux * at[4];
    py = by - 0.5 * w2 * dy - uy * at[4];
  }
  double ax = 0, ay = 9.81;
  for (size_t i = 0; i < n; i++) {
    const double *at = work + 5 * i;
    double alpha = -(at[2] * ax + at[3] * ay + at[4]), w2 = v[i] * v[i];
    out[i] = alpha;
    ax += -alpha * at[1] - w2 * at[0];
    ay += alpha * at[0] - w2 * at[1];
  }
}
