/* Sparsity patterns, computed once: the velocities on which a constraint row depends (the paths of its bodies to the
 * ground), those that the mass matrix couples (on one path), and the skyline of S = C M^-1 C' in an order that makes it
 * narrow (reverse Cuthill-McKee on the blocks). */
#include "builder/builder.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the mass matrix ----------------------------------------------------------------------------------------- */

static void mass_pattern(mbs_builder *builder) {
  mbs_model *model = builder->model;
  mbs_tree_pattern *tree = &model->tree;
  size_t n = model->nv;
  tree->parent = mbs_builder_alloc(builder, n, sizeof *tree->parent);
  tree->depth = mbs_builder_alloc(builder, n, sizeof *tree->depth);
  tree->row0 = mbs_builder_alloc(builder, n, sizeof *tree->row0);
  bool *carries = mbs_builder_alloc(builder, model->nB + 1, sizeof *carries);
  int *last = mbs_builder_alloc(builder, model->nB + 1, sizeof *last); /* last velocity on the path to a body */
  if (builder->failed) return;
  for (size_t i = 1; i <= model->nB; i++) carries[model->parent[i]] = true;
  last[0] = -1;
  int recursive_depth = model->rows ? model->kernels->recursive_depth : model->kernels->recursive_depth_open;
  for (size_t i = 1; i <= model->nB; i++) {
    last[i] = last[model->parent[i]];
    /* A floating body without children has a separate mass matrix: masses and, separate from them, inertia. */
    bool apart = model->tree_joint[i] < 0 && !carries[i];
    for (int k = model->first_v[i]; k < model->first_v[i + 1]; k++) {
      tree->parent[k] = apart && k <= model->first_v[i] + model->dim ? -1 : last[i];
      tree->depth[k] = tree->parent[k] < 0 ? 0 : tree->depth[tree->parent[k]] + 1;
      assert(tree->parent[k] < k);
      tree->row0[k] = (int)tree->size;
      tree->size += (size_t)tree->depth[k] + 1;
      last[i] = k;
      model->recursive = model->recursive || tree->depth[k] >= recursive_depth;
      if (tree->size > 100000000) {
        mbs_diagnose(builder->list, MBS_TOO_LARGE, "/bodies",
                     "the chains of joints from body to body are too long: the mass matrix would need more than 100 "
                     "million entries");
        return;
      }
    }
  }
  tree->ancestors = mbs_builder_alloc(builder, tree->size, sizeof *tree->ancestors);
  for (size_t k = 0; k < n && !builder->failed; k++) {
    int *row = tree->ancestors + tree->row0[k];
    if (tree->parent[k] >= 0)
      memcpy(row, tree->ancestors + tree->row0[tree->parent[k]], (size_t)tree->depth[k] * sizeof *row);
    row[tree->depth[k]] = (int)k;
  }
}

/* ---- the Jacobian -------------------------------------------------------------------------------------------- */

static int path_length(const mbs_model *model, int body) {
  assert(body >= 0 && (size_t)body <= model->nB);
  int length = 0;
  for (; body; body = model->parent[body]) length += model->first_v[body + 1] - model->first_v[body];
  return length;
}

static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Returns the bodies on which a block's rows depend: those of its frames, or those of a custom row. `pair` is
 * workspace. */
static int bodies_of(const mbs_block *block, int pair[2], const int **bodies) {
  if (block->custom != NULL) {
    *bodies = block->custom->bodies;
    return block->custom->body_count;
  }
  pair[0] = block->frames.body1;
  pair[1] = block->frames.body2;
  *bodies = pair;
  return 2;
}

/* Adds the entries of one body of a block; `column` is set later. */
static int add_path(const mbs_model *model, int body, mbs_entry *entries) {
  assert(body >= 0 && (size_t)body <= model->nB);
  int count = 0;
  for (; body; body = model->parent[body])
    for (int k = model->first_v[body]; k < model->first_v[body + 1]; k++)
      entries[count++] = (mbs_entry){.body = body, .velocity = k};
  return count;
}

