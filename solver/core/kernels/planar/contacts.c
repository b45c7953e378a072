/* Contacts of a curve with a pin or a flat face: the contact parameter for a position, by Newton's method.
 *
 *     pin p and curve r:          (r - p).r' = 0       the distance from the pin is minimal
 *     flat face with normal m:    m.r' = 0             the curve is deepest
 *
 * The search starts at the parameter of the last accepted state, extrapolated with its rate. Before a first state is
 * accepted it starts at `start`, or at the best of the curve's samples. The solution is unique in its neighbourhood
 * while the derivative of the condition is positive. */
#include "kernels/planar/followers.h"

#include <assert.h>
#include <math.h>

/* ---- common to all searches ------------------------------------------------------------------------------------ */

bool planar_first_guess(const mbs_system *system, const mbs_curve *curve, mbs_curve_contact *contact, bool fresh) {
  if (system->contacts_accepted)
    contact->alpha = contact->accepted + contact->accepted_rate * (system->t - system->contacts_time);
  else if (!curve->start_given)
    return true;
  else if (fresh)
    contact->alpha = curve->start;
  return false;
}

void planar_no_contact(mbs_system *system, const mbs_joint *joint) {
  mbs_position_fault(system, MBS_CONTACT_NOT_UNIQUE, joint->name,
                     "the curve has no unique point of contact: it curves inwards too strongly for the other side");
}

/* ---- one parameter ------------------------------------------------------------------------------------------- */

/* The condition of contact, the derivative of a function with a minimum at the contact: (r - p).r' if p is given, else
 * m.r'. */
typedef struct condition {
  const double *p, *m;
} condition;

static double condition_at(const condition *c, double at[3][2], double *slope) {
  if (c->m) {
    /* f = m.r', f' = m.r'' */
    *slope = planar_dot(c->m, at[2]);
    return planar_dot(c->m, at[1]);
  }
  /* f = (r - p).r', f' = r'.r' + (r - p).r'' */
  const double d[2] = {at[0][0] - c->p[0], at[0][1] - c->p[1]};
  *slope = planar_dot(at[1], at[1]) + planar_dot(d, at[2]);
  return planar_dot(d, at[1]);
}

/* Iterates to a minimum from *alpha by Newton's method. Returns false if it finds none, or one that is not strict.
 * theory (5.3) */
static bool descend(const mbs_system *system, const mbs_curve *curve, const condition *c, double *alpha) {
  double step = curve->step, at[3][2], slope;
  for (int k = 0; k < PLANAR_SEARCH_MAX; k++) {
    mbs_curve_at(curve, *alpha, system->mode, system->slots, at);
    double value = condition_at(c, at, &slope);
    /* -f / f', or along the gradient where f' <= 0 */
    double change = slope > 0 ? -value / slope : value > 0 ? -planar_longest_step * step : planar_longest_step * step;
    change = fmax(-planar_longest_step * step, fmin(planar_longest_step * step, change));
    *alpha += change;
    if (!(fabs(change) > planar_small_step * step)) break;
    if (k == PLANAR_SEARCH_MAX - 1) return false;
  }
  mbs_curve_at(curve, *alpha, system->mode, system->slots, at);
  condition_at(c, at, &slope);
  double scale = planar_dot(at[1], at[1]); /* a curvature 1/R contributes |r'|^2 / R, a distance |r'|^2 */
  return isfinite(*alpha) && slope > planar_least_curvature * (c->m ? scale / curve->size : scale);
}

/* Returns the sample with the smallest value. */
static double best_sample(const mbs_curve *curve, const condition *c) {
  size_t best = curve->search;
  double least = INFINITY;
  for (size_t i = curve->search; i < curve->search + MBS_CURVE_SAMPLES; i++) {
    const double *r = curve->samples + 4 * i;
    /* smallest m.r, or distance from the pin */
    double value = c->m ? planar_dot(c->m, r) : hypot(r[0] - c->p[0], r[1] - c->p[1]);
    if (value < least) {
      least = value;
      best = i;
    }
  }
  return planar_sample_alpha(curve, best);
}

