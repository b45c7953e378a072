/* rank.h - finds the rows of C that depend on others. */
#ifndef MBS_RANK_H
#define MBS_RANK_H

#include "equations/system.h"

/* A row is dependent if less than this share of its length is independent of other rows. Chosen: the square root of
 * rounding, the accuracy of data with eight digits. */
static const double mbs_least_row_share = 1e-8;
/* Singular values below this share of the largest count as zero. Chosen: well above the rounding of data. */
static const double mbs_rank_tolerance = 1e-9;
/* Independent rows are chosen again if their pivots fall below this share of those at the choice. Chosen. */
static const double mbs_renewal_share = 0.3;

/* Subtracts from row [n] its component along the unit vector `unit` [n]. theory (10.1) */
void mbs_take_off(size_t n, const double *unit, double *row);

/* Computes the lengths of the rows of C in the scales of mbs_scales(), which it also returns, into out [rows]; 0 if the
 * length is less than `least`. A row vanishes everywhere if its joint connects bodies that cannot move relative to each
 * other. Rounding of the data then remains, which in space tilts axes by 1e-12 and more. Returns true if there are such
 * rows. */
bool mbs_scaled_lengths(const mbs_system *system, double least, double *out, double *velocities, double *units);

/* Returns true if memory suffices for dense algebra, 2 m n doubles and the workspace of LAPACK, or if there is no
 * alternative. If false, mbs_renew_rows() changes nothing, and mbs_dependent_rows_sparse() replaces
 * mbs_dependent_rows(). */
bool mbs_dense_fits(const mbs_model *model);

/* Marks the rows of C that depend on the others, by Gram-Schmidt with pivoting: less than the share `least` of them is
 * independent. Rows of joints come before those of drivers, and in each group position level before velocity level.
 * Then the row with the largest remainder is next; among rows with nearly equal remainders it is the document's first.
 * The selected rows are thus as independent as the mechanism permits.
 *
 * Rows that do not restrict `level` count as dependent. Returns the rank; *joint_rank is that of the joints' rows
 * alone. Overwrites system->lengths. `workspace`: 2 m n + n + 2 m doubles. */
size_t mbs_dependent_rows(const mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                          size_t *joint_rank, double *workspace);

/* Chooses the independent rows of a mechanism with redundant ones again, at the current position with its C
 * (system->active): as many as before, of joints and of drivers, and of each level. Returns false if the choice does
 * not change, as at a position where C has a lower rank; otherwise new factors are needed. Overwrites system->lengths.
 * `workspace`: 2 m n + n + 3 m doubles. */
bool mbs_renew_rows(mbs_system *system, double *workspace);

#endif
