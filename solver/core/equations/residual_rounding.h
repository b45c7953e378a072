/* residual_rounding.h - estimates the rounding error of a constraint residual. */
#ifndef MBS_RESIDUAL_ROUNDING_H
#define MBS_RESIDUAL_ROUNDING_H

#include "equations/system.h"

/* Rounding error of numbers of size 1, in scales. A smaller residual or tolerance would need digits that do not exist.
 * Derived: half of DBL_EPSILON. */
static const double mbs_unit_rounding = 1e-16;

/* Returns the rounding error, in scales, of the positions, points and functions of time whose differences form the
 * residuals at the current position. A residual cannot be smaller (of velocities: times the largest of them).
 * Iterations that may diverge must use the value at their start, as system->rounding, because far away every residual
 * is within rounding. */
double mbs_residual_rounding(const mbs_system *system);

#endif
