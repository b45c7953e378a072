/* Products with the packed Jacobian. */
#include "equations/jacobian.h"

#include "base/rotation.h"
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

void mbs_jacobian_rows(const mbs_system *system, double *out) {
  const mbs_model *model = system->model;
  int *column = system->column_of;
  for (size_t i = 0; i < model->nv; i++) column[model->user_v[i]] = (int)i;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const double *values = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, values += block->columns)
      for (int c = 0; c < block->columns; c++)
        out[(size_t)(block->first_row + r) * model->nv + (size_t)column[model->pattern[block->pattern0 + c]]] =
            values[c];
  }
}

/* The columns of p are those of omega times 2 E, omega = 2 E p', and p'p - 1 = 0 adds 2 p'. */
void mbs_jacobian_euler(const mbs_system *system, const double *D, double *out) {
  const mbs_model *model = system->model;
  size_t n = 7 * model->nB;
  for (size_t b = 0; b < model->nB; b++) {
    double p[4], rates[3][4];
    model->kernels->orientation(system, model->user_body[b], p);
    for (int k = 0; k < 3; k++) {
      double axis[3] = {k == 0, k == 1, k == 2};
      mbs_euler_rate(p, axis, rates[k]); /* a row of E, halved */
    }
    for (size_t r = 0; r < model->rows; r++) {
      const double *from = D + 6 * (r * model->nB + b);
      double *to = out + r * n + 7 * b;
      for (int k = 0; k < 3; k++) to[k] = from[k];
      for (int c = 0; c < 4; c++)
        to[3 + c] = 4 * (from[3] * rates[0][c] + from[4] * rates[1][c] + from[5] * rates[2][c]);
    }
    for (int c = 0; c < 4; c++) out[(model->rows + b) * n + 7 * b + 3 + (size_t)c] = 2 * p[c];
  }
}
