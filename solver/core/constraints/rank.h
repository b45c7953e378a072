/* rank.h - which rows of C depend on others. */
#ifndef MBS_RANK_H
#define MBS_RANK_H

#include "equations/system.h"

/* A row depends on others if less than this share of its length is left beside them. Chosen: the root of rounding, as
 * data of eight digits are. */
static const double mbs_least_row_share = 1e-8;
/* Singular values below this share of the largest count as zero. Chosen: well above the rounding of
 * data. */
static const double mbs_rank_tolerance = 1e-9;
/* Kept rows are chosen anew where their pivots fall below this share of what they were when chosen. Chosen. */
static const double mbs_renewal_share = 0.3;

/* Lengths of the rows of C in the units of mbs_units(), given here as well, into out [rows]; 0 where less than `least`
 * is left. Of a row that vanishes everywhere, because its joint ties bodies that cannot move against each other, the
 * rounding of the data is left, which in space tilts axes by 1e-12 and more. Returns whether there are such rows. */
bool mbs_scaled_lengths(const mbs_system *system, double least, double *out, double *velocities, double *units);

/* Whether there is memory for what dense algebra needs, 2 m n doubles and what LAPACK works with, besides all else; or
 * no way without it. Where not, mbs_renew_rows() changes nothing, and mbs_dependent_rows_sparse() stands in for
 * mbs_dependent_rows(). */
bool mbs_dense_fits(const mbs_model *model);

/* Marks the rows of C that depend on the others (Gram-Schmidt with pivoting): less than the share `least` of them is
 * left. The joints' rows come before the drivers', and of each those of position level before those of velocity level;
 * then the row of which the most is left comes next, and among
 * rows of which nearly as much is left the document's first: so those that are kept are as independent as the
 * mechanism allows. `level`: rows that do not restrict positions (or velocities) count as dependent. Returns the rank;
 * of the joints' rows alone in *joint_rank. Spoils system->lengths. `workspace`: 2 m n + n + 2 m doubles. */
size_t mbs_dependent_rows(const mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                          size_t *joint_rank, double *workspace);

/* Chooses anew, at the position in hand with its C, which rows a mechanism with redundant ones keeps (system->active):
 * as many as before, of joints and of drivers, and of each level. False where the choice stays, as at a position where
 * C has less rank; else factors must be made anew. Spoils system->lengths. `workspace`: 2 m n + n + 3 m doubles. */
bool mbs_renew_rows(mbs_system *system, double *workspace);

#endif
