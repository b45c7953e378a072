/* Contacts of two curves: both contact parameters, by Newton's method for   r1'.(r2 - r1) = 0,   r1' x r2' = 0.
 *
 * The search starts as in contacts.c. The best samples are two that face one another or, if one curve is inside the
 * other, have the same normal direction. The solution is unique in its neighbourhood while 1/R1 + 1/R2 does not change
 * its sign. */
#include "kernels/planar/followers.h"

#include <assert.h>
#include <math.h>

enum { STRIDE = 4 }; /* stride of the samples that are tried */

/* The second curve relative to the first body: r = offset + rotation by (c, s). */
typedef struct view {
  double offset[2];
  planar_body turn; /* only c and s are used */
} view;

static view view_of(const mbs_system *system, const mbs_joint *joint) {
  const planar_body *one = &planar_of(system)->bodies[joint->frames.body1],
                    *two = &planar_of(system)->bodies[joint->frames.body2];
  /* A1' A2 */
  view out = {.turn = {.c = one->c * two->c + one->s * two->s, .s = one->c * two->s - one->s * two->c}};
  /* A1' (P2 - P1) */
  double d[2];
  planar_point_difference(system, joint, d);
  planar_turn_back(one, d, out.offset);
  out.offset[0] = -out.offset[0];
  out.offset[1] = -out.offset[1];
  return out;
}

/* Both curves at their parameters, in the axes of the first body, relative to its reference point. */
typedef struct pair {
  double r1[3][2], r2[3][2], d[2];
} pair;

static void pair_at(const mbs_system *system, const mbs_curve *curves, const view *second, const double alpha[2],
                    pair *out) {
  double r[3][2];
  mbs_curve_at(&curves[0], alpha[0], system->mode, system->slots, out->r1);
  mbs_curve_at(&curves[1], alpha[1], system->mode, system->slots, r);
  for (int k = 0; k < 3; k++) planar_turn(&second->turn, r[k], out->r2[k]);
  for (int k = 0; k < 2; k++) {
    out->r2[0][k] += second->offset[k];
    out->d[k] = out->r2[0][k] - out->r1[0][k];
  }
}

/* Solves both conditions by Newton's method. Returns false if it does not converge. theory (5.3) */
static bool solve_pair(const mbs_system *system, const mbs_curve *curves, const view *second, double alpha[2]) {
  double steps[] = {curves[0].step, curves[1].step};
  for (int k = 0; k < PLANAR_SEARCH_MAX; k++) {
    pair at;
    pair_at(system, curves, second, alpha, &at);
    /* f = r1'.(r2 - r1), g = r1' x r2' */
    double f = planar_dot(at.r1[1], at.d), g = planar_cross(at.r1[1], at.r2[1]);
    /* derivatives of f and g by alpha1 and alpha2 */
    double f1 = planar_dot(at.r1[2], at.d) - planar_dot(at.r1[1], at.r1[1]), f2 = planar_dot(at.r1[1], at.r2[1]);
    double g1 = planar_cross(at.r1[2], at.r2[1]), g2 = planar_cross(at.r1[1], at.r2[2]);
    double determinant = f1 * g2 - f2 * g1;
    /* change: f + f1 dalpha1 + f2 dalpha2 = 0, g + g1 dalpha1 + g2 dalpha2 = 0 */
    double change[] = {(f2 * g - g2 * f) / determinant, (g1 * f - f1 * g) / determinant};
    double longest = fmax(fabs(change[0]) / steps[0], fabs(change[1]) / steps[1]);
    if (!isfinite(longest)) return false;
    double share = longest > planar_longest_step ? planar_longest_step / longest : 1;
    alpha[0] += share * change[0];
    alpha[1] += share * change[1];
    if (longest <= planar_small_step) return true;
  }
  return false;
}

/* The relation of the curves at their parameters. */
typedef struct touch {
  double gap;
  int side; /* 1: curves outside of one another, with opposite normals; -1: one inside the other */
  /* kappa1 + kappa2 (1 + kappa1 g) of the convexities, that of the outer curve with negative sign, as a share of its
   * parts; NaN if the points are not locally nearest. */
  double curvature;
} touch;

/* theory (5.4) */
static touch touch_at(const mbs_system *system, const mbs_curve *curves, const view *second, const double alpha[2]) {
  pair at;
  pair_at(system, curves, second, alpha, &at);
  /* tau = T1 / L1 = perp(n), L2 = tau.T2 */
  double L1 = curves[0].outward * hypot(at.r1[1][0], at.r1[1][1]);
  double tau[2] = {at.r1[1][0] / L1, at.r1[1][1] / L1}, n[2] = {tau[1], -tau[0]}, L2 = planar_dot(tau, at.r2[1]);
  /* kappa = r' x r'' / norm(r')^3, that of the second with opposite sign */
  double kappa1 = planar_cross(at.r1[1], at.r1[2]) / (L1 * L1 * L1);
  double kappa2 = -planar_cross(at.r2[1], at.r2[2]) / (L2 * L2 * L2);
  touch out = {.gap = planar_dot(n, at.d), .side = L2 * curves[1].outward < 0 ? 1 : -1};
  double lever = 1 + kappa1 * out.gap; /* 0 if the second curve is at the centre of curvature of the first */
  out.curvature = lever > 0 ? (kappa1 + kappa2 * lever) / (fabs(kappa1) + fabs(kappa2 * lever)) : NAN;
  return out;
}

