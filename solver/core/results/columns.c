/* columns.c - see columns.h. */
#include "results/columns.h"

#include "equations/jacobian.h"
#include "model/discrete.h"
#include "model/quantities.h"
#include "model/rows.h"

#include <assert.h>
#include <string.h>

/* ---- texts --------------------------------------------------------------------------------------------------- */

/* Returns "name.word", or the same with another separator. Does not use printf because a short run has thousands of
 * labels. */
static const char *join(mbs_arena *arena, const char *name, char separator, const char *word, size_t length) {
  size_t first = strlen(name);
  char *text = mbs_arena_characters(arena, first + length + 1);
  if (!text) return NULL;
  memcpy(text, name, first + 1);
  text[first] = separator;
  memcpy(text + first + 1, word, length);
  return text;
}

/* Returns "name." followed by word number `index` of "a|b|c". */
static const char *join_word(mbs_arena *arena, const char *name, const char *words, int index) {
  assert(index >= 0);
  for (; index > 0 && *words; index--) words += strcspn(words, "|") + 1;
  return join(arena, name, '.', words, strcspn(words, "|"));
}

static bool open_columns(mbs_columns *columns, size_t count, bool units, mbs_arena *arena) {
  *columns = (mbs_columns){.count = count, .labels = mbs_arena_alloc(arena, count + 1, sizeof(char *))};
  if (units) columns->units = mbs_arena_alloc(arena, count + 1, sizeof(char *));
  return columns->labels && (!units || columns->units);
}

bool mbs_columns_product(const mbs_columns *first, const mbs_columns *second, mbs_arena *arena, mbs_columns *out) {
  size_t n = second->count;
  char separator = second->separator ? second->separator : '.';
  if (!open_columns(out, first->count * n, second->units != NULL, arena)) return false;
  for (size_t i = 0; i < out->count; i++) {
    const char *word = second->labels[i % n];
    if (!(out->labels[i] = join(arena, first->labels[i / n], separator, word, strlen(word)))) return false;
    if (out->units && second->units) out->units[i] = second->units[i % n];
  }
  return true;
}

bool mbs_axis_none(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)model, (void)level, (void)arena;
  *columns = (mbs_columns){.count = 1};
  return true;
}

/* ---- coordinates --------------------------------------------------------------------------------------------- */

/* A coordinate or one of its derivatives: its joint (-1: the body floats) and its position within that joint. */
typedef struct coordinate {
  int body, joint;
  int place, count; /* number of coordinates of the joint */
  bool turning; /* a component of the angular velocity of a ball joint, which is not the derivative of a coordinate */
} coordinate;

/* Returns the coordinate of a body at the index `place`, counted from 0. */
static coordinate coordinate_of(const mbs_model *model, int level, int body, int place) {
  assert(body >= 1 && (size_t)body <= model->nB && place >= 0);
  const int *first = level == 0 ? model->first_q : model->first_v;
  int count = first[body + 1] - first[body];
  bool plain = model->first_q[body + 1] - model->first_q[body] == count;
  return (coordinate){body, model->tree_joint[body], place, count, level > 0 && !plain && place >= count - 3};
}

/* Returns the label for a body's own motion: a direction, an angle or an Euler parameter; sets *dimension to its
 * physical dimension. */
static const char *motion_word(const mbs_model *model, int level, int place, mbs_dimension *dimension) {
  int dim = model->dim, owners = MBS_OF_PLACE | MBS_OF_BODY;
  mbs_input input = {.kind = MBS_INPUT_POINT, .component = place, .level = level};
  if (place >= dim) {
    bool euler = dim == 3 && level == 0;
    input.kind = euler ? MBS_INPUT_EULER : MBS_INPUT_ANGLE;
    input.component = euler || dim == 3 ? place - dim : 2;
  }
  *dimension = mbs_input_dimension(model, &input);
  return mbs_quantity_word(owners, dim, input.kind, input.component, level);
}

