/* jacobian_check.h - compares C with finite differences of Phi. */
#ifndef MBS_JACOBIAN_CHECK_H
#define MBS_JACOBIAN_CHECK_H

#include "equations/system.h"

typedef struct mbs_jacobian_check_result {
  double largest; /* difference, in scales */
  int row;        /* row of the difference; -1: there are no rows */
} mbs_jacobian_check_result;

/* Returns the number of doubles of workspace that the check needs. */
size_t mbs_jacobian_check_workspace(const mbs_model *model);
/* Computes the largest difference between C and central differences of Phi at (t, q), in the displacements that C
 * multiplies; both in scales. Leaves the system at (t, q) with Phi and C. theory (17.14) */
mbs_jacobian_check_result mbs_jacobian_check(mbs_system *system, double t, const double *q, double *workspace);

#endif
