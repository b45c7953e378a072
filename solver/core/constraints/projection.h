/* projection.h - projection of a state onto the constraints. */
#ifndef MBS_PROJECTION_H
#define MBS_PROJECTION_H

#include "equations/system.h"

/* Moves (q, v) onto the constraints at t, along the directions of least kinetic energy; uses and renews the system's
 * factors. The rows left out as redundant must follow: MBS_CONTRADICTION where they do not. */
mbs_status mbs_project_positions(mbs_system *system, double t, double *q);
mbs_status mbs_project_velocities(mbs_system *system, double *v);
/* Whether the redundant rows hold at the system's position, whose Phi is known. Notes how far they are from it. */
mbs_status mbs_check_redundant(mbs_system *system);
/* Checks the redundant rows of velocity level, which have no Phi, at the velocities v: MBS_CONTRADICTION if one does
 * not follow from the other rows. C and rhsV must be known. */
mbs_status mbs_check_redundant_rates(mbs_system *system, const double *v);
/* Notes it alone: system->strayed. */
void mbs_note_redundant(mbs_system *system);

/* What may be left where rounding ends an iteration, in units of accuracy. */
static const double mbs_projection_accepted = 1e-10;
/* Redundant rows may contradict one another by this share of the model's extent, and angles by as much [rad], at the
 * start and in a motion. Derived: data typed to 8 decimals do not close a loop in space more exactly. */
static const double mbs_data_precision = 1e-6;
/* A step that leaves more than this share of what the one before left wants new factors. */
static const double mbs_projection_slow = 0.2;
/* So many are enough from a residual of 1 down to rounding. */
enum { MBS_PROJECTION_STEPS = 30 };

#endif
