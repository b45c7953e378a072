/* custom_row.h - rows that a class of joints computes itself. */
#ifndef MBS_CUSTOM_ROW_H
#define MBS_CUSTOM_ROW_H

#include "equations/system.h"

/* Computes the row of a joint's class, into Phi, rhsV and rhsA as `want` selects. Returns its D [body_count x
 * velocities per body], in system->D. If the position has a fault, the row is NaN. */
const double *mbs_compute_custom_row(mbs_system *system, const mbs_block *block, int want);

#endif
