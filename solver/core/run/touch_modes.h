/* touch_modes.h - which touches are closed, stick and slip at an instant, and their impacts. theory (12.12) - (12.15)
 * */
#ifndef MBS_TOUCH_MODES_H
#define MBS_TOUCH_MODES_H

#include "equations/touches.h"
#include "run/run.h"

/* Allocates the workspace in the arena of the system, unless it is there. Returns false if memory runs out. The
 * functions below do that when they need it. */
bool mbs_touch_modes_open(mbs_run_state *run);
/* Decides the modes of all touches at (t, q, v): first the impacts of touches that approach, which change v [nv],
 * then the accelerations: a closed touch presses or opens, a surface at rest sticks or slips. Chooses the rows that
 * hold, and leaves the system evaluated. Adds events to the report. `loss` [J] increases by the kinetic energy that
 * impacts take; may be NULL. Returns MBS_PAINLEVE if there is no consistent choice. Does nothing in a model without
 * touches. */
mbs_status mbs_touches_settle(mbs_run_state *run, double t, const double *q, double *v, double *loss);
/* Opens the touches that touch without force at the evaluated state, whose modes are decided, and notes it: equations
 * of small motions have rows only for those that press. */
mbs_status mbs_touches_open_weightless(mbs_run_state *run, double t, const double *q, double *v);

#endif
