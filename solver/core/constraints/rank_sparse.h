/* rank_sparse.h - finds the rows of C that depend on others, for many rows. */
#ifndef MBS_RANK_SPARSE_H
#define MBS_RANK_SPARSE_H

#include "equations/system.h"

/* Marks rows of C that depend on those before them in the order of elimination: joints before drivers, in each group
 * rows of position level first. A row is dependent if less than the share `least` of its length is independent of
 * these. The method is a sparse QR of C'; time and memory are those of the factors of S, while mbs_dependent_rows()
 * needs m^2 n operations. lengths [rows], velocities [nv] and units [rows] come from mbs_scaled_lengths(). Returns the
 * rank, and that of the joints' rows in *joint_rank; -1 if memory runs out. */
int mbs_dependent_rows_sparse(const mbs_system *system, double least, const double *lengths, const double *velocities,
                              const double *units, bool *dependent, size_t joint_rows, size_t *joint_rank);

#endif
