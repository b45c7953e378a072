#include "elements/joints/follower.h"

#include "elements/curves/read_curve.h"

void mbs_follower_check(mbs_builder *builder, size_t joint) {
  mbs_read_curves(builder, &builder->model->joints[joint], "curve");
}