static void block_pattern(mbs_model *model, mbs_block *block, int *pattern_size, int *entry_size) {
  mbs_entry *entries = model->entries + *entry_size;
  int *pattern = model->pattern + *pattern_size;
  block->entry0 = *entry_size;
  block->pattern0 = *pattern_size;
  int pair[2], count;
  const int *bodies;
  count = bodies_of(block, pair, &bodies);
  for (int b = 0; b < count; b++) {
    block->entries += add_path(model, bodies[b], entries + block->entries);
    if (b == 0) block->entries1 = block->entries;
  }
  for (int k = 0; k < block->entries; k++) pattern[k] = entries[k].velocity;
  qsort(pattern, (size_t)block->entries, sizeof *pattern, compare_ints);
  int columns = 0;
  for (int k = 0; k < block->entries; k++)
    if (columns == 0 || pattern[columns - 1] != pattern[k]) pattern[columns++] = pattern[k];
  block->columns = columns;
  assert(columns <= block->entries);
  for (int k = 0; k < block->entries; k++) {
    const int *found = bsearch(&entries[k].velocity, pattern, (size_t)columns, sizeof *pattern, compare_ints);
    assert(found != NULL);
    entries[k].column = (int)(found - pattern);
  }
  /* Both paths end at the ground: their common part is at their ends. */
  for (int j = block->custom == NULL ? block->entries1 - 1 : -1, k = block->entries - 1;
       j >= 0 && k >= block->entries1 && entries[j].velocity == entries[k].velocity; j--, k--)
    entries[k].again = true;
  block->value0 = (int)model->value_count;
  model->value_count += (size_t)(columns * block->rows);
  *pattern_size += columns;
  *entry_size += block->entries;
}

static void jacobian_pattern(mbs_builder *builder) {
  mbs_model *model = builder->model;
  size_t total = 0;
  for (size_t b = 0; b < model->block_count; b++) {
    int pair[2];
    const int *bodies;
    int count = bodies_of(&model->blocks[b], pair, &bodies);
    for (int k = 0; k < count; k++) total += (size_t)path_length(model, bodies[k]);
  }
  model->entries = mbs_builder_alloc(builder, total, sizeof *model->entries);
  model->pattern = mbs_builder_alloc(builder, total, sizeof *model->pattern);
  if (builder->failed) return;
  int pattern_size = 0, entry_size = 0;
  for (size_t b = 0; b < model->block_count; b++) block_pattern(model, &model->blocks[b], &pattern_size, &entry_size);
  /* Columns of the ancestors of each column, for L^-T on a sparse row. */
  size_t climbs = 0;
  model->climb0 = mbs_builder_alloc(builder, (size_t)pattern_size, sizeof *model->climb0);
  for (int k = 0; k < pattern_size && !builder->failed; k++) {
    model->climb0[k] = (int)climbs;
    climbs += model->recursive ? 0 : (size_t)model->tree.depth[model->pattern[k]];
  }
  model->climbs = mbs_builder_alloc(builder, climbs, sizeof *model->climbs);
  if (builder->failed || model->recursive) return;
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    const int *pattern = model->pattern + block->pattern0;
    for (int c = 0; c < block->columns; c++) {
      const int *ancestors = model->tree.ancestors + model->tree.row0[pattern[c]];
      for (int a = 0; a < model->tree.depth[pattern[c]]; a++) {
        const int *found = bsearch(&ancestors[a], pattern, (size_t)block->columns, sizeof *pattern, compare_ints);
        assert(found != NULL);
        model->climbs[model->climb0[block->pattern0 + c] + a] = (int)(found - pattern);
      }
    }
  }
}

/* ---- S ------------------------------------------------------------------------------------------------------- */

