/* Planar primitives: g, its derivatives in V1 and V2, and g'' for V' = beta. With d = rP1 - rP2, u the global u1, n =
 * perp(u):
 *
 *   point     d                           d' = v1 + w1 perp(s1) - v2 - w2 perp(s2)
 *   normal    n.d                         n' = -w1 u
 *   parallel  n.u2                        (u.u2)(w2 - w1)
 *   angle     a1 phi1 + a2 phi2
 *   distance  norm(d)                     e.d', e = d / norm(d)
 *   along     -u.d + a1 phi1 + a2 phi2              u' = w1 n
 *
 * (Nikravesh, Planar Multibody Dynamics, ch. 7; Haug, Computer-Aided Kinematics and Dynamics, ch. 3.) */
#include "kernels/planar/planar.h"

#include <math.h>

int planar_primitive_rows(mbs_primitive primitive) { return primitive == MBS_PRIMITIVE_POINT ? 2 : 1; }

/* Both points, their difference d and its acceleration for V' = beta. */
typedef struct points {
  mbs_real s1x, s1y, s2x, s2y; /* body points from the mass centres, global axes */
  mbs_real dx, dy, ax, ay;
} points;

/* The rate of d. */
typedef struct rate {
  mbs_real x, y;
} rate;

/* Computes d' = r1' + omega1 perp(s1) - r2' - omega2 perp(s2). theory (4.1) */
static rate rate_of(const points *p, const planar_body *b1, const planar_body *b2) {
  return (rate){b1->vx - b1->w * p->s1y - b2->vx + b2->w * p->s2y, b1->vy + b1->w * p->s1x - b2->vy - b2->w * p->s2x};
}

/* Computes both points for the motion of the bodies. theory (4.1) */
static points points_of(const mbs_geometry *at, const planar_body *b1, const planar_body *b2) {
  points p;
  /* s = A s' */
  p.s1x = b1->c * at->s1[0] - b1->s * at->s1[1];
  p.s1y = b1->s * at->s1[0] + b1->c * at->s1[1];
  p.s2x = b2->c * at->s2[0] - b2->s * at->s2[1];
  p.s2y = b2->s * at->s2[0] + b2->c * at->s2[1];
  /* d = r1 + s1 - r2 - s2 */
  p.dx = b1->x + p.s1x - b2->x - p.s2x;
  p.dy = b1->y + p.s1y - b2->y - p.s2y;
  /* d'' = beta1 - omega1^2 s1 - beta2 + omega2^2 s2 */
  p.ax = b1->bx - b1->w * b1->w * p.s1x - b2->bx + b2->w * b2->w * p.s2x;
  p.ay = b1->by - b1->w * b1->w * p.s1y - b2->by + b2->w * b2->w * p.s2y;
  return p;
}

/* theory (4.2) */
static void measure_point(const points *p, planar_primitive out[2]) {
  const mbs_real zero = MBS_ALL(0), one = MBS_ALL(1);
  out[0] = (planar_primitive){p->dx, {one, zero, -p->s1y}, {-one, zero, p->s2y}, p->ax};
  out[1] = (planar_primitive){p->dy, {zero, one, p->s1x}, {zero, -one, -p->s2x}, p->ay};
}

/* theory (4.3) */
static void measure_normal(const mbs_block_constants *numbers, const planar_body *b1, const planar_body *b2,
                           const points *p, planar_primitive *out) {
  const rate v = rate_of(p, b1, b2);
  mbs_real ux = b1->c * numbers->geometry.u1[0] - b1->s * numbers->geometry.u1[1];
  mbs_real uy = b1->s * numbers->geometry.u1[0] + b1->c * numbers->geometry.u1[1];
  mbs_real nx = -uy, ny = ux;
  /* g = n.d */
  out->g = nx * p->dx + ny * p->dy;
  /* D1 = (n, n.perp(s1) - u.d), D2 = (-n, -n.perp(s2)) */
  out->d1[0] = nx;
  out->d1[1] = ny;
  out->d1[2] = p->s1x * ny - p->s1y * nx - (ux * p->dx + uy * p->dy);
  out->d2[0] = -nx;
  out->d2[1] = -ny;
  out->d2[2] = -(p->s2x * ny - p->s2y * nx);
  /* bias = n.d'' - 2 omega1 u.d' - omega1^2 g */
  out->bias = nx * p->ax + ny * p->ay - 2 * b1->w * (ux * v.x + uy * v.y) - b1->w * b1->w * out->g;
}

