/* run_errors.h - why a run ends. */
#ifndef MBS_RUN_ERRORS_H
#define MBS_RUN_ERRORS_H

#include "run/run.h"

/* Fills the run's error unless it is filled already. Returns `status`. */
mbs_status mbs_run_fail(mbs_run_state *run, mbs_status status, double t, const char *element, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The error of a switch whose events do not end: MBS_STEP_TOO_SMALL with its law or element. */
mbs_status mbs_run_fail_zeno(mbs_run_state *run, size_t index, double t);
/* The same for a switch that cannot be held because its law has it inside another one. */
mbs_status mbs_run_fail_nested(mbs_run_state *run, size_t index, double t);
/* The same for a law that divides by a length which becomes zero at t and stays there. */
mbs_status mbs_run_fail_vanishing(mbs_run_state *run, const mbs_law *law, const char *element, double t);
/* Completes the error of what ended with `status` at t: with the fault of the position, where that is why, else where
 * nothing is said yet with what the status means. */
void mbs_finish_error(mbs_error *error, mbs_status status, double t, const mbs_fault *fault);
/* Of what was only tried. */
void mbs_run_forget_error(mbs_run_state *run);
/* The error of an element whose value jumps. */
mbs_status mbs_run_fail_jump(mbs_run_state *run, double t, const char *element, double jump);
/* MBS_OUT_OF_RANGE, as the run's error, where a function of time has no value right after t, as sqrt(1 - t) has none
 * after 1, or a pole there; MBS_CONTRADICTION where it jumps; it takes the place of what the run failed with there. */
mbs_status mbs_run_functions_end(mbs_run_state *run, double t);

#endif
