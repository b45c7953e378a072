/* Revolute: a pin through P1 and P2.   Phi = rP1 - rP2 (2 rows),   theta = phi2 - phi1. */
#include "joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME, MBS_JOINT_POINTS, MBS_JOINT_CUT, MBS_JOINT_END};

const mbs_joint_class mbs_joint_revolute = {
    .base = {.name = "revolute",
             .doc = "A pin: two points coincide.",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .planar = {.row_count = 1,
               .rows = {{.measure = MBS_MEASURE_POINT, .scale = 1, .labels = "x|y"}},
               .coordinate_count = 1,
               .coordinates = {MBS_TURN_ROW},
               .in_tree = true},
};
