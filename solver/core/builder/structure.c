/* Numbering along the tree: bodies, coordinates, velocities and rows. The document's numbers are stored only for the
 * order of results. */
#include "builder/builder.h"
#include "model/discrete.h"
#include "model/rows.h"
#include "model/strand.h"
#include "model/touch.h"

#include <assert.h>
#include <string.h>

/* Computes number[body of the document] = internal body. */
static int *number_bodies(mbs_builder *builder, const mbs_tree_choice *tree) {
  mbs_model *model = builder->model;
  size_t n = model->nB;
  int *number = mbs_builder_alloc(builder, n + 1, sizeof *number);
  mbs_body *bodies = mbs_builder_alloc(builder, n + 1, sizeof *bodies);
  model->parent = mbs_builder_alloc(builder, n + 1, sizeof *model->parent);
  model->tree_joint = mbs_builder_alloc(builder, n + 1, sizeof *model->tree_joint);
  model->user_body = mbs_builder_alloc(builder, n, sizeof *model->user_body);
  model->start_joint = mbs_builder_alloc(builder, n + 1, sizeof *model->start_joint);
  model->start_parent = mbs_builder_alloc(builder, n + 1, sizeof *model->start_parent);
  model->start_order = mbs_builder_alloc(builder, n, sizeof *model->start_order);
  if (builder->failed) return NULL;
  for (size_t i = 0; i < n; i++) number[model->body_formulation ? (int)i + 1 : tree->order[i]] = (int)i + 1;
  mbs_body_constants *numbers = mbs_builder_alloc(builder, n + 1, sizeof *numbers);
  if (builder->failed) return NULL;
  bodies[0] = model->bodies[0];
  numbers[0] = model->constants->bodies[0];
  model->tree_joint[0] = -1;
  for (size_t b = 1; b <= n; b++) {
    int at = number[b];
    assert(at >= 1 && (size_t)at <= n);
    bodies[at] = model->bodies[b];
    numbers[at] = model->constants->bodies[b];
    model->user_body[b - 1] = at;
    bool floats = model->body_formulation || tree->carrier[b] < 0;
    model->tree_joint[at] = floats ? -1 : tree->carrier[b];
    model->parent[at] = floats ? 0 : number[tree->parent[b]];
    assert(model->parent[at] < at);
    if (!floats) model->joints[tree->carrier[b]].in_tree = true;
    model->start_joint[at] = tree->carrier[b];
    model->start_parent[at] = number[tree->parent[b]];
    model->start_order[b - 1] = number[tree->order[b - 1]];
  }
  model->bodies = bodies;
  model->constants->bodies = numbers;
  return number;
}

static void renumber_joint(mbs_joint *joint, const int *number) {
  joint->frames.body1 = number[joint->frames.body1];
  joint->frames.body2 = number[joint->frames.body2];
  for (int b = 0; b < joint->body_count; b++) joint->bodies[b] = number[joint->bodies[b]];
}

static void renumber(mbs_model *model, const int *number) {
  for (size_t i = 0; i < model->nP; i++) model->points[i].body = number[model->points[i].body];
  for (size_t i = 0; i < model->vector_count; i++) model->vectors[i].body = number[model->vectors[i].body];
  for (size_t j = 0; j < model->joint_count; j++) renumber_joint(&model->joints[j], number);
  for (size_t k = 0; k < model->touch_count; k++) renumber_joint(&model->touches[k].joint, number);
  for (size_t k = 0; k < model->rotor_count; k++) renumber_joint(&model->rotors[k].bodies, number);
  for (size_t s = 0; s < model->strand_count; s++)
    for (int end = 0; end < 2; end++) model->strands[s].body[end] = number[model->strands[s].body[end]];
  for (size_t c = 0; c < model->coordinate_count; c++) {
    model->coordinates[c].frames.body1 = number[model->coordinates[c].frames.body1];
    model->coordinates[c].frames.body2 = number[model->coordinates[c].frames.body2];
  }
  for (size_t f = 0; f < model->force_count; f++) {
    model->forces[f].frames.body1 = number[model->forces[f].frames.body1];
    model->forces[f].frames.body2 = number[model->forces[f].frames.body2];
    for (size_t b = 0; b < model->forces[f].body_count; b++)
      model->forces[f].bodies[b] = number[model->forces[f].bodies[b]];
  }
  for (size_t c = 0; c < model->input_count; c++)
    if (model->inputs[c].kind == MBS_INPUT_POINT || model->inputs[c].kind == MBS_INPUT_ANGLE ||
        model->inputs[c].kind == MBS_INPUT_EULER || model->inputs[c].kind == MBS_INPUT_MATRIX)
      model->inputs[c].index = number[model->inputs[c].index];
}

