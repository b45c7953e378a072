/* partition.h - coordinate partitioning: of the nv velocities, as many as there are independent constraint rows depend
 * on the others,
 *
 *   C v = C_D v_D + C_U v_U = rhsV,     v = R v_U + ...   with   C R = 0,   R_U = 1,
 *
 * and so do the displacements of the coordinates. Which ones is chosen by pivoting on C, so that C_D is as regular as
 * it can be (Wehage, Haug 1982; the Robotran notes).
 *
 * Rows of velocity level restrict velocities and accelerations only. Where there are any, the partition of the
 * displacements is another one, chosen from the rows of position level:   C_D dq_D = -Phi.
 *
 * In the body formulation the coordinates of joints in `hold` are no columns of C. There their gradients G are rows
 * beside C, and their rates take the place of as many independent velocities:   C v = rhsV,   G v = u_held. */
#ifndef MBS_PARTITION_H
#define MBS_PARTITION_H

#include "equations/system.h"

typedef struct mbs_partition {
  mbs_level level;                 /* what it divides: positions or velocities (and accelerations) */
  struct mbs_partition *positions; /* that of the positions; NULL: this one */
  size_t dependent, independent;   /* how many; of the independent ones the last `held` are rates of held coordinates */
  size_t held;
  const double *held_rates;   /* [held] that are kept; NULL: those of the velocities given */
  const double *held_changes; /* [held] accelerations that are kept; NULL: what those given are without their bias */
  int *order;                 /* [nv] the dependent velocities, then the others, each ascending; held rates are none */
  int *place;                 /* [nv] number among the dependent ones, -1: independent */
  int *row;                   /* [rows] number among the active rows of its level, -1: not among them */
  double *factors;            /* [dependent^2] C_D, factored where mbs_partition_factor() was called last */
  double *plain;              /* [dependent^2] C_D itself, kept where it is nearly singular */
  int *pivots;                /* [dependent] */
  double pivot_ratio;         /* of its smallest to its largest pivot */
  bool regular;               /* whether the factors serve; else least squares take their place */
  bool factored;              /* whether they are of the position in hand, or of where Newton's iteration to it was */
  double contraction;         /* of iterations with these factors, as far as it has been seen */
  double amplification;       /* largest entry of R when it was chosen */
  double enough;              /* residual, in units, that ends iterations; 0: only what rounding leaves */
  bool polished;              /* Newton's iterations take one more step from where they would end */
  double *x, *step, *workspace;
  double *target, *missing, *held_units; /* [held] */
} mbs_partition;

/* Room for the partitions of a system; false without memory. */
bool mbs_partition_open(mbs_partition *partition, mbs_system *system);

/* Chooses at the position in hand; where rows are redundant, also which are kept. With `honour_hold` the velocities of
 * joints in `hold` are independent: MBS_INVALID, naming one of them, where they cannot all be. */
mbs_status mbs_partition_choose(mbs_partition *partition, mbs_system *system, bool honour_hold);

/* Moves the dependent coordinates of q so that Phi(q, t) = 0 and held coordinates keep their values. Newton's iteration
 * starts from q itself, so that the result is a function of (t, q) alone. Leaves q as the system's position, with Phi,
 * C and rhsV. MBS_NOT_ASSEMBLED where it does not converge, MBS_CONTRADICTION where a redundant row does not
 * follow. */
mbs_status mbs_partition_positions(mbs_partition *partition, mbs_system *system, double t, double *q);
/* Sets the dependent velocities of v so that C v = rhsV, after mbs_partition_positions(). */
mbs_status mbs_partition_velocities(mbs_partition *partition, mbs_system *system, double *v);
/* Sets the dependent accelerations of vdot so that C vdot = rhsA at these velocities, which become the system's, after
 * mbs_partition_velocities(). */
mbs_status mbs_partition_accelerations(mbs_partition *partition, mbs_system *system, const double *v, double *vdot);

/* Factors C_D at the position in hand, whose C is known. */
void mbs_partition_factor(mbs_partition *partition, const mbs_system *system);
/* u [independent] := the independent ones of the velocities (level 1) or accelerations (2) x [nv], at the state in
 * hand. */
void mbs_partition_read(const mbs_partition *partition, const mbs_system *system, int level, const double *x,
                        double *u);
/* v [nv] := R u [independent], by the last factors. */
void mbs_partition_spread(mbs_partition *partition, mbs_system *system, const double *u, double *v);
/* What the accuracy of the independent velocity i is counted in. */
double mbs_partition_unit(const mbs_partition *partition, const mbs_system *system, size_t i);
/* The largest entry of R by the last factors: how many times faster than an independent velocity a dependent one is.
 * The partition of the positions counts, too. */
double mbs_partition_amplification(mbs_partition *partition, mbs_system *system);

#endif
