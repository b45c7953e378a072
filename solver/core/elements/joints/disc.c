/* Disc: P2, the centre of a disc of radius R, rolls without slip on the ground line through P1 along u1, on the side of
 * perp(u1). */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 1,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "u1, the direction of the line, on the ground"},
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

static void check(mbs_builder *builder, size_t joint) {
  const mbs_joint *disc = &builder->model->joints[joint];
  if (disc->frames.body1 > 0 && mbs_read_given(disc->node, "points"))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(disc->node, "points")->pointer,
                 "a disc rolls on the ground: the first point must be the ground's, not one of '%s'",
                 builder->model->bodies[disc->frames.body1].name);
}

const mbs_joint_class mbs_joint_disc = {
    .base = {.name = "disc",
             .doc = "A disc that rolls without slip on a line of the ground.",
             .equation = "Phi = perp(u1).(rP2 - rP1) - R, u1.(rP2 - rP2_0) + R (phi2 - phi2_0) (2 rows)\n"
                         "theta = phi2 - phi2_0",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 2,
               .rows = {{.primitive = MBS_PRIMITIVE_NORMAL,
                         .scale = -1,
                         .constant = MBS_CONSTANT_FIELD,
                         .field = "radius",
                         .labels = "normal"},
                        {.primitive = MBS_PRIMITIVE_ALONG,
                         .scale = 1,
                         .weight2 = 1,
                         .weight2_field = "radius",
                         .constant = MBS_CONSTANT_ROLL,
                         .labels = "roll"}},
               .coordinate_count = 1,
               .coordinates = {MBS_TURN_ROW},
               .in_tree = true,
               .offset = "radius",
               .rolls = "radius"},
    .check = check,
};