static void locate(mbs_system *system, const mbs_joint *joint, const condition *c, bool fresh) {
  assert((c->p != NULL) != (c->m != NULL));
  const mbs_curve *curve = &system->model->curves[joint->first_curve];
  mbs_curve_contact *contact = &system->contacts[joint->first_curve];
  if (planar_first_guess(system, curve, contact, fresh)) contact->alpha = best_sample(curve, c);
  if (descend(system, curve, c, &contact->alpha)) return;
  double at[3][2];
  mbs_curve_at(curve, contact->alpha, system->mode, system->slots, at);
  if (isfinite(at[2][0]) && isfinite(at[2][1]))
    planar_no_contact(system, joint);
  else
    mbs_position_fault(system, MBS_CONTACT_NOT_UNIQUE, joint->name,
                       "the contact reaches a point where the curve is not defined");
  if (!isfinite(contact->alpha)) contact->alpha = contact->accepted;
}

/* ---- pin and flat face --------------------------------------------------------------------------------------- */

void planar_point_follower_locate(mbs_system *system, const mbs_joint *joint) {
  mbs_curve_contact *contact = &system->contacts[joint->first_curve];
  double d[2], p[2];
  planar_point_difference(system, joint, d);
  planar_turn_back(&planar_of(system)->bodies[joint->frames.body2], d, p);
  bool fresh = contact->side == 0;
  contact->side = 1;
  locate(system, joint, &(condition){.p = p}, fresh);
}

/* Computes the face's normal in the axes of the cam. */
static void normal_at_cam(const mbs_system *system, const mbs_joint *joint, double m[2]) {
  double global[2];
  planar_face_normal(planar_geometry(system, joint)->u2, &planar_of(system)->bodies[joint->frames.body2],
                     system->contacts[joint->first_curve].side, global);
  planar_turn_back(&planar_of(system)->bodies[joint->frames.body1], global, m);
}

void planar_flat_follower_locate(mbs_system *system, const mbs_joint *joint) {
  mbs_curve_contact *contact = &system->contacts[joint->first_curve];
  bool fresh = contact->side == 0;
  double m[2];
  if (fresh) { /* the cam is on that side of the face on which its reference point is */
    double d[2];
    planar_point_difference(system, joint, d);
    planar_face_normal(planar_geometry(system, joint)->u2, &planar_of(system)->bodies[joint->frames.body2], 1, m);
    contact->side = planar_dot(m, d) < 0 ? -1 : 1;
  }
  normal_at_cam(system, joint, m);
  locate(system, joint, &(condition){.m = m}, fresh);
}

double planar_point_follower_margin(const mbs_system *system, const mbs_joint *joint) {
  return fmin(1, mbs_curve_end_distance(&system->model->curves[joint->first_curve],
                                        system->contacts[joint->first_curve].alpha));
}

double planar_flat_follower_margin(const mbs_system *system, const mbs_joint *joint) {
  const mbs_curve *curve = &system->model->curves[joint->first_curve];
  double m[2], at[3][2], alpha = system->contacts[joint->first_curve].alpha;
  double least = fmin(1, mbs_curve_end_distance(curve, alpha));
  if (curve->convex) return 1;
  normal_at_cam(system, joint, m);
  mbs_curve_at(curve, alpha, system->mode, system->slots, at);
  /* smallest m.(r - r(alpha)) of the samples, as a share of the size */
  double deepest = planar_dot(m, at[0]);
  for (size_t i = 0; i < curve->count; i++)
    if (!planar_is_near(curve, i, alpha, 2)) /* undefined samples are ignored */
      least = fmin(least, (planar_dot(m, curve->samples + 4 * i) - deepest) / curve->size);
  return least;
}
