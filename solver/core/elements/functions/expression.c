/* C(t) as an expression in t and in inputs with given rates; its derivatives are exact. */
#include "elements/functions/function.h"
#include "equations/externals.h"
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

/* Fills the jets of the inputs at t: of t itself, and of inputs of the document. */
static void fill_jets(const mbs_system *system, const mbs_law *law, double t) {
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &system->model->inputs[law->inputs[i]];
    double *jet = system->jets + 3 * i;
    jet[0] = t;
    jet[1] = 1;
    jet[2] = 0;
    if (input->kind == MBS_INPUT_EXTERNAL) mbs_external_motion(system, input->index, t, jet);
  }
}

static void value(const mbs_system *system, const mbs_function *function, double t, double out[3]) {
  const mbs_law *law = function->law;
  const mbs_law_constants *numbers = mbs_law_numbers(system->constants, law);
  if (!numbers->expression) {
    out[0] = numbers->value;
    out[1] = out[2] = 0;
    return;
  }
  /* between the two times of a break it has its value before the break */
  const double at = t > system->span_end && t < system->span_start ? system->span_end : t;
  fill_jets(system, law, at);
  mbs_expression_jet(numbers->expression, system->jets, system->mode ? system->mode + law->mode0 : NULL, system->slots,
                     out);
}

static bool smooth(const mbs_system *system, const mbs_function *function, double low, double high) {
  const mbs_expression *expression = mbs_law_numbers(system->constants, function->law)->expression;
  if (!expression) return true;
  const mbs_law *law = function->law;
  double *lows = system->jets, *highs = system->jets + law->input_count;
  for (size_t i = 0; i < law->input_count; i++) {
    const mbs_input *input = &system->model->inputs[law->inputs[i]];
    lows[i] = low;
    highs[i] = high;
    if (input->kind == MBS_INPUT_EXTERNAL) mbs_external_range(system, input->index, &lows[i], &highs[i]);
  }
  return mbs_expression_is_smooth(expression, lows, highs, system->slots);
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
