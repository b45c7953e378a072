/* evaluate.h - everything for a state: the right-hand side of the equations of motion. */
#ifndef MBS_EVALUATE_H
#define MBS_EVALUATE_H

#include "equations/system.h"

/* Everything for (t, q, v): the right-hand side of the equations of motion. Counts an evaluation. */
mbs_status mbs_evaluate(mbs_system *system, double t, const double *q, const double *v);
/* The same without what accelerations do not need: C and right-hand sides of rows that are left out as redundant may be
 * those of other states. */
mbs_status mbs_evaluate_kept(mbs_system *system, double t, const double *q, const double *v);
/* The same as the first for the position that the system holds with its C: what is left for the velocities v. */
mbs_status mbs_evaluate_placed(mbs_system *system, const double *v);
/* Power that drivers supply at the state evaluated last [W]. */
double mbs_driver_power(const mbs_system *system);

#endif
