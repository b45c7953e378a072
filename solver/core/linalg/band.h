/* band.h - LU factorization of band matrices. */
#ifndef MBS_BAND_H
#define MBS_BAND_H

#include <stdbool.h>
#include <stddef.h>

/* Number of doubles that store an n x n matrix with entries at most `width` from the diagonal, including room for its
 * factors. */
static inline size_t mbs_band_size(size_t n, size_t width) { return n * (3 * width + 1); }
/* Index of entry (i, j) in that storage. */
static inline size_t mbs_band_at(size_t width, size_t i, size_t j) { return j * (3 * width + 1) + 2 * width + i - j; }

/* Factors A in place, P A = L U, with the pivots in pivots[n]. Returns false if A is exactly singular. */
bool mbs_band_factor(size_t n, size_t width, double *A, int *pivots);
/* Solves A x = b with these factors: x [n] holds b on entry and the solution on return. */
void mbs_band_solve(size_t n, size_t width, const double *A, const int *pivots, double *x);

#endif