/* Numbers coordinates and velocities of each body's joint, and stores their start and the map to the document's
 * order. */
static void number_coordinates(mbs_builder *builder, const int *number) {
  mbs_model *model = builder->model;
  size_t n = model->nB, width = (size_t)model->kernels->width, float_q = (size_t)model->kernels->coordinates;
  model->first_q = mbs_builder_alloc(builder, n + 2, sizeof *model->first_q);
  model->first_v = mbs_builder_alloc(builder, n + 2, sizeof *model->first_v);
  if (builder->failed) return;
  for (size_t i = 1; i <= n; i++) {
    int joint = model->tree_joint[i];
    const mbs_joint_shape *shape = joint < 0 ? NULL : model->joints[joint].shape;
    model->first_q[i + 1] = model->first_q[i] + (int)(shape ? shape->coordinate_count : float_q);
    model->first_v[i + 1] = model->first_v[i] + (int)(shape ? mbs_velocity_count(shape) : width);
    if (shape) model->joints[joint].first_q = model->first_q[i];
  }
  model->nq = (size_t)model->first_q[n + 1];
  model->nv = (size_t)model->first_v[n + 1];
  assert(model->nv <= model->nq);
  model->velocity_body = mbs_builder_alloc(builder, model->nv, sizeof *model->velocity_body);
  model->user_q = mbs_builder_alloc(builder, model->nq, sizeof *model->user_q);
  model->user_v = mbs_builder_alloc(builder, model->nv, sizeof *model->user_v);
  if (builder->failed) return;
  size_t next_q = 0, next_v = 0;
  for (size_t b = 1; b <= n; b++) {
    int at = number[b];
    for (int k = model->first_v[at]; k < model->first_v[at + 1]; k++) model->velocity_body[k] = at;
    for (int k = model->first_q[at]; k < model->first_q[at + 1]; k++) model->user_q[next_q++] = k;
    for (int k = model->first_v[at]; k < model->first_v[at + 1]; k++) model->user_v[next_v++] = k;
    assert(next_q <= model->nq && next_v <= model->nv);
  }
}

/* Adds the rows of a touch, each as a separate block. */
static void add_touch(mbs_builder *builder, int index) {
  mbs_model *model = builder->model;
  mbs_touch *touch = &model->touches[index];
  touch->first_row = (int)model->rows;
  for (int r = 0; r < mbs_touch_rows(touch); r++) {
    const bool normal = r == 0 && touch->sides > 0;
    const mbs_row row = {.primitive = MBS_PRIMITIVE_CUSTOM,
                         .scale = 1,
                         .component = r,
                         .length = true,
                         .level = normal ? MBS_LEVEL_POSITION : MBS_LEVEL_VELOCITY};
    mbs_block *block = &model->blocks[model->block_count++];
    *block = mbs_block_of(builder, &row, &touch->joint.frames, -1);
    block->custom = &touch->joint;
    block->touch = index;
    block->d0 = (int)model->d_count;
    model->d_count += (size_t)(touch->joint.body_count * model->kernels->width);
    block->first_row = (int)model->rows++;
  }
}

/* Returns the number of blocks of a joint that is cut. */
static size_t count_blocks(const mbs_joint *joint) { return joint->shape->row_count * (size_t)joint->copies; }

/* Returns the row of block r of a joint. Copies are numbered from 0, their labels from 1. */
static mbs_row row_of(mbs_builder *builder, const mbs_joint *joint, size_t r) {
  mbs_row row = joint->shape->rows[r % joint->shape->row_count];
  if (joint->copies == 1) return row;
  row.component += (int)(r / joint->shape->row_count);
  row.labels = mbs_arena_format(builder->arena, "%s%d", row.labels, row.component + 1);
  builder->failed = builder->failed || !row.labels;
  return row;
}

