/* newton_min_norm.h - Newton iterations from a start to a position that satisfies the constraints. */
#ifndef MBS_NEWTON_MIN_NORM_H
#define MBS_NEWTON_MIN_NORM_H

#include "initial/min_norm_step.h"

/* First position of an iteration that is accurate enough for inexact data, and the regularity of its steps. */
typedef struct mbs_nearness {
  double travelled, step; /* total length of the steps, and of the last step, in scales */
  bool unsteady;
  bool known;
  double residual; /* largest residual, in scales */
  double path;     /* length of the steps since then, in scales */
  double *q;       /* [nq] */
} mbs_nearness;

/* Positions satisfy the constraints if the norm of the residual is smaller [scales]; a larger residual of a start is
 * reported. Chosen: theory (9.1). */
static const double mbs_position_tolerance = 1e-10;

/* Records the first position that is near enough, and the length of the steps after it. */
void mbs_watch_nearness(const mbs_correction_rows *self, const double *q);
/* Performs one Newton iteration from q with the full step, or the longest of its halves that reduces the residual. */
bool mbs_newton_step(const mbs_correction_rows *self, double t, double *q, bool damped, double *workspace);
/* Iterates until the residual is small. Returns true if it is. */
bool mbs_newton_min_norm(const mbs_correction_rows *self, double t, double *q, bool damped, int *iterations,
                         double *workspace);
/* Iterates to the smallest residual, without steps along directions that only rounding of data would restrict; `self`
 * must be inexact. Returns true if the residual is small enough for such data. *rank is the rank there, -1: not
 * known. */
bool mbs_descend(const mbs_correction_rows *self, double t, double *q, int *iterations, int *rank, double *workspace);
/* Moves q a little along a degree of freedom of the mechanism. Returns false if nothing can move. */
bool mbs_free_motion(const mbs_correction_rows *self, double *q, double *workspace);

#endif
