/* A polynomial in t. */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {{.name = "coefficients",
                                    .kind = MBS_KIND_NUMBER,
                                    .min_count = 1,
                                    .max_count = 100,
                                    .required = true,
                                    .fallback = NAN,
                                    .doc = "c0, c1, c2, ..."},
                                   {.name = NULL}};

static void build_function(mbs_builder *builder, mbs_function *function) {
  (void)builder;
  function->data_count = function->count = mbs_read_value(function->node, "coefficients")->count;
}

static void bind(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  mbs_read_numbers(binder, function->node, "coefficients", out->data, function->count);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const double *c = mbs_function_of(system, function)->data;
  double f = 0, f1 = 0, f2 = 0; /* Horner for the value, its derivative and half the second derivative */
  for (size_t i = function->count; i-- > 0;) {
    f2 = f2 * t + f1;
    f1 = f1 * t + f;
    f = f * t + c[i];
  }
  out[0] = f;
  out[1] = f1;
  out[2] = 2 * f2;
}

const mbs_function_class mbs_function_polynomial = {
    .base = {.name = "polynomial",
             .doc = "A polynomial in t.",
             .equation = "C(t) = c0 + c1 t + c2 t^2 + ...",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .bind = bind,
    .value = value,
};
