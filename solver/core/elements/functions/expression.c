/* C(t) as an expression in t; its derivatives are exact. */
#include "elements/functions/function.h"
#include "equations/system.h"

static const mbs_field fields[] = {{.name = "expression",
                                    .kind = MBS_KIND_LAW,
                                    .required = true,
                                    .fallback = NAN,
                                    .unit = MBS_VALUE_UNIT,
                                    .doc = "an expression in t"},
                                   {.name = NULL}};

static void build_function(mbs_builder *builder, mbs_function *function) {
  const mbs_value *value = mbs_read_value(function->node, "expression");
  const mbs_field field = mbs_function_field(function, "expression");
  const mbs_scalar missing = {.number = field.fallback};
  function->law = mbs_builder_alloc(builder, 1, sizeof *function->law);
  if (function->law)
    mbs_read_law(builder, &field, value->given && value->count ? &value->scalars[0] : &missing, value->pointer,
                 MBS_SCOPE_TIME, NULL, function->law);
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const mbs_law *law = function->law;
  const mbs_law_constants *numbers = mbs_law_numbers(system->constants, law);
  if (!numbers->expression) {
    out[0] = numbers->value;
    out[1] = out[2] = 0;
    return;
  }
  /* between the two times of a break it has its value before the break; t is the only possible input */
  const double at = t > system->span_end && t < system->span_start ? system->span_end : t;
  double jet[3] = {at, 1, 0};
  mbs_expression_jet(numbers->expression, jet, system->mode ? system->mode + law->mode0 : NULL, system->slots, out);
}

static bool smooth(const mbs_system *system, const mbs_function *function, double low, double high) {
  const mbs_expression *expression = mbs_law_numbers(system->constants, function->law)->expression;
  return !expression || mbs_expression_is_smooth(expression, &low, &high, system->slots);
}

const mbs_function_class mbs_function_expression = {
    .base = {.name = "expression",
             .doc = "An expression in t.",
             .equation = "C(t), with its exact derivatives",
             .fields = fields,
             .family = MBS_FAMILY_FUNCTION,
             .spaces = MBS_ANY_SPACE},
    .build = build_function,
    .value = value,
    .smooth = smooth,
};
