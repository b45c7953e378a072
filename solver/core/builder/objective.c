/* The objective of a study with its conditions, or its data to fit. */
#include "builder/objective.h"

#include "builder/named_functions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- objective and conditions ---------------------------------------------------------------------------------- */

typedef struct criterion_scope {
  mbs_builder *builder;
  const struct mbs_plan *plan;
} criterion_scope;

enum { KNOWN_MAX = 128 };

/* Finds an output or a parameter by name; their names differ. */
static int input(void *context, const char *path, char why[256]) {
  const criterion_scope *scope = context;
  const struct mbs_plan *plan = scope->plan;
  const mbs_model *model = scope->builder->model;
  const char *known[KNOWN_MAX];
  size_t count = 0;
  for (size_t i = 0; i < plan->shown_count; i++) {
    if (strcmp(plan->outputs[i].name, path) == 0) return (int)i;
    if (count < KNOWN_MAX) known[count++] = plan->outputs[i].name;
  }
  mbs_parameter *parameter = mbs_find_parameter(scope->builder, path);
  if (parameter) {
    parameter->uses |= scope->builder->uses_count ? MBS_USED : 0;
    return (int)(plan->shown_count + (size_t)(parameter - model->parameters));
  }
  for (size_t i = 0; i < model->parameter_count && count < KNOWN_MAX; i++) known[count++] = model->parameters[i].name;
  const char *nearest = mbs_too_many_errors(scope->builder) ? NULL : mbs_nearest(path, known, count);
  snprintf(why, 256, "no output or parameter '%.80s'%s%.60s%s", path, nearest ? "; did you mean '" : "",
           nearest ? nearest : "", nearest ? "'?" : "");
  return -1;
}

static bool constant(void *context, const char *path, double *value) {
  (void)context;
  *value = 3.14159265358979323846;
  return strcmp(path, "pi") == 0;
}

static const mbs_named_function *function_named(void *context, const char *name) {
  return mbs_find_named_function(((const criterion_scope *)context)->builder, name);
}

/* Returns the sensor of that name, or one whose name has a blank and is part of the text; NULL: there is none. */
static const char *sensor_in(const mbs_model *model, const char *text) {
  for (size_t s = 0; s < model->sensor_count; s++) {
    const char *name = model->sensors[s].name;
    if (strcmp(name, text) == 0 || (strchr(name, ' ') && strstr(text, name))) return name;
  }
  return NULL;
}

static const mbs_expression *read_criterion(mbs_builder *builder, const struct mbs_plan *plan, const char *text,
                                            const char *pointer) {
  criterion_scope context = {builder, plan};
  const mbs_scope scope = {.context = &context, .constant = constant, .input = input, .function = function_named};
  char message[512];
  mbs_expression *expression = mbs_expression_compile(builder->arena, text, &scope, message);
  if (expression) return expression;
  const char *sensor = sensor_in(builder->model, text), *output = NULL;
  for (size_t i = 0; i < plan->shown_count; i++)
    if (strchr(plan->outputs[i].name, ' ') && strstr(text, plan->outputs[i].name)) output = plan->outputs[i].name;
  if (output)
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer,
                 "the output '%.100s' has a blank in its name, so no expression can contain it; rename it", output);
  else if (sensor)
    mbs_diagnose(
        builder->list, MBS_BAD_EXPRESSION, pointer,
        "'%.100s' is a sensor; here only outputs and parameters count: add an output with \"of\": \"%.100s\" and "
        "write its name",
        sensor, sensor);
  else
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer, "in '%.200s' %s", text, message);
  return NULL;
}

/* Returns the first relation outside of parentheses, or NULL. */
static const char *find_relation(const char *text, mbs_relation *relation) {
  static const char *const words[] = {"<=", ">=", "=="};
  int depth = 0;
  for (const char *at = text; *at; at++) {
    depth += (*at == '(') - (*at == ')');
    for (int k = 0; depth == 0 && k < 3; k++) {
      if (strncmp(at, words[k], 2) != 0) continue;
      *relation = (mbs_relation)k;
      return at;
    }
  }
  return NULL;
}

