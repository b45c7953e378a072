/* newton_min_norm.h - Newton's way from a start to a position that satisfies the constraints. */
#ifndef MBS_NEWTON_MIN_NORM_H
#define MBS_NEWTON_MIN_NORM_H

#include "initial/min_norm_step.h"

/* Progress of a Newton iteration: the first position as near as inexact data allow, and the lengths of its steps. */
typedef struct mbs_newton_progress {
  double travelled, step; /* in all, and by the last step, in units */
  bool damped;            /* full steps found no end */
  bool known;
  double residual; /* the largest, in units */
  double path;     /* how far it has gone since, in units */
  double *q;       /* [nq] */
} mbs_newton_progress;

/* Positions satisfy the constraints if the norm of the residual is smaller [units]; a start that misses them by more
 * is reported. Chosen: theory (9.1). */
static const double mbs_position_tolerance = 1e-10;

/* The first position near enough, and how far a step leads from it. */
void mbs_update_newton_progress(const mbs_correction_rows *self, const double *q);
/* One Newton iteration from q; the full step, or the longest of its halves that makes the residual smaller. */
bool mbs_newton_step(const mbs_correction_rows *self, double t, double *q, bool damped, double *workspace);
/* Newton iterations until the residual is small; true when it is. */
bool mbs_newton_min_norm(const mbs_correction_rows *self, double t, double *q, bool damped, int *iterations,
                         double *workspace);
/* To the least residual, with steps along nothing that only the rounding of data would hold, `self` being inexact. True
 * where that is small enough for such data. The rank there, -1: not known. */
bool mbs_descend(const mbs_correction_rows *self, double t, double *q, int *iterations, int *rank, double *workspace);
/* q moved a little along a freedom of the mechanism. False where nothing can move. */
bool mbs_free_motion(const mbs_correction_rows *self, double *q, double *workspace);

#endif