/* theory (4.4) */
static void measure_along(const mbs_block_constants *numbers, const planar_body *b1, const planar_body *b2,
                          const points *p, planar_primitive *out) {
  const rate v = rate_of(p, b1, b2);
  mbs_real ux = b1->c * numbers->geometry.u1[0] - b1->s * numbers->geometry.u1[1];
  mbs_real uy = b1->s * numbers->geometry.u1[0] + b1->c * numbers->geometry.u1[1];
  mbs_real nx = -uy, ny = ux, along = ux * p->dx + uy * p->dy;
  /* g = alpha1 phi1 + alpha2 phi2 - u.d */
  out->g = numbers->weight1 * b1->phi + numbers->weight2 * b2->phi - along;
  /* D1 = (-u, -u.perp(s1) - n.d + alpha1), D2 = (u, u.perp(s2) + alpha2) */
  out->d1[0] = -ux;
  out->d1[1] = -uy;
  out->d1[2] = -(p->s1x * uy - p->s1y * ux) - (nx * p->dx + ny * p->dy) + numbers->weight1;
  out->d2[0] = ux;
  out->d2[1] = uy;
  out->d2[2] = p->s2x * uy - p->s2y * ux + numbers->weight2;
  /* bias = omega1^2 u.d - 2 omega1 n.d' - u.d'' */
  out->bias = b1->w * b1->w * along - 2 * b1->w * (nx * v.x + ny * v.y) - (ux * p->ax + uy * p->ay);
}

/* theory (4.5) */
static void measure_distance(const planar_body *b1, const planar_body *b2, const points *p, planar_primitive *out) {
  const rate v = rate_of(p, b1, b2);
  mbs_real length = mbs_sqrt(p->dx * p->dx + p->dy * p->dy);
  mbs_real ex = p->dx / length, ey = p->dy / length, stretch = ex * v.x + ey * v.y;
  /* g = l = norm(d), e = d / l */
  out->g = length;
  /* D1 = (e, e.perp(s1)), D2 = (-e, -e.perp(s2)) */
  out->d1[0] = ex;
  out->d1[1] = ey;
  out->d1[2] = p->s1x * ey - p->s1y * ex;
  out->d2[0] = -ex;
  out->d2[1] = -ey;
  out->d2[2] = -(p->s2x * ey - p->s2y * ex);
  /* bias = e.d'' + (d'.d' - (e.d')^2) / l */
  out->bias = ex * p->ax + ey * p->ay + (v.x * v.x + v.y * v.y - stretch * stretch) / length;
}

/* theory (4.6) */
static void measure_parallel(const mbs_block_constants *numbers, const planar_body *b1, const planar_body *b2,
                             planar_primitive *out) {
  const mbs_real *u1 = numbers->geometry.u1, *u2 = numbers->geometry.u2;
  mbs_real u1x = b1->c * u1[0] - b1->s * u1[1], u1y = b1->s * u1[0] + b1->c * u1[1];
  mbs_real u2x = b2->c * u2[0] - b2->s * u2[1], u2y = b2->s * u2[0] + b2->c * u2[1];
  mbs_real cosine = u1x * u2x + u1y * u2y, w = b2->w - b1->w;
  /* g = n.u2, D1 = (0, -u1.u2), D2 = (0, u1.u2) */
  *out = (planar_primitive){.g = u1x * u2y - u1y * u2x, .d1 = {[2] = -cosine}, .d2 = {[2] = cosine}};
  /* bias = -g (omega2 - omega1)^2 */
  out->bias = -out->g * w * w;
}

/* Computes primitives of points. */
static void measure_points(const mbs_block *block, const mbs_block_constants *numbers, const planar_body *first,
                           const planar_body *second, planar_primitive *out) {
  points p = points_of(&numbers->geometry, first, second);
  switch (block->primitive) {
  case MBS_PRIMITIVE_POINT: measure_point(&p, out); break;
  case MBS_PRIMITIVE_NORMAL: measure_normal(numbers, first, second, &p, out); break;
  case MBS_PRIMITIVE_DISTANCE: measure_distance(first, second, &p, out); break;
  case MBS_PRIMITIVE_ALONG: measure_along(numbers, first, second, &p, out); break;
  default: *out = (planar_primitive){.g = MBS_ALL(NAN)}; /* this primitive does not exist in the plane */
  }
}

/* theory (4.7), (3.1) */
void planar_primitive_rows_at(const mbs_block *block, const mbs_block_constants *numbers, const planar_body *first,
                              const planar_body *second, planar_primitive out[2]) {
  switch (block->primitive) {
  case MBS_PRIMITIVE_ANGLE:
    /* g = alpha1 phi1 + alpha2 phi2, D1 = (0, alpha1), D2 = (0, alpha2), bias = 0 */
    out[0] = (planar_primitive){.g = numbers->weight1 * first->phi + numbers->weight2 * second->phi,
                                .d1 = {[2] = numbers->weight1},
                                .d2 = {[2] = numbers->weight2}};
    break;
  case MBS_PRIMITIVE_PARALLEL: measure_parallel(numbers, first, second, out); break;
  default: measure_points(block, numbers, first, second, out);
  }
  for (int r = 0; r < planar_primitive_rows(block->primitive); r++) {
    planar_primitive *m = &out[r];
    /* a g - constant, a D, a bias, a = scale */
    if (block->scaled) {
      m->g *= numbers->scale;
      m->bias *= numbers->scale;
      for (int k = 0; k < 3; k++) {
        m->d1[k] *= numbers->scale;
        m->d2[k] *= numbers->scale;
      }
    }
    m->g -= numbers->constant;
  }
}