/* An occurrence of a velocity in a block. */
typedef struct occurrence {
  int block, column;
} occurrence;

typedef struct occurrences {
  int *first; /* [nv + 1] */
  occurrence *items;
} occurrences;

static occurrences find_occurrences(mbs_builder *builder) {
  const mbs_model *model = builder->model;
  occurrences at = {mbs_builder_alloc(builder, model->nv + 2, sizeof *at.first), NULL};
  if (builder->failed) return at;
  for (size_t b = 0; b < model->block_count; b++)
    for (int c = 0; c < model->blocks[b].columns; c++) at.first[model->pattern[model->blocks[b].pattern0 + c] + 2]++;
  for (size_t k = 0; k < model->nv; k++) at.first[k + 2] += at.first[k + 1];
  at.items = mbs_builder_alloc(builder, (size_t)at.first[model->nv + 1], sizeof *at.items);
  for (size_t b = 0; b < model->block_count && !builder->failed; b++)
    for (int c = 0; c < model->blocks[b].columns; c++) {
      int velocity = model->pattern[model->blocks[b].pattern0 + c];
      at.items[at.first[velocity + 1]++] = (occurrence){(int)b, c};
    }
  return at;
}

/* A block, with the number of occurrences of its velocities in all blocks. */
typedef struct block_degree {
  size_t degree;
  int block;
} block_degree;

static int compare_degrees(const void *a, const void *b) {
  const block_degree *x = a, *y = b;
  const int by_degree = (x->degree > y->degree) - (x->degree < y->degree);
  return by_degree ? by_degree : (x->block > y->block) - (x->block < y->block);
}

/* Sorts the blocks by degree, so that each of several separate mechanisms starts at a block with few neighbours. */
static block_degree *sort_by_degree(mbs_builder *builder, const occurrences *at) {
  const mbs_model *model = builder->model;
  block_degree *sorted = mbs_builder_alloc(builder, model->block_count, sizeof *sorted);
  if (builder->failed) return NULL;
  for (size_t b = 0; b < model->block_count; b++) {
    sorted[b].block = (int)b;
    for (int c = 0; c < model->blocks[b].columns; c++) {
      int velocity = model->pattern[model->blocks[b].pattern0 + c];
      sorted[b].degree += (size_t)(at->first[velocity + 1] - at->first[velocity]);
    }
  }
  qsort(sorted, model->block_count, sizeof *sorted, compare_degrees);
  return sorted;
}

/* Orders blocks by Cuthill-McKee: by distance from a block with few neighbours. */
static void order_blocks(mbs_builder *builder, const occurrences *at, int *order) {
  const mbs_model *model = builder->model;
  size_t n = model->block_count, count = 0;
  bool *taken = mbs_builder_alloc(builder, n, sizeof *taken);
  const block_degree *sorted = sort_by_degree(builder, at);
  if (builder->failed) return;
  for (size_t i = 0; i < n; i++) {
    const int start = sorted[i].block;
    if (taken[start]) continue;
    size_t next = count;
    order[count++] = start;
    taken[start] = true;
    for (; next < count; next++) {
      const mbs_block *block = &model->blocks[order[next]];
      for (int c = 0; c < block->columns; c++) {
        int velocity = model->pattern[block->pattern0 + c];
        for (int k = at->first[velocity]; k < at->first[velocity + 1]; k++)
          if (!taken[at->items[k].block]) {
            taken[at->items[k].block] = true;
            order[count++] = at->items[k].block;
          }
      }
    }
  }
  assert(count == n);
  for (size_t i = 0; i < n / 2; i++) { /* reversed: less fill */
    int swap = order[i];
    order[i] = order[n - 1 - i];
    order[n - 1 - i] = swap;
  }
}

/* Returns the start of the overlaps of a pair: after those of the previous one. */
static int overlaps_before(const mbs_model *model, size_t pair) {
  return pair ? model->pairs[pair - 1].overlap0 + model->pairs[pair - 1].overlaps : 0;
}

