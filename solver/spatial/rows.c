/* Constraint rows in space: Phi, C = D B and rhsA = gamma - D beta, block by block.
 *
 * A row of D on one body is a force D_v and a moment D_omega at its mass centre. Moved to the mass centre of an
 * ancestor it keeps its force and gains the moment (r - r_a) x F; its product with the ancestor's column of B is an
 * entry of C. */
#include "spatial.h"

static void fill_jacobian(const mbs_system *system, const mbs_block *block, const spatial_work *work,
                          const spatial_measure *measures) {
  const mbs_entry *entries = system->model->entries + block->entry0;
  for (int r = 0; r < block->rows; r++) {
    double *row = system->C + block->value0 + r * block->columns;
    for (int k = 0; k < block->columns; k++) row[k] = 0;
    for (int side = 1; side <= 2; side++) {
      const double *force = side == 1 ? measures[r].v1 : measures[r].v2;
      const double *couple = side == 1 ? measures[r].w1 : measures[r].w2;
      const spatial_body *body = &work->bodies[side == 1 ? block->sides.body1 : block->sides.body2];
      double moment[3] = {0, 0, 0}, reach[3];
      int first = side == 1 ? 0 : block->entries1, last = side == 1 ? block->entries1 : block->entries;
      for (int k = first, at = 0; k < last; k++) {
        if (entries[k].body != at) {
          at = entries[k].body;
          for (int i = 0; i < 3; i++) {
            reach[i] = body->r[i] - work->bodies[at].r[i];
            moment[i] = couple[i];
          }
          mbs_add_cross(reach, force, moment);
        }
        const spatial_column *column = &work->columns[entries[k].velocity];
        row[entries[k].column] += mbs_dot(force, column->v) + mbs_dot(moment, column->w);
      }
    }
  }
}

void spatial_rows(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  const spatial_work *work = spatial_of(system);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    spatial_measure measures[3];
    if (block->measure == MBS_MEASURE_OWN) {
      spatial_own_row(system, block, want);
      continue;
    }
    spatial_measure_now(system, block, measures);
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
