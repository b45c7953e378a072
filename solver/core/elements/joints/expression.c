/* A user-defined constraint. Its derivatives are exact: D from the gradient, rhsV from the partial derivative in time,
 * rhsA from the second time derivative for V' = beta. States count as functions of time. */
#include "elements/joints/joint.h"
#include "equations/law.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "value",
                                    .kind = MBS_KIND_LAW,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc = "expression of positions, states and t that must be zero"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

static void read_laws(mbs_builder *builder, size_t index) { mbs_read_joint_law(builder, index, MBS_SCOPE_POSITION); }

static void row(mbs_system *system, const mbs_joint *joint, mbs_custom_row *out) {
  mbs_law_row(system, joint->laws, joint->bodies, joint->body_count, out);
}

const mbs_joint_class mbs_joint_expression = {
    .base = {.name = "expression",
             .doc = "A user-defined constraint: an expression of positions and time that must be zero.",
             .equation = "Phi = value(positions, t) (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_ANY_SPACE},
    .planar = {.row_count = 1, .rows = {{.primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .labels = "value"}}},
    .spatial = {.row_count = 1, .rows = {{.primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .labels = "value"}}},
    .check = mbs_joint_is_of_law,
    .read_laws = read_laws,
    .row = row,
};
