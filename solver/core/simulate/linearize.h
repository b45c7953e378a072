/* linearize.h - the equations of motion near a state, in independent coordinates z and their velocities u:
 *
 *   M dz'' + C_d dz' + K dz = 0.
 *
 * With rows of velocity level more coordinates than velocities are independent, z [positions] and u [n]:
 *
 *   z' = G_z z + G_u u,   M u' + C_d u + K z = 0,   (z, u)' = A (z, u). theory (15.14) */
#ifndef MBS_LINEARIZE_H
#define MBS_LINEARIZE_H

#include "constraints/partition.h"
#include "run/run.h"
#include "simulate/eigenmodes.h"

typedef struct mbs_linearization {
  mbs_partition partition;     /* which velocities are independent */
  size_t n, positions;         /* how many; how many coordinates */
  bool singular;               /* C has lost rank at the state, and there are more freedoms than these */
  double *R, *Rq;              /* [nv x n], [nv x positions] v = R u, displacements Rq z; column-major */
  double *M, *C, *K;           /* [n x n], [n x n], [n x positions] column-major */
  double *C_errors, *K_errors; /* of these as far as they can be told */
  double *A;                   /* [(positions + n)^2] column-major; NULL: there are no rows of velocity level */
  mbs_eigenmodes eigen;        /* its shapes are of z */
} mbs_linearization;

/* Linearizes about the run's (q, v) at t, a state that satisfies the constraints, into workspace of its system.
 * Switches stay in the modes of that state. MBS_NOT_FINITE where there is no derivative. */
mbs_status mbs_linearize(mbs_run_state *run, double t, mbs_linearization *out);

/* 1: no eigenvalue has a positive real part; 0: one has; -1: one is zero, or the state singular, so that the linear
 * equations do not tell. */
int mbs_linearization_stable(const mbs_linearization *linear);
/* What a report says about a singular state. */
extern const char mbs_linearization_singular[];

#endif