static void read_condition(mbs_builder *builder, const struct mbs_plan *plan, const char *text, const char *pointer,
                           mbs_condition *condition) {
  mbs_relation other;
  const char *at = find_relation(text, &condition->relation);
  if (!at || find_relation(at + 2, &other)) {
    mbs_diagnose(
        builder->list, MBS_BAD_EXPRESSION, pointer,
        "a constraint is two expressions with one <=, >= or == between them, as \"x_max <= 0.3\", not '%.200s'", text);
    return;
  }
  char *left = strndup(text, (size_t)(at - text));
  if (!left) {
    builder->failed = true;
    return;
  }
  condition->text = mbs_keep_text(builder, text);
  condition->left = read_criterion(builder, plan, left, pointer);
  condition->right = read_criterion(builder, plan, at + 2, pointer);
  free(left);
}

/* Reads the expression to minimize or maximize into the objective. */
static void read_sought(mbs_builder *builder, struct mbs_plan *plan, const mbs_value *given) {
  const char *text = given->scalars[0].text;
  size_t inputs = 1;
  const mbs_expression *criterion = plan->objective.criterion = read_criterion(builder, plan, text, given->pointer);
  if (criterion) mbs_expression_inputs(criterion, &inputs);
  if (inputs == 0)
    mbs_diagnose(builder->list, MBS_INVALID, given->pointer, "'%.200s' depends on neither an output nor a parameter",
                 text);
}

