/* newton_min_norm.h - Newton's way from a start to a position that satisfies the constraints. */
#ifndef MBS_NEWTON_MIN_NORM_H
#define MBS_NEWTON_MIN_NORM_H

#include "initial/min_norm_step.h"

/* Progress of a Newton iteration: the first position as near as inexact data allow, and the lengths of its steps. */
typedef struct mbs_newton_progress {
  double travelled, step; /* total length, and length of the last step, in units */
  bool damped;            /* full steps found no end */
  bool known;
  double residual; /* the largest, in units */
  double path;     /* length of the steps since `q`, in units */
  double *q;       /* [nq] */
} mbs_newton_progress;

/* Positions satisfy the constraints if the norm of the residual is smaller [units]; a start that misses them by more
 * is reported. Chosen: theory (9.1). */
static const double mbs_position_tolerance = 1e-10;

/* Stores the first position near enough for inexact data, with its residual, in self->near. */
void mbs_update_newton_progress(const mbs_correction_rows *self, const double *q);
/* Makes one Newton iteration from q: the full step or, if `damped`, the longest of its halves that makes the residual
 * smaller. Returns false if there is no such step, or the residual is not finite. */
bool mbs_newton_step(const mbs_correction_rows *self, double t, double *q, bool damped, double *workspace);
/* Iterates until the residual is small. Returns true if it is. */
bool mbs_newton_min_norm(const mbs_correction_rows *self, double t, double *q, bool damped, int *iterations,
                         double *workspace);
/* Iterates to the least residual, without steps along directions that only the rounding of data would hold; `self` must
 * be inexact. Returns true if the residual is small enough for such data. Sets *rank to the rank there; -1: unknown. */
bool mbs_descend(const mbs_correction_rows *self, double t, double *q, int *iterations, int *rank, double *workspace);
/* Moves q a little along a degree of freedom of the mechanism. Returns false if nothing can move. */
bool mbs_free_motion(const mbs_correction_rows *self, double *q, double *workspace);

#endif
