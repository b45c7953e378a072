/* The skyline of S without the redundant rows. theory (8.17) */
#include "equations/independent_rows.h"

#include <assert.h>
#include <string.h>

bool mbs_independent_row_set_open(const mbs_model *model, mbs_arena *arena, mbs_independent_row_set *set) {
  const size_t m = model->rows + 1;
  set->arena = arena;
  set->active = mbs_arena_alloc(arena, m, sizeof *set->active);
  set->height = mbs_arena_alloc(arena, model->block_count + 1, sizeof *set->height);
  set->rank = mbs_arena_alloc(arena, m, sizeof *set->rank);
  set->skyline.position = mbs_arena_alloc(arena, m, sizeof(int));
  set->skyline.first = mbs_arena_alloc(arena, m, sizeof(int));
  set->skyline.row0 = mbs_arena_alloc(arena, m, sizeof(int));
  set->blocks = mbs_arena_alloc(arena, model->block_count + 1, sizeof *set->blocks);
  set->next_block = mbs_arena_alloc(arena, model->block_count + 1, sizeof *set->next_block);
  bool *all = mbs_arena_alloc(arena, m, sizeof *all);
  if (!set->active || !set->height || !set->rank || !set->skyline.position || !set->skyline.first ||
      !set->skyline.row0 || !set->blocks || !set->next_block || !all)
    return false;
  if (model->touch_count && !mbs_schur_pattern_open(model, arena, &set->whole)) return false;
  if (!model->touch_count)
    set->whole = (mbs_schur_pattern){
        .skyline = model->skyline, .pairs = model->pairs, .pair_count = model->pair_count, .overlaps = model->overlaps};
  memset(all, true, model->bilateral_rows);
  for (size_t b = 0; b < model->block_count; b++) set->next_block[b] = (int)b + 1;
  set->active[0] = false; /* differs from `all` */
  set->failed = true;
  mbs_find_independent_rows(model, all, set);
  return !set->failed;
}

/* Computes the heights of blocks, and rank [rows + 1]: the number of rows of S before each index of the order of
 * elimination. */
static bool find_heights(const mbs_model *model, mbs_independent_row_set *set) {
  int *rank = set->rank;
  size_t count = 0;
  memset(rank, 0, (model->rows + 1) * sizeof *rank);
  set->gaps = false;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    int height = block->rows;
    while (!set->whole.skyline.fill && height > 0 && !set->active[block->first_row + height - 1]) height--;
    set->height[b] = height;
    if (height > 0) set->blocks[count++] = (int)b;
  }
  if (model->touch_count && !mbs_schur_pattern_find(model, set->blocks, count, false, &set->whole)) return false;
  const int *position = set->whole.skyline.position;
  for (size_t k = 0; k < count; k++) {
    const mbs_block *block = &model->blocks[set->blocks[k]];
    for (int r = 0; r < set->height[set->blocks[k]]; r++) {
      rank[position[block->first_row + r] + 1] = 1;
      set->gaps |= !set->active[block->first_row + r];
    }
  }
  for (size_t p = 0; p < model->rows; p++) rank[p + 1] += rank[p];
  set->rows = (size_t)rank[model->rows];
  assert(set->rows <= model->rows);
  return true;
}

/* Computes the skyline of S by removing rows from the model's skyline. */
static void close_up(const mbs_model *model, mbs_independent_row_set *set) {
  const mbs_skyline *whole = &set->whole.skyline;
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

/* Lists the pairs of blocks in S, with their positions in the skyline. Returns false if memory runs out. */
static bool place_pairs(const mbs_model *model, mbs_independent_row_set *set) {
  const mbs_skyline *skyline = &set->skyline;
  set->pair_count = 0;
  if (set->whole.pair_count >= set->pair_room) {
    const size_t room = 2 * set->whole.pair_count + 1;
    mbs_block_pair *pairs = mbs_arena_alloc(set->arena, room, sizeof *pairs);
    if (!pairs) return false;
    set->pairs = pairs;
    set->pair_room = room;
  }
  for (size_t p = 0; p < set->whole.pair_count; p++) {
    mbs_block_pair pair = set->whole.pairs[p];
    if (set->height[pair.block1] == 0 || set->height[pair.block2] == 0) continue;
    if (!skyline->fill) {
      pair.row = set->rank[pair.row];
      pair.offset =
          set->rank[set->whole.skyline.position[model->blocks[pair.block2].first_row]] - skyline->first[pair.row];
    }
    assert(pair.row >= 0 && pair.offset >= 0);
    set->pairs[set->pair_count++] = pair;
  }
  return true;
}

void mbs_find_independent_rows(const mbs_model *model, const bool *active, mbs_independent_row_set *set) {
  mbs_skyline *skyline = &set->skyline;
  const mbs_skyline *whole = &set->whole.skyline;
  if (!set->failed && memcmp(set->active, active, model->rows * sizeof *active) == 0) return;
  memcpy(set->active, active, model->rows * sizeof *active);
  set->failed = !find_heights(model, set);
  if (set->failed) return;
  skyline->fill = whole->fill;
  if (skyline->fill)
    skyline->starts = whole->starts;
  else
    close_up(model, set);
  skyline->in_order = true;
  set->all = true;
  for (size_t r = 0; r < model->rows; r++) {
    const int place = whole->position[r];
    const bool has = place >= 0 && set->rank[place + 1] > set->rank[place];
    skyline->position[r] = has ? set->rank[place] : -1;
    set->all = set->all && active[r];
    skyline->in_order = skyline->in_order && (!has || set->rank[place] == (int)r);
  }
  set->overlaps = set->whole.overlaps;
  set->failed = !place_pairs(model, set);
}
