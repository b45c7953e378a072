/* S = C M^-1 C' and C C', assembled block by block within the skyline. */
#include "equations/schur.h"

#include "linalg/sparse.h"

#include <assert.h>
#include <string.h>

/* Returns a row of a pair's first block in S, from the first column of its second block on. Rows of a block are
 * consecutive in the order of elimination, too. */
static inline mbs_real *schur_row(const mbs_system *system, const mbs_block_pair *pair, int r) {
  return system->S + system->schur_rows.skyline.starts[pair->row + r] + pair->offset;
}

/* Multiplies two different blocks of two rows, in one pass over their shared velocities. Most joints in the plane have
 * such blocks. */
static void multiply_twos(const mbs_system *system, const mbs_block_pair *pair, const mbs_real *values,
                          const mbs_real *weights) {
  assert(pair->block1 != pair->block2);
  const mbs_block *one = &system->model->blocks[pair->block1], *two = &system->model->blocks[pair->block2];
  const mbs_overlap *overlaps = system->schur_rows.overlaps + pair->overlap0;
  mbs_real p00 = MBS_ALL(0), p01 = p00, p10 = p00, p11 = p00;
  for (int k = 0; k < pair->overlaps; k++) {
    mbs_real weight = weights ? weights[overlaps[k].velocity] : MBS_ALL(1);
    const mbs_real *x = values + one->value0 + overlaps[k].column1, *y = values + two->value0 + overlaps[k].column2;
    /* S_ij += V_ik W_k V_jk for a velocity k of both blocks */
    mbs_real x0 = x[0] * weight, x1 = x[one->columns] * weight, y0 = y[0], y1 = y[two->columns];
    p00 += x0 * y0;
    p01 += x0 * y1;
    p10 += x1 * y0;
    p11 += x1 * y1;
  }
  mbs_real *above = schur_row(system, pair, 0), *below = schur_row(system, pair, 1);
  above[0] = p00;
  above[1] = p01;
  below[0] = p10;
  below[1] = p11;
}

/* Returns true if a row of a block is not redundant. */
static bool is_kept(const mbs_system *system, const mbs_block *block, int r) {
  return system->all_active || system->active[block->first_row + r];
}

void mbs_zero_redundant(const mbs_system *system, mbs_real *x) {
  if (system->all_active) return;
  MBS_EACH_BLOCK(system, b) {
    const mbs_block *block = &system->model->blocks[b];
    for (int r = block->first_row; r < block->first_row + block->rows; r++)
      if (!system->active[r]) x[r] = MBS_ALL(0);
  }
}

/* Multiplies blocks of any height; for redundant rows between others only the diagonal. theory (8.15) */
static void multiply_blocks(const mbs_system *system, const mbs_block_pair *pair, const mbs_real *values,
                            const mbs_real *weights) {
  const mbs_block *one = &system->model->blocks[pair->block1], *two = &system->model->blocks[pair->block2];
  const mbs_overlap *overlaps = system->schur_rows.overlaps + pair->overlap0;
  const mbs_real *x = values + one->value0, *y = values + two->value0;
  mbs_real *shared = system->spread; /* entries of a row in the columns of a pair, weighted */
  for (int r = 0; r < system->schur_rows.height[pair->block1]; r++, x += one->columns) {
    mbs_real *row = schur_row(system, pair, r);
    int last = one == two ? r + 1 : system->schur_rows.height[pair->block2];
    for (int k = 0; k < pair->overlaps; k++)
      shared[k] = x[overlaps[k].column1] * (weights ? weights[overlaps[k].velocity] : MBS_ALL(1));
    for (int s = 0; s < last; s++) {
      const bool diagonal = one == two && s == r;
      if (!diagonal && !(is_kept(system, one, r) && is_kept(system, two, s))) continue;
      /* S_ij = sum over k of V_ik W_k V_jk */
      mbs_real sum = MBS_ALL(0);
      for (int k = 0; k < pair->overlaps; k++) sum += shared[k] * y[s * two->columns + overlaps[k].column2];
      row[s] = sum;
    }
  }
}

/* Returns the largest diagonal of those rows of a block that S does not contain. */
static mbs_real largest_beyond(const mbs_system *system, const mbs_block_pair *pair, const mbs_real *values,
                               const mbs_real *weights) {
  const mbs_block *block = &system->model->blocks[pair->block1];
  const mbs_overlap *overlaps = system->schur_rows.overlaps + pair->overlap0;
  mbs_real largest = MBS_ALL(0);
  for (int r = system->schur_rows.height[pair->block1]; r < block->rows; r++) {
    const mbs_real *row = values + block->value0 + r * block->columns;
    mbs_real sum = MBS_ALL(0);
    for (int k = 0; k < pair->overlaps; k++) {
      const mbs_real value = row[overlaps[k].column1], weight = weights ? weights[overlaps[k].velocity] : MBS_ALL(1);
      sum += value * weight * value;
    }
    largest = mbs_larger(sum, largest);
  }
  return largest;
}

