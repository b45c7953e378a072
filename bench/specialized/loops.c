/* loops.c - closed mechanisms of the plane. Two rods in a row, the first on the ground, have the angles a, b and
 *
 *   | maa  mab |        | ha |
 *   | mab  mbb |  v'  = | hb |  + C' lambda,      C v' = r */
#include "specialized/specialized.h"

#include <math.h>

static const double g = 9.81;

/* ---- four-bars in a row -------------------------------------------------------------------------------------- */

/* An upright a and the coupler b on its tip, which meets the tip of the next upright c:
 *
 *   C = | -sin a  -sin b   sin c |     S = C M^-1 C' is block tridiagonal: D on the diagonal, E above it.
 *       |  cos a   cos b  -cos c | */
typedef struct four_bar {
  double iaa, iab, ibb, fa, fb; /* M^-1, M^-1 h */
  double ax, ay, bx, by;        /* columns of C; that of c is (-ax, -ay) of the next */
  double x, y;                  /* r - C M^-1 h, then lambda */
  double xx, xy, yy;            /* D^-1 as eliminated */
  double exx, exy, eyx, eyy;    /* E, the block above the diagonal */
} four_bar;

/* Computes masses and forces of an upright with its coupler. */
static void set_pair(four_bar *at, const double *q, const double *v, size_t coupler) {
  double ca = cos(q[0]), sa = sin(q[0]), cb = cos(q[coupler]), sb = sin(q[coupler]);
  double cosine = ca * cb + sa * sb, sine = sa * cb - ca * sb, va = v[0] * v[0], vb = v[coupler] * v[coupler];
  double maa = 4.0 / 3, mab = 0.5 * cosine, mbb = 1.0 / 3, determinant = 1 / (maa * mbb - mab * mab);
  double ha = -0.5 * sine * vb - 1.5 * g * ca, hb = 0.5 * sine * va - 0.5 * g * cb;
  at->iaa = mbb * determinant;
  at->iab = -mab * determinant;
  at->ibb = maa * determinant;
  at->fa = at->iaa * ha + at->iab * hb;
  at->fb = at->iab * ha + at->ibb * hb;
  at->ax = -sa;
  at->ay = ca;
  at->bx = -sb;
  at->by = cb;
  at->x = ca * va + cb * vb;
  at->y = sa * va + sb * vb;
}

static void set_last(four_bar *at, const double *q, const double *v) {
  double c = cos(*q), s = sin(*q);
  *at = (four_bar){.iaa = 3, .fa = -1.5 * g * c, .ax = -s, .ay = c, .x = c * *v * *v, .y = s * *v * *v};
}

/* Computes the blocks of S, and the residual of the rows. */
static void couple(four_bar *at, const four_bar *next, double vc) {
  double px = at->iaa * at->ax + at->iab * at->bx, py = at->iaa * at->ay + at->iab * at->by;
  double qx = at->iab * at->ax + at->ibb * at->bx, qy = at->iab * at->ay + at->ibb * at->by;
  double nx = next->iaa * next->ax + next->iab * next->bx, ny = next->iaa * next->ay + next->iab * next->by;
  at->xx = at->ax * px + at->bx * qx + next->iaa * next->ax * next->ax;
  at->xy = at->ax * py + at->bx * qy + next->iaa * next->ax * next->ay;
  at->yy = at->ay * py + at->by * qy + next->iaa * next->ay * next->ay;
  at->exx = -next->ax * nx;
  at->exy = -next->ax * ny;
  at->eyx = -next->ay * nx;
  at->eyy = -next->ay * ny;
  at->x += -next->ay * vc - (at->ax * at->fa + at->bx * at->fb - next->ax * next->fa);
  at->y += next->ax * vc - (at->ay * at->fa + at->by * at->fb - next->ay * next->fa);
}

static void invert(four_bar *at) {
  double xx = at->xx, determinant = 1 / (at->xx * at->yy - at->xy * at->xy);
  at->xx = at->yy * determinant;
  at->xy = -at->xy * determinant;
  at->yy = xx * determinant;
}

