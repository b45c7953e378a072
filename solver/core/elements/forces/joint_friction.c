/* Dry friction in joints. The slip s, by joint, and the load N by the reaction R, M at P2 without the motor's effort:
 *
 *     revolute                 r q'                N = |R across| + (axial radius / r) |R along|
 *     translational, prismatic q'                  N = |R across|
 *     cylindrical              (q1', r q2')        N = |R across|
 *     spherical                r (omega2 - omega1) N = |R|
 *     planar                   slide at P2         N = |R along the normal|
 *
 * A bearing or slide of length L has two pads at P2 +- L/2 along the axis u, which together exert R across and M
 * across: N = |R/2 + M x u / L| + |R/2 - M x u / L|. */
#include "elements/forces/joint_friction.h"

#include "base/rotation.h"
#include "elements/forces/coordinate_row.h"
#include "equations/slip.h"
#include "equations/touches.h"

#include <string.h>

static const mbs_joint_friction *numbers_of(const mbs_system *system, const mbs_touch *touch) {
  return mbs_force_data(system, mbs_touch_force(system, touch));
}

static bool is_type(const mbs_system *system, const mbs_touch *touch, const char *name) {
  return touch->of_joint >= 0 && strcmp(system->model->joints[touch->of_joint].cls->base.name, name) == 0;
}

/* ---- slips --------------------------------------------------------------------------------------------------- */

/* The slip along a direction that is fixed in the first body, at P2. */
static void slide_row(mbs_system *system, const mbs_touch *touch, const double own[3], mbs_custom_row *out) {
  const mbs_frames *frames = &touch->joint.frames;
  const mbs_geometry *at = mbs_force_geometry(system, mbs_touch_force(system, touch));
  const mbs_slip_direction slip = {.p = mbs_moving_point(system, frames->body2, at->s2),
                                   .u = mbs_moving_vector(system, frames->body1, own)};
  mbs_slip_row(system, &touch->joint, &slip, out);
}

/* r e.(omega2 - omega1), e: axis `number` of the first body. */
static void spin_row(mbs_system *system, const mbs_touch *touch, int number, double radius, mbs_custom_row *out) {
  const double own[3] = {number == 0, number == 1, number == 2};
  const mbs_moving e = mbs_moving_vector(system, touch->joint.frames.body1, own);
  mbs_turn_row(system, &touch->joint, &e, radius, out);
}

static void row(mbs_system *system, const mbs_touch *touch, int number, int side, mbs_custom_row *out) {
  const mbs_joint_friction *numbers = numbers_of(system, touch);
  (void)side;
  if (touch->coordinate[number > 0] >= 0) {
    const bool turns = mbs_is_turn(system->model->coordinates[touch->coordinate[number > 0]].primitive);
    const double scale = turns ? numbers->radius : 1;
    mbs_add_coordinate_row(system, touch, touch->coordinate[number > 0], scale, out);
    if (number == 0)
      mbs_friction_subtract_belt(system, &mbs_touch_force(system, touch)->laws[MBS_FRICTION_BELT], scale, out);
  } else if (is_type(system, touch, "spherical")) {
    spin_row(system, touch, number, numbers->radius, out);
  } else if (touch->of_joint >= 0) { /* planar joint: two directions across its normal */
    const mbs_geometry *at = &system->constants->joints[touch->of_joint].geometry;
    double n[3];
    mbs_cross(at->u1, at->w1, n);
    slide_row(system, touch, number ? n : at->w1, out);
  } else {
    slide_row(system, touch, (const double[3]){number == 0, number == 1, 0}, out);
  }
}

/* ---- loads --------------------------------------------------------------------------------------------------- */

static double length_of(const double a[3]) { return sqrt(mbs_dot(a, a)); }

/* Returns the load on two pads at +- L/2 along u, which exert R across it and M across it. */
static double pads(const double R[3], const double M[3], const double u[3], double length) {
  double turn[3], sum = 0, force[3];
  mbs_cross(M, u, turn);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int k = 0; k < 3; k++) force[k] = 0.5 * R[k] + sign * turn[k] / length;
    sum += length_of(force);
  }
  return sum;
}

/* theory (7.22) */
static double reaction_load(const mbs_system *system, const mbs_touch *touch) {
  const mbs_joint_friction *numbers = numbers_of(system, touch);
  const mbs_real *R = system->reactions + 6 * touch->of_joint, *M = R + 3;
  const mbs_geometry *at = &system->constants->joints[touch->of_joint].geometry;
  const bool planar = system->model->dim == 2;
  double u[3] = {0, 0, 1}, across[3];
  if (is_type(system, touch, "spherical")) return length_of(R);
  if (!planar || is_type(system, touch, "translational")) {
    u[2] = 0;
    system->model->kernels->to_global(system, touch->joint.frames.body1, at->u1, u);
  }
  const double along = mbs_dot(R, u);
  if (is_type(system, touch, "planar")) return fabs(along);
  for (int k = 0; k < 3; k++) across[k] = R[k] - along * u[k];
  double load = numbers->length > 0 ? pads(across, M, u, numbers->length) : length_of(across);
  if (numbers->axial_radius > 0) load += numbers->axial_radius / numbers->radius * fabs(along);
  return load;
}

static double load(const mbs_system *system, const mbs_touch *touch) {
  const mbs_force *force = mbs_touch_force(system, touch);
  if (touch->reacts) return reaction_load(system, touch);
  return fabs(mbs_law_value(system, &force->laws[MBS_FRICTION_PRELOAD]));
}

static const mbs_dry_friction *friction(const mbs_system *system, const mbs_touch *touch) {
  return &numbers_of(system, touch)->dry;
}

static void show(mbs_system *system, const mbs_touch *touch, const mbs_touch_state *state) {
  double *out = system->outputs + mbs_touch_force(system, touch)->first_output;
  out[0] = state->N;
  out[1] = mbs_slip_shown(state->T, touch->tangents);
  out[2] = mbs_slip_shown(state->slip, touch->tangents);
  out[3] = state->friction == MBS_STICKS;
}

static const mbs_touch_class joint_friction = {.row = row, .load = load, .friction = friction, .show = show};

const char *mbs_warn_friction_at_rest(const mbs_system *system, const mbs_force *force) {
  const mbs_touches *touches = system->touches;
  if (!touches || !touches->follows || force->touch0 < 0 || touches->at[force->touch0].friction != MBS_FRICTION_OFF)
    return NULL;
  return "the prescribed motion has no slip, so that the friction may be anything up to mu_static N: 0 was taken";
}

/* ---- building ------------------------------------------------------------------------------------------------ */

void mbs_add_joint_friction(mbs_builder *builder, mbs_force *force, int joint, bool preloaded, bool free_slip) {
  const mbs_model *model = builder->model;
  mbs_touch touch = {.joint = {.frames = force->frames},
                     .cls = &joint_friction,
                     .of_joint = joint,
                     .pair = -1,
                     .tangents = 1,
                     .reacts = !preloaded,
                     .coordinate = {force->coordinate, -1}};
  const mbs_joint_shape *shape = joint >= 0 ? model->joints[joint].shape : NULL;
  const char *type = joint >= 0 ? model->joints[joint].cls->base.name : "";
  if (joint < 0) touch.tangents = 2;
  if (free_slip && strcmp(type, "cylindrical") == 0) {
    touch.tangents = 2;
    touch.coordinate[1] = mbs_builder_add_primitive(builder, &shape->coordinates[1], &force->frames, joint);
  } else if (free_slip)
    touch.tangents = strcmp(type, "planar") == 0 ? 2 : 3;
  mbs_builder_add_touch(builder, force, &touch);
}
