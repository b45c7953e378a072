/* Gear: the rotations of two bodies in the ratio n. phi1_0 and phi2_0 are the angles of the bodies' `initial`, 0 if
 * omitted. In space the rotations are about an axis of each body, relative to the ground, from the orientation of its
 * `initial`. A gear exerts torques only, and does not use the positions of the centres (notes: run/model_notes.c). */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {
    MBS_JOINT_NAME,
    {.name = "bodies",
     .kind = MBS_KIND_BODY,
     .min_count = 2,
     .max_count = 2,
     .doc = "first and second gear; alternatively give 'points'"},
    {.name = "points",
     .kind = MBS_KIND_POINT,
     .min_count = 2,
     .max_count = 2,
     .doc = "the centres of the first and the second gear"},
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .spaces = MBS_SPATIAL,
     .doc = "rotation axes of the first and second gear on the ground"},
    {.name = "ratio",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .doc = "n, revolutions of the second gear per revolution of the first; negative for an external pair"},
    MBS_JOINT_CUT,
    MBS_JOINT_END};

static void check(mbs_builder *builder, size_t joint) {
  mbs_joint *gear = &builder->model->joints[joint];
  bool by_points = mbs_read_given(gear->node, "points") || mbs_read_given(gear->node, "vectors");
  if (!mbs_read_given(gear->node, "bodies")) {
    if (!by_points)
      mbs_diagnose(builder->list, MBS_MISSING, gear->node->pointer, "missing field 'bodies' of gear (or 'points')");
    return;
  }
  const mbs_value *value = mbs_read_value(gear->node, "bodies");
  int bodies[2];
  if (mbs_read_body_list(builder, gear->node, "bodies", bodies, 2) < 2) return;
  if (bodies[0] == bodies[1])
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "a gear needs two different bodies, not '%s' twice",
                 builder->model->bodies[bodies[0]].name);
  else if (by_points && (bodies[0] != gear->frames.body1 || bodies[1] != gear->frames.body2))
    mbs_diagnose(builder->list, MBS_INVALID, value->pointer,
                 "'bodies' and %s name different bodies; remove one of the two, or make them agree",
                 mbs_read_given(gear->node, "points") ? "'points'" : "'vectors'");
  gear->frames.body1 = bodies[0];
  gear->frames.body2 = bodies[1];
}

const mbs_joint_class mbs_joint_gear = {
    .base = {.name = "gear",
             .doc = "Keeps the rotations of two bodies in a fixed ratio.",
             .equation = "Phi = (phi2 - phi2_0) - n (phi1 - phi1_0) (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1,
               .rows = {{.primitive = MBS_PRIMITIVE_ANGLE,
                         .scale = 1,
                         .weight1 = -1,
                         .weight2 = 1,
                         .weight1_field = "ratio",
                         .constant = MBS_CONSTANT_DECLARED,
                         .labels = "phi"}}},
    .spatial = {.row_count = 1,
                .rows = {{.primitive = MBS_PRIMITIVE_ANGLE,
                          .scale = 1,
                          .weight1 = -1,
                          .weight2 = 1,
                          .weight1_field = "ratio",
                          .labels = "phi"}},
                .zero = MBS_ZERO_EACH},
    .ties_turns = true,
    .check = check,
};
