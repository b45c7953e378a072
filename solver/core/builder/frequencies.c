/* Reads the inputs, outputs and frequencies of a frequency response. */
#include "builder/builder.h"
#include "model/plan.h"

/* Returns item i of a list of names, with its pointer; NULL if it was wrong. */
static const char *name_at(const mbs_value *names, size_t i, char pointer[MBS_POINTER_SIZE]) {
  mbs_item_pointer(names, i, pointer);
  return mbs_scalar_is_wrong(&names->scalars[i]) ? NULL : names->scalars[i].text;
}

static void read_input(mbs_builder *builder, const char *name, const char *pointer, struct mbs_frequency_input *input) {
  input->driver = mbs_names_find(&builder->driver_names, name);
  input->parameter = input->driver < 0 ? mbs_names_find(&builder->parameter_names, name) : -1;
  if (input->driver < 0 && input->parameter < 0)
    mbs_unknown_name(builder, &builder->parameter_names, "driver or parameter", name, pointer);
  else if (input->parameter >= 0 && mbs_parameter_has_use(builder, input->parameter, MBS_USED_BY_MASSES))
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "a mass or a moment of inertia depends on the parameter '%s'; an input is a driver, or a parameter "
                 "that only forces and rates use",
                 name);
  else if (input->parameter >= 0 && mbs_parameter_has_use(builder, input->parameter, MBS_USED_BY_PLACES))
    mbs_diagnose(
        builder->list, MBS_INVALID, pointer,
        "positions depend on the parameter '%s'; an input is a driver, or a parameter that only forces and rates use",
        name);
  else if (input->parameter >= 0 && !mbs_parameter_has_use(builder, input->parameter, MBS_USED))
    mbs_diagnose(builder->list, MBS_NO_EFFECT, pointer,
                 "the parameter '%s' has no effect: the model does not depend on it", name);
}

static void read_inputs(mbs_builder *builder, const mbs_value *names) {
  mbs_frequency_plan *plan = &builder->model->frequency_response;
  plan->inputs = mbs_builder_alloc(builder, names->count, sizeof *plan->inputs);
  for (size_t i = 0; i < names->count && !builder->failed; i++) {
    char pointer[MBS_POINTER_SIZE];
    const char *name = name_at(names, i, pointer);
    if (name) read_input(builder, name, pointer, &plan->inputs[plan->input_count++]);
  }
}

static void read_outputs(mbs_builder *builder, const mbs_value *names) {
  const mbs_model *model = builder->model;
  mbs_frequency_plan *plan = &builder->model->frequency_response;
  mbs_names known = {0};
  plan->outputs = mbs_builder_alloc(builder, names->count, sizeof *plan->outputs);
  for (size_t s = 0; s < model->sensor_count; s++)
    if (mbs_names_find(&known, model->sensors[s].name) < 0)
      mbs_names_add(builder, &known, model->sensors[s].name, "sensor", names->pointer);
  for (size_t i = 0; i < names->count && !builder->failed; i++) {
    char pointer[MBS_POINTER_SIZE];
    const char *name = name_at(names, i, pointer);
    if (!name) continue;
    const int found = mbs_names_find(&known, name);
    if (found < 0)
      mbs_unknown_name(builder, &known, "sensor", name, pointer);
    else
      plan->outputs[plan->output_count++] = found;
  }
  mbs_names_free(&known);
}

static void read_frequencies(mbs_builder *builder, const mbs_node *node) {
  mbs_frequency_plan *plan = &builder->model->frequency_response;
  mbs_vary vary = {.parameter = -1};
  const size_t before = builder->list->count;
  const bool values = mbs_read_given(node, "values");
  if (values && (mbs_read_given(node, "from") || mbs_read_given(node, "to") || mbs_read_given(node, "count")))
    mbs_diagnose(builder->list, MBS_INVALID, node->pointer, "give either 'values', or 'from', 'to' and 'count'");
  if (values)
    mbs_read_values(builder, node, &vary);
  else
    mbs_read_range(builder, node, &vary);
  if (builder->list->count != before) return;
  plan->frequencies = mbs_builder_alloc(builder, vary.count, sizeof *plan->frequencies);
  if (builder->failed) return;
  plan->count = vary.count;
  vary.kind = values ? MBS_VARY_VALUES : MBS_VARY_RANGE;
  for (size_t k = 0; k < vary.count; k++) plan->frequencies[k] = mbs_vary_value(&vary, k);
}

void mbs_read_frequency_response(mbs_builder *builder) {
  static const char *const fields[] = {"input", "output", "frequencies"};
  const mbs_node *node = mbs_analysis_node(builder);
  if (!node) return; /* the analysis is missing, or wrong and reported */
  const bool asked = builder->model->type == MBS_FREQUENCY_RESPONSE;
  for (int k = 0; k < 3; k++) {
    const mbs_value *value = mbs_read_value(node, fields[k]);
    if (asked && !value->pointer)
      mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field '%s' of a frequency response", fields[k]);
    if (!asked && value->pointer)
      mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "'%s' applies to frequency-response only; remove it",
                   fields[k]);
  }
  if (!asked || builder->failed) return;
  read_inputs(builder, mbs_read_value(node, "input"));
  read_outputs(builder, mbs_read_value(node, "output"));
  const mbs_value *frequencies = mbs_read_value(node, "frequencies");
  if (frequencies->given && frequencies->count) read_frequencies(builder, &frequencies->nodes[0]);
}
