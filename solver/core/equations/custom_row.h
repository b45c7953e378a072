/* custom_row.h - rows that a class of joints computes itself. */
#ifndef MBS_CUSTOM_ROW_H
#define MBS_CUSTOM_ROW_H

#include "equations/system.h"

/* The row that a joint's class computes itself, into Phi, rhsV and rhsA as `want` says. Returns its D [body_count x
 * velocities of a body], in system->D. A position at fault gives a row of NaN. */
const double *mbs_compute_custom_row(mbs_system *system, const mbs_block *block, int want);

#endif
