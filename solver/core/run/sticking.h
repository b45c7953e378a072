/* sticking.h - which laws stick at a given state. */
#ifndef MBS_STICKING_H
#define MBS_STICKING_H

#include "run/run.h"

/* Decides which laws of force elements stick at the state (run->q, run->v) at time t, and with which force, as the
 * first row of dynamics does. Every evaluation of the system from here on uses these branches and shares. Moves run->v
 * onto the surfaces, by rounding. Does nothing for a model without laws that may stick. Fails with MBS_STEP_TOO_SMALL,
 * as dynamics does, where a law has its switch inside another one. */
mbs_status mbs_run_settle_laws(mbs_run_state *run, double t);

#endif
