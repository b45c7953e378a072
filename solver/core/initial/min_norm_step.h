/* min_norm_step.h - the rows that a start is to satisfy, and the shortest steps that do. theory (9.1) */
#ifndef MBS_MIN_NORM_STEP_H
#define MBS_MIN_NORM_STEP_H

#include "constraints/projection.h"
#include "equations/system.h"

struct mbs_nearness;

/* The rows of the constraints, and after them those that hold coordinates of joints in the body formulation. */
typedef struct mbs_correction_rows {
  mbs_system *system;
  mbs_level level;                /* positions are corrected by the rows that restrict them, velocities by all */
  size_t held;                    /* how many of those there are */
  size_t count;                   /* of all rows */
  double *target;                 /* [held] what to keep: values or rates */
  double *residual;               /* [count] */
  const double *longest;          /* [nv] that a damped step may be, or NULL */
  double *velocity_units, *units; /* [nv], [count] as of mbs_units() */
  double *accuracy;               /* [count] what residuals are counted in */
  bool inexact;                   /* what is independent by less than the precision of data only does not count */
  const bool *skipped;            /* [rows] that do not count, or NULL */
  double lost;                    /* singular values below this share of the largest count as zero */
  const double *wanted;           /* [rows] what rows are to be, or NULL: zero */
  struct mbs_nearness *near;      /* what Newton's steps are watched for (iterate.h), or NULL */
  bool free;                      /* nothing is held */
} mbs_correction_rows;

double mbs_scaled_norm(const double *x, const double *units, size_t n);

/* At the position in hand, which tells the units, for a correction of what `level` names; takes its arrays from the
 * workspace. */
mbs_correction_rows mbs_correction_rows_of(mbs_system *system, mbs_level level, size_t held, double **workspace);
/* Returns how many rows count. */
static inline size_t mbs_correction_count(const mbs_correction_rows *self) {
  return mbs_restricting_rows(self->system->model, self->level) + self->held;
}
/* Values (level 0) or rates (1) of the held coordinates at the state in hand. */
void mbs_read_held(const mbs_correction_rows *self, int level, double *out);
/* Phi, and how far the held coordinates are from their values; returns its norm, in units of accuracy. */
double mbs_position_residual(const mbs_correction_rows *self);
/* Largest residual in units, that of the constraints. */
double mbs_worst_in_units(const mbs_correction_rows *self);

/* x [nv]: the shortest vector, in units, with C x = b in the least-squares sense, b = residual, held velocities zero.
 * Returns the rank, -1 on failure. */
int mbs_min_norm_solve(const mbs_correction_rows *self, const double *b, double *x, double *workspace);

#endif
