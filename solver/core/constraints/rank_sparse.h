/* rank_sparse.h - which rows of C depend on others, where there are many. */
#ifndef MBS_RANK_SPARSE_H
#define MBS_RANK_SPARSE_H

#include "equations/system.h"

/* Marks rows of C that depend on those before them in the order of elimination, the joints' before the drivers', of
 * each those of position level first: less than the share `least` of their length is left beside these. That is a QR of
 * C', sparse: time and memory are those of factors of S, while mbs_dependent_rows() takes m^2 n. lengths [rows],
 * velocities [nv] and units [rows] are those of mbs_scaled_lengths(). Returns the rank, that of the joints' rows in
 * *joint_rank; -1 without memory. */
int mbs_dependent_rows_sparse(const mbs_system *system, double least, const double *lengths, const double *velocities,
                              const double *units, bool *dependent, size_t joint_rows, size_t *joint_rank);

#endif
