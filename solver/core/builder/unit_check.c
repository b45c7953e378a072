/* unit_check.c - compares dimensions of expressions that name a parameter with a unit with the unit of their field. */
#include "builder/builder.h"
#include "expression/unit_words.h"
#include "model/quantities.h"

#include <string.h>

static const mbs_value_dimension nothing = {.dimension = MBS_DIMENSION_UNKNOWN};

/* The dimensions of the parameters of an expression; NULL if none has a unit, or memory runs out. */
static const mbs_value_dimension *parameters_of(const mbs_model *model, const mbs_expression *expression,
                                                mbs_arena *scratch) {
  size_t count, given = 0;
  const int *names = mbs_expression_parameters(expression, &count);
  for (size_t i = 0; i < count; i++) given += model->parameters[names[i]].of.given;
  mbs_value_dimension *out = given ? mbs_arena_alloc(scratch, count, sizeof *out) : NULL;
  for (size_t i = 0; out && i < count; i++) out[i] = model->parameters[names[i]].of;
  return out;
}

static const mbs_dimension *inputs_of(const mbs_model *model, const mbs_expression *expression, mbs_arena *scratch) {
  size_t count;
  const int *inputs = mbs_expression_inputs(expression, &count);
  mbs_dimension *out = mbs_arena_alloc(scratch, count + 1, sizeof *out);
  for (size_t i = 0; out && i < count; i++) out[i] = mbs_input_dimension(model, &model->inputs[inputs[i]]);
  return out;
}

/* "rad/s", or "a plain number" */
static const char *name_of(mbs_dimension dimension, mbs_arena *arena) {
  const char *text = mbs_dimension_text(dimension, arena);
  return text && *text ? text : "a plain number";
}

static void report_clash(mbs_builder *builder, const mbs_dimension_clash *clash, const char *text, const char *pointer,
                         mbs_arena *scratch) {
  mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer,
               "in '%.200s' values of different units are added or compared: one is %s, the other %s", text,
               name_of(clash->one, scratch), name_of(clash->other, scratch));
}

static mbs_value_dimension check(mbs_builder *builder, const mbs_expression *expression, const mbs_field *field,
                                 const char *text, const char *pointer, mbs_arena *scratch) {
  const mbs_value_dimension *parameters = parameters_of(builder->model, expression, scratch);
  const mbs_dimension *inputs = parameters ? inputs_of(builder->model, expression, scratch) : NULL;
  mbs_dimension_clash clash = {.found = false};
  if (!inputs) return nothing;
  mbs_value_dimension found = mbs_expression_dimension(expression, inputs, parameters, scratch, &clash);
  if (clash.found)
    report_clash(builder, &clash, text, pointer, scratch);
  else if (field && !mbs_dimension_fits(found, mbs_unit_dimension(field->unit)))
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer, "'%.200s' is %s, but %s needs %s", text,
                 name_of(found.dimension, scratch), field->name, field->unit);
  return found;
}

mbs_value_dimension mbs_check_dimension(mbs_builder *builder, const mbs_expression *expression, const mbs_field *field,
                                        const char *text, const char *pointer) {
  if (!expression || !builder->has_units) return nothing;
  mbs_arena *scratch = mbs_arena_new(0);
  mbs_value_dimension found = scratch ? check(builder, expression, field, text, pointer, scratch) : nothing;
  mbs_arena_free(scratch);
  return found;
}
