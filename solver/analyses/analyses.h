/* analyses.h - one function an analysis. */
#ifndef MBS_ANALYSES_H
#define MBS_ANALYSES_H

#include "run/run.h"

mbs_status mbs_run_dynamics(mbs_run_state *run);
mbs_status mbs_run_kinematics(mbs_run_state *run);
mbs_status mbs_run_inverse_dynamics(mbs_run_state *run);
mbs_status mbs_run_assembly(mbs_run_state *run);
mbs_status mbs_run_equilibrium(mbs_run_state *run);
mbs_status mbs_run_linearization(mbs_run_state *run);
/* MBS_NOT_DRIVEN where drivers leave a freedom. */
mbs_status mbs_run_require_drivers(mbs_run_state *run);

#endif
