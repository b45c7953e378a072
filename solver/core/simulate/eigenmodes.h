/* eigenmodes.h - eigenvalues s and shapes x of a pencil,
 *
 *   (s^2 M + s C + K) x = 0. */
#ifndef MBS_EIGENMODES_H
#define MBS_EIGENMODES_H

#include "mbs/arena.h"
#include "mbs/status.h"

#include <stddef.h>

/* Matrices [n x n], column-major, M regular, with estimated errors of C and K. */
typedef struct mbs_pencil {
  size_t n;
  const double *M, *C, *K;
  const double *C_errors, *K_errors;
} mbs_pencil;

typedef struct mbs_eigenmodes {
  double *values;    /* [2 n] x (real, imaginary): the modes' first, then their conjugates */
  size_t modes;      /* conjugate pairs and real eigenvalues, by frequency, slowly decaying first */
  double *shapes;    /* [modes] x [n] x (real, imaginary): x, the largest of its components in `units` 1 */
  double resolution; /* smaller eigenvalues are zero as far as the errors can tell, and are given as 0 [1/s] */
} mbs_eigenmodes;

/* Everything about a pencil, in the arena. units [n]: of the components of x; `rounding`: what it does to accelerations
 * in these units [1/s^2], beside C_errors and K_errors. MBS_NOT_FINITE where there are no eigenvalues. */
mbs_status mbs_eigenmodes_find(const mbs_pencil *pencil, const double *units, double rounding, mbs_arena *arena,
                               mbs_eigenmodes *out);

/* The same of the matrix A [rows x rows], column-major, of x' = A x, with shapes of the first n components. units
 * [rows] are those of x; `error`: the largest of an entry of A, in them. */
mbs_status mbs_eigenmodes_of_matrix(size_t rows, size_t n, const double *A, const double *units, double error,
                                    mbs_arena *arena, mbs_eigenmodes *out);

/* Of an eigenvalue s (real, imaginary): |s| / 2 pi, 0 where it is real [Hz]; -Re s / |s|. theory (15.10) */
double mbs_eigen_frequency(const double s[2]);
double mbs_eigen_damping_ratio(const double s[2]);

#endif
