/* The constraints, and their Jacobian in several formats. */
#include "equations/jacobian.h"

#include "base/rotation.h"
#include "kernels/kernels.h"

#include <assert.h>
#include <string.h>

void mbs_constraints(mbs_system *system, int want) {
  const mbs_model *model = system->model;
  model->kernels->rows(system, want);
  for (size_t d = 0; system->drivers_released && (want & MBS_WANT_PHI) && d < model->driver_count; d++)
    system->Phi[model->drivers[d].row] = 0;
}

void mbs_jacobian_dense(const mbs_system *system, double *out) {
  const mbs_model *model = system->model;
  memset(out, 0, model->rows * model->nv * sizeof *out);
  MBS_EACH_BLOCK(system, b) {
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
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const double *values = system->C + block->value0;
    for (int r = 0; r < block->rows; r++, values += block->columns)
      for (int c = 0; c < block->columns; c++)
        out[(size_t)(block->first_row + r) * model->nv + (size_t)column[model->pattern[block->pattern0 + c]]] =
            values[c];
  }
}

/* Sorts the columns of a row in the document's order, with their indices in the packed C. */
static void sort_row(mbs_jacobian_entries *entries, size_t begin) {
  for (size_t k = begin + 1; k < entries->count; k++)
    for (size_t i = k; i > begin && entries->column[i] < entries->column[i - 1]; i--) {
      const int column = entries->column[i], from = entries->from[i];
      entries->column[i] = entries->column[i - 1];
      entries->from[i] = entries->from[i - 1];
      entries->column[i - 1] = column;
      entries->from[i - 1] = from;
    }
}

bool mbs_jacobian_entries_find(const mbs_model *model, mbs_arena *arena, mbs_jacobian_entries *out) {
  *out = (mbs_jacobian_entries){.row0 = mbs_arena_alloc(arena, model->rows + 1, sizeof *out->row0),
                                .column = mbs_arena_alloc(arena, model->value_count + 1, sizeof *out->column),
                                .from = mbs_arena_alloc(arena, model->value_count + 1, sizeof *out->from)};
  int *user = mbs_arena_alloc(arena, model->nv + 1, sizeof *user);
  if (!out->row0 || !out->column || !out->from || !user) return false;
  for (size_t i = 0; i < model->nv; i++) user[model->user_v[i]] = (int)i;
  for (size_t b = 0; b < model->bilateral_blocks; b++) { /* blocks are in the order of their rows */
    const mbs_block *block = &model->blocks[b];
    for (int r = 0; r < block->rows; r++) {
      const size_t begin = out->row0[block->first_row + r] = out->count;
      for (int c = 0; c < block->columns; c++) {
        out->column[out->count] = user[model->pattern[block->pattern0 + c]];
        out->from[out->count++] = (int)block->value0 + r * block->columns + c;
      }
      sort_row(out, begin);
    }
  }
  out->row0[model->bilateral_rows] = out->count;
  assert(out->count <= model->value_count);
  return true;
}

/* Multiplies the columns of omega by 2 E to obtain those of p (omega = 2 E p'), and adds 2 p' for p'p - 1 = 0. */
void mbs_jacobian_euler(const mbs_system *system, const double *D, double *out) {
  assert(system->model->dim == 3);
  const mbs_model *model = system->model;
  size_t n = 7 * model->nB;
  for (size_t b = 0; b < model->nB; b++) {
    double p[4], rates[3][4];
    model->kernels->orientation(system, model->user_body[b], p);
    for (int k = 0; k < 3; k++) {
      double axis[3] = {k == 0, k == 1, k == 2};
      mbs_euler_rate(p, axis, rates[k]); /* a row of E, halved */
    }
    for (size_t r = 0; r < model->bilateral_rows; r++) {
      const double *from = D + 6 * (r * model->nB + b);
      double *to = out + r * n + 7 * b;
      for (int k = 0; k < 3; k++) to[k] = from[k];
      for (int c = 0; c < 4; c++)
        to[3 + c] = 4 * (from[3] * rates[0][c] + from[4] * rates[1][c] + from[5] * rates[2][c]);
    }
    for (int c = 0; c < 4; c++) out[(model->bilateral_rows + b) * n + 7 * b + 3 + (size_t)c] = 2 * p[c];
  }
}
