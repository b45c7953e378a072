#include "model/schur_pattern.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An occurrence of a velocity in a block. */
struct mbs_occurrence {
  int block, column;
};

/* A block, with the number of occurrences of its velocities in all blocks. */
struct mbs_block_degree {
  size_t degree;
  int block;
};

bool mbs_schur_pattern_open(const mbs_model *model, mbs_arena *arena, mbs_schur_pattern *out) {
  const size_t n = model->block_count + 1, m = model->rows + 1;
  size_t entries = 1;
  for (size_t b = 0; b < model->block_count; b++) entries += (size_t)model->blocks[b].columns;
  *out = (mbs_schur_pattern){.skyline = {.position = mbs_arena_alloc(arena, m, sizeof(int)),
                                         .first = mbs_arena_alloc(arena, m, sizeof(int)),
                                         .row0 = mbs_arena_alloc(arena, m, sizeof(int))},
                             .order = mbs_arena_alloc(arena, n, sizeof(int)),
                             .arena = arena,
                             .place = mbs_arena_alloc(arena, n, sizeof(int)),
                             .pair_of = mbs_arena_alloc(arena, n, sizeof(int)),
                             .first = mbs_arena_alloc(arena, n, sizeof(int)),
                             .first_at = mbs_arena_alloc(arena, model->nv + 2, sizeof(int)),
                             .items = mbs_arena_alloc(arena, entries, sizeof(mbs_occurrence)),
                             .sorted = mbs_arena_alloc(arena, n, sizeof(mbs_block_degree))};
  return out->skyline.position && out->skyline.first && out->skyline.row0 && out->order && out->place && out->pair_of &&
         out->first && out->first_at && out->items && out->sorted;
}

static void find_occurrences(const mbs_model *model, const int *blocks, size_t count, mbs_schur_pattern *self) {
  int *first = self->first_at;
  memset(first, 0, (model->nv + 2) * sizeof *first);
  for (size_t i = 0; i < count; i++) {
    const mbs_block *block = &model->blocks[blocks[i]];
    for (int c = 0; c < block->columns; c++) first[model->pattern[block->pattern0 + c] + 2]++;
  }
  for (size_t k = 0; k < model->nv; k++) first[k + 2] += first[k + 1];
  for (size_t i = 0; i < count; i++) {
    const mbs_block *block = &model->blocks[blocks[i]];
    for (int c = 0; c < block->columns; c++)
      self->items[first[model->pattern[block->pattern0 + c] + 1]++] = (mbs_occurrence){blocks[i], c};
  }
}

static int compare_degrees(const void *a, const void *b) {
  const mbs_block_degree *x = a, *y = b;
  const int by_degree = (x->degree > y->degree) - (x->degree < y->degree);
  return by_degree ? by_degree : (x->block > y->block) - (x->block < y->block);
}

/* Sorts the blocks by degree, so that each of several separate mechanisms starts at a block with few neighbours. */
static void sort_by_degree(const mbs_model *model, const int *blocks, size_t count, mbs_schur_pattern *self) {
  for (size_t i = 0; i < count; i++) {
    const mbs_block *block = &model->blocks[blocks[i]];
    self->sorted[i] = (mbs_block_degree){0, blocks[i]};
    for (int c = 0; c < block->columns; c++) {
      const int velocity = model->pattern[block->pattern0 + c];
      self->sorted[i].degree += (size_t)(self->first_at[velocity + 1] - self->first_at[velocity]);
    }
  }
  qsort(self->sorted, count, sizeof *self->sorted, compare_degrees);
}

/* Orders blocks by Cuthill-McKee: by distance from a block with few neighbours. */
static void order_blocks(const mbs_model *model, const int *blocks, size_t count, mbs_schur_pattern *self) {
  enum { FREE = -1, TAKEN = -2 };
  int *order = self->order, *taken = self->place;
  size_t found = 0;
  sort_by_degree(model, blocks, count, self);
  for (size_t i = 0; i < count; i++) taken[blocks[i]] = FREE;
  for (size_t i = 0; i < count; i++) {
    const int start = self->sorted[i].block;
    if (taken[start] == TAKEN) continue;
    size_t next = found;
    order[found++] = start;
    taken[start] = TAKEN;
    for (; next < found; next++) {
      const mbs_block *block = &model->blocks[order[next]];
      for (int c = 0; c < block->columns; c++) {
        const int velocity = model->pattern[block->pattern0 + c];
        for (int k = self->first_at[velocity]; k < self->first_at[velocity + 1]; k++) {
          const int other = self->items[k].block;
          if (taken[other] == TAKEN) continue;
          taken[other] = TAKEN;
          order[found++] = other;
        }
      }
    }
  }
  assert(found == count);
  for (size_t i = 0; i < count / 2; i++) { /* reversed: less fill */
    const int swap = order[i];
    order[i] = order[count - 1 - i];
    order[count - 1 - i] = swap;
  }
}

/* Returns the start of the overlaps of a pair: after those of the previous one. */
static int overlaps_before(const mbs_schur_pattern *self, size_t pair) {
  return pair ? self->pairs[pair - 1].overlap0 + self->pairs[pair - 1].overlaps : 0;
}

/* Finds the pairs of blocks that share velocities, with these velocities; each block also forms a pair with itself,
 * even without velocities. With `fill` false it only counts. */
