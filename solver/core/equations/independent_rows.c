/* The skyline of S without the redundant rows. theory (8.17) */
#include "equations/independent_rows.h"

#include <assert.h>
#include <string.h>

bool mbs_independent_row_set_open(const mbs_model *model, mbs_arena *arena, mbs_independent_row_set *set) {
  const size_t m = model->rows + 1;
  set->active = mbs_arena_alloc(arena, m, sizeof *set->active);
  set->height = mbs_arena_alloc(arena, model->block_count + 1, sizeof *set->height);
  set->pairs = mbs_arena_alloc(arena, model->pair_count + 1, sizeof *set->pairs);
  set->rank = mbs_arena_alloc(arena, m, sizeof *set->rank);
  set->skyline.position = mbs_arena_alloc(arena, m, sizeof(int));
  set->skyline.first = mbs_arena_alloc(arena, m, sizeof(int));
  set->skyline.row0 = mbs_arena_alloc(arena, m, sizeof(int));
  if (!set->active || !set->height || !set->pairs || !set->rank || !set->skyline.position || !set->skyline.first ||
      !set->skyline.row0)
    return false;
  bool *all = mbs_arena_alloc(arena, m, sizeof *all);
  if (!all) return false;
  memset(all, true, m);
  mbs_find_independent_rows(model, all, set);
  return true;
}

/* Computes the heights of blocks, and rank [rows + 1]: the number of rows of S before each index of the order of
 * elimination. */
static void find_heights(const mbs_model *model, mbs_independent_row_set *set) {
  const int *position = model->skyline.position;
  int *rank = set->rank;
  memset(rank, 0, (model->rows + 1) * sizeof *rank);
  set->gaps = false;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    int height = block->rows;
    while (!model->skyline.fill && height > 0 && !set->active[block->first_row + height - 1]) height--;
    set->height[b] = height;
    for (int r = 0; r < height; r++) {
      rank[position[block->first_row + r] + 1] = 1;
      set->gaps |= !set->active[block->first_row + r];
    }
  }
  for (size_t p = 0; p < model->rows; p++) rank[p + 1] += rank[p];
  set->rows = (size_t)rank[model->rows];
  assert(set->rows <= model->rows);
}

/* Computes the skyline of S by removing rows from the model's skyline. */
static void close_up(const mbs_model *model, mbs_independent_row_set *set) {
  const mbs_skyline *whole = &model->skyline;
  const int *rank = set->rank;
  mbs_skyline *skyline = &set->skyline;
  skyline->size = 0;
  for (size_t p = 0; p < model->rows; p++) {
    const int at = rank[p];
    if (rank[p + 1] == at) continue;
    skyline->first[at] = rank[whole->first[p]];
    assert(skyline->first[at] <= at);
    skyline->row0[at] = (int)skyline->size;
    skyline->size += (size_t)(at - skyline->first[at] + 1);
  }
  assert(skyline->size <= whole->size);
  skyline->starts = skyline->row0;
}

/* Lists the pairs of blocks in S, with their positions in the skyline. */
static void place_pairs(const mbs_model *model, mbs_independent_row_set *set) {
  const mbs_skyline *skyline = &set->skyline;
  set->pair_count = 0;
  for (size_t p = 0; p < model->pair_count; p++) {
    mbs_block_pair pair = model->pairs[p];
    if (set->height[pair.block1] == 0 || set->height[pair.block2] == 0) continue;
    if (!skyline->fill) {
      pair.row = set->rank[pair.row];
      pair.offset = set->rank[model->skyline.position[model->blocks[pair.block2].first_row]] - skyline->first[pair.row];
    }
    assert(pair.row >= 0 && pair.offset >= 0);
    set->pairs[set->pair_count++] = pair;
  }
}

void mbs_find_independent_rows(const mbs_model *model, const bool *active, mbs_independent_row_set *set) {
  mbs_skyline *skyline = &set->skyline;
  if (memcmp(set->active, active, model->rows * sizeof *active) == 0) return;
  memcpy(set->active, active, model->rows * sizeof *active);
  skyline->fill = model->skyline.fill;
  find_heights(model, set);
  if (skyline->fill)
    skyline->starts = model->skyline.starts;
  else
    close_up(model, set);
  skyline->in_order = true;
  set->all = true;
  for (size_t r = 0; r < model->rows; r++) {
    const int place = model->skyline.position[r], at = set->rank[place];
    const bool has = set->rank[place + 1] > at;
    skyline->position[r] = has ? at : -1;
    set->all = set->all && active[r];
    skyline->in_order = skyline->in_order && (!has || at == (int)r);
  }
  place_pairs(model, set);
}
