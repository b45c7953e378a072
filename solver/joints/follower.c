#include "follower.h"

void mbs_follower_check(mbs_build *build, size_t joint) {
  mbs_read_curves(build, &build->model->joints[joint], "curve");
}
