/* Reads the analysis from its node, with the limits of the host. */
#include "builder/builder.h"

#include "base/methods.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const mbs_node *part(const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_value(node, field);
  return value->given && value->count ? &value->nodes[0] : NULL;
}

const mbs_node *mbs_analysis_node(const mbs_builder *builder) {
  return builder->analysis ? builder->analysis : part(builder->document, "analysis");
}

/* Returns an optional part. If it is omitted, returns a node without given values, so that the defaults of its class
 * apply. */
static mbs_node part_or_defaults(mbs_builder *builder, const mbs_node *node, const char *field) {
  const mbs_node *given = part(node, field);
  if (given) return *given;
  mbs_node empty = {.cls = mbs_field_of(node, field)->of, .pointer = node->pointer};
  size_t count = 0;
  while (empty.cls->fields[count].name) count++;
  empty.values = mbs_builder_alloc(builder, count, sizeof *empty.values);
  return empty;
}

static double positive_or_zero(mbs_builder *builder, const mbs_node *node, const char *field) {
  return mbs_read_given(node, field) ? mbs_read_number(mbs_structure_of(builder), node, field) : 0;
}

/* Largest number of steps of a run; more would take weeks. */
static const double most_fixed_steps = 1e12;

static void read_integrator(mbs_builder *builder, const mbs_node *node) {
  mbs_model *model = builder->model;
  model->method = mbs_read_text(node, "method");
  model->rtol = mbs_read_number(mbs_structure_of(builder), node, "rtol");
  model->atol = mbs_read_number(mbs_structure_of(builder), node, "atol");
  model->max_step = positive_or_zero(builder, node, "max_step");
  model->fixed_step = positive_or_zero(builder, node, "fixed_step");
  if (model->method && mbs_method_has_fixed_steps(model->method) && !mbs_read_given(node, "fixed_step"))
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field 'fixed_step', which %s needs",
                 model->method);
  double steps = model->fixed_step > 0 ? (model->t_end - model->t_start) / model->fixed_step : 0;
  if (steps > most_fixed_steps)
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "fixed_step")->pointer,
                 "fixed_step %g needs %.2g steps; at most %.0e are allowed", model->fixed_step, steps,
                 most_fixed_steps);
}

static void read_baumgarte(mbs_builder *builder, const mbs_node *node) {
  mbs_model *model = builder->model;
  model->alpha = mbs_read_number(mbs_structure_of(builder), node, "alpha");
  model->beta = mbs_read_number(mbs_structure_of(builder), node, "beta");
}

static void read_limits(mbs_builder *builder, const mbs_node *node) {
  mbs_limits *limits = &builder->model->limits;
  double seconds = positive_or_zero(builder, node, "wall_seconds"),
         evaluations = positive_or_zero(builder, node, "max_evaluations");
  if (seconds > 0 && (limits->wall_seconds == 0 || seconds < limits->wall_seconds)) {
    limits->wall_seconds = seconds;
    limits->wall_name = "limits.wall_seconds";
  }
  if (evaluations >= 1 && (limits->evaluations == 0 || evaluations < (double)limits->evaluations))
    limits->evaluations = (uint64_t)evaluations;
}

/* Reads the reporting times t_start, t_start + dt, ... and t_end, the last one. */
static void read_times(mbs_builder *builder, const mbs_node *node, const char *pointer) {
  mbs_model *model = builder->model;
  size_t stand_ins = builder->binder.stand_ins;
  model->nt = 1;
  model->t_start = mbs_read_number(mbs_structure_of(builder), node, "t_start");
  const mbs_value *type = mbs_read_value(node, "type");
  if (model->type >= MBS_ASSEMBLY || (type->pointer && !type->given)) return; /* a single instant, or a wrong type */
  static const char *const needed[] = {"t_end", "dt"};
  for (int k = 0; k < 2; k++)
    if (!node || !mbs_read_given(node, needed[k]))
      mbs_diagnose(builder->list, MBS_MISSING, pointer, "missing field '%s' of analysis", needed[k]);
  bool end_given = node && mbs_read_given(node, "t_end"), dt_given = node && mbs_read_given(node, "dt");
  if (end_given) model->t_end = mbs_read_number(mbs_structure_of(builder), node, "t_end");
  if (dt_given) model->dt = mbs_read_number(mbs_structure_of(builder), node, "dt");
  bool backwards = end_given && !(model->t_end >= model->t_start);
  if (builder->binder.stand_ins != stand_ins) return;
  if (backwards)
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, mbs_read_value(node, "t_end")->pointer,
                 "t_end must not be before t_start (%g), not %g", model->t_start, model->t_end);
  builder->times_known = end_given && !backwards;
  if (!end_given || !dt_given || backwards) return;
  double span = model->t_end - model->t_start, steps = model->dt > 0 ? span / model->dt : 0;
  double whole = floor(steps * (1 + 1e-12) + 1e-9);
  /* Adds a shorter last step if dt does not divide the span. */
  bool rest = model->t_end - (model->t_start + whole * model->dt) > 1e-9 * model->dt;
  size_t most = model->limits.rows ? model->limits.rows : 1000000;
  if (!(whole + 1 + rest <= (double)most)) {
    mbs_diagnose(builder->list, MBS_TOO_LARGE, mbs_read_value(node, "dt")->pointer,
                 "these times give %.0f reporting rows; at most %zu are allowed; use a dt of at least %g",
                 whole + 1 + rest, most, 1.00001 * span / (double)(most > 1 ? most - 1 : 1));
    return;
  }
  model->nt = (size_t)whole + 1 + rest;
}

