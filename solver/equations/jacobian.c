/* Products with the packed Jacobian. */
#include "equations/jacobian.h"

#include "kernels/kernels.h"

#include <string.h>

void mbs_constraints(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  model->kernels->rows(system, want);
  for (size_t d = 0; system->drivers_released && (want & MBS_WANT_PHI) && d < model->driver_count; d++)
    system->Phi[model->drivers[d].row] = 0;
}

void mbs_jacobian_times(const mbs_system *system, const double *x, double *out) {
  const mbs_model *model = system->model;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns) {
      /* C_r x */
      double sum = 0;
      for (int c = 0; c < block->columns; c++) sum += row[c] * x[pattern[c]];
      out[block->first_row + r] = sum;
    }
  }
}

void mbs_jacobian_transposed(const mbs_system *system, const double *y, double *out) {
  const mbs_model *model = system->model;
  memset(out, 0, model->nv * sizeof *out);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    /* out += C_r' y_r */
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = 0; c < block->columns; c++) out[pattern[c]] += row[c] * y[block->first_row + r];
  }
}

void mbs_jacobian_dense(const mbs_system *system, double *out) {
  const mbs_model *model = system->model;
  memset(out, 0, model->rows * model->nv * sizeof *out);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = 0; c < block->columns; c++)
        out[(size_t)pattern[c] * model->rows + (size_t)(block->first_row + r)] = row[c];
  }
}
