/* step_limiter.h - limits steps of dynamics so that they do not pass over localized features of laws.
 *
 * A law of a force, driver, joint or curve may have a feature that lies between the stages of a step, such as a pulse
 * or a hill: then the error estimate does not see it. theory, page 16 */
#ifndef MBS_STEP_LIMITER_H
#define MBS_STEP_LIMITER_H

#include "run/run.h"

typedef struct mbs_step_limiter mbs_step_limiter;

/* Creates the limiter of a run; a method with `stages` evaluations a step chooses its own steps where it is `adaptive`.
 * Allocates from the system's arena. Returns NULL if memory runs out. */
mbs_step_limiter *mbs_step_limiter_new(mbs_run_state *run, int stages, bool adaptive);
/* Returns true if the model has laws or functions of time that may limit steps. */
bool mbs_step_limiter_is_active(const mbs_step_limiter *self);
/* Returns the longest step from t [s], where the rates of the state are `dydt`. The system has the position and the
 * velocities of that state. */
double mbs_step_limiter_longest(mbs_step_limiter *self, double t, const double *dydt);
/* Records an accepted step of length `step` [s] that ended at t. */
void mbs_step_limiter_accepted(mbs_step_limiter *self, double t, double step);
/* Returns true if mbs_step_limiter_find_pole() is to be called after an accepted step of this length. */
bool mbs_step_limiter_looks_for_poles(mbs_step_limiter *self, double step);
/* Finds poles of laws of forces near the state at t, at which the system was evaluated. Returns MBS_STEP_TOO_SMALL,
 * with the law as the error, if a law stays at one because it divides by a magnitude that remains zero; with fixed
 * steps it notes that. */
mbs_status mbs_step_limiter_find_pole(mbs_step_limiter *self, double t, double step);
/* Notes in the report that a step may have passed over a feature. */
void mbs_step_limiter_note(const mbs_step_limiter *self);

#endif