/* Adds the coordinates of a held joint as primitives: no generalized velocity is their rate in body coordinates, so the
 * correction measures them. */
static void measure_held(mbs_builder *builder, int joint) {
  mbs_model *model = builder->model;
  const mbs_joint_shape *shape = model->joints[joint].shape;
  for (size_t k = 0; k < shape->coordinate_count; k++) {
    int primitive = mbs_builder_add_primitive(builder, &shape->coordinates[k], &model->joints[joint].frames, joint);
    if (primitive < 0) return;
    model->coordinates[primitive].held = true;
    model->held_count++;
  }
}

static void read_hold(mbs_builder *builder, const mbs_node *node) {
  mbs_model *model = builder->model;
  const mbs_value *names = mbs_read_value(node, "hold");
  model->held_joint = mbs_builder_alloc(builder, model->joint_count, sizeof *model->held_joint);
  for (size_t i = 0; i < names->count && !builder->failed; i++) {
    char pointer[300];
    if (mbs_scalar_is_wrong(&names->scalars[i])) continue;
    snprintf(pointer, sizeof pointer, "%s/%zu", names->pointer, i);
    int joint = mbs_read_joint(builder, names->scalars[i].text, pointer);
    if (joint < 0) continue;
    model->held_joint[joint] = true;
    model->any_hold = true;
    if (model->joints[joint].shape->coordinate_count == 0)
      mbs_diagnose(builder->list, MBS_INVALID, pointer, "joint '%s' has no coordinate to hold",
                   model->joints[joint].name);
    else if (model->body_formulation)
      measure_held(builder, joint);
  }
}

void mbs_read_analysis(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_node *node = mbs_analysis_node(builder);
  if (!node) {
    mbs_diagnose(builder->list, MBS_MISSING, "",
                 "the document has no 'analysis'; give one in the document or separately, for instance {\"type\": "
                 "\"dynamics\", \"t_end\": 1, \"dt\": 0.01}");
    return;
  }
  model->type = model->asked = (mbs_analysis_type)mbs_read_choice(node, "type");
  model->formulation_given = mbs_read_value(node, "formulation")->given;
  model->body_formulation = mbs_read_choice(node, "formulation") == 1;
  model->correct = mbs_read_bool(node, "correct");
  model->constraints = (mbs_constraint_method)mbs_read_choice(node, "constraints");
  model->about_state = mbs_read_choice(node, "about") == 1;
  model->relative = model->type == MBS_RELATIVE_EQUILIBRIUM ||
                    ((model->type == MBS_LINEARIZATION || model->type == MBS_FREQUENCY_RESPONSE) &&
                     mbs_read_choice(node, "about") == 2);
  model->from_equilibrium = mbs_read_choice(node, "start") == 1;
  if (mbs_read_given(node, "start") && model->type != MBS_DYNAMICS)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "start")->pointer,
                 "'start' applies to dynamics only%s; remove it",
                 model->type == MBS_LINEARIZATION ? "; a linearization uses 'about'" : "");
  const mbs_node baumgarte = part_or_defaults(builder, node, "baumgarte"),
                 integrator = part_or_defaults(builder, node, "integrator"),
                 limits = part_or_defaults(builder, node, "limits");
  if (builder->failed) return;
  read_baumgarte(builder, &baumgarte);
  read_times(builder, node, node->pointer);
  mbs_read_external_tables(builder);
  read_integrator(builder, &integrator);
  model->error_estimate = mbs_read_bool(node, "error_estimate");
  if (model->error_estimate && builder->study)
    mbs_diagnose(
        builder->list, MBS_INVALID, mbs_read_value(node, "error_estimate")->pointer,
        "a study computes no error estimates; remove 'error_estimate', or use it in the document of a single run");
  model->certify = mbs_read_bool(node, "certify");
  if (model->certify && builder->study)
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "certify")->pointer,
                 "a study computes no certificates; remove 'certify', or use it in the document of a single run");
  read_limits(builder, &limits);
  read_hold(builder, node);
}

