/* impulse.h - constraints that change at an instant: their values must not, their rates may, which is an impulse. */
#ifndef MBS_IMPULSE_H
#define MBS_IMPULSE_H

#include "run/run.h"

/* The constraints before the change. */
typedef struct mbs_impulse {
  double *Phi, *before; /* [rows] residuals; rhsV - C v */
  double *missing;      /* [rows] rhsV - C v after it */
  bool taken, told;     /* the last change brought an impulse; the report has a note of one */
} mbs_impulse;

/* Changes of values and rates below these shares of a unit, or of the largest value or rate, are rounding. */
extern const double mbs_impulse_value_share, mbs_impulse_rate_share;

/* False: no memory. */
bool mbs_impulse_open(mbs_impulse *impulse, const mbs_model *model, mbs_arena *arena);
/* Remembers the constraints as they are at (t, q, v). */
void mbs_impulse_before(mbs_impulse *impulse, mbs_system *system, double t, const double *q, const double *v);
/* After the change: MBS_CONTRADICTION where a constraint would have to jump in its value. */
mbs_status mbs_impulse_check_values(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q,
                                    const double *v);
/* After the change: gives v [nv] what is missing, v += M^-1 C' S^-1 (rhsV - C v), and says so in the report;
 * `kept`: v satisfied the constraints before, so that whatever is missing counts. `work` [J] gains the kinetic energy
 * that comes with it; may be NULL. MBS_CONTRADICTION where a constraint would have to jump in its value. */
mbs_status mbs_impulse_take(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q, double *v, bool kept,
                            double *work);

#endif
