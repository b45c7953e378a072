/* rotation.h - plane (Givens) rotations for Jacobi methods. Source: Golub & Van Loan, 4th ed., 5.1.8 and 8.5.2. */
#ifndef MBS_PLANE_ROTATION_H
#define MBS_PLANE_ROTATION_H

#include <stddef.h>

/* Cosine, sine and tangent of an angle. */
typedef struct mbs_plane_rotation {
  double c, s, t;
} mbs_plane_rotation;

/* Returns the rotation by at most 45 degrees that diagonalizes the symmetric matrix [p h; h q], h != 0, by mbs_rotate()
 * of its columns, then of its rows. The eigenvalues are p - t h and q + t h. */
mbs_plane_rotation mbs_diagonalizing(double p, double h, double q);

/* Computes (x, y) = (c x - s y, s x + c y) for n pairs that are `stride` apart. */
void mbs_rotate(size_t n, double *x, double *y, size_t stride, mbs_plane_rotation by);

#endif
