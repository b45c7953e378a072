/* Rotation vectors, theta' = w - theta x w / 2 + c theta x (theta x w),  c = (1 - (chi/2) cot(chi/2)) / chi^2. theory
 * (7.25) */
#include "elements/forces/rotation_vector.h"

#include "base/rotation.h"

#include <string.h>

/* Largest angle as a share of a full turn. At a full turn all axes are equal, so that the vector may jump there. */
static const double largest_turn = 0.75;

void mbs_rotation_vector(mbs_system *system, const mbs_force *force, double theta[3]) {
  const int body[2] = {force->frames.body1, force->frames.body2};
  double p[2][4], back[4], turned[4], start[4], e[4];
  /* e = (p1^-1 p2) (p10^-1 p20)^-1 */
  for (int k = 0; k < 2; k++) system->kernels->orientation(system, body[k], p[k]);
  mbs_euler_inverse(p[0], back);
  mbs_euler_product(back, p[1], turned);
  mbs_euler_inverse(system->constants->poses[body[1]].p, back);
  mbs_euler_product(back, system->constants->poses[body[0]].p, start);
  mbs_euler_product(turned, start, e);
  const double sine = sqrt(mbs_dot(e + 1, e + 1)), angle = 2 * atan2(sine, e[0]);
  /* the limit of chi / sin(chi/2) is 2 */
  for (int k = 0; k < 3; k++) theta[k] = sine > 0 ? angle / sine * e[k + 1] : 2 * e[k + 1];
  if (angle > largest_turn * mbs_full_turn)
    mbs_position_fault(system, MBS_OUT_OF_RANGE, force->name,
                       "its bodies have turned against one another by more than 270 degrees from their start, and near "
                       "a full turn a rotation vector is not continuous; give an axis, or use the turn of a joint");
}

/* Computes out = x + sign theta x x / 2 + c theta x (theta x x). */
static void transform(const double theta[3], const double x[3], double sign, double out[3]) {
  const double square = mbs_dot(theta, theta), half = 0.5 * sqrt(square);
  const double c = half > 0 ? (1 - half / tan(half)) / square : 1.0 / 12;
  double cross[3];
  mbs_cross(theta, x, cross);
  for (int k = 0; k < 3; k++) out[k] = x[k] + 0.5 * sign * cross[k];
  double twice[3];
  mbs_cross(theta, cross, twice);
  for (int k = 0; k < 3; k++) out[k] += c * twice[k];
}

void mbs_rotation_vector_rate(const double theta[3], const double w[3], double rate[3]) {
  transform(theta, w, -1, rate);
}

void mbs_rotation_vector_moment(const double theta[3], const double Q[3], double n[3]) { transform(theta, Q, 1, n); }
