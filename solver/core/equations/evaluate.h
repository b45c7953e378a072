/* evaluate.h - evaluation of a state: the right-hand side of the equations of motion. */
#ifndef MBS_EVALUATE_H
#define MBS_EVALUATE_H

#include "equations/system.h"

/* Evaluates everything at (t, q, v): the right-hand side of the equations of motion. Counts an evaluation. */
mbs_status mbs_evaluate(mbs_system *system, double t, const double *q, const double *v);
/* Evaluates only what accelerations depend on. C and right-hand sides of redundant rows may be those of other
 * states. */
mbs_status mbs_evaluate_kept(mbs_system *system, double t, const double *q, const double *v);
/* Completes mbs_evaluate() for the velocities v, at the position that is set in the system with its C. */
mbs_status mbs_evaluate_placed(mbs_system *system, const double *v);
/* Returns the power of the drivers at the last evaluated state [W]. */
double mbs_driver_power(const mbs_system *system);

#endif