/* Finds the pairs of blocks that share velocities, with these velocities; each block also forms a pair with itself,
 * even without velocities. With `fill` false it only counts. */
static void find_pairs(mbs_model *model, const occurrences *at, const int *order, const int *place, int *pair_of,
                       bool fill, size_t *pairs, size_t *overlaps) {
  *pairs = *overlaps = 0;
  for (size_t i = 0; i < model->block_count; i++) {
    int b = order[i];
    const mbs_block *block = &model->blocks[b];
    size_t first_pair = *pairs;
    if (block->columns == 0) {
      if (fill) model->pairs[*pairs] = (mbs_block_pair){b, b, .overlap0 = overlaps_before(model, *pairs)};
      pair_of[b] = (int)(*pairs)++;
    }
    for (int pass = 0; pass < (fill ? 2 : 1); pass++)
      for (int c = 0; c < block->columns; c++) {
        int velocity = model->pattern[block->pattern0 + c];
        for (int k = at->first[velocity]; k < at->first[velocity + 1]; k++) {
          int other = at->items[k].block;
          if (place[other] > place[b]) continue;
          if (pass == 1) {
            mbs_block_pair *pair = &model->pairs[pair_of[other]];
            model->overlaps[pair->overlap0 + pair->overlaps++] = (mbs_overlap){c, at->items[k].column, velocity};
            continue;
          }
          if (pair_of[other] < (int)first_pair) { /* pairs of earlier blocks have smaller numbers */
            pair_of[other] = (int)(*pairs)++;
            if (fill) model->pairs[pair_of[other]] = (mbs_block_pair){.block1 = b, .block2 = other};
          }
          ++*overlaps;
          if (fill) model->pairs[pair_of[other]].overlaps++;
        }
        if (pass == 0 && c == block->columns - 1 && fill) {
          int from = overlaps_before(model, first_pair);
          for (size_t p = first_pair; p < *pairs; p++) {
            model->pairs[p].overlap0 = from;
            from += model->pairs[p].overlaps;
            model->pairs[p].overlaps = 0;
          }
        }
      }
  }
}

static void skyline_pattern(mbs_builder *builder, const int *order, const int *place) {
  mbs_model *model = builder->model;
  mbs_skyline *skyline = &model->skyline;
  skyline->position = mbs_builder_alloc(builder, model->rows, sizeof *skyline->position);
  skyline->first = mbs_builder_alloc(builder, model->rows, sizeof *skyline->first);
  skyline->row0 = mbs_builder_alloc(builder, model->rows, sizeof *skyline->row0);
  int *first =
      mbs_builder_alloc(builder, model->block_count, sizeof *first); /* smallest index of a block coupled with each */
  if (builder->failed) return;
  int position = 0;
  skyline->in_order = true;
  for (size_t i = 0; i < model->block_count; i++) {
    const mbs_block *block = &model->blocks[order[i]];
    skyline->in_order = skyline->in_order && order[i] == (int)i;
    for (int r = 0; r < block->rows; r++) skyline->position[block->first_row + r] = position++;
    first[order[i]] = order[i];
  }
  for (size_t p = 0; p < model->pair_count; p++) {
    const mbs_block_pair *pair = &model->pairs[p];
    assert(place[pair->block2] <= place[pair->block1]);
    if (place[pair->block2] < place[first[pair->block1]]) first[pair->block1] = pair->block2;
  }
  for (size_t i = 0; i < model->block_count; i++) {
    const mbs_block *block = &model->blocks[order[i]];
    for (int r = 0; r < block->rows; r++) {
      int at = skyline->position[block->first_row + r];
      skyline->first[at] = skyline->position[model->blocks[first[order[i]]].first_row];
      assert(skyline->first[at] <= at);
      skyline->row0[at] = (int)skyline->size;
      skyline->size += (size_t)(at - skyline->first[at] + 1);
    }
  }
}