/* Sets the scale of a block's rows, its largest diagonal. Redundant rows have a unit diagonal and no other entries. */
static void set_diagonals(mbs_system *system, const mbs_block_pair *pair, mbs_real largest) {
  assert(pair->block1 == pair->block2);
  const mbs_block *block = &system->model->blocks[pair->block1];
  const int height = system->schur_rows.height[pair->block1];
  assert((size_t)(pair->row + height) <= system->schur_rows.rows);
  mbs_real *scales = system->S_scale + pair->row;
  for (int r = 0; r < height; r++) {
    const mbs_real diagonal = schur_row(system, pair, r)[r];
    largest = mbs_larger(diagonal, largest);
  }
  for (int r = 0; r < height; r++) {
    const bool kept = is_kept(system, block, r);
    if (!kept) schur_row(system, pair, r)[r] = MBS_ALL(1);
    scales[r] = kept ? largest : MBS_ALL(1);
  }
}

/* Computes the square of a block of two independent rows, and sets its scale. theory (8.15) */
static inline void square_two(const mbs_system *system, const mbs_block_pair *pair, const mbs_real *values,
                              const mbs_real *weights, mbs_real largest) {
  assert(pair->block1 == pair->block2 && system->schur_rows.height[pair->block1] == 2);
  const mbs_block *block = &system->model->blocks[pair->block1];
  const mbs_overlap *overlaps = system->schur_rows.overlaps + pair->overlap0;
  const mbs_real *x = values + block->value0, *y = x + block->columns;
  mbs_real p00 = MBS_ALL(0), p10 = p00, p11 = p00;
  for (int k = 0; k < pair->overlaps; k++) {
    const mbs_real weight = weights ? weights[overlaps[k].velocity] : MBS_ALL(1);
    const mbs_real x0 = x[overlaps[k].column1], x1 = y[overlaps[k].column1], weighted = x1 * weight;
    p00 += x0 * weight * x0;
    p10 += weighted * x0;
    p11 += weighted * x1;
  }
  mbs_real *below = schur_row(system, pair, 1);
  schur_row(system, pair, 0)[0] = p00;
  below[0] = p10;
  below[1] = p11;
  largest = mbs_larger(p00, largest);
  system->S_scale[pair->row] = system->S_scale[pair->row + 1] = mbs_larger(p11, largest);
}

/* Enlarges S if the rows of touches need it. Returns false if memory runs out. */
static bool grow(mbs_system *system) {
  const size_t size = system->schur_rows.skyline.size;
  if (system->model->touch_count == 0 || size <= system->S_room) return true;
  mbs_real *S = mbs_arena_alloc(system->arena, 2 * size, sizeof *S);
  if (!S) return false;
  system->S = S;
  system->S_room = 2 * size;
  return true;
}

/* theory (8.15) */
void mbs_assemble_schur(mbs_system *system, const mbs_real *values, const mbs_real *weights) {
  assert(values != NULL);
  mbs_independent_row_set *kept = &system->schur_rows;
  mbs_select_independent_rows(system->model, system->active, system->all_active, kept);
  const mbs_fill *fill = kept->skyline.fill;
  if (!kept->failed) kept->failed = !grow(system);
  if (kept->failed) return;
  memset(system->S, 0, (fill ? fill->entries : kept->skyline.size) * sizeof *system->S);
  for (size_t p = 0; p < kept->pair_count; p++) {
    const mbs_block_pair *pair = &kept->pairs[p];
    const bool twos = kept->height[pair->block1] == 2 && kept->height[pair->block2] == 2 && !kept->gaps;
    if (pair->block1 == pair->block2) {
      const mbs_real beyond = largest_beyond(system, pair, values, weights);
      if (twos) {
        square_two(system, pair, values, weights, beyond);
        continue;
      }
      multiply_blocks(system, pair, values, weights);
      set_diagonals(system, pair, beyond);
    } else if (twos) {
      multiply_twos(system, pair, values, weights);
    } else {
      multiply_blocks(system, pair, values, weights);
    }
  }
}

/* theory (8.18) */
void mbs_shift_schur(mbs_system *system, double share) {
  assert(share > 0);
  const mbs_independent_row_set *kept = &system->schur_rows;
  for (size_t p = 0; p < kept->pair_count; p++) {
    const mbs_block_pair *pair = &kept->pairs[p];
    if (pair->block1 != pair->block2) continue;
    for (int r = 0; r < kept->height[pair->block1]; r++) {
      const mbs_real scale = system->S_scale[pair->row + r];
      schur_row(system, pair, r)[r] += share * mbs_if_positive(scale, scale, MBS_ALL(1));
    }
  }
}

mbs_real mbs_factor_schur(mbs_system *system) {
  const mbs_skyline *skyline = &system->schur_rows.skyline;
  const size_t n = system->schur_rows.rows;
  if (system->schur_rows.failed) return MBS_ALL(0);
  assert(n <= system->model->rows);
  if (skyline->fill)
    return mbs_fill_factor(skyline->fill, n, system->S, system->S_scale, system->S_factors, system->S_pivot,
                           system->S_row, system->S_next);
  return mbs_skyline_factor(skyline, n, system->S, system->S_scale, system->S_pivot);
}

void mbs_solve_schur(const mbs_system *system, mbs_real *x) {
  const mbs_skyline *skyline = &system->schur_rows.skyline;
  if (skyline->fill)
    mbs_fill_solve(skyline->fill, system->schur_rows.rows, system->S_factors, system->S_pivot, x);
  else
    mbs_skyline_solve(skyline, system->schur_rows.rows, system->S, system->S_pivot, x);
}
