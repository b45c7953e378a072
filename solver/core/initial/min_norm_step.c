/* Computes delta = C+ b, with the factors of C C' if its rows, or the selected ones, are independent; else with dense
 * algebra. */
#include "initial/min_norm_step.h"

#include "base/suballocate.h"
#include "constraints/held_coordinates.h"
#include "constraints/rank.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/schur.h"
#include "initial/row_factors.h"
#include "linalg/lapack.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A row of C shorter than this, and than this share of the longest one, is rounding: its joint connects bodies that
 * cannot move relative to each other. */
static const double zero_row = 1e-12;
/* Share of the residual of other rows that a step with the independent rows may leave. */
static const double least_consent = 0.5;

double mbs_scaled_norm(const double *x, const double *units, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += (x[i] / units[i]) * (x[i] / units[i]);
  return sqrt(sum);
}

void mbs_read_held(const mbs_correction_rows *self, int level, double *out) {
  assert(level == 0 || level == 1);
  mbs_input_row row;
  for (size_t c = 0; self->held && mbs_held_coordinate_next(self->system, &c, &row);)
    *out++ = level == 0 ? row.value : row.rate;
}

mbs_correction_rows mbs_correction_rows_of(mbs_system *system, mbs_level level, size_t held, double **workspace) {
  mbs_correction_rows out = {.system = system,
                             .level = level,
                             .held = held,
                             .count = system->model->rows + held,
                             .target = *workspace,
                             .lost = mbs_rank_tolerance};
  out.residual = out.target + held;
  assert(held <= system->model->held_count);
  out.velocity_units = out.residual + out.count;
  out.units = out.velocity_units + system->model->nv;
  out.accuracy = out.units + out.count;
  *workspace = out.accuracy + out.count;
  mbs_scales(system, out.velocity_units, out.units);
  memcpy(out.accuracy, system->row_units, system->model->rows * sizeof *out.accuracy);
  if (held) {
    mbs_held_coordinate_scales(system->model, system->constants->extent, out.units + system->model->rows);
    mbs_held_coordinate_scales(system->model, system->constants->length, out.accuracy + system->model->rows);
  }
  return out;
}

double mbs_worst_in_units(const mbs_correction_rows *self) {
  double largest = 0;
  for (size_t r = 0; r < self->system->model->rows; r++) {
    double share = fabs(self->system->Phi[r]) / self->units[r];
    if (!(share <= largest)) largest = isnan(share) ? INFINITY : share;
  }
  return largest;
}

double mbs_position_residual(const mbs_correction_rows *self) {
  const mbs_model *model = self->system->model;
  /* (Phi; g - g_held) */
  memcpy(self->residual, self->system->Phi, model->rows * sizeof *self->residual);
  for (size_t r = 0; r < model->rows && self->wanted; r++) self->residual[r] -= self->wanted[r];
  mbs_read_held(self, 0, self->residual + model->rows);
  for (size_t k = 0; k < self->held; k++) self->residual[model->rows + k] -= self->target[k];
  return mbs_scaled_norm(self->residual, self->accuracy, self->count);
}

/* Writes the gradients of the held coordinates into their rows of A [count x nv, by column]. theory (9.5) */
static void fill_held(const mbs_correction_rows *self, double *A) {
  const mbs_model *model = self->system->model;
  size_t at = model->rows;
  mbs_input_row row;
  int velocities[MBS_HELD_ENTRIES_MAX];
  double entries[MBS_HELD_ENTRIES_MAX];
  for (size_t c = 0; mbs_held_coordinate_next(self->system, &c, &row); at++) {
    size_t filled = mbs_held_coordinate_gradient(model, &row, velocities, entries);
    for (size_t k = 0; k < model->nv; k++) A[k * self->count + at] = 0;
    for (size_t i = 0; i < filled; i++) A[(size_t)velocities[i] * self->count + at] = entries[i];
  }
}

/* Computes x with A x = b of minimum norm, in scales; with the precision of data if rows are inexact. */
static int shortest_in_units(const mbs_correction_rows *self, double *A, const double *b, double *x,
                             double *workspace) {
  size_t n = self->system->model->nv, count = self->count;
  const double *velocities = self->inexact ? self->velocity_units : self->system->v_units;
  const double *units = self->inexact ? self->units : self->accuracy;
  double *scaled = workspace;
  for (size_t r = 0; r < count; r++) scaled[r] = b[r] / units[r];
  /* A_rk [v_k] / [Phi_r] */
  for (size_t k = 0; k < n; k++)
    for (size_t r = 0; r < count; r++) A[k * count + r] *= velocities[k] / units[r];
  double tolerance = self->inexact ? mbs_data_precision : self->lost;
  int rank = mbs_least_squares(count, n, A, scaled, tolerance, x, workspace + count);
  for (size_t k = 0; k < n; k++) x[k] *= velocities[k];
  return rank;
}

