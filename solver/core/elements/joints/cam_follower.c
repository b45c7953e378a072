/* Cam-follower: a curve about P1 on the first body touches a curve about P2 on the second. */
#include "elements/curves/read_curve.h"
#include "elements/joints/follower.h"

static const mbs_field fields[] = {
    MBS_JOINT_NAME,
    {.name = "points",
     .kind = MBS_KIND_POINT,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "origins of the two curves"},
    {.name = "curve",
     .kind = MBS_KIND_OBJECT,
     .of = &mbs_curve_class,
     .min_count = 2,
     .max_count = 2,
     .required = true,
     .doc = "the first body's curve, then the second's, each about its point in the axes of its body"},
    MBS_JOINT_CUT,
    MBS_JOINT_END};

const mbs_joint_class mbs_joint_cam_follower = {
    .base = {.name = "cam-follower",
             .doc = "Two curves that stay in contact.",
             .equation = "gap between the curves, along the common normal, positive where they are apart = 0",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_NONE,
    .planar = MBS_FOLLOWER_SHAPE,
    .check = mbs_follower_check,
    .locate = planar_cam_follower_locate,
    .margin = planar_cam_follower_margin,
    .row = planar_cam_follower_row,
};
