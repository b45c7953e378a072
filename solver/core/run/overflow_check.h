/* overflow_check.h - what overflowed is no answer. */
#ifndef MBS_OVERFLOW_CHECK_H
#define MBS_OVERFLOW_CHECK_H

#include "run/run.h"

/* MBS_NOT_FINITE, with the force element named if one is to blame, where the row just recorded, or an array without
 * time, has numbers that are not finite; that row is left out. Sensors may have them. A row that stays is final, and
 * the host is told so. */
mbs_status mbs_run_require_finite(mbs_run_state *run, size_t row, double t);
/* Whether what ended a run at t, MBS_NOT_FINITE, is a force element without a finite value in the state evaluated last:
 * then the error names it. */
bool mbs_run_undefined_force(mbs_run_state *run, mbs_status status, double t);

/* Tells in the report, with a note, which sensors have rows without a finite value. For arrays that are complete. */
void mbs_run_report_non_finite(mbs_run_state *run);

#endif
