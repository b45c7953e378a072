/* band.h - LU factors of band matrices. */
#ifndef MBS_BAND_H
#define MBS_BAND_H

#include <stdbool.h>
#include <stddef.h>

/* Doubles of a matrix [n x n] whose entries are at most `width` off the diagonal, with room for its factors. */
static inline size_t mbs_band_size(size_t n, size_t width) { return n * (3 * width + 1); }
/* Where entry (i, j) stands in it. */
static inline size_t mbs_band_at(size_t width, size_t i, size_t j) { return j * (3 * width + 1) + 2 * width + i - j; }

/* P A = L U in place, with pivots[n]. False where A is exactly singular. */
bool mbs_band_factor(size_t n, size_t width, double *A, int *pivots);
/* x [n] := A^-1 x by these factors. */
void mbs_band_solve(size_t n, size_t width, const double *A, const int *pivots, double *x);

#endif
