/* residual_rounding.h - what rounding leaves of a residual. */
#ifndef MBS_RESIDUAL_ROUNDING_H
#define MBS_RESIDUAL_ROUNDING_H

#include "equations/system.h"

/* Rounding of numbers of size 1, in units: a smaller residual or tolerance asks for digits that do not exist. Derived:
 * half of DBL_EPSILON. */
static const double mbs_unit_rounding = 1e-16;

/* Rounding, in units, of the positions, points and functions of time that residuals at the position in hand are
 * differences of: less cannot be asked of a residual (of velocities: times the largest of them). Iterations
 * that may go astray must take it from where they began, as system->rounding, for far away everything is rounding. */
double mbs_residual_rounding(const mbs_system *system);

#endif
