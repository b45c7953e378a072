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
  double *values;    /* [2 n] x (real, imaginary): those of the modes first, then their conjugates */
  size_t modes;      /* number of conjugate pairs and real eigenvalues; sorted by frequency, then slow decay first */
  double *shapes;    /* [modes] x [n] x (real, imaginary): x; the largest component in `units` is 1 */
  double resolution; /* smaller eigenvalues cannot be distinguished from zero, and are set to 0 [1/s] */
} mbs_eigenmodes;

/* A coefficient below this multiple of the estimated errors of the differences may be zero. */
static const double mbs_estimated_errors = 16;
/* Rounding errors of the accelerations near the state, as a multiple of those at the state. */
static const double mbs_rounding_error = 1024;

/* Finds all eigenmodes of a pencil; allocates from `arena`. units [n] are those of the components of x. `rounding` is
 * the error of accelerations by rounding, in these units [1/s^2], in addition to C_errors and K_errors. Returns
 * MBS_NOT_FINITE if there are no eigenvalues. */
mbs_status mbs_eigenmodes_find(const mbs_pencil *pencil, const double *units, double rounding, mbs_arena *arena,
                               mbs_eigenmodes *out);

/* Finds all eigenmodes of x' = A x, A [rows x rows] column-major, with shapes of the first n components. units [rows]
 * are those of x; `error` is the largest error of an entry of A, in them. */
mbs_status mbs_eigenmodes_of_matrix(size_t rows, size_t n, const double *A, const double *units, double error,
                                    mbs_arena *arena, mbs_eigenmodes *out);

/* Return the frequency |s| / 2 pi [Hz] of an eigenvalue s (real, imaginary), 0 if it is real; and its damping ratio -Re
 * s / |s|. theory (15.10) */
double mbs_eigen_frequency(const double s[2]);
double mbs_eigen_damping_ratio(const double s[2]);

#endif
