/* run_errors.h - errors that end a run. */
#ifndef MBS_RUN_ERRORS_H
#define MBS_RUN_ERRORS_H

#include "run/run.h"

/* Fills the run's error, unless it is filled already. Returns `status`. */
mbs_status mbs_run_fail(mbs_run_state *run, mbs_status status, double t, const char *element, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Fails for a switch whose events do not end, with its law or element. Returns MBS_STEP_TOO_SMALL. */
mbs_status mbs_run_fail_zeno(mbs_run_state *run, size_t index, double t);
/* Fails for a switch that cannot be held, because it is nested in another switch of its law. Returns
 * MBS_STEP_TOO_SMALL. */
mbs_status mbs_run_fail_nested(mbs_run_state *run, size_t index, double t);
/* Fails for a law that divides by an expression which becomes zero at t and stays zero. Returns MBS_LAW_UNDEFINED for a
 * law of velocities, as of friction at rest; else MBS_STEP_TOO_SMALL. */
mbs_status mbs_run_fail_vanishing(mbs_run_state *run, const mbs_law *law, const char *element, double t);
/* Names the table without a value, if a run that ended with `status` ended for that reason. Returns MBS_OUTSIDE_TABLE;
 * otherwise `status`. */
mbs_status mbs_run_outside_table(mbs_run_state *run, mbs_status status);
/* Returns true, and replaces the error, if a table in the law of `element` has no value at the system's state. */
bool mbs_law_fails_outside(const mbs_system *system, const mbs_law *law, const char *element, mbs_error *error);
/* Completes an error with `status` at t: with the fault of the position if that is the cause; otherwise, if there is no
 * message, with the meaning of the status. */
void mbs_finish_error(mbs_error *error, mbs_status status, double t, const mbs_fault *fault);
/* Clears the error, after an attempt that failed. */
void mbs_run_forget_error(mbs_run_state *run);
/* Fails for an element whose value jumps. Returns MBS_CONTRADICTION. */
mbs_status mbs_run_fail_jump(mbs_run_state *run, double t, const char *element, double jump);
/* Fails with MBS_OUT_OF_RANGE if a function of time has no value right after t, as sqrt(1 - t) has none after 1, or has
 * a pole there; with MBS_CONTRADICTION if it jumps. Replaces the run's error. Returns MBS_OK otherwise. */
mbs_status mbs_run_functions_end(mbs_run_state *run, double t);
/* Replaces the error of a step that became too small, if a state z of the document grows without bound at t. Its rates
 * are `zdot`. */
void mbs_run_name_growth(mbs_run_state *run, double t, const double *z, const double *zdot);

#endif