static const char *coordinate_label(const mbs_model *model, int level, const coordinate *at, mbs_arena *arena,
                                    mbs_dimension *dimension) {
  if (at->joint < 0) {
    const char *word = motion_word(model, level, at->place, dimension);
    return join(arena, model->bodies[at->body].name, '.', word, strlen(word));
  }
  const mbs_joint *joint = &model->joints[at->joint];
  if (at->turning) {
    const char *word = motion_word(model, level, 3 + at->place - (at->count - 3), dimension);
    return join(arena, joint->name, '.', word, strlen(word));
  }
  const char *word = mbs_quantity_word(MBS_OF_JOINT, model->dim, MBS_INPUT_PRIMITIVE, MBS_COMPONENT_WHICH, level);
  *dimension = mbs_dimension_rate(mbs_primitive_dimension(joint->shape->coordinates[at->place].primitive), level);
  if (at->count == 1) return join(arena, joint->name, '.', word, strlen(word));
  return mbs_arena_format(arena, "%s.%s%d", joint->name, word, at->place + 1);
}

bool mbs_axis_coordinates(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  if (!open_columns(columns, level == 0 ? model->nq : model->nv, true, arena)) return false;
  size_t next = 0;
  for (size_t b = 0; b < model->nB; b++) {
    int body = model->user_body[b], count = coordinate_of(model, level, body, 0).count;
    for (int k = 0; k < count; k++, next++) {
      const coordinate at = coordinate_of(model, level, body, k);
      mbs_dimension dimension;
      columns->labels[next] = coordinate_label(model, level, &at, arena, &dimension);
      columns->units[next] = mbs_dimension_text(dimension, arena);
      if (!columns->labels[next] || !columns->units[next]) return false;
    }
  }
  assert(next == columns->count);
  columns->separator = '/';
  return true;
}

const char **mbs_coordinate_labels(const mbs_model *model, int level, mbs_arena *arena) {
  mbs_columns columns;
  return mbs_axis_coordinates(model, level, arena, &columns) ? columns.labels : NULL;
}

bool mbs_axis_state(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  mbs_columns q, v;
  if (!mbs_axis_coordinates(model, level, arena, &q) || !mbs_axis_coordinates(model, level + 1, arena, &v))
    return false;
  if (!open_columns(columns, q.count + v.count, true, arena)) return false;
  memcpy(columns->labels, q.labels, q.count * sizeof *q.labels);
  memcpy(columns->labels + q.count, v.labels, v.count * sizeof *v.labels);
  memcpy(columns->units, q.units, q.count * sizeof *q.units);
  memcpy(columns->units + q.count, v.units, v.count * sizeof *v.units);
  return true;
}

bool mbs_axis_velocities(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  return mbs_axis_coordinates(model, model->dim == 3, arena, columns);
}

/* ---- bodies, points, joints ---------------------------------------------------------------------------------- */

bool mbs_axis_bodies(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->nB, false, arena)) return false;
  for (size_t b = 0; b < model->nB; b++) columns->labels[b] = model->bodies[model->user_body[b]].name;
  return true;
}

bool mbs_axis_points(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->nP, false, arena)) return false;
  for (size_t p = 0; p < model->nP; p++) {
    const mbs_point_or_vector *point = &model->points[p];
    columns->labels[p] = join(arena, model->bodies[point->body].name, '.', point->name, strlen(point->name));
    if (!columns->labels[p]) return false;
  }
  return true;
}

bool mbs_axis_joints(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->joint_count, false, arena)) return false;
  for (size_t j = 0; j < model->joint_count; j++) columns->labels[j] = model->joints[j].name;
  return true;
}

bool mbs_axis_angles(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  mbs_columns bodies, turns;
  return mbs_axis_bodies(model, level, arena, &bodies) && mbs_axis_turns(model, level, arena, &turns) &&
         mbs_columns_product(&bodies, &turns, arena, columns);
}

/* ---- components: the words of one kind of input -------------------------------------------------------------- */

static bool word_columns(const mbs_model *model, int owners, mbs_input_kind kind, int level, mbs_arena *arena,
                         mbs_columns *columns) {
  const mbs_quantity *each;
  if (!open_columns(columns, mbs_quantity_words(owners, model->dim, kind, level), true, arena)) return false;
  size_t next = 0;
  for (size_t i = 0; (each = mbs_quantity_at(owners, model->dim, i)); i++) {
    if (each->kind != kind || each->level != level) continue;
    assert(next < columns->count);
    columns->labels[next] = each->word;
    columns->units[next] = mbs_dimension_text(mbs_dimension_rate(each->dimension, level), arena);
    if (!columns->units[next++]) return false;
  }
  return true;
}

