/* Rows of C that depend on others. */
#include "constraints/rank.h"

#include "base/norms.h"
#include "equations/error_scales.h"
#include "equations/jacobian.h"
#include "equations/touches.h"
#include "linalg/lapack.h"
#include "model/rows.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Among rows with nearly equal remainders, down to this share of the largest, the document's first is chosen. */
static const double nearly = 0.5;

/* Share of a run's memory that dense matrices may use. */
static const double dense_share = 0.5;

bool mbs_dense_fits(const mbs_model *model) {
  if (model->type != MBS_DYNAMICS) return true; /* other analyses need dense matrices in any case */
  const size_t m = model->rows + model->held_count, n = model->nv;
  const double numbers = 2 * (double)m * (double)n + (double)mbs_lapack_workspace(m, n);
  return numbers * sizeof(double) <= dense_share * (double)model->limits.memory;
}

void mbs_take_off(size_t n, const double *unit, double *row) {
  /* row - (unit.row) unit */
  double product = 0;
  for (size_t k = 0; k < n; k++) product += unit[k] * row[k];
  for (size_t k = 0; k < n; k++) row[k] -= product * unit[k];
}

static double length_of(size_t n, const double *row) { return sqrt(mbs_sum_of_squares(row, n)); }

bool mbs_scaled_lengths(const mbs_system *system, double least, double *out, double *velocities, double *units) {
  const mbs_model *model = system->model;
  bool any = false;
  mbs_scales(system, velocities, units);
  for (size_t r = model->bilateral_rows; r < model->rows; r++) out[r] = 0; /* rows of touches that are off */
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *row = system->C + block->value0;
    for (int r = block->first_row; r < block->first_row + block->rows; r++, row += block->columns) {
      /* norm of C_rk [v_k] / [Phi_r] */
      double sum = 0;
      for (int c = 0; c < block->columns; c++) {
        double entry = row[c] * velocities[pattern[c]] / units[r];
        sum += entry * entry;
      }
      out[r] = sum > least * least && (block->touch < 0 || mbs_touch_row_holds(system, r)) ? sqrt(sum) : 0;
      any |= out[r] == 0;
    }
  }
  return any;
}

/* Copies the rows of C with a length in scales, row by row, and lists them. Returns their number. */
static size_t scaled_rows(const mbs_system *system, const double *lengths, const double *velocities,
                          const double *units, double *rows, int *list) {
  const mbs_model *model = system->model;
  size_t count = 0;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    const double *values = system->C + block->value0;
    for (int r = block->first_row; r < block->first_row + block->rows; r++, values += block->columns) {
      if (lengths[r] == 0) continue;
      double *row = rows + count * model->nv;
      list[count++] = r;
      memset(row, 0, model->nv * sizeof *row);
      /* C_rk [v_k] / [Phi_r] */
      for (int c = 0; c < block->columns; c++) row[pattern[c]] = values[c] * velocities[pattern[c]] / units[r];
    }
  }
  return count;
}

/* The state of Gram-Schmidt with pivoting. */
typedef struct choice {
  size_t m, n, rank;
  size_t count; /* rows that may be chosen, in `list` */
  int *list;    /* [m] */
  const mbs_model *model;
  mbs_level level; /* level of the candidate rows */
  double least;    /* share of a row that must remain */
  bool *dependent; /* [m] not chosen so far */
  double *rows;    /* [n x count] remainders of these rows, in scales */
  double *left;    /* [m] length of the remainder */
  double *length;  /* [m] length of the whole row */
  double *basis;   /* [n x rank] unit vectors */
} choice;

static bool may_be_next(const choice *self, size_t r, double length) {
  return self->dependent[r] && self->model->levels[r] == self->level && self->left[r] > self->least * self->length[r] &&
         self->left[r] >= length;
}

/* Returns the index in the list of the row from `first` up to `last` with the largest remainder, or -1 if that is too
 * small. */
static int next_row(const choice *self, size_t first, size_t last) {
  assert(first <= last && last <= self->m);
  double most = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t k = 0; k < self->count; k++) {
      const size_t r = (size_t)self->list[k];
      if (r < first || r >= last || !may_be_next(self, r, pass ? nearly * most : most)) continue;
      if (pass) return (int)k;
      most = self->left[r];
    }
  return -1;
}

