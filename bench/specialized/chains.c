/* chains.c - open chains of rods by the articulated-body algorithm: to the free end and back. Featherstone, Rigid Body
 * Dynamics Algorithms, 2008, ch. 7. */
#include "specialized/specialized.h"

#include <math.h>

/* ---- in the plane -------------------------------------------------------------------------------------------- */

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

/* ---- on hinges in space -------------------------------------------------------------------------------------- */

typedef double matrix[3][3];

/* A rod in its own axes, held at its upper end A. Force and torque there for the acceleration a of that end and the
 * angular acceleration alpha:
 *
 *   n = J alpha + H a + p,   f = H' alpha + M a + b */
typedef struct articulated {
  matrix J, H, M;
  double p[3], b[3];
} articulated;

/* Data of a rod for the backward pass. */
typedef struct passed {
  double c, s;       /* of the hinge's angle */
  double w[3];       /* angular velocity */
  double U[3], V[3]; /* J u / D, H' u / D */
  double rest;       /* u.p / D */
  double turn[3];    /* velocity part of the angular acceleration */
  double fall[3];    /* part of the acceleration of A, which is 1 m below the end of the previous rod */
} passed;

static const double half = 0.5, length = 1, mass = 1, thick = 0.09, thin = 0.01;

/* Rotates into the axes of a rod from those of the previous one, with the common axis `k`; back with -s. */
static inline void turn(int k, double c, double s, const double *x, double *out) {
  const int i = k == 0 ? 1 : 2, j = k == 0 ? 2 : 0;
  out[k] = x[k];
  out[i] = c * x[i] + s * x[j];
  out[j] = c * x[j] - s * x[i];
}

static inline void turn_matrix(int k, double c, double s, matrix A) {
  matrix half_turned;
  for (int i = 0; i < 3; i++) turn(k, c, s, A[i], half_turned[i]);
  for (int j = 0; j < 3; j++) {
    double column[3] = {half_turned[0][j], half_turned[1][j], half_turned[2][j]}, turned[3];
    turn(k, c, s, column, turned);
    for (int i = 0; i < 3; i++) A[i][j] = turned[i];
  }
}

/* Sets the inertia of the rod itself: mass centre at (0, 0, -half). */
static inline void set_rod(const double *w, articulated *rod) {
  const double about = thick + mass * half * half, h = mass * half;
  *rod = (articulated){.J = {{about, 0, 0}, {0, about, 0}, {0, 0, thin}},
                       .H = {{0, h, 0}, {-h, 0, 0}, {0, 0, 0}},
                       .M = {{mass, 0, 0}, {0, mass, 0}, {0, 0, mass}},
                       .p = {(thin - about) * w[1] * w[2], (about - thin) * w[0] * w[2], 0},
                       .b = {-h * w[0] * w[2], -h * w[1] * w[2], h * (w[0] * w[0] + w[1] * w[1])}};
}

/* Below the end (0, 0, -length) of the rod before, whose own is added: for a = a_A - r~ alpha,
 *
 *   J + r~ H' - H r~ - r~ M r~,   H + r~ M,   M,   p + r~ b */
static inline void add_shifted(const articulated *hung, articulated *rod) {
  const double l = length;
  matrix K; /* H + r~ M; r~ x = l (x_2, -x_1, 0) */
  for (int j = 0; j < 3; j++) {
    K[0][j] = hung->H[0][j] + l * hung->M[1][j];
    K[1][j] = hung->H[1][j] - l * hung->M[0][j];
    K[2][j] = hung->H[2][j];
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double lifted = i == 0 ? l * hung->H[j][1] : i == 1 ? -l * hung->H[j][0] : 0; /* r~ H' */
      double carried = j == 0 ? l * K[i][1] : j == 1 ? -l * K[i][0] : 0;            /* -K r~ */
      rod->J[i][j] += hung->J[i][j] + lifted + carried;
      rod->H[i][j] += K[i][j];
      rod->M[i][j] += hung->M[i][j];
    }
  rod->p[0] += hung->p[0] + l * hung->b[1];
  rod->p[1] += hung->p[1] - l * hung->b[0];
  rod->p[2] += hung->p[2];
  for (int i = 0; i < 3; i++) rod->b[i] += hung->b[i];
}

