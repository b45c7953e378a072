/* Cam-flat-follower: a curve about P1 on the first body touches the straight line through P2 along u2 of the second.
 * The cam is on that side of the line on which its reference point is at the start. */
#include "elements/curves/read_curve.h"
#include "elements/joints/follower.h"

static const mbs_field fields[] = {MBS_JOINT_NAME,
                                   {.name = "points",
                                    .kind = MBS_KIND_POINT,
                                    .min_count = 2,
                                    .max_count = 2,
                                    .required = true,
                                    .doc = "origin of the cam's curve, then a point of the flat face"},
                                   {.name = "vectors",
                                    .kind = MBS_KIND_VECTOR,
                                    .min_count = 1,
                                    .max_count = 1,
                                    .or_single = true,
                                    .required = true,
                                    .doc = "u2, the direction of the face, on the second body"},
                                   {.name = "curve",
                                    .kind = MBS_KIND_OBJECT,
                                    .of = &mbs_curve_class,
                                    .required = true,
                                    .doc = "the cam, about the first point in the axes of its body"},
                                   MBS_JOINT_CUT,
                                   MBS_JOINT_END};

const mbs_joint_class mbs_joint_cam_flat_follower = {
    .base = {.name = "cam-flat-follower",
             .doc = "A cam that touches a flat face.",
             .equation =
                 "gap between the curve and the line, along the line's normal, positive where they are apart = 0",
             .fields = fields,
             .family = MBS_FAMILY_JOINT,
             .spaces = MBS_PLANAR},
    .symbol = MBS_SYMBOL_NONE,
    .planar = {.row_count = 1, .rows = {MBS_GAP_ROW}, .second_vector = true},
    .check = mbs_follower_check,
    .locate = planar_flat_follower_locate,
    .margin = planar_flat_follower_margin,
    .row = planar_flat_follower_row,
};
