/* Rolling in space: a wheel (a disc with the axis a) or a ball of radius R rolls without slip on a plane of the first
 * body. It touches the plane at p, which has the relative velocity 0 along the normal n and two directions across it:
 *
 *   wheel: p = C - R d,   d = m / norm(m),   m = n - (n.a) a,   directions e = a x n (made a unit vector) and n x e
 *   ball:  p = C - R n,   two directions across n that are fixed in the first body
 *
 * The row of the normal is of position level: the rate of the distance of a rigid body from a plane is the velocity of
 * its nearest point along the normal. (Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463, 2007.) */
#include "base/rotation.h"
#include "elements/joints/joint.h"
#include "equations/slip.h"
#include "equations/state.h"
#include "kernels/kernels.h"

#include <string.h>

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 2,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "n, the normal of the plane, on the first body; of a wheel also its axis a, "
                                           "on the second"},
                                   {.name = "radius",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .low = 0,
                                    .high = INFINITY,
                                    .low_open = true,
                                    .unit = "m",
                                    .doc = "R"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

typedef struct rolling_data {
  double radius;
} rolling_data;

static void bind(mbs_binder *binder, const mbs_joint *joint, void *data) {
  ((rolling_data *)data)->radius = mbs_read_number(binder, joint->node, "radius");
}

/* A vector and its rate, global axes. */
typedef struct moving {
  double at[3], rate[3];
} moving;

/* A vector that is fixed in a body with the angular velocity w. */
static moving fixed_in(const mbs_system *system, int body, const double own[3], const double w[3]) {
  moving a;
  system->model->kernels->to_global(system, body, own, a.at);
  mbs_cross(w, a.at, a.rate);
  return a;
}

static moving cross(const moving *a, const moving *b) {
  moving c = {.rate = {0}};
  mbs_cross(a->at, b->at, c.at);
  mbs_cross(a->rate, b->at, c.rate);
  mbs_add_cross(a->at, b->rate, c.rate);
  return c;
}

/* a / norm(a); its length goes to *length. */
static moving unit_of(const moving *a, double *length) {
  moving u;
  *length = sqrt(mbs_dot(a->at, a->at));
  for (int k = 0; k < 3; k++) u.at[k] = a->at[k] / *length;
  /* u' = (a' - (u.a') u) / norm(a) */
  const double along = mbs_dot(u.at, a->rate);
  for (int k = 0; k < 3; k++) u.rate[k] = (a->rate[k] - along * u.at[k]) / *length;
  return u;
}

/* The directions of a contact: n, two across it, and d, from the contact to the centre. */
typedef struct rolling_frame {
  moving n, across[2], d;
  double height; /* n.d */
} rolling_frame;

static rolling_frame frame_of_ball(const mbs_system *system, const mbs_joint *joint, const moving *n,
                                   const double w[3]) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  rolling_frame frame = {.n = *n, .d = *n, .height = 1};
  frame.across[0] = fixed_in(system, joint->frames.body1, at->w1, w);
  frame.across[1] = cross(n, &frame.across[0]);
  return frame;
}

static rolling_frame frame_of_wheel(const moving *n, const moving *a) {
  rolling_frame frame = {.n = *n};
  double length;
  const moving e = cross(a, n), d = cross(&e, a); /* (a x n) x a = n - (n.a) a */
  frame.across[0] = unit_of(&e, &length);
  frame.across[1] = cross(n, &frame.across[0]);
  frame.d = unit_of(&d, &frame.height);
  return frame;
}

/* A wheel that lies flat touches its plane all around. */
static void locate(mbs_system *system, const mbs_joint *joint) {
  static const double flat = 1e-8; /* [1] sine of the angle between axis and normal; chosen: about sqrt(rounding) */
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  double n[3], a[3], e[3];
  if (joint->frames.vector2 < 0) return;
  system->model->kernels->to_global(system, joint->frames.body1, at->u1, n);
  system->model->kernels->to_global(system, joint->frames.body2, at->u2, a);
  mbs_cross(a, n, e);
  if (!(mbs_dot(e, e) > flat * flat))
    mbs_position_fault(system, MBS_CONTACT_NOT_UNIQUE, joint->name,
                       "the wheel lies flat on its plane; a wheel that rolls must stand at an angle to it");
}

enum { NORMAL, ACROSS_1, ACROSS_2 };

static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  const mbs_kernels *kernels = system->model->kernels;
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const double radius = ((const rolling_data *)mbs_joint_data(system->constants, joint))->radius;
  mbs_rigid_motion first, second;
  mbs_slip_direction slip;
  double arm1[3], arm2[3];
  kernels->motion(system, joint->frames.body1, &first);
  kernels->motion(system, joint->frames.body2, &second);
  kernels->to_global(system, joint->frames.body1, at->s1, arm1);
  kernels->to_global(system, joint->frames.body2, at->s2, arm2);
  const moving n = fixed_in(system, joint->frames.body1, at->u1, first.w);
  const moving a = fixed_in(system, joint->frames.body2, at->u2, second.w);
  const rolling_frame frame =
      joint->frames.vector2 < 0 ? frame_of_ball(system, joint, &n, first.w) : frame_of_wheel(&n, &a);
  /* p = C - R d, C = r2 + arm2 */
  double between[3], centre_rate[3];
  memcpy(centre_rate, second.v, sizeof centre_rate);
  mbs_add_cross(second.w, arm2, centre_rate);
  for (int k = 0; k < 3; k++) {
    between[k] = second.r[k] + arm2[k] - first.r[k] - arm1[k];
    slip.p[k] = second.r[k] + arm2[k] - radius * frame.d.at[k];
    slip.p_rate[k] = centre_rate[k] - radius * frame.d.rate[k];
  }
  const moving *u = out->number == NORMAL ? &frame.n : &frame.across[out->number - ACROSS_1];
  memcpy(slip.u, u->at, sizeof slip.u);
  memcpy(slip.u_rate, u->rate, sizeof slip.u_rate);
  /* Phi = n.(C - P1) - R n.d */
  if (out->number == NORMAL) out->value = mbs_dot(frame.n.at, between) - radius * frame.height;
  mbs_slip_row(system, joint, &slip, out);
}

#define ROLLING_ROW(number, its_level, label)                                                               \
  {                                                                                                         \
    .primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .component = number, .level = its_level, .length = true, \
    .labels = label                                                                                         \
  }

const mbs_joint_class mbs_joint_rolling = {
    .base = {.name = "rolling",
             .doc = "A wheel or a ball that rolls without slip on a plane of another body.",
             .equation = "Phi = n.(rC - rP1) - R sqrt(1 - (n.a)^2), of a ball - R (1 row)\n"
                         "relative velocity at the contact along two directions across n = 0 (2 rows of velocity "
                         "level)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_NONE,
    .spatial = {.row_count = 3,
                .rows = {ROLLING_ROW(NORMAL, MBS_LEVEL_POSITION, "normal"),
                         ROLLING_ROW(ACROSS_1, MBS_LEVEL_VELOCITY, "along"),
                         ROLLING_ROW(ACROSS_2, MBS_LEVEL_VELOCITY, "across")}},
    .bind = bind,
    .data_size = sizeof(rolling_data),
    .locate = locate,
    .row = row,
};
