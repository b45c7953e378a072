/* jacobian.h - the constraints at the current position, and products with their Jacobian. */
#ifndef MBS_JACOBIAN_H
#define MBS_JACOBIAN_H

#include "equations/system.h"

enum { MBS_WANT_PHI = 1, MBS_WANT_C = 2, MBS_WANT_RHS = 4, MBS_WANT_RHSV = 8, MBS_WANT_KEPT = 16 };
/* Computes the quantities in `want`: Phi, C, rhsV and rhsA (MBS_WANT_RHS, needs velocities), or rhsV alone. With
 * MBS_WANT_KEPT it skips blocks whose rows are all redundant, except those with functions of time. In a model with a
 * fill nothing is skipped. */
void mbs_constraints(mbs_system *system, int want);
/* Returns true if mbs_constraints() skips a block. */
static inline bool mbs_block_is_skipped(const mbs_system *system, const mbs_block *block, int want) {
  if (!(want & MBS_WANT_KEPT) || system->all_active || block->function >= 0 || system->model->skyline.fill)
    return false;
  for (int r = 0; r < block->rows; r++)
    if (system->active[block->first_row + r]) return false;
  return block->touch < 0; /* a touch slips with rows that are not active */
}
/* Products with the packed Jacobian: out[rows] = C x[nv], and out[nv] = C' y[rows]. */
void mbs_jacobian_times(const mbs_system *system, const mbs_real *x, mbs_real *out);
void mbs_jacobian_transposed(const mbs_system *system, const mbs_real *y, mbs_real *out);
/* Copies C to a dense matrix, column-major [rows x nv]. */
void mbs_jacobian_dense(const mbs_system *system, double *out);

/* Copies C row by row [rows x nv], with the velocities in the document's order; `out` must be zero on entry. */
void mbs_jacobian_rows(const mbs_system *system, double *out);
/* The structurally nonzero entries of C, row by row, with the velocities in the document's order. */
typedef struct mbs_jacobian_entries {
  size_t count;
  size_t *row0; /* [rows + 1] where a row begins; the last is `count` */
  int *column;  /* [count] ascending within a row */
  int *from;    /* [count] index in the packed C */
} mbs_jacobian_entries;

/* Finds the entries of C of a model and allocates them in the arena. Returns false if memory runs out. */
bool mbs_jacobian_entries_find(const mbs_model *model, mbs_arena *arena, mbs_jacobian_entries *out);

/* Computes the derivatives in (r, p) of all bodies of a spatial model from D [rows x 6 nB], those in (r', omega), row
 * by row, bodies in the document's order; then the rows of p'p = 1 of each body. `out` is [rows + nB x 7 nB] and zero
 * on entry. */
void mbs_jacobian_euler(const mbs_system *system, const double *D, double *out);

#endif
