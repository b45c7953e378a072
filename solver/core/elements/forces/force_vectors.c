/* Vectors of force elements. */
#include "base/rotation.h"
#include "elements/forces/force.h"

#include <string.h>

void mbs_force_vectors(mbs_builder *builder, const mbs_node *node, mbs_force *force, const int *on, size_t count) {
  const mbs_value *value = mbs_read_value(node, "vectors");
  int *found = force->structure = mbs_builder_alloc(builder, count, sizeof *found);
  for (size_t k = 0; k < count && found; k++) {
    char pointer[MBS_POINTER_SIZE];
    int body = -1, vector = -1;
    found[k] = -1;
    if (k >= value->count) continue;
    mbs_item_pointer(value, k, pointer);
    if (!mbs_read_place(builder, value->scalars[k].text, true, pointer, &body, &vector) || on[k] < 0) continue;
    if (body == on[k])
      found[k] = vector;
    else
      mbs_diagnose(builder->list, MBS_INVALID, pointer, "this vector must be on '%s'",
                   builder->model->bodies[on[k]].name);
  }
}

void mbs_force_axes(mbs_binder *binder, const mbs_force *force, size_t x, size_t y, double axes[3][3]) {
  static const double own[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int *vectors = force->structure;
  const bool given = vectors[x] >= 0, turned = binder->model->dim == 3 && vectors[y] >= 0;
  memcpy(axes, own, sizeof own);
  if (given) memcpy(axes[0], binder->constants->vectors[vectors[x]], sizeof axes[0]);
  if (turned) {
    if (!mbs_part_across(binder->constants->vectors[vectors[y]], axes[0], axes[1])) {
      char pointer[MBS_POINTER_SIZE];
      mbs_item_pointer(mbs_read_value(force->node, "vectors"), y, pointer);
      mbs_diagnose(binder->list, MBS_INVALID, pointer, "this vector must be perpendicular to the x axis of '%s'",
                   force->name);
    }
    mbs_cross(axes[0], axes[1], axes[2]);
  } else if (given) { /* planar: y is perpendicular to x */
    axes[1][0] = -axes[0][1];
    axes[1][1] = axes[0][0];
  }
}
