/* products.c - products with the packed Jacobian, for scalars or lanes. */
#include "equations/jacobian.h"

void mbs_jacobian_times(const mbs_system *system, const mbs_real *x, mbs_real *out) {
  const mbs_model *model = system->model;
  /* rows of touches that are off are zero */
  for (size_t r = model->bilateral_rows; r < model->rows; r++) out[r] = MBS_ALL(0);
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const mbs_real *row = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, row += block->columns) {
      /* C_r x */
      mbs_real sum = MBS_ALL(0);
      for (int c = 0; c < block->columns; c++) sum += row[c] * x[pattern[c]];
      out[block->first_row + r] = sum;
    }
  }
}

void mbs_jacobian_transposed(const mbs_system *system, const mbs_real *y, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t i = 0; i < model->nv; i++) out[i] = MBS_ALL(0);
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const mbs_real *row = system->C + block->value0;
    /* out += C_r' y_r */
    for (int r = 0; r < block->rows; r++, row += block->columns)
      for (int c = 0; c < block->columns; c++) out[pattern[c]] += row[c] * y[block->first_row + r];
  }
}
