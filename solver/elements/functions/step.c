/* Smooth step: from f0 to f1 between t0 and t1 by a quintic, constant outside (DAP's function type b). */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {
    {.name = "t0", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .unit = "s", .doc = "start"},
    {.name = "t1", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .unit = "s", .doc = "end"},
    {.name = "f0", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .doc = "value before"},
    {.name = "f1", .kind = MBS_KIND_NUMBER, .required = true, .fallback = NAN, .doc = "value after"},
    {.name = NULL}};

static void build_function(mbs_builder *builder, const mbs_node *node, mbs_function *function) {
  static const char *const names[] = {"t0", "t1", "f0", "f1"};
  if (mbs_function_numbers(builder, node, function, names, 4)) mbs_function_interval(builder, node, function);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  (void)system;
  const double *p = function->data;
  double span = p[1] - p[0], rise = p[3] - p[2];
  mbs_quintic((t - p[0]) / span, out);
  out[0] = p[2] + rise * out[0];
  out[1] *= rise / span;
  out[2] *= rise / (span * span);
}

const mbs_function_class mbs_function_step = {
    .base = {.name = "step",
             .doc = "A smooth step between two values.",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .value = value,
};
