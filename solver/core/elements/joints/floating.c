/* Floating: a body without constraints; theta = (x, y, phi) of its mass centre, relative to the ground. In space theta
 * = (x, y, z, e0, e1, e2, e3), and its velocities are those of the mass centre and omega, global axes. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "body", .kind = MBS_KIND_BODY, .required = true, .doc = "floating body"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static void check(mbs_builder *builder, size_t joint) {
  mbs_joint *floating = &builder->model->joints[joint];
  const mbs_value *body = mbs_read_value(floating->node, "body");
  floating->frames.body1 = 0;
  if (!body->given) return;
  floating->frames.body2 = mbs_read_body(builder, body->scalars[0].text, body->pointer);
  if (floating->frames.body2 == 0)
    mbs_diagnose(builder->list, MBS_INVALID, body->pointer, "the ground cannot float; name a body");
}

const mbs_joint_class mbs_joint_floating = {
    .base = {.name = "floating",
             .doc = "All degrees of freedom of a body relative to the ground.",
             .equation = "theta = (x, y, phi); in space (x, y, z, e0, e1, e2, e3)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.coordinate_count = 3,
               .coordinates = {{.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .axis = {1, 0, 0}, .labels = "x"},
                               {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .axis = {0, 1, 0}, .labels = "y"},
                               MBS_TURN_ROW},
               .in_tree = true},
    .spatial = {.coordinate_count = 7,
                .coordinates = {{.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .axis = {1, 0, 0}, .labels = "x"},
                                {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .axis = {0, 1, 0}, .labels = "y"},
                                {.primitive = MBS_PRIMITIVE_ALONG, .scale = 1, .axis = {0, 0, 1}, .labels = "z"},
                                MBS_EULER_ROWS},
                .in_tree = true},
    .check = check,
};
