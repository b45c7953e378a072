/* followers.h - joints of curves in the plane: their contact points, and their single row, the gap along the common
 * normal.
 *
 * The contact parameters alpha depend on the positions, so they are not coordinates: `locate` solves for them, and
 * their rates are eliminated from the row's derivatives. */
#ifndef MBS_FOLLOWERS_H
#define MBS_FOLLOWERS_H

#include "kernels/curve.h"
#include "kernels/planar/planar.h"

#include <math.h>

void planar_point_follower_locate(mbs_system *system, const mbs_joint *joint);
double planar_point_follower_margin(const mbs_system *system, const mbs_joint *joint);
void planar_point_follower_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out);

void planar_cam_follower_locate(mbs_system *system, const mbs_joint *joint);
double planar_cam_follower_margin(const mbs_system *system, const mbs_joint *joint);
void planar_cam_follower_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out);

void planar_flat_follower_locate(mbs_system *system, const mbs_joint *joint);
double planar_flat_follower_margin(const mbs_system *system, const mbs_joint *joint);
void planar_flat_follower_row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out);

/* ---- shared by the files of followers ---- */

static inline double planar_dot(const double a[2], const double b[2]) { return a[0] * b[0] + a[1] * b[1]; }
static inline double planar_cross(const double a[2], const double b[2]) { return a[0] * b[1] - a[1] * b[0]; }

static inline void planar_turn(const planar_body *body, const double u[2], double out[2]) {
  out[0] = body->c * u[0] - body->s * u[1];
  out[1] = body->s * u[0] + body->c * u[1];
}

static inline void planar_turn_back(const planar_body *body, const double u[2], double out[2]) {
  out[0] = body->c * u[0] + body->s * u[1];
  out[1] = body->c * u[1] - body->s * u[0];
}

static inline const mbs_geometry *planar_geometry(const mbs_system *system, const mbs_joint *joint) {
  return &mbs_joint_numbers(system->constants, joint)->geometry;
}

/* Computes the unit normal of a flat face on its body, on the side of the cam (`side`: 1 for perp(u2), else -1). */
static inline void planar_face_normal(const double u2[3], const planar_body *body, int side, double m[2]) {
  const double u[2] = {-side * u2[1], side * u2[0]};
  planar_turn(body, u, m);
}

/* ---- shared by the searches for contacts ---- */

enum { PLANAR_SEARCH_MAX = 60 };
/* A search ends after a Newton step below this share of a sample's step: the next step would be its square. */
static const double planar_small_step = 1e-8;
/* Longest step, in steps of samples. */
static const double planar_longest_step = 8;
/* Relative curvatures below this share of their parts have no reliable sign. */
static const double planar_least_curvature = 1e-6;

/* Sets the start of a search. Returns true if no start is known, so that the whole curve must be searched. `fresh`:
 * first search. */
bool planar_first_guess(const mbs_system *system, const mbs_curve *curve, mbs_curve_contact *contact, bool fresh);
/* Sets the fault of a position without a contact, or with an undetermined one. */
void planar_no_contact(mbs_system *system, const mbs_joint *joint);

/* Returns true if sample i is within `width` samples of the parameter alpha. */
static inline bool planar_is_near(const mbs_curve *curve, size_t i, double alpha, double width) {
  double away = fabs((double)i - (alpha - curve->first) / curve->step), count = (double)curve->count;
  if (!(curve->period > 0)) return away < width;
  away -= count * floor(away / count);
  return fmin(away, count - away) < width;
}

static inline double planar_sample_alpha(const mbs_curve *curve, size_t i) {
  return curve->first + (double)i * curve->step;
}

/* Computes the vector from point s2 of the second body to point s1 of the first, global axes. */
static inline void planar_point_difference(const mbs_system *system, const mbs_joint *joint, double d[2]) {
  const mbs_frames *frames = &joint->frames;
  const mbs_geometry *at = planar_geometry(system, joint);
  const planar_body *one = &planar_of(system)->bodies[frames->body1], *two = &planar_of(system)->bodies[frames->body2];
  double p[2], q[2];
  planar_turn(one, at->s1, p);
  planar_turn(two, at->s2, q);
  d[0] = one->x + p[0] - two->x - q[0];
  d[1] = one->y + p[1] - two->y - q[1];
}

#endif
