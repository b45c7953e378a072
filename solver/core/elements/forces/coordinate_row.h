/* coordinate_row.h - rows of touches that are coordinates of joints. */
#ifndef MBS_COORDINATE_ROW_H
#define MBS_COORDINATE_ROW_H

#include "equations/touches.h"
#include "kernels/kernels.h"

/* Adds a coordinate, index in model->coordinates, times `scale` to a row of a touch. A row of velocity level has no
 * value; its bodies must be those of the touch. */
static inline void mbs_add_coordinate_row(mbs_system *system, const mbs_touch *touch, int coordinate, double scale,
                                          mbs_custom_row *out) {
  const mbs_input input = {.kind = MBS_INPUT_PRIMITIVE, .index = coordinate, .point = -1};
  const int width = system->model->kernels->width;
  mbs_input_row row;
  system->model->kernels->input_row(system, &input, &row);
  for (int side = 0; side < 2 && out->D; side++)
    for (int b = 0; b < touch->joint.body_count && row.bodies[side]; b++)
      for (int k = 0; k < width && touch->joint.bodies[b] == row.bodies[side]; k++)
        out->D[b * width + k] += scale * row.D[side][k];
  out->value += scale * row.value;
  out->bias += scale * row.bias;
}

#endif
