/* jacobian.h - the constraints at the position in hand, and products with their Jacobian. */
#ifndef MBS_JACOBIAN_H
#define MBS_JACOBIAN_H

#include "equations/system.h"

enum { MBS_WANT_PHI = 1, MBS_WANT_C = 2, MBS_WANT_RHS = 4, MBS_WANT_RHSV = 8, MBS_WANT_KEPT = 16 };
/* Fills what `want` names: Phi, C, both right-hand sides rhsV and rhsA, which need velocities, or rhsV, which does
 * not. With MBS_WANT_KEPT blocks all of whose rows are left out as redundant stay as they are, but those of
 * functions of time, and any of a model that has a fill. */
void mbs_constraints(mbs_system *system, int want);
/* Whether `want` leaves a block as it is. */
static inline bool mbs_unwanted(const mbs_system *system, const mbs_block *block, int want) {
  if (!(want & MBS_WANT_KEPT) || system->all_active || block->function >= 0 || system->model->skyline.fill)
    return false;
  for (int r = 0; r < block->rows; r++)
    if (system->active[block->first_row + r]) return false;
  return true;
}
/* Products with the packed Jacobian: out[rows] = C x[nv]; out[nv] = C' y[rows]. */
void mbs_jacobian_times(const mbs_system *system, const mbs_real *x, mbs_real *out);
void mbs_jacobian_transposed(const mbs_system *system, const mbs_real *y, mbs_real *out);
/* Dense copy of C, column-major [rows x nv]. */
void mbs_jacobian_dense(const mbs_system *system, double *out);

/* The same row by row [rows x nv], the velocities in the document's order; `out` is zero before. */
void mbs_jacobian_rows(const mbs_system *system, double *out);
/* The entries of C that are not always zero, row by row, the velocities in the document's order. */
typedef struct mbs_jacobian_entries {
  size_t count;
  size_t *row0; /* [rows + 1] where a row begins; the last is `count` */
  int *column;  /* [count] ascending in a row */
  int *from;    /* [count] their place in the packed C */
} mbs_jacobian_entries;

/* Of a model; what it needs stays in the arena. False: no memory. */
bool mbs_jacobian_entries_find(const mbs_model *model, mbs_arena *arena, mbs_jacobian_entries *out);

/* In space, of all bodies: derivatives in (r, p) from D [rows x 6 nB], those in (r', omega), row by row, bodies in the
 * document's order; then p'p = 1 of each: [rows + nB x 7 nB], zero before. */
void mbs_jacobian_euler(const mbs_system *system, const double *D, double *out);

#endif