static void find_pairs(const mbs_model *model, mbs_schur_pattern *self, bool fill, size_t *pairs, size_t *overlaps) {
  const int *place = self->place;
  int *pair_of = self->pair_of;
  *pairs = *overlaps = 0;
  for (size_t i = 0; i < self->count; i++) {
    const int b = self->order[i];
    const mbs_block *block = &model->blocks[b];
    size_t first_pair = *pairs;
    if (block->columns == 0) {
      if (fill) self->pairs[*pairs] = (mbs_block_pair){b, b, .overlap0 = overlaps_before(self, *pairs)};
      pair_of[b] = (int)(*pairs)++;
    }
    for (int pass = 0; pass < (fill ? 2 : 1); pass++)
      for (int c = 0; c < block->columns; c++) {
        int velocity = model->pattern[block->pattern0 + c];
        for (int k = self->first_at[velocity]; k < self->first_at[velocity + 1]; k++) {
          int other = self->items[k].block;
          if (place[other] > place[b]) continue;
          if (pass == 1) {
            mbs_block_pair *pair = &self->pairs[pair_of[other]];
            self->overlaps[pair->overlap0 + pair->overlaps++] = (mbs_overlap){c, self->items[k].column, velocity};
            continue;
          }
          if (pair_of[other] < (int)first_pair) { /* pairs of earlier blocks have smaller numbers */
            pair_of[other] = (int)(*pairs)++;
            if (fill) self->pairs[pair_of[other]] = (mbs_block_pair){.block1 = b, .block2 = other};
          }
          ++*overlaps;
          if (fill) self->pairs[pair_of[other]].overlaps++;
        }
        if (pass == 0 && c == block->columns - 1 && fill) {
          int from = overlaps_before(self, first_pair);
          for (size_t p = first_pair; p < *pairs; p++) {
            self->pairs[p].overlap0 = from;
            from += self->pairs[p].overlaps;
            self->pairs[p].overlaps = 0;
          }
        }
      }
  }
}

static void find_skyline(const mbs_model *model, mbs_schur_pattern *self) {
  mbs_skyline *skyline = &self->skyline;
  const int *order = self->order, *place = self->place;
  int *first = self->first; /* smallest index of a block coupled with each */
  int position = 0;
  skyline->size = 0;
  skyline->in_order = true;
  for (size_t r = 0; r < model->rows; r++) skyline->position[r] = -1;
  for (size_t i = 0; i < self->count; i++) {
    const mbs_block *block = &model->blocks[order[i]];
    for (int r = 0; r < block->rows; r++) {
      skyline->in_order = skyline->in_order && position == block->first_row + r;
      skyline->position[block->first_row + r] = position++;
    }
    first[order[i]] = order[i];
  }
  for (size_t p = 0; p < self->pair_count; p++) {
    const mbs_block_pair *pair = &self->pairs[p];
    assert(place[pair->block2] <= place[pair->block1]);
    if (place[pair->block2] < place[first[pair->block1]]) first[pair->block1] = pair->block2;
  }
  for (size_t i = 0; i < self->count; i++) {
    const mbs_block *block = &model->blocks[order[i]];
    for (int r = 0; r < block->rows; r++) {
      const int at = skyline->position[block->first_row + r];
      skyline->first[at] = skyline->position[model->blocks[first[order[i]]].first_row];
      assert(skyline->first[at] <= at);
      skyline->row0[at] = (int)skyline->size;
      skyline->size += (size_t)(at - skyline->first[at] + 1);
    }
  }
  skyline->starts = skyline->row0;
}

/* Sets the positions of the pairs in S. */
static void place_pairs(const mbs_model *model, mbs_schur_pattern *self) {
  const mbs_skyline *skyline = &self->skyline;
  for (size_t p = 0; p < self->pair_count; p++) {
    mbs_block_pair *pair = &self->pairs[p];
    pair->row = skyline->position[model->blocks[pair->block1].first_row];
    /* all rows of a block have the same first column */
    pair->offset = skyline->position[model->blocks[pair->block2].first_row] - skyline->first[pair->row];
  }
}

bool mbs_schur_pattern_find(const mbs_model *model, const int *blocks, size_t count, bool ordered,
                            mbs_schur_pattern *self) {
  self->count = count;
  find_occurrences(model, blocks, count, self);
  if (ordered)
    memcpy(self->order, blocks, count * sizeof *blocks);
  else
    order_blocks(model, blocks, count, self);
  for (size_t i = 0; i < count; i++) {
    self->place[self->order[i]] = (int)i;
    self->pair_of[self->order[i]] = -1;
  }
  size_t pairs, overlaps;
  find_pairs(model, self, false, &pairs, &overlaps);
  if (pairs > self->pair_room) {
    self->pair_room = 2 * pairs;
    self->pairs = mbs_arena_alloc(self->arena, self->pair_room, sizeof *self->pairs);
  }
  if (overlaps > self->overlap_room) {
    self->overlap_room = 2 * overlaps;
    self->overlaps = mbs_arena_alloc(self->arena, self->overlap_room, sizeof *self->overlaps);
  }
  if ((pairs && !self->pairs) || (overlaps && !self->overlaps)) {
    self->pair_room = self->overlap_room = 0;
    return false;
  }
  for (size_t i = 0; i < count; i++) self->pair_of[self->order[i]] = -1;
  find_pairs(model, self, true, &self->pair_count, &overlaps);
  assert(self->pair_count == pairs);
  find_skyline(model, self);
  place_pairs(model, self);
  return true;
}
