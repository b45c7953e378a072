/* record.h - rows of results. */
#ifndef MBS_RECORD_H
#define MBS_RECORD_H

#include "run/run.h"

/* Accelerations and multipliers of the state (q, v) at time t; of multipliers that are not unique those that results
 * show. */
mbs_status mbs_run_evaluate(mbs_run_state *run, double t, const double *q, const double *v);
/* Leaves the system at the state (q, v) at time t as whoever observes the run wants it. */
mbs_status mbs_run_set_state(mbs_run_state *run, double t, const double *q, const double *v);
/* The same for the state, accelerations and multipliers that the system holds; `chosen` as below. */
void mbs_run_set_state_given(mbs_run_state *run, bool chosen);
/* The functions below record a row, or show the state to whoever observes the run, whose status counts. */
/* The model's state (q, v) at time t, with its dynamics, as row `row` of the results. */
mbs_status mbs_run_record(mbs_run_state *run, size_t row, double t, const double *q, const double *v);
/* The same for the position that the system holds with its Phi and C, as mbs_project_velocities() leaves them. */
mbs_status mbs_run_record_placed(mbs_run_state *run, size_t row, double t, const double *v);
/* The same for the state, accelerations and multipliers that the system holds; `chosen`: the multipliers are those of
 * mbs_run_evaluate(). */
mbs_status mbs_run_record_given(mbs_run_state *run, size_t row, double t, bool chosen);
/* The same for the state at rest that the system holds, with multipliers `lambda` [rows] of a static equilibrium. */
mbs_status mbs_run_record_static(mbs_run_state *run, size_t row, double t, const double *q, const double *lambda);

#endif
