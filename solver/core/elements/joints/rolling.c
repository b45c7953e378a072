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

/* The directions of a contact: n, two across it, and d, from the contact to the centre. */
typedef struct rolling_frame {
  mbs_moving n, across[2], d;
  double height; /* n.d */
} rolling_frame;

static rolling_frame frame_of_ball(const mbs_system *system, const mbs_joint *joint, const mbs_moving *n) {
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  rolling_frame frame = {.n = *n, .d = *n, .height = 1};
  frame.across[0] = mbs_moving_vector(system, joint->frames.body1, at->w1);
  frame.across[1] = mbs_moving_cross(n, &frame.across[0]);
  return frame;
}

static rolling_frame frame_of_wheel(const mbs_moving *n, const mbs_moving *a) {
  rolling_frame frame = {.n = *n};
  double length;
  const mbs_moving e = mbs_moving_cross(a, n), d = mbs_moving_cross(&e, a); /* (a x n) x a = n - (n.a) a */
  frame.across[0] = mbs_moving_unit(&e, &length);
  frame.across[1] = mbs_moving_cross(n, &frame.across[0]);
  frame.d = mbs_moving_unit(&d, &frame.height);
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
  const mbs_geometry *at = &mbs_joint_numbers(system->constants, joint)->geometry;
  const double radius = ((const rolling_data *)mbs_joint_data(system->constants, joint))->radius;
  const mbs_moving n = mbs_moving_vector(system, joint->frames.body1, at->u1);
  const mbs_moving a = mbs_moving_vector(system, joint->frames.body2, at->u2);
  const mbs_moving P1 = mbs_moving_point(system, joint->frames.body1, at->s1),
                   C = mbs_moving_point(system, joint->frames.body2, at->s2);
  const rolling_frame frame = joint->frames.vector2 < 0 ? frame_of_ball(system, joint, &n) : frame_of_wheel(&n, &a);
  /* p = C - R d */
  mbs_slip_direction slip = {.u = out->number == NORMAL ? frame.n : frame.across[out->number - ACROSS_1]};
  double between[3];
  for (int k = 0; k < 3; k++) {
    between[k] = C.at[k] - P1.at[k];
    slip.p.at[k] = C.at[k] - radius * frame.d.at[k];
    slip.p.rate[k] = C.rate[k] - radius * frame.d.rate[k];
  }
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
