/* follower.h - rows and functions shared by the joints of curves. */
#ifndef MBS_JOINTS_FOLLOWER_H
#define MBS_JOINTS_FOLLOWER_H

#include "elements/joints/joint.h"
#include "kernels/curve.h"
#include "kernels/planar/followers.h"

#define MBS_GAP_ROW \
  { .primitive = MBS_PRIMITIVE_CUSTOM, .scale = 1, .length = true, .labels = "gap" }
#define MBS_FOLLOWER_SHAPE                  \
  {                                         \
    .row_count = 1, .rows = { MBS_GAP_ROW } \
  }

/* Reads the curves in the field `curve`. */
void mbs_follower_check(mbs_builder *builder, size_t joint);

#endif
