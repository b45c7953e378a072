/* partition.h - coordinate partitioning. Of the nv velocities, as many as there are independent constraint rows depend
 * on the others,
 *
 *     C v = C_D v_D + C_U v_U = rhsV,     v = R v_U + ...   with   C R = 0,   R_U = 1,
 *
 * and so do the displacements of the coordinates. The dependent ones are chosen by pivoting on C, so that C_D is as
 * regular as possible (Wehage, Haug 1982; the Robotran notes).
 *
 * Rows of velocity level restrict velocities and accelerations only. If there are any, the displacements have a
 * separate partition, chosen from the rows of position level:   C_D dq_D = -Phi.
 *
 * In the body formulation the coordinates of joints in `hold` are not columns of C. Their gradients G are additional
 * rows, and their rates replace as many independent velocities:   C v = rhsV,   G v = u_held. */
#ifndef MBS_PARTITION_H
#define MBS_PARTITION_H

#include "constraints/row_parts.h"

typedef struct mbs_partition {
  mbs_level level;                 /* level that it divides: positions, or velocities and accelerations */
  struct mbs_partition *positions; /* partition of the positions; NULL: this one */
  size_t dependent,
      independent; /* numbers of velocities; the last `held` independent ones are rates of held coordinates */
  size_t held;
  const double *held_rates;   /* [held] prescribed rates; NULL: those of the given velocities */
  const double *held_changes; /* [held] prescribed accelerations; NULL: those of the given accelerations without bias */
  int *order;           /* [nv] the dependent velocities, then the others, each ascending; held rates are not listed */
  int *place;           /* [nv] index among the dependent ones, -1: independent */
  mbs_parts velocities; /* parts of the mechanism: those of the model; one if coordinates are held */
  mbs_parts columns;    /* the independent velocities of each part: columns of R that are zero in other parts */
  mbs_parts whole;      /* all velocities in one part */
  int *active_index;    /* [rows] index among the active rows of its level, -1: not active */
  mbs_row_parts parts;  /* parts of C_D; one with held coordinates */
  double *factors;      /* [parts.entries] C_D, factored at the last mbs_partition_factor() */
  double *plain;        /* [parts.entries] C_D itself, for least squares if it is nearly singular */
  int *pivots;          /* [dependent], part by part */
  double pivot_ratio;   /* ratio of its smallest to its largest pivot */
  bool regular;         /* the factors are usable; otherwise least squares are used */
  bool factored;        /* the factors are those of the current position, or of the start of Newton's iteration to it */
  double contraction;   /* largest observed contraction ratio of iterations with these factors */
  double amplification; /* largest entry of R when the partition was chosen */
  double enough;        /* residual, in scales, that ends iterations; 0: rounding only */
  bool polished;        /* Newton's iterations make one further step after convergence */
  double *x, *step, *workspace;
  double *dense;                         /* workspace of mbs_renew_rows(); NULL until rows are redundant */
  double *target, *missing, *held_units; /* [held] */
} mbs_partition;

/* Allocates the partitions of a system. Returns false if memory runs out. */
bool mbs_partition_open(mbs_partition *partition, mbs_system *system);

/* Chooses the partition at the current position, and the independent rows if some are redundant. With `honour_hold` the
 * velocities of joints in `hold` are independent; returns MBS_INVALID, naming one of them, if that is impossible. */
mbs_status mbs_partition_choose(mbs_partition *partition, mbs_system *system, bool honour_hold);

/* Moves the dependent coordinates of q so that Phi(q, t) = 0 and held coordinates keep their values. Newton's iteration
 * starts at q itself, so the result is a function of (t, q) alone. Leaves q as the system's position, with Phi, C and
 * rhsV. Returns MBS_NOT_ASSEMBLED if it does not converge, MBS_CONTRADICTION if a redundant row is not satisfied. */
mbs_status mbs_partition_positions(mbs_partition *partition, mbs_system *system, double t, double *q);
/* Sets the dependent velocities of v so that C v = rhsV; called after mbs_partition_positions(). */
mbs_status mbs_partition_velocities(mbs_partition *partition, mbs_system *system, double *v);
/* Sets the dependent accelerations of vdot so that C vdot = rhsA at these velocities, which become the system's; called
 * after mbs_partition_velocities(). */
mbs_status mbs_partition_accelerations(mbs_partition *partition, mbs_system *system, const double *v, double *vdot);

/* Factors C_D at the current position, whose C must be computed. */
void mbs_partition_factor(mbs_partition *partition, const mbs_system *system);
/* Copies to u [independent] the independent ones of the velocities (level 1) or accelerations (2) x [nv], at the
 * current state. */
void mbs_partition_read(const mbs_partition *partition, const mbs_system *system, int level, const double *x,
                        double *u);
/* Computes v [nv] := R u [independent] with the last factors. */
void mbs_partition_spread(mbs_partition *partition, mbs_system *system, const double *u, double *v);
/* Treats the mechanism as one part, as where something besides the mechanism depends on all velocities. */
void mbs_partition_make_whole(mbs_partition *partition);
/* Returns the scale of accuracy of the independent velocity i. */
double mbs_partition_unit(const mbs_partition *partition, const mbs_system *system, size_t i);
/* Returns the largest entry of R with the last factors: how many times faster than an independent velocity a dependent
 * one is. Includes the partition of the positions. */
double mbs_partition_amplification(mbs_partition *partition, mbs_system *system);

#endif
