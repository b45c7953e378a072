/* C(t) through the points of a table: the cubic spline whose third derivative is continuous at the second point and the
 * last but one (not-a-knot). It is not defined outside its table. */
#include "elements/functions/function.h"
#include "equations/system.h"
#include "linalg/cubic.h"

static const mbs_field fields[] = {{.name = "t",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 2,
                                    .max_count = 1000000,
                                    .required = true,
                                    .fallback = NAN,
                                    .unit = "s",
                                    .doc = "times, ascending"},
                                   {.name = "f",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 2,
                                    .max_count = 1000000,
                                    .required = true,
                                    .fallback = NAN,
                                    .unit = MBS_VALUE_UNIT,
                                    .doc = "values at these times"},
                                   {.name = NULL}};

/* Reads the table. data: t [n], f [n], slopes [n], features, then workspace. */
static void build_function(mbs_builder *builder, mbs_function *function) {
  const mbs_value *times = mbs_read_value(function->node, "t"), *values = mbs_read_value(function->node, "f");
  size_t n = times->count;
  if (!times->given || !values->given) return;
  if (values->count != n) {
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, values->pointer, "a table with %zu times needs %zu values, not %zu", n,
                 n, values->count);
    return;
  }
  function->count = n;
  function->data_count = 4 * n + mbs_cubic_workspace(n);
  function->break_most = 2;
}

static void bind(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  size_t stand_ins = binder->stand_ins, n = function->count;
  double *t = out->data;
  if (n == 0) return;
  mbs_read_numbers(binder, function->node, "t", t, n);
  bool read = binder->stand_ins == stand_ins;
  const mbs_field f = mbs_function_field(function, "f");
  for (size_t i = 0; i < n; i++) t[n + i] = mbs_read_item(binder, &f, mbs_read_value(function->node, "f"), i);
  for (size_t i = 1; i < n; i++) {
    if (t[i] > t[i - 1]) continue;
    if (read)
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, mbs_read_value(function->node, "t")->pointer,
                   "times must ascend: %g comes after %g", t[i], t[i - 1]);
    return;
  }
  double *extremes = t + 3 * n, *workspace = extremes + n;
  mbs_cubic_not_a_knot(n, t, t + n, t + 2 * n, workspace);
  mbs_cubic_find_extremes(n, t, t + n, t + 2 * n, extremes);
  mbs_function_breaks((const double[]){t[0], t[n - 1]}, 2, out);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  size_t n = function->count;
  const double *times = mbs_function_of(system, function)->data, *f = times + n, *slopes = f + n;
  if (!(t >= times[0] && t <= times[n - 1])) {
    out[0] = out[1] = out[2] = NAN;
    return;
  }
  size_t i = mbs_cubic_interval(n, times, t);
  mbs_cubic_value(times[i + 1] - times[i], f[i], f[i + 1], slopes[i], slopes[i + 1], t - times[i], out);
}

/* A sine has an extreme every half period, about three lengths. */
static double longest(const mbs_system *system, const mbs_function *function, double t, double lengths) {
  const size_t n = function->count;
  const double *extremes = mbs_function_of(system, function)->data + 3 * n;
  return mbs_cubic_longest(n, extremes, t, (size_t)(lengths / 3));
}

const mbs_function_class mbs_function_spline = {
    .base = {.name = "spline",
             .doc = "A cubic spline through the points of a table. A time outside the table is an error.",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .bind = bind,
    .value = value,
    .longest = longest,
};
