/* overflow_check.h - checks that results are finite. */
#ifndef MBS_OVERFLOW_CHECK_H
#define MBS_OVERFLOW_CHECK_H

#include "run/run.h"

/* Returns MBS_OUTSIDE_TABLE, with the error, and removes the row just recorded if a table leaves a sensor or signal of
 * it without a value. */
mbs_status mbs_run_require_tables(mbs_run_state *run, size_t row);
/* Does that, and checks the row just recorded, or the arrays without time. If they have numbers that are not finite,
 * returns MBS_NOT_FINITE, names the force element that caused it, and removes the row. Sensors may have such numbers.
 * Otherwise the row is final, and the host is notified. */
mbs_status mbs_run_require_finite(mbs_run_state *run, size_t row, double t);
/* Returns true if a run ended at t with MBS_NOT_FINITE because a force element had no finite value in the last
 * evaluated state. The error then names that element. */
bool mbs_run_undefined_force(mbs_run_state *run, mbs_status status, double t);

/* Adds the sensors that have values which are not finite to the report, with a note. The arrays must be complete. */
void mbs_run_report_non_finite(mbs_run_state *run);

#endif