/* Returns the mismatch of two samples: distance off the normal, normals that are not opposite (or not equal), and the
 * gap, with a smaller weight because a contact may have a gap. */
static double mismatch(const double *one, const double r2[2], const double t2[2], double turn, double size) {
  double d[2] = {r2[0] - one[0], r2[1] - one[1]}, length1 = hypot(one[2], one[3]), length2 = hypot(t2[0], t2[1]);
  double along = planar_dot(one + 2, d) / length1, gap = planar_cross(one + 2, d) / length1;
  /* sum of the unit tangents, one rotated to the required direction */
  double x = one[2] / length1 + turn * t2[0] / length2, y = one[3] / length1 + turn * t2[1] / length2;
  return along * along + size * size * (x * x + y * y) + 0.1 * gap * gap;
}

/* Finds the best pair of samples; a given parameter does not change. */
static void search_pair(const mbs_curve *curves, const view *second, const bool free[2], int side, double alpha[2]) {
  double least = INFINITY, size = fmax(curves[0].size, curves[1].size), best[2] = {alpha[0], alpha[1]};
  double turn = side * curves[0].outward * curves[1].outward;
  size_t first1 = curves[0].search, first2 = curves[1].search;
  for (size_t j = first2; j < first2 + MBS_CURVE_SAMPLES; j += STRIDE) {
    const double *sample = curves[1].samples + 4 * j;
    double r2[2], t2[2];
    if (!free[1] && !planar_is_near(&curves[1], j, alpha[1], STRIDE)) continue;
    /* r2 and r2' relative to the first body */
    planar_turn(&second->turn, sample, r2);
    planar_turn(&second->turn, sample + 2, t2);
    r2[0] += second->offset[0];
    r2[1] += second->offset[1];
    for (size_t i = first1; i < first1 + MBS_CURVE_SAMPLES; i += STRIDE) {
      if (!free[0] && !planar_is_near(&curves[0], i, alpha[0], STRIDE)) continue;
      double value = mismatch(curves[0].samples + 4 * i, r2, t2, turn, size);
      if (value >= least) continue;
      least = value;
      best[0] = free[0] ? planar_sample_alpha(&curves[0], i) : alpha[0];
      best[1] = free[1] ? planar_sample_alpha(&curves[1], j) : alpha[1];
    }
  }
  alpha[0] = best[0];
  alpha[1] = best[1];
}

/* Finds the contact with the smaller gap, of one outside and one inside: alpha and its relation. */
static bool first_pair(const mbs_system *system, const mbs_curve *curves, const view *second, const bool free[2],
                       double alpha[2], touch *found) {
  double start[2] = {alpha[0], alpha[1]}, least = INFINITY;
  for (int side = 1; side >= -1; side -= 2) {
    double at[2] = {start[0], start[1]};
    if (free[0] || free[1]) search_pair(curves, second, free, side, at);
    if (!solve_pair(system, curves, second, at)) continue;
    touch here = touch_at(system, curves, second, at);
    bool sound =
        here.side > 0 ? here.curvature > planar_least_curvature : fabs(here.curvature) > planar_least_curvature;
    if (!sound || fabs(here.gap) >= least) continue;
    least = fabs(here.gap);
    alpha[0] = at[0];
    alpha[1] = at[1];
    *found = here;
  }
  return isfinite(least);
}

void planar_cam_follower_locate(mbs_system *system, const mbs_joint *joint) {
  assert(joint->curve_count == 2);
  const mbs_curve *curves = &system->model->curves[joint->first_curve];
  mbs_curve_contact *contacts = &system->contacts[joint->first_curve];
  view second = view_of(system, joint);
  bool fresh = contacts[0].side == 0, search[2], found;
  for (int k = 0; k < 2; k++) search[k] = planar_first_guess(system, &curves[k], &contacts[k], fresh);
  double alpha[2] = {contacts[0].alpha, contacts[1].alpha};
  touch now = {.side = contacts[0].side};
  if (system->contacts_accepted) {
    found = solve_pair(system, curves, &second, alpha);
    if (found) now = touch_at(system, curves, &second, alpha);
    /* The relative curvature must have the sign of the start if one curve is inside the other. */
    found = found && now.side == contacts[0].side && contacts[1].side * now.curvature > planar_least_curvature;
  } else {
    found = first_pair(system, curves, &second, search, alpha, &now);
    contacts[0].side = found ? now.side : 1;
    contacts[1].side = found && now.curvature < 0 ? -1 : 1;
  }
  for (int k = 0; k < 2; k++)
    if (isfinite(alpha[k])) contacts[k].alpha = alpha[k];
  if (!found) planar_no_contact(system, joint);
}

