/* Screw: one revolution about u advances the second body by the pitch h. */
#include "elements/joints/joint.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   MBS_JOINT_POINTS,
                                   MBS_JOINT_AXES("the axis, on the first and on the second body"),
                                   {.name = "pitch",
                                    .kind = MBS_KIND_NUMBER,
                                    .required = true,
                                    .fallback = NAN,
                                    .unit = "m",
                                    .doc = "h, advance per revolution"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_screw = {
    .base = {.name = "screw",
             .doc = "A screw: the displacement is proportional to the rotation.",
             .equation = "Phi = w1.u2, n1.u2, w1.d, n1.d, u1.d - h theta / (2 pi) (5 rows), d = rP2 - rP1\ntheta = "
                         "rotation about u",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_SPATIAL},
    .symbol = MBS_SYMBOL_SCREW,
    .spatial = {.row_count = 5,
                .rows = {MBS_PARALLEL_ROWS,
                         MBS_ON_AXIS_ROWS,
                         {.primitive = MBS_PRIMITIVE_ALONG,
                          .scale = 1,
                          .weight2 = -MBS_PER_TURN,
                          .weight2_field = "pitch",
                          .labels = "thread"}},
                .coordinate_count = 1,
                .coordinates = {MBS_AXIS_TURN_ROW},
                .in_tree = true,
                .pitch = "pitch"},
};
