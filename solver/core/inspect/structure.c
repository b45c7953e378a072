/* structure.c - the structure of a model for an inspection: the tree, the elements that add rows, and the sparsity
 * patterns of C, M and S. */
#include "inspect/inspect.h"

#include "kernels/kernels.h"

#include <assert.h>
#include <math.h>

/* ---- the tree ------------------------------------------------------------------------------------------------ */

static size_t level_of(const mbs_model *model, int body) {
  assert(body >= 0);
  size_t level = 0;
  for (; body; body = model->parent[body]) level++;
  return level;
}

static bool inspect_tree(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  mbs_arena *arena = inspection->run->arena;
  int *place = mbs_arena_alloc(arena, model->nB + 1, sizeof *place); /* position of a body in the document */
  inspection->tree = mbs_arena_alloc(arena, model->nB + 1, sizeof *inspection->tree);
  inspection->velocities = mbs_arena_alloc(arena, model->nv + 1, sizeof *inspection->velocities);
  if (!place || !inspection->tree || !inspection->velocities) return false;
  for (size_t b = 0; b < model->nB; b++) place[model->user_body[b]] = (int)b;
  place[0] = -1;
  size_t coordinate = 0;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b];
    size_t count = (size_t)(model->first_q[body + 1] - model->first_q[body]);
    inspection->tree[b] = (mbs_inspected_body){.parent = place[model->parent[body]],
                                               .level = level_of(model, body),
                                               .first_coordinate = coordinate,
                                               .coordinates = count};
    coordinate += count;
  }
  for (size_t k = 0; k < model->nv; k++)
    inspection->velocities[model->user_v[k]] = inspection->report->velocity_labels[k];
  return true;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Counts the joints from each body to their nearest common ancestor; parents have smaller numbers. */
static void measure_paths(const mbs_model *model, int body1, int body2, size_t path[2]) {
  assert(body1 >= 0 && body2 >= 0);
  int bodies[2] = {body1, body2};
  while (bodies[0] != bodies[1]) {
    int side = bodies[0] < bodies[1];
    bodies[side] = model->parent[bodies[side]];
    path[side]++;
  }
}

/* Counts the bodies and paths of an element whose rows begin with `block`. */
static void measure_element(const mbs_model *model, const mbs_block *block, mbs_inspected_element *element) {
  int bodies[2] = {block->frames.body1, block->frames.body2};
  element->bodies = bodies[0] > 0;
  if (bodies[1] > 0 && bodies[1] != bodies[0]) element->bodies++;
  if (block->custom != NULL) {
    const mbs_joint *joint = block->custom;
    element->bodies = (size_t)joint->body_count;
    for (int k = 0; k < 2; k++) bodies[k] = k < joint->body_count ? joint->bodies[k] : 0;
  }
  if (element->bodies <= 2) measure_paths(model, bodies[0], bodies[1], element->path);
}

/* Counts the distinct velocities among the columns of blocks; `seen` [nv] stores the last element that used each. */
static size_t count_velocities(const mbs_model *model, int first_block, int count, size_t number, size_t *seen) {
  size_t velocities = 0;
  for (int b = first_block; b < first_block + count; b++)
    for (int c = 0; c < model->blocks[b].columns; c++) {
      int velocity = model->pattern[model->blocks[b].pattern0 + c];
      velocities += seen[velocity] != number;
      seen[velocity] = number;
    }
  return velocities;
}

/* Adds an element with its blocks. */
static void add_element(mbs_inspection *inspection, mbs_inspected_element element, int first_block, int count,
                        size_t *seen) {
  const mbs_model *model = inspection->run->state.model;
  if (count) {
    element.first_row = (size_t)model->blocks[first_block].first_row;
    measure_element(model, &model->blocks[first_block], &element);
  }
  for (int b = first_block; b < first_block + count; b++) {
    const mbs_block *block = &model->blocks[b];
    element.rows += (size_t)block->rows;
    inspection->blocks[inspection->block_count++] =
        (mbs_inspected_block){.element = inspection->element_count,
                              .first_row = (size_t)block->first_row,
                              .rows = (size_t)block->rows,
                              .columns = (size_t)block->columns,
                              .velocities = model->pattern + block->pattern0};
  }
  element.velocities = count_velocities(model, first_block, count, inspection->element_count + 1, seen);
  inspection->elements[inspection->element_count++] = element;
}