/* Removes the hinge's degree of freedom, and adds the velocity parts. */
static inline void release(int k, articulated *rod, passed *at) {
  const double D = 1 / rod->J[k][k];
  double Ju[3], Hu[3];
  for (int i = 0; i < 3; i++) {
    Ju[i] = rod->J[i][k];
    Hu[i] = rod->H[k][i];
    at->U[i] = Ju[i] * D;
    at->V[i] = Hu[i] * D;
  }
  at->rest = rod->p[k] * D;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      rod->J[i][j] -= Ju[i] * at->U[j];
      rod->H[i][j] -= Ju[i] * at->V[j];
      rod->M[i][j] -= Hu[i] * at->V[j];
    }
  for (int i = 0; i < 3; i++) {
    rod->p[i] -= Ju[i] * at->rest;
    rod->b[i] -= Hu[i] * at->rest;
    for (int j = 0; j < 3; j++) {
      rod->p[i] += rod->J[i][j] * at->turn[j] + rod->H[i][j] * at->fall[j];
      rod->b[i] += rod->H[j][i] * at->turn[j] + rod->M[i][j] * at->fall[j];
    }
  }
}

static void find_velocities(size_t n, const double *q, const double *v, passed *rods) {
  double w[3] = {0};
  for (size_t i = 0; i < n; i++) {
    passed *at = &rods[i];
    const int k = i % 2 == 0 ? 0 : 1;
    at->c = cos(q[i]);
    at->s = sin(q[i]);
    /* w x (w x r), r = (0, 0, -length) */
    const double fall[3] = {-length * w[0] * w[2], -length * w[1] * w[2], length * (w[0] * w[0] + w[1] * w[1])};
    turn(k, at->c, at->s, i == 0 ? (const double[3]){0} : fall, at->fall);
    turn(k, at->c, at->s, w, at->w);
    /* w x u v */
    const double *x = at->w;
    at->turn[0] = k == 0 ? 0 : -x[2] * v[i];
    at->turn[1] = k == 0 ? x[2] * v[i] : 0;
    at->turn[2] = k == 0 ? -x[1] * v[i] : x[0] * v[i];
    at->w[k] += v[i];
    for (int j = 0; j < 3; j++) w[j] = at->w[j];
  }
}

void specialized_spatial_chain(size_t n, const double *q, const double *v, double *out, double *work) {
  passed *rods = (passed *)(void *)work;
  articulated hung, rod;
  find_velocities(n, q, v, rods);
  for (size_t i = n; i-- > 0;) {
    const int k = i % 2 == 0 ? 0 : 1;
    passed *at = &rods[i];
    set_rod(at->w, &rod);
    if (i + 1 < n) add_shifted(&hung, &rod);
    hung = rod;
    release(k, &hung, at);
    turn_matrix(k, at->c, -at->s, hung.J);
    turn_matrix(k, at->c, -at->s, hung.H);
    turn_matrix(k, at->c, -at->s, hung.M);
    const double p[3] = {hung.p[0], hung.p[1], hung.p[2]}, b[3] = {hung.b[0], hung.b[1], hung.b[2]};
    turn(k, at->c, -at->s, p, hung.p);
    turn(k, at->c, -at->s, b, hung.b);
  }
  double alpha[3] = {0}, a[3] = {0, 0, 9.81};
  for (size_t i = 0; i < n; i++) {
    const int k = i % 2 == 0 ? 0 : 1;
    const passed *at = &rods[i];
    const double end[3] = {i ? a[0] - length * alpha[1] : a[0], i ? a[1] + length * alpha[0] : a[1], a[2]};
    double turned[3], moved[3];
    turn(k, at->c, at->s, alpha, turned);
    turn(k, at->c, at->s, end, moved);
    double sum = at->rest;
    for (int j = 0; j < 3; j++) {
      alpha[j] = turned[j] + at->turn[j];
      a[j] = moved[j] + at->fall[j];
      sum += at->U[j] * alpha[j] + at->V[j] * a[j];
    }
    out[i] = -sum;
    alpha[k] -= sum;
  }
}
