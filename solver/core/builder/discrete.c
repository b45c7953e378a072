/* Reads variables, sampled values, events and the end of a run by `stop_when`. Their names are read before all
 * expressions, which may contain them; their own expressions after all elements. */
#include "builder/builder.h"

#include "model/discrete.h"
#include "model/quantities.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names and numbers --------------------------------------------------------------------------------------- */

/* Returns the number of the variable or sampled value of that name, or -1. */
static int find_discrete(const mbs_builder *builder, const char *name) {
  const mbs_declared *declared = mbs_find_declared(builder, name);
  return declared && declared->kind == MBS_DECLARED_DISCRETE ? declared->index : -1;
}

void mbs_sampling_numbers(mbs_binder *binder, const mbs_discrete *discrete, mbs_sampling *out) {
  assert(discrete->node != NULL);
  out->period = mbs_read_number(binder, discrete->node, "period");
  out->offset = mbs_read_number(binder, discrete->node, "offset");
}

void mbs_read_discrete(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_value *variables = mbs_read_value(builder->document, "variables"),
                  *sampled = mbs_read_value(builder->document, "sampled");
  const size_t count = variables->count + sampled->count;
  model->discrete = mbs_builder_alloc(builder, count, sizeof *model->discrete);
  model->constants->sampling = mbs_builder_alloc(builder, sampled->count, sizeof *model->constants->sampling);
  if (builder->failed) return;
  model->variable_count = variables->count;
  model->sampled_count = sampled->count;
  model->discrete_count = count;
  for (size_t i = 0; i < count; i++) {
    const bool variable = i < variables->count;
    const mbs_node *node = variable ? &variables->nodes[i] : &sampled->nodes[i - variables->count];
    const char *name = variable ? node->key : mbs_read_text(node, "name");
    mbs_discrete *out = &model->discrete[i];
    *out = (mbs_discrete){.name = name ? name : "", .pointer = node->pointer, .node = variable ? NULL : node};
    if (name)
      mbs_declare_name(builder, name, variable ? node->pointer : mbs_name_pointer(node),
                       (mbs_declared){MBS_DECLARED_DISCRETE, (int)i});
    mbs_read_field_law(builder, node, variable ? "value" : "initial", MBS_SCOPE_PARAMETERS, NULL, &out->initial);
    if (!variable)
      mbs_sampling_numbers(mbs_numbers_of(builder), out, &model->constants->sampling[i - variables->count]);
  }
}

/* ---- targets of events --------------------------------------------------------------------------------------- */

/* Reports a target that no event can set. */
static void unknown_target(mbs_builder *builder, const char *name, const char *pointer) {
  const mbs_declared *declared = mbs_find_declared(builder, name);
  const char *what = NULL;
  if (declared && declared->kind == MBS_DECLARED_DISCRETE) what = "a sampled value, which is set at its own instants";
  if (declared && declared->kind == MBS_DECLARED_EXTERNAL) what = "an input, whose values come from outside the model";
  if (declared && declared->kind == MBS_DECLARED_SIGNAL) what = "a signal, which follows its expression";
  if (what)
    mbs_diagnose(builder->list, MBS_INVALID, pointer, "'%s' is %s; an event sets variables, states and JOINT.qd", name,
                 what);
  else if (mbs_find_parameter(builder, name))
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "'%s' is a parameter, which stays constant; define a variable, which events can set", name);
  else
    mbs_unknown_name(builder, &builder->declared_names, "variable", name, pointer);
}

/* Finds the coordinate of JOINT.qd, JOINT.qd1, ... Returns false after a report if there is none. */
static bool find_rate(mbs_builder *builder, const char *name, const char *pointer, mbs_assignment *out) {
  mbs_model *model = builder->model;
  const char *dot = strchr(name, '.');
  char owner[MBS_POINTER_SIZE];
  snprintf(owner, sizeof owner, "%.*s", (int)(dot - name), name);
  const int j = mbs_read_joint(builder, owner, pointer);
  if (j < 0) return false;
  const mbs_joint *joint = &model->joints[j];
  const size_t count = joint->shape->coordinate_count;
  int number;
  const mbs_quantity *found = mbs_quantity_find(MBS_OF_JOINT, model->dim, dot + 1, &number);
  const bool rate = found && found->kind == MBS_INPUT_PRIMITIVE && found->level == 1;
  if (!rate || (number == 0 && count != 1) || (size_t)number > count) {
    char ending[32] = "";
    if (count > 1) snprintf(ending, sizeof ending, "1 to qd%zu", count);
    if (count == 0)
      mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "joint '%s' has no coordinate whose rate could be set",
                   joint->name);
    else
      mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "an event can set qd%s of joint '%s', not '%s'", ending,
                   joint->name, dot + 1);
    return false;
  }
  out->target = MBS_SETS_RATE;
  out->index =
      mbs_builder_add_primitive(builder, &joint->shape->coordinates[number ? number - 1 : 0], &joint->frames, j);
  return out->index >= 0;
}

