/* tree_columns.c - see tree_columns.h. */
#include "symbolic/tree_columns.h"

#include "kernels/kernels.h"
#include "model/rows.h"
#include "results/columns.h"

#include <assert.h>
#include <string.h>

/* ---- one column ---------------------------------------------------------------------------------------------- */

/* Returns the kind of motion of a joint's coordinate, from its primitive. */
static mbs_motion_kind motion_of(const mbs_row *row) {
  switch (row->primitive) {
  case MBS_PRIMITIVE_ALONG: return MBS_MOTION_SLIDE;
  case MBS_PRIMITIVE_EULER: return MBS_MOTION_BALL;
  default: return MBS_MOTION_TURN;
  }
}

/* Sets the axis of a motion and the body in which it is fixed: for the second arm of a cross the second body, otherwise
 * the first. */
static void set_axis(mbs_tree_column *column, const mbs_joint *joint, const mbs_geometry *at, const mbs_row *row) {
  mbs_geometry chosen = *at;
  mbs_row_vectors(row, &chosen);
  bool second = row->primitive == MBS_PRIMITIVE_CROSS2;
  column->axis_body = second ? joint->frames.body2 : joint->frames.body1;
  memcpy(column->axis, second ? chosen.u2 : chosen.u1, sizeof column->axis);
}

static bool only_turns(const mbs_joint_shape *shape) {
  for (size_t k = 0; k < shape->coordinate_count; k++)
    if (shape->coordinates[k].primitive == MBS_PRIMITIVE_ALONG) return false;
  return !shape->offset && !shape->rolls && !shape->pitch;
}

/* Sets the column of a joint's degree of freedom that begins with coordinate `number`. */
static void set_joint_column(const mbs_tree_columns *chain, int number, mbs_tree_column *column) {
  assert(column->joint >= 0 && number >= 0);
  const mbs_joint *joint = &chain->model->joints[column->joint];
  const mbs_joint_shape *shape = joint->shape;
  assert((size_t)number < shape->coordinate_count);
  const mbs_geometry *at = &mbs_joint_numbers(chain->constants, joint)->geometry;
  const mbs_row *row = &shape->coordinates[number];
  column->kind = motion_of(row);
  column->size = column->kind == MBS_MOTION_BALL ? 3 : 1;
  column->sigma = joint->frames.body1 == column->body ? -1 : 1;
  column->pivot_body = joint->frames.body2;
  memcpy(column->pivot, at->s2, sizeof column->pivot);
  column->coincident = only_turns(shape);
  column->twin_body = joint->frames.body1;
  memcpy(column->twin, at->s1, sizeof column->twin);
  column->rolls = shape->rolls && column->kind == MBS_MOTION_TURN;
  column->screws = shape->pitch && column->kind == MBS_MOTION_TURN;
  set_axis(column, joint, at, row);
  bool several = mbs_velocity_count(shape) > (size_t)column->size;
  column->part = several ? number + 1 : 0;
}

/* Sets a column of a floating body: first its position, then its rotation. */
static void set_floating_column(const mbs_tree_columns *chain, bool spin, mbs_tree_column *column) {
  int dim = chain->model->kernels->dim;
  column->kind = spin ? MBS_MOTION_SPIN : MBS_MOTION_PLACE;
  column->size = !spin ? dim : dim == 3 ? 3 : 1;
  column->sigma = 1;
  column->pivot_body = column->body;
}

static bool floats(const mbs_tree_columns *chain, int body) {
  int joint = chain->model->tree_joint[body];
  if (chain->bodies || joint < 0) return true;
  const mbs_joint_shape *shape = chain->model->joints[joint].shape;
  return shape->coordinate_count > 0 && shape->coordinates[0].axis[0] != 0;
}

/* Returns theta_j or theta_{j,k}; omega_{i,j} for a ball; r_j, phi_j or omega_j for a floating body. */
static const char *column_label(const mbs_tree_columns *chain, const mbs_tree_column *column) {
  int number = chain->user_of[column->body];
  bool plane = chain->model->kernels->dim == 2;
  switch (column->kind) {
  case MBS_MOTION_PLACE: return mbs_arena_format(chain->arena, "r_%d", number);
  case MBS_MOTION_SPIN: return mbs_arena_format(chain->arena, plane ? "phi_%d" : "omega_%d", number);
  case MBS_MOTION_BALL:
    return mbs_arena_format(chain->arena, "omega_{%d,%d}", chain->user_of[column->axis_body], number);
  default: break;
  }
  return column->part ? mbs_arena_format(chain->arena, "theta_{%d,%d}", number, column->part)
                      : mbs_arena_format(chain->arena, "theta_%d", number);
}

/* ---- all ----------------------------------------------------------------------------------------------------- */

/* Returns the column that begins with a velocity of the model's tree. */
static mbs_tree_column column_at(const mbs_tree_columns *chain, int velocity) {
  const mbs_model *model = chain->model;
  int body = model->velocity_body[velocity], k = velocity - model->first_v[body];
  mbs_tree_column column = {.body = body, .joint = model->tree_joint[body], .first = velocity};
  if (floats(chain, body))
    set_floating_column(chain, k > 0, &column);
  else
    set_joint_column(chain, k, &column);
  return column;
}

