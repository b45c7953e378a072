/* Point-follower: the pin P1 of the first body moves along a curve about P2, fixed in the second body. */
#include "elements/curves/read_curve.h"
#include "elements/joints/follower.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "the pin on the first body, then the origin of the curve on the second"},
                                   {.name = "curve",
                                    .kind = MBS_KIND_OBJECT,
                                    .of = &mbs_curve_class,
                                    .required = true,
                                    .doc = "the slot, about the second point in the axes of its body"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_point_follower = {
    .base = {.name = "point-follower",
             .doc = "A pin in a curved slot.",
             .equation = "Phi = distance of P1 from the curve along its normal, positive outside (1 row)",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .planar = {.row_count = 1, .rows = {MBS_GAP_ROW}, .second_curve = true},
    .check = mbs_follower_check,
    .locate = planar_point_follower_locate,
    .margin = planar_point_follower_margin,
    .row = planar_point_follower_row,
};
