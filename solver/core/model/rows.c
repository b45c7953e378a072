/* Rows and labels of a class in a model. */
#include "model/rows.h"

#include "base/rotation.h"

#include <assert.h>
#include <string.h>

static void choose(mbs_vector vector, const double w[3], double u[3]) {
  double n[3];
  mbs_cross(u, w, n);
  if (vector != MBS_VECTOR_U) memcpy(u, vector == MBS_VECTOR_W ? w : n, sizeof n);
}

void mbs_row_vectors(const mbs_row *row, mbs_geometry *geometry) {
  choose(row->vector1, geometry->w1, geometry->u1);
  choose(row->vector2, geometry->w2, geometry->u2);
  if (row->axis[0] != 0 || row->axis[1] != 0 || row->axis[2] != 0) memcpy(geometry->u1, row->axis, sizeof row->axis);
}

int mbs_coordinate_number(const mbs_joint_shape *shape, const mbs_row *row) {
  assert(shape->coordinate_count <= MBS_COORDINATES_MAX);
  for (size_t k = 0; k < shape->coordinate_count; k++) {
    const mbs_row *own = &shape->coordinates[k];
    if (own->primitive == row->primitive && own->vector1 == row->vector1 && own->component == row->component &&
        memcmp(own->axis, row->axis, sizeof own->axis) == 0)
      return (int)k;
  }
  return 0;
}

bool mbs_has_gears(const mbs_model *model) {
  for (size_t j = 0; j < model->joint_count; j++)
    if (model->joints[j].cls->ties_turns || model->joints[j].cls->tooth_force) return true;
  return false;
}

bool mbs_has_rheonomic_joint(const mbs_model *model) {
  for (size_t j = 0; j < model->joint_count; j++)
    for (size_t l = 0; l < model->joints[j].law_count; l++)
      for (size_t i = 0; i < model->joints[j].laws[l].input_count; i++)
        if (model->inputs[model->joints[j].laws[l].inputs[i]].kind == MBS_INPUT_TIME ||
            model->inputs[model->joints[j].laws[l].inputs[i]].kind == MBS_INPUT_STATE)
          return true;
  return false;
}

const char *mbs_force_labels(const mbs_model *model, const mbs_force *force) {
  if (force->labels) return force->labels;
  assert(force->cls->outputs != NULL);
  return model->dim == 3 && force->cls->spatial_outputs ? force->cls->spatial_outputs : force->cls->outputs;
}
