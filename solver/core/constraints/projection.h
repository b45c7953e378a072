/* projection.h - projection of a state onto the constraints. */
#ifndef MBS_PROJECTION_H
#define MBS_PROJECTION_H

#include "equations/system.h"

/* Moves (q, v) onto the constraints at t, along the directions of least kinetic energy. Uses and renews the system's
 * factors. Returns MBS_CONTRADICTION if redundant rows are not satisfied then. */
mbs_status mbs_project_positions(mbs_system *system, double t, double *q);
mbs_status mbs_project_velocities(mbs_system *system, double *v);
/* Checks the redundant rows at the system's position, whose Phi must be computed, and records their largest
 * residual. */
mbs_status mbs_check_redundant(mbs_system *system);
/* Checks the redundant rows of velocity level, which have no Phi, at the velocities v. Returns MBS_CONTRADICTION if one
 * of them does not follow from the other rows. C and rhsV must be computed. */
mbs_status mbs_check_redundant_rates(mbs_system *system, const double *v);
/* Records the largest residual of the redundant rows in system->redundant_residual. */
void mbs_note_redundant(mbs_system *system);

/* Largest residual that is accepted if rounding ends an iteration, in scales of accuracy. */
static const double mbs_projection_accepted = 1e-10;
/* Largest contradiction of redundant rows, as a share of the model's extent, and of angles [rad], at the start and in a
 * motion. Derived: data with 8 decimals close a loop in space to about this accuracy. */
static const double mbs_data_precision = 1e-6;
/* New factors are computed if a step leaves more than this share of the previous residual. */
static const double mbs_projection_slow = 0.2;
/* Largest number of steps; sufficient from a residual of 1 down to rounding. */
enum { MBS_PROJECTION_STEPS = 30 };

#endif
