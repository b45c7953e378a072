#include "elements/functions/function.h"

#include <string.h>

/* theory (6.2) */
void mbs_quintic(double x, double out[3]) {
  out[0] = x <= 0 ? 0 : x >= 1 ? 1 : x * x * x * (10 + x * (6 * x - 15));
  out[1] = x <= 0 || x >= 1 ? 0 : 30 * x * x * (1 - x) * (1 - x);
  out[2] = x <= 0 || x >= 1 ? 0 : 60 * x * (1 - x) * (1 - 2 * x);
}

/* theory (6.4) */
double mbs_quintic_integral(double x) {
  if (x <= 0) return 0;
  return x >= 1 ? x - 0.5 : x * x * x * x * (2.5 + x * (x - 3));
}

mbs_field mbs_function_field(const mbs_function *function, const char *name) {
  mbs_field field = *mbs_field_of(function->node, name);
  if (!function->unit || !field.unit) return field;
  if (strcmp(field.unit, MBS_VALUE_UNIT) == 0) field.unit = function->unit;
  if (strcmp(field.unit, MBS_RATE_UNIT) == 0) field.unit = strcmp(function->unit, "rad") == 0 ? "rad/s" : "m/s";
  return field;
}

bool mbs_function_numbers(mbs_binder *binder, const mbs_function *function, const char *const *names, size_t count,
                          mbs_function_constants *out) {
  size_t stand_ins = binder->stand_ins;
  for (size_t i = 0; i < count; i++) {
    const mbs_field field = mbs_function_field(function, names[i]);
    const mbs_value *value = mbs_read_value(function->node, names[i]);
    out->data[i] = value->given && value->count ? mbs_read_item(binder, &field, value, 0) : field.fallback;
  }
  return binder->stand_ins == stand_ins;
}

void mbs_function_interval(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  const mbs_node *node = function->node;
  if (!(out->data[1] > out->data[0]) && mbs_read_given(node, "t0") && mbs_read_given(node, "t1"))
    mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "t1")->pointer,
                 "t1 must be after t0 (%g), not %g", out->data[0], out->data[1]);
  mbs_function_breaks(out->data, 2, out);
}

void mbs_function_breaks(const double *times, size_t count, mbs_function_constants *out) {
  memcpy(out->breaks, times, count * sizeof *times);
  out->break_count = count;
}
