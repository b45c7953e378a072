#include "elements/functions/function.h"

#include <string.h>

void mbs_quintic(double x, double out[3]) {
  out[0] = x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (10 + x * (6 * x - 15));
  out[1] = x <= 0 || x >= 1 ? 0 : 30 * x * x * (1 - x) * (1 - x);
  out[2] = x <= 0 || x >= 1 ? 0 : 60 * x * (1 - x) * (1 - 2 * x);
}

double mbs_quintic_integral(double x) {
  if (x <= 0) return 0;
  return x >= 1 ? x - 0.5 : x * x * x * x * (2.5 + x * (x - 3));
}

bool mbs_function_numbers(mbs_builder *builder, const mbs_node *node, mbs_function *function, const char *const *names,
                          size_t count) {
  function->data = mbs_builder_alloc(builder, count, sizeof *function->data);
  function->count = count;
  size_t stand_ins = builder->stand_ins;
  for (size_t i = 0; i < count && function->data; i++) function->data[i] = mbs_read_number(builder, node, names[i]);
  return builder->stand_ins == stand_ins;
}

void mbs_function_interval(mbs_builder *builder, const mbs_node *node, mbs_function *function) {
  const double *data = function->data;
  if (!data) return;
  if (!(data[1] > data[0]) && mbs_read_given(node, "t0") && mbs_read_given(node, "t1"))
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "t1")->pointer,
                 "t1 must be after t0 (%g), not %g", data[0], data[1]);
  mbs_function_breaks(builder, function, data, 2);
}

void mbs_function_breaks(mbs_builder *builder, mbs_function *function, const double *times, size_t count) {
  function->breaks = mbs_builder_alloc(builder, count, sizeof *function->breaks);
  if (!function->breaks) return;
  memcpy(function->breaks, times, count * sizeof *times);
  function->break_count = count;
}
