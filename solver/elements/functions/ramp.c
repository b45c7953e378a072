/* Ramp: the rate rises from 0 to `speed` between t0 and t1 by a quintic, then stays (DAP's function type c). */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {
    {.name = "t0", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .unit = "s", .doc = "start"},
    {.name = "t1",
     .kind = MBS_KIND_NUMBER,
     .required = true,
     .fallback = NAN,
     .unit = "s",
     .doc = "when the speed is reached"},
    {.name = "f0", .kind = MBS_KIND_NUMBER, .fallback = 0, .doc = "value before"},
    {.name = "speed", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .doc = "rate afterwards"},
    {.name = NULL}};

static void build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function) {
  static const char *const names[] = {"t0", "t1", "f0", "speed"};
  if (mbs_function_numbers(builder, node, function, names, 4)) mbs_function_interval(builder, node, function);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  (void)system;
  const double *p = function->data;
  double span = p[1] - p[0], x = (t - p[0]) / span, step[3];
  mbs_quintic(x, step);
  out[0] = p[2] + p[3] * span * mbs_quintic_integral(x);
  out[1] = p[3] * step[0];
  out[2] = p[3] / span * step[1];
}

const mbs_function_class mbs_function_ramp = {
    .base = {.name = "ramp",
             .doc = "A rate that rises smoothly from zero.",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .value = value,
};
