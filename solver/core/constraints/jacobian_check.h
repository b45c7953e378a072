/* jacobian_check.h - the rows of C that have a Phi against its differences. */
#ifndef MBS_JACOBIAN_CHECK_H
#define MBS_JACOBIAN_CHECK_H

#include "equations/system.h"

typedef struct mbs_jacobian_check_result {
  double largest; /* difference, in units */
  int row;        /* where; -1: there are no rows */
} mbs_jacobian_check_result;

/* Doubles of workspace that the check needs. */
size_t mbs_jacobian_check_workspace(const mbs_model *model);
/* Largest difference between C and central differences of Phi at (t, q), in the displacements that C multiplies; both
 * in units. Leaves the system at (t, q) with Phi and C. theory (17.14) */
mbs_jacobian_check_result mbs_jacobian_check(mbs_system *system, double t, const double *q, double *workspace);

#endif
