/* Constraint rows in the plane: Phi, C = D B and rhsA = gamma - D beta, block by block.
 *
 * An ancestor's column of B, moved from its mass centre to that of the body, keeps its turn and gains the velocity
 * w perp(r - r_a); its product with a row of D on the body is an entry of C. */
#include "equations/jacobian.h"
#include "kernels/planar/planar.h"

/* The entries of one body of a block. theory (3.8) */
static inline void fill_side(const mbs_block *block, const mbs_entry *entries, int count,
                             const planar_workspace *workspace, const planar_primitive *primitives, bool second,
                             mbs_real *values) {
  const planar_body *body = &workspace->bodies[second ? block->frames.body2 : block->frames.body1];
  for (int k = 0; k < count; k++) {
    const planar_body *ancestor = &workspace->bodies[entries[k].body];
    const planar_column *column = &workspace->columns[entries[k].velocity];
    mbs_real w = column->w;
    /* X_a + w_a perp(r - r_a) */
    mbs_real x = column->x - w * (body->y - ancestor->y), y = column->y + w * (body->x - ancestor->x);
    mbs_real *entry = values + entries[k].column;
    for (int r = 0; r < block->rows; r++, entry += block->columns) {
      const mbs_real *d = second ? primitives[r].d2 : primitives[r].d1;
      /* C_j = f.X + n w */
      mbs_real value = d[0] * x + d[1] * y + d[2] * w;
      *entry = entries[k].again ? *entry + value : value;
    }
  }
}

/* theory (3.8) */
static void fill_jacobian(const mbs_system *system, const mbs_block *block, const planar_workspace *workspace,
                          const planar_primitive *primitives) {
  const mbs_entry *entries = system->model->entries + block->entry0;
  mbs_real *values = system->C + block->value0;
  int second = block->entries - block->entries1;
  fill_side(block, entries, block->entries1, workspace, primitives, false, values);
  fill_side(block, entries + block->entries1, second, workspace, primitives, true, values);
}

/* theory (3.1), (3.5) */
void planar_rows(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  const planar_workspace *workspace = planar_of(system);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
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
      if (want & MBS_WANT_RHS) {
        system->rhsV[row] = f ? f[1] : MBS_ALL(0);
        system->rhsA[row] = f ? f[2] - primitives[r].bias : -primitives[r].bias;
      }
    }
    if (want & MBS_WANT_C) fill_jacobian(system, block, workspace, primitives);
  }
}
