/* correct.h - initial conditions: positions and velocities that satisfy the constraints, and (ranks.c) which rows are
 * redundant. */
#ifndef MBS_CORRECT_H
#define MBS_CORRECT_H

#include "equations/system.h"

/* A residual of velocities [units / s] that counts as zero. Chosen: a hundred times the goal of positions. */
static const double mbs_velocity_tolerance = 1e-8;
/* The neighbourhood of a start [units]: a quarter turn. A solution farther away may be one of another branch. */
static const double mbs_far_away = 1.5707963267948966;

typedef struct mbs_correction {
  int iterations;
  double position_residual, velocity_residual; /* largest absolute values afterwards; NaN if not computed */
  size_t worst_row;                            /* of the positions */
  /* The constraints cannot be satisfied; row `worst_row` misses them by the residual of positions or velocities. */
  bool failed;
  /* Redundant rows contradict one another, by about the rounding of the data: positions are those of least squares. */
  bool inexact;
  /* Newton's steps led far, or did not shrink from one to the next as they do near a solution: another one may be
   * nearer. */
  bool wandered;
} mbs_correction;

/* Doubles of workspace that the functions below need. */
size_t mbs_correct_workspace(const mbs_model *model);

/* Newton steps of minimum norm, delta = -C' (C C')^-1 Phi, until norm(Phi) < 1e-10 (theory (9.1), (9.2)), on
 * q [nq], everything in units of accuracy (mbs_fill_units()); redundant rows may contradict one another by 1e-6 of the
 * model's extent. Held velocities stay. MBS_NOT_ASSEMBLED or MBS_CONTRADICTION with the joint named in
 * system->error. */
mbs_status mbs_correct_positions(mbs_system *system, double t, double *q, mbs_correction *out, double *workspace);
/* The same with damped steps only, none longer than `longest` [nv]: they end near where they begin. */
mbs_status mbs_correct_damped(mbs_system *system, double t, double *q, const double *longest, mbs_correction *out,
                              double *workspace);
/* The smallest change of v [nv] that satisfies C v = rhsV at q. MBS_CONTRADICTION where none does;
 * the position's fault where it has one, as that of a driver whose rate is not finite. */
mbs_status mbs_correct_velocities(mbs_system *system, double t, const double *q, double *v, mbs_correction *out,
                                  double *workspace);

/* Takes from a displacement dv [nv] the part that the constraints, C at the position in hand, forbid: dv - C' (C C')^-1
 * C dv. What `hold` keeps is left as it is. False on failure. */
bool mbs_allowed_motion(mbs_system *system, double *dv, double *workspace);

typedef struct mbs_ranks {
  size_t rank;          /* of all rows: of what restricts velocities */
  size_t position_rank; /* of the rows of position level: of what restricts positions */
  size_t joint_rank;    /* of the joints' rows, without drivers */
  bool *redundant;      /* [rows] rows that depend on the others, wherever the mechanism stands */
  bool singular;        /* rank is lost at this position only */
} mbs_ranks;

/* Rank of C at q, a position that satisfies the constraints. Where rows are dependent, a small motion along the
 * mechanism's freedoms tells redundant rows from a singular position. */
mbs_status mbs_find_ranks(mbs_system *system, double t, const double *q, mbs_ranks *ranks, double *workspace);

#endif