/* Numbers the rows of the cut joints, in the document's order, those of the drivers, then those of touches. */
static void number_rows(mbs_builder *builder) {
  mbs_model *model = builder->model;
  size_t most = model->driver_count;
  for (size_t j = 0; j < model->joint_count; j++) most += count_blocks(&model->joints[j]);
  for (size_t k = 0; k < model->touch_count; k++) most += (size_t)mbs_touch_rows(&model->touches[k]);
  model->blocks = mbs_builder_alloc(builder, most, sizeof *model->blocks);
  if (builder->failed) return;
  for (size_t j = 0; j < model->joint_count; j++) {
    mbs_joint *joint = &model->joints[j];
    joint->first_block = (int)model->block_count;
    joint->first_row = (int)model->rows;
    for (size_t r = 0; r < count_blocks(joint) && !joint->in_tree; r++) {
      const mbs_row row = row_of(builder, joint, r);
      mbs_block *block = &model->blocks[model->block_count++];
      *block = mbs_block_of(builder, &row, &joint->frames, (int)j);
      if (block->primitive == MBS_PRIMITIVE_CUSTOM) {
        block->custom = joint;
        block->d0 = (int)model->d_count;
        model->d_count += (size_t)(joint->body_count * model->kernels->width);
      }
      block->first_row = (int)model->rows;
      model->rows += (size_t)block->rows;
    }
    joint->block_count = (int)model->block_count - joint->first_block;
    joint->row_count = (int)model->rows - joint->first_row;
    assert(model->block_count <= most && joint->row_count >= 0);
  }
  for (size_t d = 0; d < model->driver_count; d++) {
    mbs_driver *driver = &model->drivers[d];
    assert(driver->block >= 0 && (size_t)driver->block < model->coordinate_count);
    mbs_block *block = &model->blocks[model->block_count];
    *block = model->coordinates[driver->block];
    driver->block = (int)model->block_count++;
    driver->row = block->first_row = (int)model->rows++;
  }
  model->bilateral_rows = model->rows;
  model->bilateral_blocks = model->block_count;
  for (size_t k = 0; k < model->touch_count; k++) add_touch(builder, (int)k);
}

/* Copies the levels of the rows from those of their blocks. */
static void list_levels(mbs_builder *builder) {
  mbs_model *model = builder->model;
  model->levels = mbs_builder_alloc(builder, model->rows, sizeof *model->levels);
  for (size_t b = 0; b < model->block_count && !builder->failed; b++) {
    const mbs_block *block = &model->blocks[b];
    assert((size_t)(block->first_row + block->rows) <= model->rows);
    for (int r = 0; r < block->rows; r++) model->levels[block->first_row + r] = block->level;
    if (block->level == MBS_LEVEL_VELOCITY && block->touch < 0) model->velocity_rows += (size_t)block->rows;
  }
}

/* Converts multipliers, which expressions name by joint and row, to row indices; a joint of the tree has none. */
static void resolve_multipliers(mbs_builder *builder) {
  mbs_model *model = builder->model;
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law *law = model->laws[l];
    for (size_t i = 0; i < law->input_count; i++) {
      mbs_input *input = &model->inputs[law->inputs[i]];
      if (input->kind != MBS_INPUT_MULTIPLIER || input->level == 1) continue;
      input->level = 1; /* afterwards `index` is a row */
      if (input->component < 0) {
        input->index = model->drivers[input->index].row;
        continue;
      }
      const mbs_joint *joint = &model->joints[input->index];
      if (input->component >= joint->row_count)
        mbs_diagnose(builder->list, MBS_INVALID, law->pointer,
                     joint->in_tree
                         ? "joint '%s' is in the tree and has no multipliers; read its reaction (fx, fy, torque), "
                           "cut it, or use body coordinates"
                         : "joint '%s' has fewer constraint rows than this number",
                     joint->name);
      input->index = joint->first_row + input->component;
    }
  }
}

void mbs_build_structure(mbs_builder *builder, const mbs_tree_choice *tree) {
  mbs_model *model = builder->model;
  int *number = number_bodies(builder, tree);
  if (!number) return;
  number_coordinates(builder, number);
  if (builder->failed) return;
  number_rows(builder);
  mbs_place_rotors(builder);
  list_levels(builder);
  for (size_t b = 0; b < model->block_count && !builder->failed; b++) {
    model->blocks[b].frames.body1 = number[model->blocks[b].frames.body1];
    model->blocks[b].frames.body2 = number[model->blocks[b].frames.body2];
  }
  renumber(model, number);
  model->has_power = model->driver_count > 0 || model->touch_count > 0 || mbs_has_rheonomic_joint(model);
  for (size_t f = 0; f < model->force_count; f++) model->has_power = model->has_power || !model->forces[f].conservative;
  model->has_power = model->has_power || mbs_has_discrete(model); /* the impulses of events do work */
  resolve_multipliers(builder);
}
