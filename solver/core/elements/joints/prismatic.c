/* Prismatic: the second body translates along u without rotation; the relative orientation is that of the initial
 * poses. (Seed 001 of tests/reference/seeds.json.) */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS,
                                   MBS_JOINT_AXES("direction of sliding on the first and on the second body"),
                                   MBS_JOINT_CUT, MBS_JOINT_END};

const mbs_joint_class mbs_joint_prismatic = {
    .base = {.name = "prismatic",
             .doc = "A slider without rotation.",
             .equation = "Phi = w1.u2, n1.u2, w1.d, n1.d, w1.n2 (5 rows), d = rP2 - rP1\n"
                         "theta = u1.d",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_SLIDER,
    .spatial = {.row_count = 5,
                .rows = {MBS_PARALLEL_ROWS, MBS_ON_AXIS_ROWS, MBS_NO_TURN_ROW},
                .coordinate_count = 1,
                .coordinates = {MBS_SLIDE_ROW},
                .in_tree = true,
                .zero = MBS_ZERO_INITIAL},
};