bool mbs_axis_directions(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  return word_columns(model, MBS_OF_PLACE, MBS_INPUT_POINT, level, arena, columns);
}

bool mbs_axis_turns(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  return word_columns(model, MBS_OF_BODY, MBS_INPUT_ANGLE, level, arena, columns);
}

bool mbs_axis_euler_parameters(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  return word_columns(model, MBS_OF_BODY, MBS_INPUT_EULER, level, arena, columns);
}

bool mbs_axis_wrench(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  return word_columns(model, MBS_OF_JOINT, MBS_INPUT_REACTION, level, arena, columns);
}

bool mbs_axis_energies(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  return word_columns(model, MBS_OF_ENERGY, MBS_INPUT_ENERGY, level, arena, columns);
}

/* ---- constraints --------------------------------------------------------------------------------------------- */

const char **mbs_row_labels(const mbs_model *model, mbs_arena *arena) {
  const char **labels = mbs_arena_alloc(arena, model->bilateral_rows + 1, sizeof *labels);
  if (!labels) return NULL;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    for (int b = 0; b < joint->block_count; b++) {
      const mbs_block *block = &model->blocks[joint->first_block + b];
      for (int r = 0; r < block->rows; r++) {
        labels[block->first_row + r] = join_word(arena, joint->name, block->row->labels, r);
        if (!labels[block->first_row + r]) return NULL;
      }
    }
  }
  for (size_t d = 0; d < model->driver_count; d++)
    if (!(labels[model->drivers[d].row] = mbs_arena_text(arena, model->drivers[d].name))) return NULL;
  return labels;
}

bool mbs_axis_rows(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  *columns = (mbs_columns){.count = model->bilateral_rows, .labels = mbs_row_labels(model, arena)};
  return columns->labels != NULL;
}

bool mbs_axis_rows_and_norms(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  mbs_columns rows, bodies;
  if (!mbs_axis_rows(model, level, arena, &rows) || !mbs_axis_bodies(model, level, arena, &bodies)) return false;
  if (!open_columns(columns, rows.count + bodies.count, false, arena)) return false;
  memcpy(columns->labels, rows.labels, rows.count * sizeof *rows.labels);
  for (size_t b = 0; b < bodies.count; b++)
    if (!(columns->labels[rows.count + b] = join(arena, bodies.labels[b], '.', "norm", 4))) return false;
  return true;
}

bool mbs_axis_jacobian_entries(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  mbs_columns rows, velocities;
  mbs_jacobian_entries entries;
  if (!mbs_axis_rows(model, level, arena, &rows) || !mbs_axis_velocities(model, level, arena, &velocities) ||
      !mbs_jacobian_entries_find(model, arena, &entries) || !open_columns(columns, entries.count, false, arena))
    return false;
  for (size_t r = 0; r < model->bilateral_rows; r++)
    for (size_t k = entries.row0[r]; k < entries.row0[r + 1]; k++) {
      const char *velocity = velocities.labels[entries.column[k]];
      assert((size_t)entries.column[k] < velocities.count);
      columns->labels[k] = join(arena, rows.labels[r], '/', velocity, strlen(velocity));
      if (!columns->labels[k]) return false;
    }
  return true;
}

bool mbs_axis_residuals(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  static const char *const levels[] = {"position", "velocity", "acceleration"};
  (void)model, (void)level;
  if (!open_columns(columns, 3, false, arena)) return false;
  memcpy(columns->labels, levels, sizeof levels);
  return true;
}

/* Labels such as "joint.lambda1" and "driver.effort". */
static bool name_multipliers(const mbs_model *model, mbs_arena *arena, const char **labels) {
  const char *row = mbs_quantity_word(MBS_OF_JOINT, model->dim, MBS_INPUT_MULTIPLIER, MBS_COMPONENT_WHICH, 0),
             *effort = mbs_quantity_word(MBS_OF_DRIVER, model->dim, MBS_INPUT_MULTIPLIER, -1, 0);
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    for (int r = 0; r < joint->row_count; r++)
      if (!(labels[joint->first_row + r] = mbs_arena_format(arena, "%s.%s%d", joint->name, row, r + 1))) return false;
  }
  for (size_t d = 0; d < model->driver_count; d++)
    if (!(labels[model->drivers[d].row] = join(arena, model->drivers[d].name, '.', effort, strlen(effort))))
      return false;
  return true;
}