static bool name_column(const mbs_tree_columns *chain, const char **labels, mbs_tree_column *column) {
  assert((size_t)(column->first_user + column->size) <= chain->model->nv);
  column->label = column_label(chain, column);
  column->velocities = mbs_arena_alloc(chain->arena, (size_t)column->size, sizeof *column->velocities);
  if (!column->label || !column->velocities) return false;
  for (int k = 0; k < column->size; k++) column->velocities[k] = labels[column->first_user + k];
  return true;
}

/* Lists the columns of the model's tree, in the document's order. */
static bool set_tree_columns(mbs_tree_columns *chain) {
  const mbs_model *model = chain->model;
  const char **labels = mbs_coordinate_labels(model, 1, chain->arena);
  if (!labels) return false;
  for (size_t k = 0; k < model->nv;) {
    mbs_tree_column *column = &chain->columns[chain->column_count++];
    *column = column_at(chain, model->user_v[k]);
    column->first_user = (int)k;
    if (!name_column(chain, labels, column)) return false;
    k += (size_t)column->size;
    assert(k <= model->nv);
  }
  return true;
}

/* Lists the columns of floating bodies: position and rotation of each. */
static bool set_body_columns(mbs_tree_columns *chain) {
  const mbs_model *model = chain->model;
  int width = model->kernels->width, dim = model->kernels->dim;
  for (size_t b = 0; b < model->nB; b++)
    for (int spin = 0; spin < 2; spin++) {
      mbs_tree_column *column = &chain->columns[chain->column_count++];
      *column = (mbs_tree_column){.body = model->user_body[b], .joint = -1};
      set_floating_column(chain, spin, column);
      column->first = column->first_user = width * (int)b + spin * dim;
      column->label = column_label(chain, column);
      column->velocities = mbs_arena_alloc(chain->arena, (size_t)column->size, sizeof *column->velocities);
      if (!column->label || !column->velocities) return false;
      for (int k = 0; k < column->size; k++) column->velocities[k] = "";
    }
  return true;
}

static int parent_of(const mbs_tree_columns *chain, int body) { return chain->bodies ? 0 : chain->model->parent[body]; }

/* Sets the path of a body: that of its parent, then the columns of the joint that carries the body. */
static bool set_path(mbs_tree_columns *chain, int body) {
  int parent = parent_of(chain, body);
  size_t before = parent ? chain->path_lengths[parent] : 0;
  size_t *path = mbs_arena_alloc(chain->arena, before + 7, sizeof *path);
  if (!path) return false;
  if (before) memcpy(path, chain->paths[parent], before * sizeof *path);
  chain->paths[body] = path;
  chain->turns[body] = parent && chain->turns[parent];
  for (size_t k = 0; k < chain->column_count; k++) {
    if (chain->columns[k].body != body) continue;
    chain->positions[k] = before;
    path[before++] = k;
    mbs_motion_kind kind = chain->columns[k].kind;
    chain->turns[body] = chain->turns[body] || (kind != MBS_MOTION_SLIDE && kind != MBS_MOTION_PLACE);
  }
  chain->path_lengths[body] = before;
  return true;
}

bool mbs_tree_columns_list(mbs_tree_columns *chain, const mbs_constants *constants, bool bodies, mbs_arena *arena) {
  const mbs_model *model = constants->model;
  size_t most = bodies ? 2 * model->nB : model->nv;
  *chain = (mbs_tree_columns){.model = model, .constants = constants, .arena = arena, .bodies = bodies};
  chain->columns = mbs_arena_alloc(arena, most + 1, sizeof *chain->columns);
  chain->user_of = mbs_arena_alloc(arena, model->nB + 1, sizeof *chain->user_of);
  if (!chain->columns || !chain->user_of) return false;
  for (size_t b = 0; b < model->nB; b++) chain->user_of[model->user_body[b]] = (int)b + 1;
  return bodies ? set_body_columns(chain) : set_tree_columns(chain);
}

bool mbs_tree_columns_open(mbs_tree_columns *chain, const mbs_constants *constants, bool bodies, mbs_arena *arena) {
  const mbs_model *model = constants->model;
  if (!mbs_tree_columns_list(chain, constants, bodies, arena)) return false;
  chain->turns = mbs_arena_alloc(arena, model->nB + 1, sizeof *chain->turns);
  chain->paths = mbs_arena_alloc(arena, model->nB + 1, sizeof *chain->paths);
  chain->path_lengths = mbs_arena_alloc(arena, model->nB + 1, sizeof *chain->path_lengths);
  chain->positions = mbs_arena_alloc(arena, chain->column_count + 1, sizeof *chain->positions);
  if (!chain->turns || !chain->paths || !chain->path_lengths || !chain->positions) return false;
  for (size_t b = 1; b <= model->nB; b++)
    if (!set_path(chain, (int)b)) return false;
  return true;
}

bool mbs_tree_column_moves(const mbs_tree_columns *chain, size_t column, int body) {
  assert(column < chain->column_count && body >= 0 && (size_t)body <= chain->model->nB);
  size_t position = chain->positions[column];
  return position < chain->path_lengths[body] && chain->paths[body][position] == column;
}