/* ---- other contact points -------------------------------------------------------------------------------------- */

/* Returns a sample of a curve, or NULL if the curve is not defined there. */
static const double *sample_at(const mbs_curve *curve, size_t i) {
  return isfinite(curve->samples[4 * i]) ? curve->samples + 4 * i : NULL;
}

/* Returns the next sample of a curve in the direction `by`, 1 or -1; NULL beyond an end. */
static const double *neighbour(const mbs_curve *curve, size_t i, int by) {
  assert(i < curve->count);
  bool last = by > 0 ? i + 1 == curve->count : i == 0;
  if (last && !(curve->period > 0)) return NULL;
  return sample_at(curve, (i + curve->count + (by > 0 ? 1 : -1)) % curve->count);
}

/* Returns the distance of a point from a curve, negative on its inner side, from the circle through the nearest sample
 * and its neighbours. Returns NaN if an end is nearest, where the curve has no sides. */
static double signed_distance(const mbs_curve *curve, const double p[2]) {
  size_t nearest = 0;
  double least = INFINITY;
  for (size_t i = 0; i < curve->count; i++) {
    const double *r = curve->samples + 4 * i;
    double distance = (r[0] - p[0]) * (r[0] - p[0]) + (r[1] - p[1]) * (r[1] - p[1]);
    if (!(distance < least)) continue;
    least = distance;
    nearest = i;
  }
  const double *at = curve->samples + 4 * nearest, *before = neighbour(curve, nearest, -1),
               *after = neighbour(curve, nearest, 1);
  if (!before || !after) return NAN;
  /* tau, n and d = p - r at the nearest sample */
  double L = curve->outward * hypot(at[2], at[3]), tau[2] = {at[2] / L, at[3] / L};
  const double n[2] = {tau[1], -tau[0]}, d[2] = {p[0] - at[0], p[1] - at[1]};
  /* kappa: rotation of the tangent from the previous sample to the next, divided by their distance */
  double turn = atan2(planar_cross(before + 2, after + 2), planar_dot(before + 2, after + 2));
  double bend = curve->outward * turn / hypot(after[0] - before[0], after[1] - before[1]), along = planar_dot(tau, d);
  /* n.d + kappa (tau.d)^2 / 2 */
  return planar_dot(n, d) + 0.5 * bend * along * along;
}

/* Number of samples that belong to the contact; more distant ones are clear of it unless both curves nearly
 * coincide. */
static const double contact_width = 8;
/* Largest margin, as a share of a curve's size. */
static const double widest_margin = 0.02;

/* Returns the distance of one curve's points from the other curve on the required side: outside (1) or inside (-1). A
 * point farther away than `most` may count as at that distance. */
static double clearance(const mbs_curve *curves, const view *second, int points, double alpha, int side, double most) {
  assert(points == 0 || points == 1);
  const mbs_curve *one = &curves[points], *other = &curves[1 - points];
  bool quick = side > 0 && (other->period > 0 || other->ends);
  double least = most;
  for (size_t i = 0; i < one->count; i++) {
    const double *r = sample_at(one, i);
    double p[2];
    if (!r || planar_is_near(one, i, alpha, contact_width)) continue;
    if (points == 0) {
      const double d[2] = {r[0] - second->offset[0], r[1] - second->offset[1]};
      planar_turn_back(&second->turn, d, p);
    } else {
      planar_turn(&second->turn, r, p);
      p[0] += second->offset[0];
      p[1] += second->offset[1];
    }
    if (quick && hypot(p[0], p[1]) - other->size >= least) continue;
    least = fmin(least, side * signed_distance(other, p)); /* NaN is ignored */
  }
  return least;
}

/* Returns the margin of a cam and its follower. Two curves outside of one another have a second contact if points of
 * the first are inside the second, which cannot happen for convex curves. A curve inside another one has a second
 * contact if its points are outside of it. */
double planar_cam_follower_margin(const mbs_system *system, const mbs_joint *joint) {
  const mbs_curve *curves = &system->model->curves[joint->first_curve];
  const mbs_curve_contact *contacts = &system->contacts[joint->first_curve];
  double left = fmin(mbs_curve_end_distance(&curves[0], contacts[0].alpha),
                     mbs_curve_end_distance(&curves[1], contacts[1].alpha));
  double size = fmin(curves[0].size, curves[1].size), most = widest_margin * size;
  view second = view_of(system, joint);
  if (contacts[0].side < 0) {
    int inner = contacts[1].side > 0 ? 0 : 1;
    most = clearance(curves, &second, inner, contacts[inner].alpha, -1, most);
  } else if (!(curves[0].convex && curves[1].convex)) {
    most = clearance(curves, &second, 0, contacts[0].alpha, 1, most);
    if (!(curves[0].period > 0 && curves[1].period > 0)) /* an end of the second may be between points of the first */
      most = clearance(curves, &second, 1, contacts[1].alpha, 1, most);
  }
  return fmin(left, most / size);
}
