/* A harmonic with a frequency in rad/s. */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {
    {.name = "offset", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = MBS_VALUE_UNIT, .doc = "mean value"},
    {.name = "amplitude",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = MBS_VALUE_UNIT,
     .doc = "amplitude"},
    {.name = "frequency",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = "rad/s",
     .doc = "angular frequency"},
    {.name = "phase", .kind = MBS_KIND_NUMBER, .fallback = 0, .unit = "rad", .doc = "phase at t = 0"},
    {.name = NULL}};

static void build_function(mbs_builder *builder, mbs_function *function) {
  (void)builder;
  function->data_count = 4;
}

static void bind(mbs_binder *binder, const mbs_function *function, mbs_function_constants *out) {
  static const char *const names[] = {"offset", "amplitude", "frequency", "phase"};
  mbs_function_numbers(binder, function, names, 4, out);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const double *p = mbs_function_of(system, function)->data;
  double angle = p[2] * t + p[3], s = sin(angle), c = cos(angle);
  out[0] = p[0] + p[1] * s;
  out[1] = p[1] * p[2] * c;
  out[2] = -p[1] * p[2] * p[2] * s;
}

static double longest(const mbs_system *system, const mbs_function *function, double t, double lengths) {
  (void)t;
  return lengths / fabs(mbs_function_of(system, function)->data[2]);
}

const mbs_function_class mbs_function_harmonic = {
    .base = {.name = "harmonic",
             .doc = "A sine about a mean value.",
             .equation = "C(t) = offset + amplitude sin(frequency t + phase)",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .bind = bind,
    .value = value,
    .longest = longest,
};