void mbs_read_sensitivities(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_node *node = mbs_analysis_node(builder);
  const mbs_value *names = mbs_read_value(node, "sensitivities");
  model->sensitivities = mbs_builder_alloc(builder, names->count, sizeof *model->sensitivities);
  if (names->given && builder->study)
    mbs_diagnose(
        builder->list, MBS_INVALID, names->pointer,
        "a study has \"gradient\": true instead; remove 'sensitivities', or use it in the document of a single run");
  for (size_t i = 0; i < names->count && !builder->failed; i++) {
    const char *name = names->scalars[i].text;
    char pointer[MBS_POINTER_SIZE];
    if (mbs_scalar_is_wrong(&names->scalars[i])) continue;
    mbs_item_pointer(names, i, pointer);
    int found = mbs_names_find(&builder->parameter_names, name);
    bool again = false;
    for (size_t k = 0; k < model->sensitivity_count; k++) again = again || model->sensitivities[k] == found;
    if (found < 0)
      mbs_unknown_name(builder, &builder->parameter_names, "parameter", name, pointer);
    else if (again)
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "parameter '%s' is listed twice", name);
    else if (!mbs_parameter_has_use(builder, found, MBS_USED))
      mbs_diagnose(builder->list, MBS_NO_EFFECT, pointer,
                   "the parameter '%s' has no effect: neither the model nor the analysis depends on it", name);
    else
      model->sensitivities[model->sensitivity_count++] = found;
  }
}

/* Reports 'outputs' together with options that need all arrays. */
static void refuse_few_outputs(mbs_builder *builder, const char *pointer) {
  const mbs_model *model = builder->model;
  if (builder->study)
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "a study keeps only its own 'outputs' of each run; remove 'outputs' from the analysis");
  if (model->certify || model->error_estimate || model->sensitivity_count > 0)
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "'%s' needs all result arrays, but 'outputs' selects some; remove one of the two",
                 model->certify          ? "certify"
                 : model->error_estimate ? "error_estimate"
                                         : "sensitivities");
}

void mbs_read_outputs(mbs_builder *builder) {
  static const char *const arrays[] = {
#define MBS_OUTPUT(id, name, needs, axis1, axis2, level, unit, units, record, doc) name,
#include "model/outputs.def"
#undef MBS_OUTPUT
      "sensors"};
  mbs_model *model = builder->model;
  const mbs_node *node = mbs_analysis_node(builder);
  const mbs_value *names = mbs_read_value(node, "outputs");
  mbs_names known = {0};
  if (!names->given) return;
  refuse_few_outputs(builder, names->pointer);
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    if (mbs_names_find(&known, arrays[i]) < 0) mbs_names_add(builder, &known, arrays[i], "array", names->pointer);
  for (size_t s = 0; s < model->sensor_count; s++)
    if (mbs_names_find(&known, model->sensors[s].name) < 0)
      mbs_names_add(builder, &known, model->sensors[s].name, "sensor", names->pointer);
  model->array_names = mbs_builder_alloc(builder, names->count, sizeof *model->array_names);
  for (size_t i = 0; i < names->count && !builder->failed; i++) {
    char pointer[MBS_POINTER_SIZE];
    if (mbs_scalar_is_wrong(&names->scalars[i])) continue;
    mbs_item_pointer(names, i, pointer);
    if (mbs_names_find(&known, names->scalars[i].text) < 0)
      mbs_unknown_name(builder, &known, "result array or sensor", names->scalars[i].text, pointer);
    else
      model->array_names[model->array_name_count++] = mbs_keep_text(builder, names->scalars[i].text);
  }
  mbs_names_free(&known);
}
