/* Test of the independence of rows with the factors of C W C'. Large pivots prove independence. Otherwise dense algebra
 * finds the dependent rows if there are few rows, and sparse factors of the selected rows if there are many. */
#include "initial/row_factors.h"

#include "base/suballocate.h"
#include "constraints/rank.h"
#include "constraints/rank_sparse.h"
#include "equations/schur.h"
#include "equations/touches.h"

#include <math.h>

/* If a pivot of C C' is below this share of its diagonal, the step is computed by LAPACK. With many rows, as for a
 * ladder, pivots are small without a loss of rank, and dense algebra takes long. There the smallest eigenvalue, in the
 * same scale, is checked as well. */
static const double pivot_floor = 1e-6, pivot_floor_of_many = 1e-11, least_eigenvalue = 1e-14;
enum { INVERSE_ITERATIONS = 4 };

/* Estimates the smallest eigenvalue of C W C', scaled by the roots of the diagonal scales, from above, by inverse
 * iteration with its factors. For a matrix without full rank, rounding leaves about 1e-16. */
static double smallest_eigenvalue(mbs_system *system) {
  const size_t rows = system->schur_rows.rows;
  double *x = system->permuted, length = 0;
  for (size_t r = 0; r < rows; r++) x[r] = sin(1.7 * (double)(r + 1)) + 0.3 * cos(5.1 * (double)r);
  for (int k = 0; k <= INVERSE_ITERATIONS; k++) {
    double sum = 0;
    /* x := D^1/2 S^-1 D^1/2 x / |x| */
    for (size_t r = 0; r < rows; r++) sum += x[r] * x[r];
    length = sqrt(sum);
    if (k == INVERSE_ITERATIONS || !isfinite(length)) break;
    for (size_t r = 0; r < rows; r++) x[r] *= sqrt(system->S_scale[r]) / length;
    mbs_solve_schur(system, x);
    for (size_t r = 0; r < rows; r++) x[r] *= sqrt(system->S_scale[r]);
  }
  return isfinite(length) && length > 0 ? 1 / length : 0;
}

bool mbs_factor_rows(mbs_system *system) {
  const mbs_model *model = system->model;
  mbs_assemble_schur(system, system->C, system->v_weights);
  double ratio = mbs_factor_schur(system);
  if (ratio > pivot_floor) return true;
  return model->rows > MBS_MANY_ROWS && ratio > pivot_floor_of_many && smallest_eigenvalue(system) > least_eigenvalue;
}

void mbs_leave_rows_out(mbs_system *system, const bool *left_out) {
  system->all_active = true;
  for (size_t r = 0; r < system->model->rows; r++) {
    system->active[r] = !left_out[r];
    system->all_active = system->all_active && system->active[r];
  }
}

void mbs_read_rows_left_out(const mbs_system *system, bool *out) {
  for (size_t r = 0; r < system->model->rows; r++) out[r] = !system->active[r];
}

int mbs_choose_rows(mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                    size_t *joint_rank, double *workspace) {
  const mbs_model *model = system->model;
  double *velocities = mbs_suballocate(&workspace, model->nv), *units = mbs_suballocate(&workspace, model->rows);
  mbs_scaled_lengths(system, least, system->lengths, velocities, units);
  for (size_t r = 0; r < model->rows; r++)
    if (!mbs_row_restricts(model, r, level)) system->lengths[r] = 0;
  int rank =
      mbs_dependent_rows_sparse(system, least, system->lengths, velocities, units, dependent, joint_rows, joint_rank);
  if (rank < 0) return -1;
  mbs_leave_rows_out(system, dependent);
  return mbs_factor_rows(system) || !mbs_dense_fits(model) ? rank : -1;
}

int mbs_find_dependents(mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                        size_t *joint_rank, double *workspace) {
  const mbs_model *model = system->model;
  size_t rows = model->bilateral_rows;
  for (size_t r = model->bilateral_rows; r < model->rows; r++) rows += mbs_touch_row_holds(system, (int)r);
  if (rows > MBS_MANY_ROWS) {
    double *rest = workspace;
    bool *before = (bool *)mbs_suballocate(&rest, model->rows);
    mbs_read_rows_left_out(system, before);
    int rank = mbs_choose_rows(system, level, least, dependent, joint_rows, joint_rank, rest);
    mbs_leave_rows_out(system, before);
    if (rank >= 0 || !mbs_dense_fits(model)) return rank;
  }
  return (int)mbs_dependent_rows(system, level, least, dependent, joint_rows, joint_rank, workspace);
}