/* Finds what an assignment sets. Returns false after a report if there is nothing of that name. */
static bool find_target(mbs_builder *builder, const char *name, const char *pointer, mbs_assignment *out) {
  const int variable = find_discrete(builder, name);
  if (strchr(name, '.')) return find_rate(builder, name, pointer, out);
  *out = (mbs_assignment){.target = MBS_SETS_DISCRETE, .index = variable};
  if (variable >= 0 && (size_t)variable < builder->model->variable_count) return true;
  const mbs_declared *declared = mbs_find_declared(builder, name);
  if (declared && declared->kind == MBS_DECLARED_STATE) {
    *out = (mbs_assignment){.target = MBS_SETS_STATE, .index = declared->index};
    return true;
  }
  unknown_target(builder, name, pointer);
  return false;
}

static void read_sets(mbs_builder *builder, const mbs_node *node, mbs_trigger *out) {
  const mbs_value *map = mbs_read_value(node, "set");
  out->sets = mbs_builder_alloc(builder, map->count, sizeof *out->sets);
  for (size_t i = 0; i < map->count && !builder->failed; i++) {
    const mbs_node *entry = &map->nodes[i];
    mbs_assignment *set = &out->sets[out->set_count++];
    if (!find_target(builder, entry->key, entry->pointer, set)) *set = (mbs_assignment){0};
    set->name = entry->key;
    mbs_read_field_law(builder, entry, "value", MBS_SCOPE_ALL, NULL, &set->value);
    set->value.later = true;
  }
}

/* ---- triggers ------------------------------------------------------------------------------------------------ */

/* Reads `when` and `direction` of an event or of `stop_when`. */
static void read_when(mbs_builder *builder, const mbs_node *node, mbs_trigger *out) {
  const mbs_value *when = mbs_read_value(node, "when"), *direction = mbs_read_value(node, "direction");
  out->direction = (int[]){0, 1, -1}[mbs_read_choice(node, "direction")];
  const size_t errors = builder->list->count;
  if (!mbs_read_field_law(builder, node, "when", MBS_SCOPE_TRIGGER, NULL, &out->when)) return;
  const mbs_law *law = &out->when;
  if (!law->expression && builder->list->count == errors)
    mbs_diagnose(builder->list, MBS_INVALID, when->pointer,
                 "this 'when' is constant; write an expression of the motion, of t or of variables");
  out->condition = law->expression && mbs_expression_is_condition(law->expression);
  if (out->condition && out->direction < 0)
    mbs_diagnose(builder->list, MBS_INVALID, direction->pointer,
                 "a condition counts when it becomes true; \"falling\" is for zeros of an expression; write !(...) "
                 "for a condition that becomes false");
}

static void read_event(mbs_builder *builder, const mbs_node *node, mbs_names *names, mbs_trigger *out) {
  const char *name = mbs_read_text(node, "name");
  *out = (mbs_trigger){.name = name ? name : ""};
  if (name) mbs_names_add(builder, names, name, "event", mbs_name_pointer(node));
  read_when(builder, node, out);
  read_sets(builder, node, out);
}

static void read_stop(mbs_builder *builder, const mbs_node *node, mbs_trigger *out) {
  const double count = mbs_read_number(mbs_structure_of(builder), node, "count");
  *out = (mbs_trigger){.name = "stop_when", .stops_after = count >= 1 ? (size_t)count : 1};
  if (count >= 1 && count != floor(count))
    mbs_diagnose(builder->list, MBS_INVALID, mbs_read_value(node, "count")->pointer,
                 "'count' must be a whole number, not %g", count);
  read_when(builder, node, out);
}

/* Reads the values of sampled values, the events and `stop_when`. */
static void read_triggers(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const mbs_node *analysis = mbs_analysis_node(builder);
  const mbs_value *events = mbs_read_value(builder->document, "events"), *stop = mbs_read_value(analysis, "stop_when");
  mbs_names names = {0};
  for (size_t i = model->variable_count; i < model->discrete_count; i++) {
    mbs_discrete *sampled = &model->discrete[i];
    mbs_read_field_law(builder, sampled->node, "value", MBS_SCOPE_ALL, NULL, &sampled->value);
    sampled->value.later = true;
  }
  model->triggers = mbs_builder_alloc(builder, events->count + 1, sizeof *model->triggers);
  for (size_t i = 0; i < events->count && !builder->failed; i++)
    read_event(builder, &events->nodes[i], &names, &model->triggers[model->trigger_count++]);
  mbs_names_free(&names);
  if (!stop->given || stop->count == 0 || builder->failed) return;
  if (model->type != MBS_DYNAMICS)
    mbs_diagnose(builder->list, MBS_INVALID, stop->pointer, "'stop_when' applies to dynamics only; remove it");
  read_stop(builder, &stop->nodes[0], &model->triggers[model->trigger_count++]);
}

void mbs_read_triggers(mbs_builder *builder) {
  builder->binder.loads = true; /* no position depends on these expressions */
  read_triggers(builder);
  builder->binder.loads = false;
}
