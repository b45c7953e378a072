/* Fixed: the bodies move together, with the relative orientation of their initial poses, or of given axes. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {
    MBS_JOINT_NAME,
    MBS_JOINT_POINTS,
    {.name = "vectors",
     .kind = MBS_KIND_VECTOR,
     .min_count = 2,
     .max_count = 2,
     .spaces = MBS_SPATIAL,
     .doc = "with reference: an axis on each body. The axes are parallel, and so are the vectors of reference. "
            "Default: the relative orientation of the initial poses"},
    MBS_JOINT_REFERENCE("a vector on each body, perpendicular to its axis"),
    MBS_JOINT_CUT,
    MBS_JOINT_END};

const mbs_joint_class mbs_joint_fixed = {
    .base = {.name = "fixed",
             .doc = "Two bodies fixed to each other.",
             .equation = "Phi = rP1 - rP2, w1.u2, n1.u2, w1.n2 (6 rows)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_BLOCK,
    .spatial = {.row_count = 4,
                .rows = {MBS_SPHERICAL_ROWS, MBS_PARALLEL_ROWS, MBS_NO_TURN_ROW},
                .in_tree = true,
                .zero = MBS_ZERO_INITIAL},
};
