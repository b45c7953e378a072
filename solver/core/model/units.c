/* Scales for accuracies. A tolerance of 1e-10 suits a mechanism of human size, in metres and radians. For one of
 * nanometres it is too loose, and for one of planetary size it cannot be reached. Lengths are therefore scaled to the
 * size of the mechanism, and times to the span of the run, if these are far from 1. */
#include "model/units.h"

#include <assert.h>
#include <math.h>

/* Range of sizes with the scale 1 m [m]; other sizes have the power of 1000 m in which they are at least
 * powers_begin. */
static const double smallest_ordinary = 1e-2, largest_ordinary = 1e3, powers_begin = 1e-2;
/* Range of spans with the scale 1 s [s]. */
static const double shortest_ordinary = 1e-3, longest_ordinary = 1e4;

/* theory (17.2) */
double mbs_length_unit(double extent) {
  if (extent >= smallest_ordinary && extent < largest_ordinary) return 1;
  return pow(10, 3 * floor(log10(extent / powers_begin) / 3));
}

/* theory (17.3) */
double mbs_time_unit(double shorter, double longer) {
  if (longer < shortest_ordinary) return longer;
  return shorter > longest_ordinary ? shorter : 1;
}

/* Returns the scale of a block's rows. Rows of an expression have the smaller one until their scale is measured. */
static double row_unit(const mbs_block *block, double length) {
  if (block->primitive == MBS_PRIMITIVE_CUSTOM) return block->row->length ? length : fmin(1, length);
  return mbs_is_length(block->primitive) ? length : 1;
}

void mbs_fill_units(const mbs_model *model, double length, double *coordinates, double *velocities, double *rows) {
  assert(length > 0);
  for (int body = 1; body <= (int)model->nB; body++) {
    int slides = mbs_slide_count(model, body), q = model->first_q[body], v = model->first_v[body];
    for (int k = q; coordinates && k < model->first_q[body + 1]; k++) coordinates[k] = k < q + slides ? length : 1;
    for (int k = v; k < model->first_v[body + 1]; k++) velocities[k] = k < v + slides ? length : 1;
  }
  for (size_t b = 0; b < model->block_count; b++) {
    const mbs_block *block = &model->blocks[b];
    for (int r = 0; r < block->rows; r++) rows[block->first_row + r] = row_unit(block, length);
  }
}

double mbs_primitive_unit(const mbs_constants *constants, mbs_primitive primitive) {
  return mbs_is_length(primitive) ? constants->length : 1;
}

double mbs_input_unit(const mbs_constants *constants, const mbs_input *input) {
  double unit = input->kind == MBS_INPUT_POINT ? constants->length : 1;
  if (input->kind == MBS_INPUT_PRIMITIVE)
    unit = mbs_primitive_unit(constants, constants->model->coordinates[input->index].primitive);
  return unit / pow(constants->time, input->level);
}

double mbs_function_unit(const mbs_constants *constants, size_t function) {
  assert(function < constants->model->function_count);
  const mbs_model *model = constants->model;
  for (size_t b = 0; b < model->block_count; b++)
    if (model->blocks[b].function == (int)function) return mbs_primitive_unit(constants, model->blocks[b].primitive);
  return 1;
}

int mbs_slide_count(const mbs_model *model, int body) {
  assert(body >= 1 && (size_t)body <= model->nB);
  int carrier = model->tree_joint[body], count = 0;
  if (carrier < 0) return model->dim;
  const mbs_joint_shape *shape = model->joints[carrier].shape;
  for (size_t k = 0; k < shape->coordinate_count; k++) count += !mbs_is_turn(shape->coordinates[k].primitive);
  return count;
}