/* Adds a row to the basis, and removes its direction from the others. theory (10.1) */
static void choose_row(choice *self, size_t chosen) {
  assert(chosen < self->count && self->dependent[self->list[chosen]]);
  assert(self->rank < self->n);
  size_t n = self->n;
  double *unit = self->basis + self->rank * n;
  memcpy(unit, self->rows + chosen * n, n * sizeof *unit);
  for (size_t b = 0; b < self->rank; b++) mbs_take_off(n, self->basis + b * n, unit); /* repeated, against rounding */
  /* u = c / norm(c) */
  double length = length_of(n, unit);
  for (size_t k = 0; k < n; k++) unit[k] /= length;
  self->dependent[self->list[chosen]] = false;
  self->rank++;
  /* c := c - (u.c) u for each remaining row */
  for (size_t k = 0; k < self->count; k++) {
    const int r = self->list[k];
    if (!self->dependent[r] || self->left[r] == 0) continue;
    mbs_take_off(n, unit, self->rows + k * n);
    self->left[r] = length_of(n, self->rows + k * n);
  }
}

/* Chooses at most `most` rows of one level, from `first` up to `last`. */
static void choose_rows(choice *self, mbs_level level, size_t first, size_t last, size_t most) {
  self->level = level;
  for (int next; most > 0 && self->rank < self->n && (next = next_row(self, first, last)) >= 0; most--)
    choose_row(self, (size_t)next);
}

/* Returns the state before the first row is chosen. */
static choice open_choice(const mbs_system *system, double least, bool *dependent, double *workspace) {
  size_t m = system->model->rows, n = system->model->nv;
  double *velocities = workspace + 2 * m * n, *units = velocities + n;
  choice self = {.m = m,
                 .n = n,
                 .model = system->model,
                 .least = least,
                 .dependent = dependent,
                 .rows = workspace,
                 .left = system->lengths,
                 .length = units + m,
                 .basis = workspace + m * n,
                 .list = system->row_list};
  mbs_scaled_lengths(system, least, self.length, velocities, units);
  memcpy(self.left, self.length, m * sizeof *self.left);
  self.count = scaled_rows(system, self.length, velocities, units, self.rows, self.list);
  for (size_t r = 0; r < m; r++) dependent[r] = true;
  return self;
}

size_t mbs_dependent_rows(const mbs_system *system, mbs_level level, double least, bool *dependent, size_t joint_rows,
                          size_t *joint_rank, double *workspace) {
  assert(joint_rows <= system->model->rows);
  choice self = open_choice(system, least, dependent, workspace);
  for (mbs_level l = MBS_LEVEL_POSITION; l <= level; l++) choose_rows(&self, l, 0, joint_rows, joint_rows);
  *joint_rank = self.rank;
  /* rows of added drivers only if no other driver determines their coordinates */
  const size_t given = mbs_given_rows(system->model);
  for (mbs_level l = MBS_LEVEL_POSITION; l <= level && joint_rows < given; l++)
    choose_rows(&self, l, joint_rows, given, self.m);
  for (mbs_level l = MBS_LEVEL_POSITION; l <= level; l++) choose_rows(&self, l, joint_rows, self.m, self.m);
  return self.rank;
}

bool mbs_renew_rows(mbs_system *system, double *workspace) {
  const mbs_model *model = system->model;
  size_t m = model->rows, joint_rows = mbs_joint_rows(model);
  size_t kept_of[2][2] = {{0}}, kept = 0; /* [driver][level] numbers of independent rows */
  bool *dependent = (bool *)workspace, other = false;
  assert(joint_rows <= m);
  if (!mbs_dense_fits(model)) return false;
  for (size_t r = 0; r < m; r++) {
    kept_of[r >= joint_rows][model->levels[r]] += system->active[r];
    kept += system->active[r];
  }
  choice self = open_choice(system, mbs_least_row_share, dependent, workspace + m);
  /* chooses as many rows as before, first of joints, then of drivers */
  for (int drivers = 0; drivers < 2; drivers++)
    for (mbs_level l = MBS_LEVEL_POSITION; l <= MBS_LEVEL_VELOCITY; l++)
      choose_rows(&self, l, drivers ? joint_rows : 0, drivers ? m : joint_rows, kept_of[drivers][l]);
  for (size_t r = 0; r < m && self.rank == kept; r++) {
    other |= system->active[r] == dependent[r];
    system->active[r] = !dependent[r];
  }
  return other;
}
