/* Ramp: the rate rises from 0 to `speed` between t0 and t1 by a quintic, and is constant afterwards (DAP's function
 * type c). */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {
    {.name = "t0", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .unit = "s", .doc = "start"},
    {.name = "t1",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = "s",
     .doc = "time when the speed is reached"},
    {.name = "f0", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = MBS_VALUE_UNIT, .doc = "value before the ramp"},
    {.name = "speed",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = MBS_RATE_UNIT,
     .doc = "rate after the ramp"},
    {.name = NULL}};

static void build_function(mbs_builder *builder, mbs_function *function) {
  (void)builder;
  function->data_count = 4;
  function->break_most = 2;
}

static void bind(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  static const char *const names[] = {"t0", "t1", "f0", "speed"};
  if (mbs_function_numbers(binder, function, names, 4, out)) mbs_function_interval(binder, function, out);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const double *p = mbs_function_of(system, function)->data;
  double span = p[1] - p[0], x = (t - p[0]) / span, step[3];
  mbs_quintic(x, step);
  /* f_0 + s' (t_1 - t_0) I(x) */
  out[0] = p[2] + p[3] * span * mbs_quintic_integral(x);
  out[1] = p[3] * step[0];
  out[2] = p[3] / span * step[1];
}

const mbs_function_class mbs_function_ramp = {
    .base = {.name = "ramp",
             .doc = "A function whose rate rises smoothly from zero to a constant.",
             .equation = "C'(t) = speed S(x), x = (t - t0) / (t1 - t0), C(t0) = f0\n"
                         "S(x) = 10 x^3 - 15 x^4 + 6 x^5, 0 before and 1 after",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .bind = bind,
    .value = value,
};