/* Cost in multiplications below which another order is not tried, and the factor that another order must save.
 * Measured. */
static const double skyline_cost_small = 1e6, fill_gain = 4;

static double skyline_cost(const mbs_model *model) {
  double cost = 0;
  for (size_t i = 0; i < model->rows; i++) {
    const double width = (double)i - model->skyline.first[i];
    cost += width * width / 2;
  }
  return cost;
}

static void place_blocks(const int *order, size_t count, int *place, int *pair_of) {
  for (size_t i = 0; i < count; i++) {
    place[order[i]] = (int)i;
    pair_of[order[i]] = -1;
  }
}

/* Replaces the skyline's order by one of least fill if that is much cheaper. */
static void try_fill(mbs_builder *builder, const occurrences *at, int *order, int *place, int *pair_of) {
  mbs_model *model = builder->model;
  const mbs_skyline before = model->skyline;
  const double cost_before = skyline_cost(model);
  double cost = INFINITY;
  size_t overlaps;
  if (cost_before < skyline_cost_small) return;
  int *other = mbs_builder_alloc(builder, model->block_count, sizeof *other);
  if (builder->failed) return;
  mbs_least_degree_order(builder, other);
  if (builder->failed) return;
  model->skyline = (mbs_skyline){0};
  place_blocks(other, model->block_count, place, pair_of);
  find_pairs(model, at, other, place, pair_of, true, &model->pair_count, &overlaps);
  skyline_pattern(builder, other, place);
  if (!builder->failed) model->skyline.fill = mbs_find_fill(builder, model->skyline.position, &cost);
  if (builder->failed || fill_gain * cost < cost_before) return;
  model->skyline = before;
  place_blocks(order, model->block_count, place, pair_of);
  find_pairs(model, at, order, place, pair_of, true, &model->pair_count, &overlaps);
}

/* Sets the positions of the pairs in S. */
static void place_pairs(mbs_model *model) {
  mbs_skyline *skyline = &model->skyline;
  skyline->starts = skyline->fill ? skyline->fill->start0 : skyline->row0;
  for (size_t p = 0; p < model->pair_count; p++) {
    mbs_block_pair *pair = &model->pairs[p];
    pair->row = skyline->position[model->blocks[pair->block1].first_row];
    /* all rows of a block have the same first column */
    if (!skyline->fill)
      pair->offset = skyline->position[model->blocks[pair->block2].first_row] - skyline->first[pair->row];
  }
}

void mbs_build_sparsity(mbs_builder *builder) {
  mbs_model *model = builder->model;
  mass_pattern(builder);
  if (!mbs_builder_ok(builder)) return;
  jacobian_pattern(builder);
  if (builder->failed) return;
  occurrences at = find_occurrences(builder);
  size_t n = model->block_count;
  int *order = mbs_builder_alloc(builder, n, sizeof *order), *place = mbs_builder_alloc(builder, n, sizeof *place),
      *pair_of = mbs_builder_alloc(builder, n, sizeof *pair_of);
  if (builder->failed) return;
  order_blocks(builder, &at, order);
  place_blocks(order, n, place, pair_of);
  size_t pairs, overlaps;
  find_pairs(model, &at, order, place, pair_of, false, &pairs, &overlaps);
  model->pairs = mbs_builder_alloc(builder, pairs, sizeof *model->pairs);
  model->overlaps = mbs_builder_alloc(builder, overlaps, sizeof *model->overlaps);
  if (builder->failed) return;
  place_blocks(order, n, place, pair_of);
  find_pairs(model, &at, order, place, pair_of, true, &model->pair_count, &overlaps);
  assert(model->pair_count == pairs);
  skyline_pattern(builder, order, place);
  if (!builder->failed) try_fill(builder, &at, order, place, pair_of);
  if (!builder->failed) place_pairs(model);
}
