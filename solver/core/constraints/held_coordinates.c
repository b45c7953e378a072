/* Held coordinates of joints in the body formulation. */
#include "constraints/held_coordinates.h"

#include <assert.h>

bool mbs_held_coordinate_next(const mbs_system *system, size_t *c, mbs_input_row *row) {
  const mbs_model *model = system->model;
  while (*c < model->coordinate_count && !model->coordinates[*c].held) ++*c;
  if (*c == model->coordinate_count) return false;
  mbs_input input = {.kind = MBS_INPUT_PRIMITIVE, .index = (int)(*c)++};
  model->kernels->input_row(system, &input, row);
  return true;
}

size_t mbs_held_coordinate_gradient(const mbs_model *model, const mbs_input_row *row,
                                    int velocities[MBS_HELD_ENTRIES_MAX], double entries[MBS_HELD_ENTRIES_MAX]) {
  size_t count = 0;
  for (int side = 0; side < 2; side++)
    for (int k = 0; row->bodies[side] && k < model->kernels->width; k++) {
      velocities[count] = model->first_v[row->bodies[side]] + k;
      entries[count++] = row->D[side][k];
    }
  assert(count <= MBS_HELD_ENTRIES_MAX);
  return count;
}

double mbs_held_coordinate_rate(const mbs_model *model, const mbs_input_row *row, const double *x) {
  int velocities[MBS_HELD_ENTRIES_MAX];
  double entries[MBS_HELD_ENTRIES_MAX], sum = 0;
  size_t count = mbs_held_coordinate_gradient(model, row, velocities, entries);
  /* G x */
  for (size_t i = 0; i < count; i++) sum += entries[i] * x[velocities[i]];
  return sum;
}

void mbs_held_coordinate_scales(const mbs_model *model, double length, double *units) {
  for (size_t c = 0; c < model->coordinate_count; c++)
    if (model->coordinates[c].held) *units++ = mbs_is_turn(model->coordinates[c].primitive) ? 1 : length;
}

const char **mbs_held_coordinate_labels(const mbs_model *model, mbs_arena *arena) {
  const char **labels = mbs_arena_alloc(arena, model->held_count + 1, sizeof *labels);
  size_t next = 0;
  for (size_t c = 0; labels && c < model->coordinate_count; c++) {
    const mbs_block *block = &model->coordinates[c];
    if (!block->held) continue;
    const mbs_joint *joint = &model->joints[block->of_joint];
    assert(block->of_joint >= 0);
    labels[next] = joint->shape->coordinate_count == 1
                       ? mbs_arena_format(arena, "%s.qd", joint->name)
                       : mbs_arena_format(arena, "%s.qd%d", joint->name, block->number + 1);
    if (!labels[next++]) return NULL;
  }
  return labels;
}

bool mbs_held_coordinates_independent(const mbs_model *model) {
  for (size_t c = 0; c < model->coordinate_count; c++)
    if (model->coordinates[c].held && model->coordinates[c].primitive == MBS_PRIMITIVE_EULER) return false;
  return true;
}
