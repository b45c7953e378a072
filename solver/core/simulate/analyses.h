/* analyses.h - the functions that run each analysis. */
#ifndef MBS_ANALYSES_H
#define MBS_ANALYSES_H

#include "run/run.h"
#include "simulate/linearize.h"

/* Starts the analysis of a motion at the corrected start, like mbs_run_start(). If the document requests it, the motion
 * starts at the static equilibrium found from there, with the velocities of least norm that satisfy the drivers. */
mbs_status mbs_run_start_motion(mbs_run_state *run);
/* Sets *stable by the equations linearized at the equilibrium (run->q, run->v), whose drivers are held: 1 stable, 0
 * unstable, -1 undecided. Keeps it if these equations do not exist. */
mbs_status mbs_equilibrium_stability(mbs_run_state *run, int *stable);
mbs_status mbs_run_dynamics(mbs_run_state *run);
mbs_status mbs_run_kinematics(mbs_run_state *run);
mbs_status mbs_run_inverse_dynamics(mbs_run_state *run);
mbs_status mbs_run_assembly(mbs_run_state *run);
mbs_status mbs_run_equilibrium(mbs_run_state *run);
mbs_status mbs_run_linearization(mbs_run_state *run);
mbs_status mbs_run_frequency_response(mbs_run_state *run);
/* Starts a run, finds the state to linearize about, the equilibrium or the start, and records it as the only row. */
mbs_status mbs_run_linear_state(mbs_run_state *run);
/* Linearizes about that state. Sets *at_rest to false if it moves. If bodies rotate there, in body coordinates, the
 * independent coordinates are those of joints; run->model is then a copy with them. */
mbs_status mbs_linearize_state(mbs_run_state *run, const mbs_ports *ports, mbs_linearization *out, bool *at_rest);
/* Returns MBS_NOT_DRIVEN, with an error, if the drivers leave a degree of freedom. */
mbs_status mbs_run_require_drivers(mbs_run_state *run);

#endif
