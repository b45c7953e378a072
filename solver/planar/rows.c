/* Constraint rows in the plane: Phi, C = D B and rhsA = gamma - D beta, block by block.
 *
 * A row of D on one body is a force (D_x, D_y) and a moment D_phi at its mass centre. Moved to the mass centre of an
 * ancestor it keeps its force and gains the moment (r - r_a) x F; its product with the ancestor's column of B is an
 * entry of C. */
#include "planar.h"

static void fill_jacobian(const mbs_system *system, const mbs_block *block, const planar_work *work,
                          const planar_measure *measures) {
  const mbs_model *model = system->model;
  const mbs_entry *entries = model->entries + block->entry0;
  for (int r = 0; r < block->rows; r++) {
    double *row = system->C + block->value0 + r * block->columns;
    for (int k = 0; k < block->columns; k++) row[k] = 0;
    const double *d = measures[r].d1;
    const planar_body *body = &work->bodies[block->sides.body1];
    for (int k = 0; k < block->entries; k++) {
      if (k == block->entries1) {
        d = measures[r].d2;
        body = &work->bodies[block->sides.body2];
      }
      const planar_body *ancestor = &work->bodies[entries[k].body];
      const planar_column *column = &work->columns[entries[k].velocity];
      double moment = d[2] + (body->x - ancestor->x) * d[1] - (body->y - ancestor->y) * d[0];
      row[entries[k].column] += d[0] * column->x + d[1] * column->y + moment * column->w;
    }
  }
}

void planar_rows(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  const planar_work *work = planar_of(system);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    if (block->measure == MBS_MEASURE_OWN) {
      planar_own_row(system, block, want);
      continue;
    }
    planar_measure measures[2];
    planar_measure_rows_at(block, &work->bodies[block->sides.body1], &work->bodies[block->sides.body2], measures);
    const double *f = block->function >= 0 ? system->functions + 3 * block->function : NULL;
    for (int r = 0; r < block->rows; r++) {
      int row = block->first_row + r;
      if (want & MBS_WANT_PHI) system->Phi[row] = f ? measures[r].g - f[0] : measures[r].g;
      if (want & MBS_WANT_RHS) {
        system->rhsV[row] = f ? f[1] : 0;
        system->rhsA[row] = f ? f[2] - measures[r].bias : -measures[r].bias;
      }
    }
    if (want & MBS_WANT_C) fill_jacobian(system, block, work, measures);
  }
}
