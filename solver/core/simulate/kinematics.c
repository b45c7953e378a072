/* Kinematics: the states of a driven motion (driven_motion.h) at the reporting times, without integrals. The load of
 * dry friction is a reaction: a motion with dry friction is computed as by inverse dynamics. */
#include "equations/touches.h"
#include "simulate/analyses.h"
#include "simulate/driven_motion.h"

mbs_status mbs_run_kinematics(mbs_run_state *run) {
  static const mbs_driven_analysis kinematics = {0};
  for (size_t i = 0; i < run->model->touch_count; i++)
    if (mbs_touch_never_opens(&run->model->touches[i])) return mbs_run_inverse_dynamics(run);
  return mbs_driven_motion_run(run, &kinematics);
}
