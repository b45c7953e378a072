/* Smooth step: from f0 to f1 between t0 and t1 by a quintic, constant outside (DAP's function type b). */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {
    {.name = "t0", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .unit = "s", .doc = "start"},
    {.name = "t1", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .unit = "s", .doc = "end"},
    {.name = "f0",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = MBS_VALUE_UNIT,
     .doc = "value before the step"},
    {.name = "f1",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = MBS_VALUE_UNIT,
     .doc = "value after the step"},
    {.name = NULL}};

static void build_function(mbs_builder *builder, mbs_function *function) {
  (void)builder;
  function->data_count = 4;
  function->break_most = 2;
}

static void bind(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  static const char *const names[] = {"t0", "t1", "f0", "f1"};
  if (mbs_function_numbers(binder, function, names, 4, out)) mbs_function_interval(binder, function, out);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const double *p = mbs_function_of(system, function)->data;
  double span = p[1] - p[0], rise = p[3] - p[2];
  mbs_quintic((t - p[0]) / span, out);
  out[0] = p[2] + rise * out[0];
  out[1] *= rise / span;
  out[2] *= rise / (span * span);
}

const mbs_function_class mbs_function_step = {
    .base = {.name = "step",
             .doc = "A smooth step between two values.",
             .equation = "C(t) = f0 + (f1 - f0) S(x), x = (t - t0) / (t1 - t0)\n"
                         "S(x) = 10 x^3 - 15 x^4 + 6 x^5, 0 before and 1 after",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .bind = bind,
    .value = value,
};
