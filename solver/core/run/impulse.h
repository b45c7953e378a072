/* impulse.h - constraints that change at an instant. If their values jump, the run fails; if their rates jump, the
 * mechanism receives an impulse. */
#ifndef MBS_IMPULSE_H
#define MBS_IMPULSE_H

#include "run/run.h"

/* The constraints before the change. */
typedef struct mbs_impulse {
  double *Phi, *before; /* [rows] residuals; rhsV - C v */
  double *missing;      /* [rows] rhsV - C v after the change */
  double *unit;         /* [nv] a velocity */
  bool *active;         /* [rows] rows that were active before */
  bool applied, noted;  /* the last change caused an impulse; the report has a note of one */
} mbs_impulse;

/* Changes of scaled values and rates below these shares of 1, or of the largest value or rate, are rounding. */
extern const double mbs_impulse_value_share, mbs_impulse_rate_share;

/* Allocates the arrays. Returns false if memory runs out. */
bool mbs_impulse_open(mbs_impulse *impulse, const mbs_model *model, mbs_arena *arena);
/* Stores the residuals of the constraints at (t, q, v), before a change. */
void mbs_impulse_before(mbs_impulse *impulse, mbs_system *system, double t, const double *q, const double *v);
/* Checks the values after the change. Returns MBS_CONTRADICTION if the value of a constraint jumps. */
mbs_status mbs_impulse_check_values(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q,
                                    const double *v);
/* Applies the impulse of the change to v [nv], v += M^-1 C' S^-1 (rhsV - C v), and reports it. If `kept`, v satisfied
 * the constraints before, and the whole residual is corrected; otherwise only the change of rhsV. `work` [J] increases
 * by the change of kinetic energy; may be NULL. Returns MBS_CONTRADICTION if the value of a constraint jumps. */
mbs_status mbs_impulse_apply(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q, double *v, bool kept,
                             double *work);

/* A rate that an impulse along its coordinate sets. */
typedef struct mbs_rate_change {
  int coordinate;     /* index in model->coordinates */
  const char *event;  /* name of the event that sets it */
  const char *name;   /* name of the rate in the document, for errors: "rail.qd" */
  double rate;        /* new value */
  double *J, *effect; /* [nv] workspace: the rate is J v; velocity change by a unit impulse */
} mbs_rate_change;

/* Changes v [nv] by impulses along the coordinates so that they have the new rates, while the rates of all constraints
 * stay; closed touches do not hold here. `matrix` [count x (count + 1)] is workspace. `work` [J] increases by the
 * change of kinetic energy; may be NULL. Returns MBS_CONTRADICTION if the constraints or other changes determine a
 * rate. */
mbs_status mbs_impulse_set_rates(mbs_impulse *impulse, mbs_run_state *run, double t, const double *q, double *v,
                                 mbs_rate_change *changes, size_t count, double *matrix, double *work);

#endif
