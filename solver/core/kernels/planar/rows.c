/* Constraint rows in the plane: Phi, C = D B and rhsA = gamma - D beta, block by block.
 *
 * An ancestor's column of B, moved from its mass centre to that of the body, has the same rotation and an additional
 * velocity w perp(r - r_a). Its product with a row of D on the body is an entry of C. */
#include "equations/jacobian.h"
#include "kernels/planar/planar.h"

/* Computes C_j = f.X + n w, added to the entry of the block's first body if there is one. */
static inline void put_entry(mbs_real *entry, bool again, const mbs_real d[3], planar_column X) {
  mbs_real value = d[0] * X.x + d[1] * X.y + d[2] * X.w;
  *entry = again ? *entry + value : value;
}

/* Computes the entries of one body of a block, whose one or two rows have the derivatives d0, d1 there. theory (3.8) */
static inline void fill_side(const mbs_block *block, const mbs_entry *entries, int count,
                             const planar_workspace *workspace, int number, const mbs_real d0[3], const mbs_real d1[3],
                             mbs_real *values) {
  const planar_body *body = &workspace->bodies[number];
  for (int k = 0; k < count; k++) {
    const planar_body *ancestor = &workspace->bodies[entries[k].body];
    planar_column X = workspace->columns[entries[k].velocity];
    /* X_a + w_a perp(r - r_a) */
    X.x -= X.w * (body->y - ancestor->y);
    X.y += X.w * (body->x - ancestor->x);
    mbs_real *entry = values + entries[k].column;
    put_entry(entry, entries[k].again, d0, X);
    if (block->rows == 2) put_entry(entry + block->columns, entries[k].again, d1, X);
  }
}

/* theory (3.8) */
static void fill_jacobian(const mbs_system *system, const mbs_block *block, const planar_workspace *workspace,
                          const planar_primitive rows[2]) {
  const mbs_entry *entries = system->model->entries + block->entry0;
  mbs_real *values = system->C + block->value0;
  int first = block->entries1, second = block->entries - block->entries1;
  fill_side(block, entries, first, workspace, block->frames.body1, rows[0].d1, rows[1].d1, values);
  fill_side(block, entries + first, second, workspace, block->frames.body2, rows[0].d2, rows[1].d2, values);
}

/* theory (3.1), (3.5) */
void planar_rows(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  const planar_workspace *workspace = planar_of(system);
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    if (mbs_block_is_skipped(system, block, want)) continue;
    if (block->primitive == MBS_PRIMITIVE_CUSTOM) {
      planar_custom_row(system, block, want);
      continue;
    }
    planar_primitive primitives[2];
    planar_primitive_rows_at(block, mbs_block_numbers(system, block), &workspace->bodies[block->frames.body1],
                             &workspace->bodies[block->frames.body2], primitives);
    const mbs_real *f = block->function >= 0 ? system->functions + 3 * block->function : NULL;
    for (int r = 0; r < block->rows; r++) {
      int row = block->first_row + r;
      /* Phi = g - f, rhsV = f', rhsA = f'' - bias */
      if (want & MBS_WANT_PHI) system->Phi[row] = f ? primitives[r].g - f[0] : primitives[r].g;
      if (want & (MBS_WANT_RHS | MBS_WANT_RHSV)) system->rhsV[row] = f ? f[1] : MBS_ALL(0);
      if (want & MBS_WANT_RHS) system->rhsA[row] = f ? f[2] - primitives[r].bias : -primitives[r].bias;
    }
    if (want & MBS_WANT_C) fill_jacobian(system, block, workspace, primitives);
  }
}
