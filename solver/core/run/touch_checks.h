/* touch_checks.h - touches at the start of a run, in prescribed motions and in the report. */
#ifndef MBS_TOUCH_CHECKS_H
#define MBS_TOUCH_CHECKS_H

#include "equations/touches.h"
#include "initial/correct.h"
#include "run/run.h"

/* Returns the length [m] by which a touch is beyond a limit, or its surfaces penetrate each other; 0: it is not. */
double mbs_touch_depth(mbs_system *system, const mbs_touch *touch, int side);

/* Moves the start as little as possible, so that rigid surfaces do not penetrate each other. */
mbs_status mbs_separate_surfaces(mbs_run_state *run, mbs_correction *out);

/* Fails because a prescribed motion exceeds the limit of a touch at t, or moves its rigid surfaces into each other. */
mbs_status mbs_fail_limit(mbs_run_state *run, double t, const mbs_touch *touch);
/* Fails if the start is beyond a rigid limit, or if rigid surfaces penetrate each other and must not be corrected. */
mbs_status mbs_check_touching_start(mbs_run_state *run);
/* Fails if the position q [nq] is beyond a rigid limit. */
mbs_status mbs_check_limits(mbs_run_state *run, double t, const double *q);
/* Fails if the start turns a one-way clutch backwards. */
mbs_status mbs_check_clutches(mbs_run_state *run);
/* Fails if redundant constraints leave the load of friction in a joint open, at the start. */
mbs_status mbs_check_loads(mbs_run_state *run);
/* Reports the elements whose friction sticks, or holds an equilibrium (`held`): their T is not zero. */
mbs_status mbs_report_sticking(mbs_run_state *run, bool held);

#endif