/* Subtracts E' D^-1 times this block row from the next one. */
static void eliminate(const four_bar *at, four_bar *next) {
  double lxx = at->exx * at->xx + at->eyx * at->xy, lxy = at->exx * at->xy + at->eyx * at->yy;
  double lyx = at->exy * at->xx + at->eyy * at->xy, lyy = at->exy * at->xy + at->eyy * at->yy;
  next->xx -= lxx * at->exx + lxy * at->eyx;
  next->xy -= lxx * at->exy + lxy * at->eyy;
  next->yy -= lyx * at->exy + lyy * at->eyy;
  next->x -= lxx * at->x + lxy * at->y;
  next->y -= lyx * at->x + lyy * at->y;
}

/* Solves for the multipliers by block elimination, then M^-1 (h + C' lambda), for bars that are set. */
static void solve_four_bars(size_t n, const double *v, double *out, four_bar *bars) {
  for (size_t i = 0; i < n; i++) couple(&bars[i], &bars[i + 1], v[i + 1] * v[i + 1]);
  for (size_t i = 0; i < n; i++) {
    invert(&bars[i]);
    if (i + 1 < n) eliminate(&bars[i], &bars[i + 1]);
  }
  double lx = 0, ly = 0;
  for (size_t i = n; i-- > 0;) {
    four_bar *at = &bars[i];
    double x = at->x - (i + 1 < n ? at->exx * lx + at->exy * ly : 0);
    double y = at->y - (i + 1 < n ? at->eyx * lx + at->eyy * ly : 0);
    at->x = lx = at->xx * x + at->xy * y;
    at->y = ly = at->xy * x + at->yy * y;
  }
  /* M^-1 (h + C' lambda) */
  lx = ly = 0;
  for (size_t i = 0; i <= n; i++) {
    const four_bar *at = &bars[i];
    double x = i < n ? at->x : 0, y = i < n ? at->y : 0;
    double a = at->ax * (x - lx) + at->ay * (y - ly), b = at->bx * x + at->by * y;
    out[i] = at->fa + at->iaa * a + at->iab * b;
    if (i < n) out[n + 1 + i] = at->fb + at->iab * a + at->ibb * b;
    lx = x;
    ly = y;
  }
}

void specialized_four_bars(size_t n, const double *q, const double *v, double *out, double *work) {
  four_bar *bars = (four_bar *)(void *)work;
  for (size_t i = 0; i < n; i++) set_pair(&bars[i], q + i, v + i, n + 1);
  set_last(&bars[n], q + n, v + n);
  solve_four_bars(n, v, out, bars);
}

/* ---- four-bars in space -------------------------------------------------------------------------------------- */

/* A rod as a body in space, from its first hinge: vectors of three and a full inertia. All hinges have the axis u, so
 * that two of five rows per loop remain. */
typedef struct spatial_rod {
  double centre[3], tip[3];           /* u x r of the mass centre, of the tip */
  double centre_fall[3], tip_fall[3]; /* w x (w x r) */
  double inertia, gyration;           /* u.J u about the mass centre, u.(w x J w) */
} spatial_rod;

static const double u[3] = {0, 0, 1}, weight[3] = {0, -9.81, 0};

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = A x, A = c I + (1 - c) u u' + s u~; back with -s. */
static inline void rotate(double c, double s, const double *x, double *out) {
  double across[3], along = (1 - c) * dot(u, x);
  cross(u, x, across);
  for (int k = 0; k < 3; k++) out[k] = c * x[k] + along * u[k] + s * across[k];
}

/* Computes u x r and w x (w x r) from r in the axes of the body. */
static inline void move(double c, double s, const double *w, const double *r, double *turned, double *fall) {
  double at[3], rate[3];
  rotate(c, s, r, at);
  cross(u, at, turned);
  cross(w, at, rate);
  cross(w, rate, fall);
}

static inline spatial_rod set_spatial_rod(double q, double v) {
  static const double centre[3] = {0.5, 0, 0}, tip[3] = {1, 0, 0}, J[3] = {1.0 / 12, 1.0 / 12, 1.0 / 12};
  const double c = cos(q), s = sin(q), w[3] = {u[0] * v, u[1] * v, u[2] * v};
  double own[3], momentum[3], torque[3];
  spatial_rod rod;
  move(c, s, w, centre, rod.centre, rod.centre_fall);
  move(c, s, w, tip, rod.tip, rod.tip_fall);
  /* J u = A J' A' u */
  rotate(c, -s, u, own);
  for (int k = 0; k < 3; k++) own[k] *= J[k];
  rotate(c, s, own, momentum);
  rod.inertia = dot(u, momentum);
  cross(w, momentum, torque);
  rod.gyration = v * dot(u, torque);
  return rod;
}

