/* Constraint rows in the plane: Phi, C = D B and rhsA = gamma - D beta, block by block.
 *
 * An ancestor's column of B, moved from its mass centre to that of the body, keeps its turn and gains the velocity
 * w perp(r - r_a); its product with a row of D on the body is an entry of C. */
#include "planar.h"

/* The entries of one body of a block. */
static inline void fill_side(const mbs_block *block, const mbs_entry *entries, int count, const planar_work *work,
                             const planar_measure *measures, bool second, double *values) {
  const planar_body *body = &work->bodies[second ? block->sides.body2 : block->sides.body1];
  for (int k = 0; k < count; k++) {
    const planar_body *ancestor = &work->bodies[entries[k].body];
    const planar_column *column = &work->columns[entries[k].velocity];
    double w = column->w;
    double x = column->x - w * (body->y - ancestor->y), y = column->y + w * (body->x - ancestor->x);
    double *entry = values + entries[k].column;
    for (int r = 0; r < block->rows; r++, entry += block->columns) {
      const double *d = second ? measures[r].d2 : measures[r].d1;
      double value = d[0] * x + d[1] * y + d[2] * w;
      *entry = entries[k].again ? *entry + value : value;
    }
  }
}

static void fill_jacobian(const mbs_system *system, const mbs_block *block, const planar_work *work,
                          const planar_measure *measures) {
  const mbs_entry *entries = system->model->entries + block->entry0;
  double *values = system->C + block->value0;
  int second = block->entries - block->entries1;
  fill_side(block, entries, block->entries1, work, measures, false, values);
  fill_side(block, entries + block->entries1, second, work, measures, true, values);
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
