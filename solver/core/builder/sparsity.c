/* Sparsity patterns, computed once: the velocities on which a constraint row depends (the paths of its bodies to the
 * ground), those that the mass matrix couples (on one path), and the pattern of S = C M^-1 C' for the rows of joints
 * and drivers. That of the rows of touches, few of which hold at a time, is found when these change. */
#include "base/order.h"
#include "builder/builder.h"
#include "model/schur_pattern.h"

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
  if (model->recursive) return;
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
  qsort(pattern, (size_t)block->entries, sizeof *pattern, mbs_compare_ints);
  int columns = 0;
  for (int k = 0; k < block->entries; k++)
    if (columns == 0 || pattern[columns - 1] != pattern[k]) pattern[columns++] = pattern[k];
  block->columns = columns;
  assert(columns <= block->entries);
  for (int k = 0; k < block->entries; k++) {
    const int *found = bsearch(&entries[k].velocity, pattern, (size_t)columns, sizeof *pattern, mbs_compare_ints);
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
  for (size_t i = 0; i < model->rotor_count; i++)
    for (int k = 0; k < model->rotors[i].bodies.body_count; k++)
      total += (size_t)path_length(model, model->rotors[i].bodies.bodies[k]);
  model->entries = mbs_builder_alloc(builder, total, sizeof *model->entries);
  model->pattern = mbs_builder_alloc(builder, total, sizeof *model->pattern);
  if (builder->failed) return;
  int pattern_size = 0, entry_size = 0;
  for (size_t b = 0; b < model->block_count; b++) block_pattern(model, &model->blocks[b], &pattern_size, &entry_size);
  const int climbing = pattern_size;
  for (size_t i = 0; i < model->rotor_count; i++)
    if (model->rotors[i].coupled) block_pattern(model, &model->rotors[i].block, &pattern_size, &entry_size);
  /* Columns of the ancestors of each column, for L^-T on a sparse row. */
  size_t climbs = 0;
  model->climb0 = mbs_builder_alloc(builder, (size_t)climbing, sizeof *model->climb0);
  for (int k = 0; k < climbing && !builder->failed; k++) {
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
        const int *found = bsearch(&ancestors[a], pattern, (size_t)block->columns, sizeof *pattern, mbs_compare_ints);
        assert(found != NULL);
        model->climbs[model->climb0[block->pattern0 + c] + a] = (int)(found - pattern);
      }
    }
  }
}

/* ---- S ------------------------------------------------------------------------------------------------------- */

/* Cost in multiplications below which another order is not tried, and the factor that another order must save.
 * Measured. */
static const double skyline_cost_small = 1e6, fill_gain = 4;

static double skyline_cost(const mbs_model *model) {
  double cost = 0;
  for (size_t i = 0; i < model->bilateral_rows; i++) {
    const double width = (double)i - model->skyline.first[i];
    cost += width * width / 2;
  }
  return cost;
}

static void use_pattern(mbs_model *model, const mbs_schur_pattern *pattern) {
  model->skyline = pattern->skyline;
  model->pairs = pattern->pairs;
  model->pair_count = pattern->pair_count;
  model->overlaps = pattern->overlaps;
}

/* Finds the pattern of the rows of joints and drivers, eliminated in `order` or, if it is NULL, in one of small
 * bandwidth. */
static void find_pattern(mbs_builder *builder, const int *order, mbs_schur_pattern *out) {
  mbs_model *model = builder->model;
  int *blocks = mbs_builder_alloc(builder, model->bilateral_blocks, sizeof *blocks);
  if (builder->failed) return;
  for (size_t b = 0; b < model->bilateral_blocks; b++) blocks[b] = order ? order[b] : (int)b;
  builder->failed = !mbs_schur_pattern_open(model, builder->arena, out) ||
                    !mbs_schur_pattern_find(model, blocks, model->bilateral_blocks, order != NULL, out);
  if (builder->failed) return;
  for (size_t r = model->bilateral_rows; r < model->rows; r++) out->skyline.position[r] = (int)r; /* rows of touches */
  use_pattern(model, out);
}

/* Replaces the skyline's order by one of least fill if that is much cheaper. */
static void try_fill(mbs_builder *builder, const mbs_schur_pattern *before) {
  mbs_model *model = builder->model;
  const double cost_before = skyline_cost(model);
  double cost = INFINITY;
  mbs_schur_pattern other;
  if (cost_before < skyline_cost_small) return;
  int *order = mbs_builder_alloc(builder, model->bilateral_blocks, sizeof *order);
  if (builder->failed) return;
  mbs_least_degree_order(builder, order);
  if (!builder->failed) find_pattern(builder, order, &other);
  if (builder->failed) return;
  model->skyline.fill = mbs_find_fill(builder, model->skyline.position, &cost);
  if (builder->failed) return;
  model->skyline.starts = model->skyline.fill->start0;
  for (size_t p = 0; p < model->pair_count; p++)
    model->pairs[p].row = model->skyline.position[model->blocks[model->pairs[p].block1].first_row];
  if (fill_gain * cost >= cost_before) use_pattern(model, before);
}

void mbs_build_sparsity(mbs_builder *builder) {
  mbs_schur_pattern pattern;
  mass_pattern(builder);
  if (!mbs_builder_ok(builder)) return;
  jacobian_pattern(builder);
  if (!builder->failed) find_pattern(builder, NULL, &pattern);
  if (!builder->failed) try_fill(builder, &pattern);
}
