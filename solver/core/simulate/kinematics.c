/* Kinematics: the states of a driven motion (driven_motion.h) at the reporting times, without integrals. */
#include "simulate/analyses.h"
#include "simulate/driven_motion.h"

mbs_status mbs_run_kinematics(mbs_run_state *run) {
  static const mbs_driven_analysis kinematics = {0};
  return mbs_driven_motion_run(run, &kinematics);
}
