/* Limits of the coordinates of a joint. They are force elements that the builder adds for the field `limits` of a
 * joint: stops at both ends of each coordinate. */
#include "elements/forces/stops.h"
#include "elements/joints/joint.h"

#define BOUND(NAME, DOC)                                                                                        \
  {                                                                                                             \
    .name = NAME, .kind = MBS_KIND_NUMBER, .min_count = 1, .max_count = MBS_COORDINATES_MAX, .or_single = true, \
    .nullable = true, .fallback = NAN, .unit = "m or rad", .doc = DOC                                           \
  }
static const mbs_field fields[] = {
    BOUND("lower", "lower limit; of a joint with several coordinates a list, in which null is no limit"),
    BOUND("upper", "upper limit, likewise"),
    MBS_STOPS_FIELDS,
    {.name = "exponent", .kind = MBS_KIND_NUMBER, .fallback = 1, .low = 1, .high = 10, .doc = "n of a compliant limit"},
    MBS_FORCE_END};

const mbs_class mbs_joint_limits_class = {
    .name = "limits",
    .doc = "Limits of the coordinates of a joint: rigid, or compliant if they have a stiffness. The joint's outputs "
           "`limit`, `limit2`, .. are their forces along the coordinates, positive at the lower limit.",
    .fields = fields};

/* ---- building ------------------------------------------------------------------------------------------------ */

static void build_force(mbs_builder *builder, const mbs_node *node, mbs_force *force) {
  const mbs_joint *joint = &builder->model->joints[force->of_joint];
  const size_t count = joint->shape->coordinate_count;
  bool good = force->frames.body1 >= 0 && force->frames.body2 >= 0;
  force->points = mbs_stops_rigid(node) ? 0 : 2 * count;
  for (int side = 0; side < 2; side++) {
    const mbs_value *value = mbs_read_value(node, side ? "upper" : "lower");
    if (!value->given || value->count <= count) continue;
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, value->pointer, "a %s joint has %zu coordinate%s to limit, not %zu",
                 joint->cls->base.name, count, count == 1 ? "" : "s", value->count);
    good = false;
  }
  for (size_t k = 0; k < count && good; k++)
    if (joint->shape->coordinates[k].primitive == MBS_PRIMITIVE_EULER) {
      mbs_diagnose(builder->list, MBS_UNKNOWN_FIELD, node->pointer,
                   "the rotation of a %s joint has no coordinate to limit; use an expression or a contact",
                   joint->cls->base.name);
      good = false;
    }
  if (!good) force->points = 0;
  for (size_t k = 0; k < count && good; k++) {
    const int coordinate =
        mbs_builder_add_primitive(builder, &joint->shape->coordinates[k], &force->frames, force->of_joint);
    if (k == 0) force->coordinate = coordinate;
    const mbs_touch touch = {.joint = {.frames = force->frames},
                             .cls = &mbs_rigid_stops,
                             .of_joint = force->of_joint,
                             .pair = -1,
                             .sides = 2,
                             .number = (int)k,
                             .coordinate = {coordinate, -1}};
    if (mbs_stops_rigid(node)) mbs_builder_add_touch(builder, force, &touch);
  }
}

/* Returns what coordinate k of a joint measures; without such a coordinate, which is reported, a number. */
static mbs_primitive primitive_of(const mbs_joint *joint, size_t k) {
  return k < joint->shape->coordinate_count ? joint->shape->coordinates[k].primitive : MBS_PRIMITIVE_EULER;
}

static void bind(mbs_binder *binder, const mbs_force *force, void *numbers) {
  const mbs_joint *joint = &binder->model->joints[force->of_joint];
  mbs_stops *data = numbers;
  const mbs_node *node = force->node;
  const size_t stand_ins = binder->stand_ins;
  for (int side = 0; side < 2; side++) {
    const char *name = side ? "upper" : "lower";
    const mbs_value *value = mbs_read_value(node, name);
    for (size_t k = 0; k < MBS_COORDINATES_MAX; k++) {
      const bool is_null = k < value->count && !value->scalars[k].text && isinf(value->scalars[k].number);
      data->bound[k][side] =
          k < value->count && !is_null ? mbs_read_along(binder, node, name, k, primitive_of(joint, k), false) : NAN;
    }
  }
  const bool refused = mbs_read_refused(node, "lower") || mbs_read_refused(node, "upper");
  if (!mbs_read_given(node, "lower") && !mbs_read_given(node, "upper") && !refused)
    mbs_diagnose(binder->list, MBS_MISSING, node->pointer, "limits need 'lower' or 'upper'");
  for (size_t k = 0; k < MBS_COORDINATES_MAX; k++)
    if (data->bound[k][0] >= data->bound[k][1] && binder->stand_ins == stand_ins)
      mbs_diagnose(binder->list, MBS_INVALID, mbs_read_value(node, "upper")->pointer,
                   "the upper limit (%g) must be above the lower one (%g)", data->bound[k][1], data->bound[k][0]);
  mbs_stops_numbers(binder, node, data);
}

const mbs_force_class mbs_force_limit = {
    .base = {.name = "limits",
             .doc = "Limits of a joint's coordinates.",
             .fields = fields,
             .family = MBS_FAMILY_FORCE,
             .spaces = MBS_ANY_SPACE},
    .output_count = MBS_COORDINATES,
    .outputs = "limit|limit2|limit3|limit4|limit5|limit6|limit7",
    .build = build_force,
    .bind = bind,
    .data_size = sizeof(mbs_stops),
    .apply = mbs_stops_apply,
    .own = MBS_STOPS_SWITCHING,
};
