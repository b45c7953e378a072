/* touch_modes.h - which touches are closed, stick and slip at an instant, and their impacts. theory (12.12) - (12.15)
 * */
#ifndef MBS_TOUCH_MODES_H
#define MBS_TOUCH_MODES_H

#include "equations/touches.h"
#include "initial/correct.h"
#include "run/run.h"

/* Opens the workspace. Returns false if memory runs out. */
bool mbs_touch_modes_open(mbs_run_state *run);
/* Decides the modes of all touches at (t, q, v): first the impacts of touches that approach, which change v [nv],
 * then the accelerations: a closed touch presses or opens, a surface at rest sticks or slips. Chooses the rows that
 * hold, and leaves the system evaluated. Adds events to the report. `loss` [J] increases by the kinetic energy that
 * impacts take; may be NULL. Returns MBS_PAINLEVE if there is no consistent choice. Does nothing in a model without
 * touches. */
mbs_status mbs_touches_settle(mbs_run_state *run, double t, const double *q, double *v, double *loss);

/* Moves the start as little as possible, so that rigid surfaces do not penetrate each other. */
mbs_status mbs_separate_surfaces(mbs_run_state *run, mbs_correction *out);

/* Fails because a prescribed motion exceeds the limit of a touch at t. */
mbs_status mbs_fail_limit(mbs_run_state *run, double t, const mbs_touch *touch);
/* Fails if the position q [nq] is beyond a rigid limit. */
mbs_status mbs_check_limits(mbs_run_state *run, double t, const double *q);
/* Fails if redundant constraints leave the load of friction in a joint open, at the start. */
mbs_status mbs_check_loads(mbs_run_state *run);
/* Reports the elements whose friction sticks, or holds an equilibrium (`held`): their T is not zero. */
mbs_status mbs_report_sticking(mbs_run_state *run, bool held);

#endif
