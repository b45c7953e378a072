/* lock_up.h - why a motion cannot go on. */
#ifndef MBS_LOCK_UP_H
#define MBS_LOCK_UP_H

#include "run/run.h"

/* Why the motion cannot go on from (t, q [nq]): MBS_LOCK_UP with the driver, or MBS_SINGULAR_POSITION with the joint,
 * as the run's error in place of what it failed with. MBS_OK where C has its rank, unless that is `certain`. */
mbs_status mbs_run_locked(mbs_run_state *run, double t, const double *q, bool certain);
/* MBS_SINGULAR_POSITION, as the run's error: C has lost its rank at (t, q [nq]), and no single way leads on; or one
 * does, but forces and efforts grow without bounds there. */
mbs_status mbs_run_no_way(mbs_run_state *run, double t, const double *q);
mbs_status mbs_run_unbounded(mbs_run_state *run, double t, const double *q);

#endif
