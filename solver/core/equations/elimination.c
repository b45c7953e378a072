/* Steps of an elimination with the current factors, for scalars or lanes: Z = L^-T C', and products of vectors with Z
 * and with inverses of the factors of M and S. */
#include "equations/elimination.h"

#include "equations/schur.h"
#include "kernels/kernels.h"
#include "linalg/sparse.h"

#include <string.h>

/* Computes x := L^-T x and x := L^-1 x, with the back end chosen by the structure of the model. */
void mbs_solve_up(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  if (model->recursive)
    system->kernels->articulated_up(system, x);
  else
    mbs_tree_solve_up(&model->tree, model->nv, system->M, x);
}

void mbs_solve_down(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  if (model->recursive)
    system->kernels->articulated_down(system, x);
  else
    mbs_tree_solve_down(&model->tree, model->nv, system->M, x);
}

/* Computes Z = L^-T C', row by row. theory (8.15) */
void mbs_transform_jacobian(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_select_independent_rows(model, system->active, system->all_active, &system->schur_rows);
  if (model->touch_count == 0) memcpy(system->Z, system->C, model->value_count * sizeof *system->Z);
  if (model->touch_count > 0) {
    MBS_EACH_BLOCK(system, b) {
      const mbs_block *block = &model->blocks[b];
      memcpy(system->Z + block->value0, system->C + block->value0,
             (size_t)(block->rows * block->columns) * sizeof *system->Z);
    }
  }
  if (model->recursive) {
    system->kernels->articulated_rows(system);
    return;
  }
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    if (system->schur_rows.height[b] == 0) continue;
    for (int c = block->columns - 1; c > 0; c--) {
      /* Z_ra -= L_ka Z_rk for the ancestors a of velocity k */
      int depth = model->tree.depth[pattern[c]];
      const int *climb = model->climbs + model->climb0[block->pattern0 + c];
      const mbs_real *factors = system->M + model->tree.row0[pattern[c]];
      mbs_real *row = system->Z + block->value0;
      for (int r = 0; r < block->rows; r++, row += block->columns)
        for (int a = 0; a < depth; a++) row[climb[a]] -= factors[a] * row[c];
    }
  }
}

/* Computes x := S^-1 x with the factors of S, in the order of the rows. Rows that S does not contain are not
 * changed. */
void mbs_solve_factors(mbs_system *system, mbs_real *x) {
  const mbs_model *model = system->model;
  const int *position = system->schur_rows.skyline.position;
  if (system->schur_rows.skyline.in_order) {
    mbs_solve_schur(system, x);
    return;
  }
  mbs_real *permuted = system->permuted;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    for (int r = block->first_row; r < block->first_row + block->rows; r++)
      if (position[r] >= 0) permuted[position[r]] = x[r];
  }
  mbs_solve_schur(system, permuted);
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    for (int r = block->first_row; r < block->first_row + block->rows; r++)
      if (position[r] >= 0) x[r] = permuted[position[r]];
  }
}

/* Adds Z x to out, for the rows of S. */
void mbs_add_transformed(const mbs_system *system, const mbs_real *x, mbs_real *out) {
  const mbs_model *model = system->model;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const mbs_real *row = system->Z + block->value0;
    const int height = system->schur_rows.height[b];
    if (height == 2) { /* most joints in the plane */
      const mbs_real *other = row + block->columns;
      mbs_real x0 = x[block->first_row], x1 = x[block->first_row + 1];
      for (int c = 0; c < block->columns; c++) out[pattern[c]] += row[c] * x0 + other[c] * x1;
      continue;
    }
    for (int r = 0; r < height; r++, row += block->columns) {
      mbs_real value = x[block->first_row + r];
      for (int c = 0; c < block->columns; c++) out[pattern[c]] += row[c] * value;
    }
  }
}

/* theory (11.1) */
void mbs_spread_multipliers(mbs_system *system, const mbs_real *x, mbs_real *out) {
  const mbs_model *model = system->model;
  for (size_t k = 0; k < model->nv; k++) out[k] = MBS_ALL(0);
  /* M^-1 C' x = L^-1 D^-1 Z x */
  mbs_add_transformed(system, x, out);
  for (size_t k = 0; k < model->nv; k++) out[k] *= system->M_diagonal[k];
  mbs_solve_down(system, out);
}

/* Computes rhsA - Z' D^-1 w, for the rows of S. theory (8.16) */
void mbs_missing_accelerations(const mbs_system *system, const mbs_real *w, mbs_real *missing) {
  const mbs_model *model = system->model;
  const mbs_real *inverse = system->M_diagonal;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const mbs_real *row = system->Z + block->value0;
    const mbs_real *rhsA = system->rhsA + block->first_row;
    mbs_real *out = missing + block->first_row;
    const int height = system->schur_rows.height[b];
    if (height == 2) {
      const mbs_real *other = row + block->columns;
      mbs_real sum0 = rhsA[0], sum1 = rhsA[1];
      for (int c = 0; c < block->columns; c++) {
        /* free = D^-1 w */
        mbs_real free = inverse[pattern[c]] * w[pattern[c]];
        sum0 -= row[c] * free;
        sum1 -= other[c] * free;
      }
      out[0] = sum0;
      out[1] = sum1;
      continue;
    }
    /* rhsA - Z' D^-1 w */
    for (int r = 0; r < height; r++, row += block->columns) {
      mbs_real sum = rhsA[r];
      for (int c = 0; c < block->columns; c++) sum -= row[c] * inverse[pattern[c]] * w[pattern[c]];
      out[r] = sum;
    }
  }
}
