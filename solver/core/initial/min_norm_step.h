/* min_norm_step.h - rows that a start must satisfy, and minimum-norm steps towards them. theory (9.1) */
#ifndef MBS_MIN_NORM_STEP_H
#define MBS_MIN_NORM_STEP_H

#include "constraints/projection.h"
#include "equations/system.h"

struct mbs_newton_progress;

/* The rows of the constraints, followed by rows that hold joint coordinates in the body formulation. */
typedef struct mbs_correction_rows {
  mbs_system *system;
  mbs_level level;                  /* positions are corrected with the rows that restrict them, velocities with all */
  size_t held;                      /* number of rows that hold coordinates */
  size_t count;                     /* number of all rows */
  double *target;                   /* [held] prescribed values or rates */
  double *residual;                 /* [count] */
  const double *longest;            /* [nv] limits of a damped step, or NULL */
  double *velocity_units, *units;   /* [nv], [count] scales of mbs_scales() */
  double *accuracy;                 /* [count] scales of the residuals */
  bool inexact;                     /* rows whose independence is below the precision of the data do not count */
  const bool *skipped;              /* [rows] rows that do not count, or NULL */
  double lost;                      /* singular values below this share of the largest count as zero */
  const double *wanted;             /* [rows] target values of the rows, or NULL: zero */
  struct mbs_newton_progress *near; /* record of Newton's steps (newton_min_norm.h), or NULL */
  bool free;                        /* nothing is held */
} mbs_correction_rows;

double mbs_scaled_norm(const double *x, const double *units, size_t n);

/* Returns the rows for a correction of `level` at the current position, which determines the scales. Takes its arrays
 * from the workspace. */
mbs_correction_rows mbs_correction_rows_of(mbs_system *system, mbs_level level, size_t held, double **workspace);
/* Returns the number of rows that count. */
static inline size_t mbs_correction_count(const mbs_correction_rows *self) {
  return mbs_restricting_rows(self->system->model, self->level) + self->held;
}
/* Computes values (level 0) or rates (1) of the held coordinates at the current state. */
void mbs_read_held(const mbs_correction_rows *self, int level, double *out);
/* Computes Phi and the differences of held coordinates from their values. Returns the norm, in scales of accuracy. */
double mbs_position_residual(const mbs_correction_rows *self);
/* Returns the largest residual of the constraints, in scales. */
double mbs_worst_in_units(const mbs_correction_rows *self);

/* Computes x [nv], the shortest vector in scales with C x = b in the least-squares sense; b is the residual, held
 * velocities are zero. Returns the rank, or -1 on failure. */
int mbs_min_norm_solve(const mbs_correction_rows *self, const double *b, double *x, double *workspace);

#endif