/* Computes the lengths of the rows of C, in scales, into out [rows]; 0 for rounding. Returns true if there are such
 * rows. */
static bool row_lengths(const mbs_system *system, double *out) {
  const mbs_model *model = system->model;
  double longest = 1;
  bool any = false;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = block->first_row; r < block->first_row + block->rows; r++, row += block->columns) {
      /* sqrt(sum over k of C_rk^2 W_k) / [Phi_r] */
      double sum = 0;
      for (int c = 0; c < block->columns; c++) sum += row[c] * row[c] * system->v_weights[pattern[c]];
      out[r] = sqrt(sum) / system->row_units[r];
      longest = fmax(longest, out[r]);
    }
  }
  for (size_t r = 0; r < model->rows; r++) {
    if (out[r] > zero_row * longest) continue;
    out[r] = 0;
    any = true;
  }
  return any;
}

/* Computes x := W C' (C W C')^-1 b with the current factors, without redundant rows. */
static void solve_rows(mbs_system *system, const double *b, double *x) {
  const mbs_model *model = system->model;
  const int *position = system->schur_rows.skyline.position;
  for (size_t r = 0; r < model->rows; r++)
    if (position[r] >= 0) system->permuted[position[r]] = system->active[r] ? b[r] : 0;
  mbs_solve_schur(system, system->permuted);
  for (size_t r = 0; r < model->rows; r++)
    system->combination[r] = position[r] >= 0 ? system->permuted[position[r]] : 0;
  mbs_jacobian_transposed(system, system->combination, x);
  for (size_t k = 0; k < model->nv; k++) x[k] *= system->v_weights[k];
}

/* Returns true if C x is near b: the step reduces the residual of the other rows by more than half, too. */
static bool is_near(mbs_system *system, const double *x, const double *b) {
  double largest = 0, left = 0;
  mbs_jacobian_times(system, x, system->rates);
  for (size_t r = 0; r < system->model->rows; r++) {
    largest = fmax(largest, fabs(b[r]) / system->row_units[r]);
    left = fmax(left, fabs(b[r] - system->rates[r]) / system->row_units[r]);
  }
  return left <= least_consent * largest;
}

/* Computes x for many dependent rows from the independent ones, if the others are then satisfied. Returns the rank, or
 * -1. */
static int shortest_of_many(mbs_system *system, const double *b, double *x, double *workspace) {
  bool *before = (bool *)mbs_suballocate(&workspace, system->model->rows);
  bool *dependent = (bool *)mbs_suballocate(&workspace, system->model->rows);
  size_t joint_rank;
  mbs_read_rows_left_out(system, before);
  int rank = mbs_choose_rows(system, MBS_LEVEL_VELOCITY, mbs_rank_tolerance, dependent, system->model->rows,
                             &joint_rank, workspace);
  if (rank >= 0) solve_rows(system, b, x);
  mbs_leave_rows_out(system, before);
  return rank >= 0 && (is_near(system, x, b) || !mbs_dense_fits(system->model)) ? rank : -1;
}

/* Returns true if row r does not count. */
static bool is_left_out(const mbs_correction_rows *self, size_t r) {
  assert(r < self->system->model->rows);
  return !mbs_row_restricts(self->system->model, r, self->level) || (self->skipped && self->skipped[r]);
}

int mbs_min_norm_solve(const mbs_correction_rows *self, const double *b, double *x, double *workspace) {
  assert(self->count == self->system->model->rows + self->held);
  mbs_system *system = self->system;
  const mbs_model *model = system->model;
  size_t m = model->rows, n = model->nv, count = self->count;
  bool zeros = row_lengths(system, system->lengths);
  const bool all = mbs_restricting_rows(model, self->level) == m && !self->skipped;
  const bool sparse = (!model->any_hold || self->free) && !self->inexact && all;
  if (sparse && !zeros && mbs_factor_rows(system)) { /* if C C' is well conditioned */
    solve_rows(system, b, x);
    return (int)m;
  }
  int rank = sparse && m > MBS_MANY_ROWS ? shortest_of_many(system, b, x, workspace) : -1;
  if (rank >= 0 || !mbs_dense_fits(model)) return rank;
  if (zeros) row_lengths(system, system->lengths);
  /* (C; G) dense, with zero columns for held velocities and zero rows for omitted rows */
  double *A = workspace;
  mbs_jacobian_dense(system, A);
  for (size_t k = n; k-- > 0 && self->held;) memmove(A + k * count, A + k * m, m * sizeof *A);
  if (self->held) fill_held(self, A);
  for (size_t k = 0; k < n && model->any_hold && !self->free; k++)
    if (model->hold_v[k]) memset(A + k * count, 0, count * sizeof *A);
  for (size_t r = 0; r < m && (zeros || !all); r++)
    if (system->lengths[r] == 0 || is_left_out(self, r))
      for (size_t k = 0; k < n; k++) A[k * count + r] = 0;
  return shortest_in_units(self, A, b, x, workspace + count * n);
}
