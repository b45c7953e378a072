/* record.h - rows of results. */
#ifndef MBS_RECORD_H
#define MBS_RECORD_H

#include "run/run.h"

/* Computes accelerations and multipliers of the state (q, v) at time t. If multipliers are not unique, these are the
 * ones that results show. */
mbs_status mbs_run_evaluate(mbs_run_state *run, double t, const double *q, const double *v);
/* Sets the system to the state (q, v) at time t, with all quantities that sensors read. */
mbs_status mbs_run_show(mbs_run_state *run, double t, const double *q, const double *v);
/* Sets the system to the state (q, v) at time t, with the quantities that the observer reads. */
mbs_status mbs_run_set_state(mbs_run_state *run, double t, const double *q, const double *v);
/* Does the same for a system that has its state, accelerations and multipliers already; `chosen` as below. */
void mbs_run_set_state_given(mbs_run_state *run, bool chosen);
/* Each function below records row `row` of the results. If the run has an observer, it shows the state to the observer
 * and returns its status. */
/* Records the state (q, v) at time t, with its dynamics. */
mbs_status mbs_run_record(mbs_run_state *run, size_t row, double t, const double *q, const double *v);
/* Records a system that has its position, Phi and C already, as mbs_project_velocities() leaves them. */
mbs_status mbs_run_record_placed(mbs_run_state *run, size_t row, double t, const double *v);
/* Records a system that has its state, accelerations and multipliers already. `chosen`: the multipliers are those of
 * mbs_run_evaluate(). */
mbs_status mbs_run_record_given(mbs_run_state *run, size_t row, double t, bool chosen);
/* Records the state (q, run->v) of an equilibrium, with the system's accelerations and the multipliers `lambda` [rows].
 */
mbs_status mbs_run_record_static(mbs_run_state *run, size_t row, double t, const double *q, const double *lambda);

#endif