/* Returns the number of entries of C in the rows of joints and drivers. */
static size_t count_values(const mbs_model *model) {
  size_t count = 0;
  for (size_t b = 0; b < model->bilateral_blocks; b++)
    count += (size_t)(model->blocks[b].rows * model->blocks[b].columns);
  return count;
}

/* Adds the cut joints, then the drivers, in the order of their rows. */
static bool inspect_rows(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  mbs_arena *arena = inspection->run->arena;
  size_t most = model->joint_count + model->driver_count;
  size_t *seen = mbs_arena_alloc(arena, model->nv + 1, sizeof *seen);
  inspection->elements = mbs_arena_alloc(arena, most + 1, sizeof *inspection->elements);
  inspection->blocks = mbs_arena_alloc(arena, model->block_count + 1, sizeof *inspection->blocks);
  inspection->jacobian_size = count_values(model);
  if (!seen || !inspection->elements || !inspection->blocks) return false;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    if (joint->in_tree) continue;
    const mbs_inspected_element element = {.name = joint->name, .type = joint->cls->base.name};
    add_element(inspection, element, joint->first_block, joint->block_count, seen);
  }
  for (size_t d = 0; d < model->driver_count; d++) {
    const mbs_driver *driver = &model->drivers[d];
    const mbs_inspected_element element = {.name = driver->name, .type = driver->cls->base.name, .driver = true};
    add_element(inspection, element, driver->block, 1, seen);
  }
  return true;
}

/* ---- M and S ------------------------------------------------------------------------------------------------- */

static void inspect_masses(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  mbs_inspected_masses *masses = &inspection->masses;
  int depth = model->rows ? model->kernels->recursive_depth : model->kernels->recursive_depth_open;
  *masses = (mbs_inspected_masses){.before = model->tree.depth,
                                   .size = model->tree.size,
                                   .recursive = model->recursive,
                                   .recursive_from = (size_t)depth};
  for (size_t k = 0; k < model->nv; k++)
    if ((size_t)model->tree.depth[k] >= masses->longest) masses->longest = (size_t)model->tree.depth[k] + 1;
}

/* Returns the number of entries in the first `rows` rows of a skyline, in the order of elimination. */
static size_t count_entries(const mbs_skyline *skyline, size_t rows) {
  size_t count = 0;
  for (size_t i = 0; i < rows; i++) count += i - (size_t)skyline->first[i] + 1;
  return count;
}

static bool inspect_skyline(mbs_inspection *inspection) {
  const mbs_model *model = inspection->run->state.model;
  const mbs_fill *fill = model->skyline.fill;
  mbs_inspected_skyline *skyline = &inspection->skyline;
  *skyline = (mbs_inspected_skyline){.position = model->skyline.position,
                                     .first = model->skyline.first,
                                     .size = fill ? fill->entries + fill->size
                                                  : count_entries(&model->skyline, model->bilateral_rows),
                                     .pair_count = model->pair_count};
  skyline->pairs = mbs_arena_alloc(inspection->run->arena, model->pair_count + 1, sizeof *skyline->pairs);
  for (size_t p = 0; p < model->pair_count && skyline->pairs; p++)
    skyline->pairs[p] = (mbs_inspected_pair){.block1 = (size_t)model->pairs[p].block1,
                                             .block2 = (size_t)model->pairs[p].block2,
                                             .velocities = (size_t)model->pairs[p].overlaps};
  return skyline->pairs != NULL;
}

bool mbs_inspect_structure(mbs_inspection *inspection) {
  inspect_masses(inspection);
  return inspect_tree(inspection) && inspect_rows(inspection) && inspect_skyline(inspection);
}
