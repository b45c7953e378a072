/* correct.h - initial conditions: positions and velocities that satisfy the constraints, and the redundant rows
 * (redundancy_test.c). */
#ifndef MBS_CORRECT_H
#define MBS_CORRECT_H

#include "equations/system.h"

/* Velocity residual [scales / s] that counts as zero. Chosen: a hundred times the tolerance of positions. */
static const double mbs_velocity_tolerance = 1e-8;
/* Neighbourhood of a start [scales]: a quarter revolution. A solution farther away may be on another branch. */
static const double mbs_far_away = 1.5707963267948966;

typedef struct mbs_correction {
  int iterations;
  double position_residual, velocity_residual; /* largest absolute values after the correction; NaN if not computed */
  size_t worst_row;                            /* row with the largest position residual */
  /* The constraints cannot be satisfied; row `worst_row` has the reported residual of positions or velocities. */
  bool failed;
  /* Redundant rows contradict one another, within the rounding of the data; positions are a least-squares solution. */
  bool inexact;
  /* Newton's steps led far, or did not shrink as they do near a solution, so another solution may be nearer. */
  bool wandered;
} mbs_correction;

/* Returns the number of doubles of workspace for the functions below. */
size_t mbs_correct_workspace(const mbs_model *model);

/* Corrects q [nq] by Newton steps of minimum norm, delta = -C' (C C')^-1 Phi, until norm(Phi) < 1e-10 (theory (9.1),
 * (9.2)), in scales of accuracy (mbs_fill_units()). Redundant rows may contradict one another by 1e-6 of the model's
 * extent. Held velocities do not change. Returns MBS_NOT_ASSEMBLED or MBS_CONTRADICTION, with the joint named in
 * system->error. */
mbs_status mbs_correct_positions(mbs_system *system, double t, double *q, mbs_correction *out, double *workspace);
/* Corrects positions with damped steps only, none longer than `longest` [nv], so that they end near their start. */
mbs_status mbs_correct_damped(mbs_system *system, double t, double *q, const double *longest, mbs_correction *out,
                              double *workspace);
/* Computes the smallest change of v [nv] that satisfies C v = rhsV at q. Returns MBS_CONTRADICTION if there is none, or
 * the fault of the position, for instance if the rate of a driver is not finite. */
mbs_status mbs_correct_velocities(mbs_system *system, double t, const double *q, double *v, mbs_correction *out,
                                  double *workspace);

/* Removes from a displacement dv [nv] the part that the constraints forbid, with C at the current position: dv - C' (C
 * C')^-1 C dv. Held coordinates do not change. Returns false on failure. */
bool mbs_allowed_motion(mbs_system *system, double *dv, double *workspace);

typedef struct mbs_ranks {
  size_t rank;          /* rank of all rows, which restrict velocities */
  size_t position_rank; /* rank of the rows of position level, which restrict positions */
  size_t joint_rank;    /* rank of the joints' rows, without drivers */
  bool *redundant;      /* [rows] rows that depend on the others at all positions */
  bool singular;        /* rank is lost at this position only */
} mbs_ranks;

/* Computes the rank of C at q, a position that satisfies the constraints. If rows are dependent, a small motion along
 * the mechanism's degrees of freedom distinguishes redundant rows from a singular position. */
mbs_status mbs_find_ranks(mbs_system *system, double t, const double *q, mbs_ranks *ranks, double *workspace);

#endif
