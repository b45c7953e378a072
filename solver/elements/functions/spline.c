/* C(t) through the points of a table: the cubic spline whose third derivative is continuous at the second and the last
 * but one (not-a-knot). It is not defined outside its table. */
#include "elements/functions/function.h"
#include "equations/system.h"
#include "linear/cubic.h"

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
                                    .doc = "values at these times"},
                                   {.name = NULL}};

/* data: t [n], f [n], slopes [n]. */
static void build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function) {
  const mbs_value *times = mbs_read_value(node, "t"), *values = mbs_read_value(node, "f");
  size_t n = function->count = times->count;
  if (!times->given || !values->given) return;
  if (values->count != n) {
    mbs_diagnose(builder->list, MBS_WRONG_TYPE, values->pointer, "a table with %zu times needs %zu values, not %zu", n,
                 n, values->count);
    return;
  }
  double *t = function->data = mbs_builder_alloc(builder, 3 * n, sizeof *t);
  double *workspace = mbs_builder_alloc(builder, mbs_cubic_workspace(n), sizeof *workspace);
  if (builder->failed) return;
  size_t stand_ins = builder->stand_ins;
  mbs_read_numbers(builder, node, "t", t, n);
  bool read = builder->stand_ins == stand_ins;
  mbs_read_numbers(builder, node, "f", t + n, n);
  for (size_t i = 1; i < n; i++) {
    if (t[i] > t[i - 1]) continue;
    if (read)
      mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, times->pointer, "times must ascend: %g comes after %g", t[i],
                   t[i - 1]);
    return;
  }
  mbs_cubic_not_a_knot(n, t, t + n, t + 2 * n, workspace);
  mbs_function_breaks(builder, function, (const double[]){t[0], t[n - 1]}, 2);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  (void)system;
  size_t n = function->count;
  const double *times = function->data, *f = times + n, *slopes = f + n;
  if (!(t >= times[0] && t <= times[n - 1])) {
    out[0] = out[1] = out[2] = NAN;
    return;
  }
  size_t i = mbs_cubic_interval(n, times, t);
  mbs_cubic_value(times[i + 1] - times[i], f[i], f[i + 1], slopes[i], slopes[i + 1], t - times[i], out);
}

const mbs_function_class mbs_function_spline = {
    .base = {.name = "spline",
             .doc = "A smooth curve through the points of a table; an error outside it.",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .value = value,
};
