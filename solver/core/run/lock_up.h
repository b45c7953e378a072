/* lock_up.h - finds why a motion cannot continue. */
#ifndef MBS_LOCK_UP_H
#define MBS_LOCK_UP_H

#include "run/run.h"

/* Fails because the motion cannot continue from (t, q [nq]): with MBS_LOCK_UP and the driver, or MBS_SINGULAR_POSITION
 * and the joint. Replaces the run's error. If not `certain`, returns MBS_OK, without an error, if C has full rank. */
mbs_status mbs_run_locked(mbs_run_state *run, double t, const double *q, bool certain);
/* Fails with MBS_SINGULAR_POSITION because C has lost its rank at (t, q [nq]). mbs_run_no_branch(): no single branch
 * continues the motion. mbs_run_unbounded(): one does, but forces grow without bounds there. */
mbs_status mbs_run_no_branch(mbs_run_state *run, double t, const double *q);
mbs_status mbs_run_unbounded(mbs_run_state *run, double t, const double *q);

#endif
