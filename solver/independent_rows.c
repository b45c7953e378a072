/* Which rows of C depend on others. */
#include "independent_rows.h"

#include <math.h>

/* Rows of which less than this share is left beside those before them are looked at after all others. */
static const double first_share = 0.1;

/* What is left of row [n] beside a basis of unit vectors; orthogonalized twice against rounding. */
static double orthogonalize(size_t n, const double *basis, size_t rank, double *row) {
  for (int pass = 0; pass < 2; pass++)
    for (size_t b = 0; b < rank; b++) {
      const double *unit = basis + b * n;
      double product = 0;
      for (size_t k = 0; k < n; k++) product += unit[k] * row[k];
      for (size_t k = 0; k < n; k++) row[k] -= product * unit[k];
    }
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += row[k] * row[k];
  return sqrt(sum);
}

bool mbs_scaled_lengths(const mbs_system *system, double least, double *out, double *velocities, double *units) {
  const mbs_model *model = system->model;
  bool any = false;
  mbs_units(system, velocities, units);
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = block->first_row; r < block->first_row + block->rows; r++, row += block->columns) {
      double sum = 0;
      for (int c = 0; c < block->columns; c++) {
        double entry = row[c] * velocities[pattern[c]] / units[r];
        sum += entry * entry;
      }
      out[r] = sum > least * least ? sqrt(sum) : 0;
      any |= out[r] == 0;
    }
  }
  return any;
}

size_t mbs_dependent_rows(const mbs_system *system, double least, bool *dependent, size_t joint_rows,
                          size_t *joint_rank, double *work) {
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv, rank = 0;
  double *basis = work, *C = basis + m * n;
  double *velocities = C + m * n, *units = velocities + n;
  mbs_jacobian_dense(system, C);
  mbs_scaled_lengths(system, least, system->s4, velocities, units);
  for (size_t r = 0; r < m; r++) dependent[r] = true;
  *joint_rank = 0;
  for (int part = 0; part < 2; part++) {
    size_t first = part == 0 ? 0 : joint_rows, last = part == 0 ? joint_rows : m;
    for (double share = first_share; share > least / 2; share /= 10) {
      bool waiting = false;
      for (size_t r = first; r < last; r++) {
        if (!dependent[r] || system->s4[r] == 0) continue;
        double *row = basis + rank * n;
        for (size_t k = 0; k < n; k++) row[k] = C[k * m + r] * velocities[k] / units[r];
        double left = orthogonalize(n, basis, rank, row) / system->s4[r];
        dependent[r] = !(left > share) || rank == n;
        if (dependent[r]) {
          waiting |= left > least;
          continue;
        }
        for (size_t k = 0; k < n; k++) row[k] /= left * system->s4[r];
        rank++;
      }
      if (!waiting) break;
    }
    if (part == 0) *joint_rank = rank;
  }
  return rank;
}