/* Masses of 1 kg. */
static inline void set_spatial_pair(four_bar *at, const spatial_rod *a, const spatial_rod *b) {
  double maa = a->inertia + dot(a->centre, a->centre) + dot(a->tip, a->tip), mab = dot(a->tip, b->centre);
  double mbb = b->inertia + dot(b->centre, b->centre), determinant = 1 / (maa * mbb - mab * mab);
  double on_a[3], on_b[3];
  for (int k = 0; k < 3; k++) {
    on_a[k] = weight[k] - a->centre_fall[k];
    on_b[k] = weight[k] - a->tip_fall[k] - b->centre_fall[k];
  }
  double ha = dot(a->centre, on_a) + dot(a->tip, on_b) - a->gyration, hb = dot(b->centre, on_b) - b->gyration;
  at->iaa = mbb * determinant;
  at->iab = -mab * determinant;
  at->ibb = maa * determinant;
  at->fa = at->iaa * ha + at->iab * hb;
  at->fb = at->iab * ha + at->ibb * hb;
  at->ax = a->tip[0];
  at->ay = a->tip[1];
  at->bx = b->tip[0];
  at->by = b->tip[1];
  at->x = -a->tip_fall[0] - b->tip_fall[0];
  at->y = -a->tip_fall[1] - b->tip_fall[1];
}

void specialized_spatial_four_bars(size_t n, const double *q, const double *v, double *out, double *work) {
  four_bar *bars = (four_bar *)(void *)work;
  for (size_t i = 0; i < n; i++) {
    const spatial_rod a = set_spatial_rod(q[i], v[i]), b = set_spatial_rod(q[n + 1 + i], v[n + 1 + i]);
    set_spatial_pair(&bars[i], &a, &b);
  }
  const spatial_rod last = set_spatial_rod(q[n], v[n]);
  double iaa = 1 / (last.inertia + dot(last.centre, last.centre)), on_last[3];
  for (int k = 0; k < 3; k++) on_last[k] = weight[k] - last.centre_fall[k];
  bars[n] = (four_bar){
      .iaa = iaa, .fa = iaa * (dot(last.centre, on_last) - last.gyration), .ax = last.tip[0], .ay = last.tip[1]};
  solve_four_bars(n, v, out, bars);
}

/* ---- the slider-crank ---------------------------------------------------------------------------------------- */

void specialized_slider_crank(const double *q, const double *v, double *out) {
  const double L = 0.12, l = 0.13, m3 = 4;
  double ca = cos(q[0]), sa = sin(q[0]), cb = cos(q[1]), sb = sin(q[1]);
  double cosine = ca * cb + sa * sb, sine = sa * cb - ca * sb, va = v[0] * v[0], vb = v[1] * v[1];
  double maa = 0.1 + 0.06 * 0.06 + 2 * L * L, mab = 2 * L * l * cosine, mbb = 0.2 + 2 * l * l;
  double ha = -2 * L * l * sine * vb - (0.06 + 2 * L) * g * ca, hb = 2 * L * l * sine * va - 2 * l * g * cb;
  double f3 = -20 * (fabs(q[2]) - 0.6) * (q[2] < 0 ? -1 : 1) / m3;
  double determinant = 1 / (maa * mbb - mab * mab);
  double iaa = mbb * determinant, iab = -mab * determinant, ibb = maa * determinant;
  double fa = iaa * ha + iab * hb, fb = iab * ha + ibb * hb;
  double ax = -L * sa, ay = L * ca, bx = -2 * l * sb, by = 2 * l * cb; /* C = (a, b, (-1, 0)) */
  double px = iaa * ax + iab * bx, py = iaa * ay + iab * by, qx = iab * ax + ibb * bx, qy = iab * ay + ibb * by;
  double x = L * ca * va + 2 * l * cb * vb - (ax * fa + bx * fb - f3);
  double y = L * sa * va + 2 * l * sb * vb - (ay * fa + by * fb);
  double sxx = ax * px + bx * qx + 1 / m3, sxy = ax * py + bx * qy, syy = ay * py + by * qy;
  double s = 1 / (sxx * syy - sxy * sxy), lx = (syy * x - sxy * y) * s, ly = (sxx * y - sxy * x) * s;
  out[0] = fa + px * lx + py * ly;
  out[1] = fb + qx * lx + qy * ly;
  out[2] = f3 - lx / m3;
}