bool mbs_axis_multipliers(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->bilateral_rows, true, arena) || !name_multipliers(model, arena, columns->labels))
    return false;
  for (size_t b = 0; b < model->bilateral_blocks; b++) {
    const mbs_block *block = &model->blocks[b];
    const char *unit = mbs_dimension_text(mbs_effort_dimension(mbs_row_dimension(block)), arena);
    if (!unit) return false;
    for (int r = 0; r < block->rows; r++) columns->units[block->first_row + r] = unit;
  }
  return true;
}

/* ---- curves, force elements ---------------------------------------------------------------------------------- */

bool mbs_axis_curves(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  const char *word = mbs_quantity_word(MBS_OF_CURVE, model->dim, MBS_INPUT_CURVE, MBS_COMPONENT_WHICH, level);
  if (!open_columns(columns, model->curve_count, true, arena)) return false;
  for (size_t j = 0; j < model->joint_count; j++) {
    const mbs_joint *joint = &model->joints[j];
    for (int c = 0; c < joint->curve_count; c++) {
      int at = joint->first_curve + c;
      columns->labels[at] = mbs_arena_format(arena, "%s.%s%d", joint->name, word, c + 1);
      columns->units[at] = mbs_dimension_text(mbs_curve_dimension(&model->curves[at]), arena);
      if (!columns->labels[at] || !columns->units[at]) return false;
    }
  }
  return true;
}

bool mbs_axis_states(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->named_states, false, arena)) return false;
  for (size_t k = 0; k < model->named_states; k++)
    if (!(columns->labels[k] = mbs_arena_text(arena, model->states[k].name))) return false;
  return true;
}

bool mbs_axis_signals(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->signal_count, true, arena)) return false;
  for (size_t i = 0; i < model->signal_count; i++) {
    columns->labels[i] = mbs_arena_text(arena, model->signals[i].name);
    columns->units[i] = mbs_dimension_text(mbs_law_dimension(model, &model->signals[i].law, arena), arena);
    if (!columns->labels[i] || !columns->units[i]) return false;
  }
  return true;
}

bool mbs_axis_outputs(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  if (!open_columns(columns, model->output_count, true, arena)) return false;
  for (size_t f = 0; f < model->force_count; f++) {
    const mbs_force *force = &model->forces[f];
    for (int k = 0; k < force->outputs; k++) {
      int at = force->first_output + k;
      columns->labels[at] = join_word(arena, force->name, mbs_force_labels(model, force), k);
      columns->units[at] = mbs_dimension_text(mbs_force_dimension(model, force, k), arena);
      if (!columns->labels[at] || !columns->units[at]) return false;
    }
  }
  return true;
}

/* Builds the columns of discrete values from number `first` on. */
static bool discrete_columns(const mbs_model *model, size_t first, size_t count, mbs_arena *arena,
                             mbs_columns *columns) {
  if (!open_columns(columns, count, false, arena)) return false;
  for (size_t i = 0; i < count; i++)
    if (!(columns->labels[i] = mbs_arena_text(arena, model->discrete[first + i].name))) return false;
  return true;
}

bool mbs_axis_variables(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  return discrete_columns(model, 0, model->variable_count, arena, columns);
}

bool mbs_axis_sampled(const mbs_model *model, int level, mbs_arena *arena, mbs_columns *columns) {
  (void)level;
  return discrete_columns(model, model->variable_count, model->sampled_count, arena, columns);
}

const char **mbs_state_labels(const mbs_model *model, mbs_arena *arena) {
  const char **labels = mbs_arena_alloc(arena, model->nz + 1, sizeof *labels);
  size_t count = 0, number = 0;
  for (; labels && count < model->state_count; count++) {
    const mbs_document_state *state = &model->states[count];
    number = count > 0 && !state->node && model->states[count - 1].name == state->name ? number + 1 : 1;
    labels[count] =
        state->node ? mbs_arena_text(arena, state->name) : mbs_arena_format(arena, "%s.state%zu", state->name, number);
    if (!labels[count]) return NULL;
  }
  for (size_t f = 0; labels && f < model->force_count; f++)
    for (size_t k = 0; k < model->forces[f].z_count; k++)
      if (!(labels[count++] = mbs_arena_format(arena, "%s.state%zu", model->forces[f].name, k + 1))) return NULL;
  return labels;
}
