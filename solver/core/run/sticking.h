/* sticking.h - decides which laws stick at a given state. */
#ifndef MBS_STICKING_H
#define MBS_STICKING_H

#include "run/run.h"

/* Decides which laws of force elements stick at the state (run->q, run->v) at time t, and with which force, like the
 * first row of dynamics. Later evaluations of the system use these branches and shares. Moves run->v onto the surfaces,
 * by rounding. Does nothing if no law of the model can stick. Fails with MBS_STEP_TOO_SMALL, like dynamics, if a switch
 * is nested in another switch of its law. */
mbs_status mbs_run_settle_laws(mbs_run_state *run, double t);

#endif