void mbs_read_objective(mbs_builder *builder, const mbs_node *node, struct mbs_plan *plan) {
  mbs_objective *objective = &plan->objective;
  const mbs_value *minimize = mbs_read_value(node, "minimize"), *maximize = mbs_read_value(node, "maximize"),
                  *subject = mbs_read_value(node, "subject_to");
  objective->method = (mbs_search_method)mbs_read_choice(node, "method");
  objective->maximize = maximize->given;
  if (minimize->given == maximize->given)
    mbs_diagnose(builder->list, minimize->given ? MBS_INVALID : MBS_MISSING, node->pointer,
                 minimize->given ? "give 'minimize' or 'maximize', not both"
                                 : "missing field 'minimize' (or 'maximize') of optimize");
  if (maximize->given) read_sought(builder, plan, maximize);
  if (minimize->given) read_sought(builder, plan, minimize);
  objective->conditions = mbs_builder_alloc(builder, subject->count, sizeof *objective->conditions);
  for (size_t i = 0; objective->conditions && i < subject->count; i++) {
    char pointer[MBS_POINTER_SIZE];
    if (mbs_scalar_is_wrong(&subject->scalars[i])) continue;
    mbs_item_pointer(subject, i, pointer);
    read_condition(builder, plan, subject->scalars[i].text, pointer, &objective->conditions[i]);
    objective->count++;
  }
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

size_t mbs_count_data(const mbs_node *fit) {
  const mbs_value *data = mbs_read_value(fit, "data");
  size_t count = 0;
  for (size_t i = 0; i < data->count; i++) count += mbs_read_value(&data->nodes[i], "values")->count;
  return count;
}

static void read_instant(mbs_builder *builder, const mbs_node *node, size_t i, mbs_planned_output *output) {
  const mbs_value *t = mbs_read_value(node, "t");
  char pointer[MBS_POINTER_SIZE];
  size_t before = builder->list->count;
  if (mbs_scalar_is_wrong(&t->scalars[i])) return;
  mbs_item_pointer(t, i, pointer);
  mbs_read_law(builder, mbs_field_of(node, "t"), &t->scalars[i], mbs_keep_text(builder, pointer), MBS_SCOPE_PARAMETERS,
               NULL, &output->at);
  if (builder->list->count == before) mbs_check_instant(builder, output->at.value, pointer);
}

static void read_sigma(mbs_builder *builder, const mbs_node *node, size_t i, mbs_datum *datum) {
  const mbs_value *sigma = mbs_read_value(node, "sigma");
  char pointer[MBS_POINTER_SIZE];
  datum->sigma = 1;
  if (!sigma->given || sigma->count == 0) return;
  size_t item = sigma->count > 1 ? i : 0, before = builder->list->count, stand_ins = builder->binder.stand_ins;
  if (item < i) { /* one standard deviation applies to all values */
    datum->sigma = datum[-1].sigma;
    return;
  }
  datum->sigma = mbs_read_item(mbs_numbers_of(builder), mbs_field_of(node, "sigma"), sigma, item);
  mbs_item_pointer(sigma, item, pointer);
  if (builder->list->count == before && builder->binder.stand_ins == stand_ins && !(datum->sigma > 0))
    mbs_diagnose(builder->list, MBS_OUT_OF_RANGE, pointer, "a standard deviation must be greater than 0, not %g",
                 datum->sigma);
}

/* Checks the lengths of t, values and sigma: a motion needs one time for each value, a single state one value and no
 * times; sigma has one number, or one for each value. Returns true if there was no error. */
static bool check_lengths(mbs_builder *builder, const mbs_node *node, bool moves) {
  const mbs_value *t = mbs_read_value(node, "t"), *values = mbs_read_value(node, "values"),
                  *sigma = mbs_read_value(node, "sigma");
  size_t before = builder->list->count;
  if (!moves && t->given)
    mbs_diagnose(builder->list, MBS_INVALID, t->pointer,
                 "this analysis computes a single state and has no times; remove 't'");
  if (!moves && values->count > 1)
    mbs_diagnose(builder->list, MBS_INVALID, values->pointer, "this analysis computes a single state; give one value");
  if (moves && !t->given)
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field 't' of data: when the values were measured");
  if (moves && t->given && values->given && t->count != values->count)
    mbs_diagnose(builder->list, MBS_INVALID, values->pointer, "%zu values for %zu times; give one value for each time",
                 values->count, t->count);
  if (sigma->given && sigma->count > 1 && sigma->count != values->count)
    mbs_diagnose(builder->list, MBS_INVALID, sigma->pointer,
                 "%zu standard deviations for %zu values; give one for all, or one for each", sigma->count,
                 values->count);
  return builder->list->count == before;
}

/* Checks data whose lengths do not match: each item separately, without storing it. */
static void check_items(mbs_builder *builder, const mbs_node *node, bool moves) {
  const mbs_value *t = mbs_read_value(node, "t"), *values = mbs_read_value(node, "values"),
                  *sigma = mbs_read_value(node, "sigma");
  for (size_t i = 0; i < values->count; i++)
    mbs_read_item(mbs_numbers_of(builder), mbs_field_of(node, "values"), values, i);
  for (size_t i = 0; moves && i < t->count && !builder->failed; i++) {
    mbs_planned_output *nowhere = mbs_builder_alloc(builder, 1, sizeof *nowhere);
    if (nowhere) read_instant(builder, node, i, nowhere);
  }
  for (size_t i = 0; i < sigma->count; i++) read_sigma(builder, node, i, &(mbs_datum){.sigma = 1});
}

/* Returns the text of the quantity of a datum. */
static const char *text_of(mbs_builder *builder, const mbs_node *node) {
  const mbs_value *of = mbs_read_value(node, "of");
  const char *text = of->count > 0 ? mbs_keep_text(builder, of->scalars[0].text) : NULL;
  return text ? text : "";
}

void mbs_read_data(mbs_builder *builder, const mbs_node *fit, size_t parameters, struct mbs_plan *plan) {
  const mbs_value *data = mbs_read_value(fit, "data");
  bool moves = builder->model->type <= MBS_INVERSE_DYNAMICS;
  if (plan->purpose == MBS_PURPOSE_FIT) plan->objective.method = (mbs_search_method)mbs_read_choice(fit, "method");
  for (size_t k = 0; k < data->count && !builder->failed; k++) {
    const mbs_node *node = &data->nodes[k];
    const mbs_value *values = mbs_read_value(node, "values");
    mbs_planned_output *first = &plan->outputs[plan->output_count];
    mbs_planned_output shared = {
        .name = "", .pointer = node->pointer, .take = moves ? MBS_REDUCE_AT : MBS_REDUCE_FINAL};
    bool good = check_lengths(builder, node, moves);
    *first = shared;
    mbs_read_output_quantity(builder, node, first);
    first->name = text_of(builder, node);
    shared = *first; /* all values of the series read one law */
    plan->has_sigma |= mbs_read_given(node, "sigma");
    if (!good) check_items(builder, node, moves);
    for (size_t i = 0; good && i < values->count; i++) {
      mbs_datum *datum = &plan->data[plan->data_count++];
      mbs_planned_output *output = &plan->outputs[plan->output_count++];
      if (i > 0) *output = shared;
      datum->value = mbs_read_item(mbs_numbers_of(builder), mbs_field_of(node, "values"), values, i);
      if (moves) read_instant(builder, node, i, output);
      read_sigma(builder, node, i, datum);
    }
  }
  size_t given = mbs_count_data(fit);
  if (given > 0 && given < parameters)
    mbs_diagnose(builder->list, MBS_INVALID, data->pointer, "%zu measured values cannot determine %zu parameters",
                 given, parameters);
}
