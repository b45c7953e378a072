/* Reads fields of nodes: numbers, words, references. */
#include "base/message.h"
#include "base/rotation.h"
#include "builder/builder.h"
#include "builder/named_functions.h"
#include "expression/unit_words.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest nesting of parameters that name parameters after them in the document. */
enum { PARAMETER_DEPTH_MAX = 100 };
/* Number of points or vectors of a body up to which they are compared one by one. */
enum { PLACES_FEW = 16 };

mbs_parameter *mbs_find_parameter(const mbs_builder *builder, const char *name) {
  int number = mbs_names_find(&builder->parameter_names, name);
  return number < 0 ? NULL : &builder->model->parameters[number];
}

static void resolve_parameter(mbs_builder *builder, mbs_parameter *parameter);

bool mbs_parameter_value(mbs_builder *builder, const char *path, double *value) {
  if (strcmp(path, "pi") == 0) {
    *value = 3.14159265358979323846;
    return true;
  }
  mbs_parameter *parameter = mbs_find_parameter(builder, path);
  if (!parameter) return false;
  if (parameter->state == MBS_PARAMETER_READING) {
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, parameter->pointer, "parameter '%s' depends on itself", path);
    *value = 1;
    return true;
  }
  if (parameter->state == MBS_PARAMETER_UNREAD) resolve_parameter(builder, parameter);
  if (parameter->wrong) builder->binder.stand_ins++;
  *value = parameter->value;
  return true;
}

static const mbs_named_function *function_named(void *context, const char *name) {
  return mbs_find_named_function(context, name);
}

static bool parameter_value(void *context, const char *path, double *value) {
  return mbs_parameter_value(context, path, value);
}

static int parameter_number(void *context, const char *path) {
  mbs_builder *builder = context;
  mbs_parameter *parameter = mbs_find_parameter(builder, path);
  if (!parameter) return -1;
  mbs_parameter_named(builder, parameter);
  return (int)(parameter - builder->model->parameters);
}

void mbs_parameter_named(mbs_builder *builder, mbs_parameter *parameter) {
  if (!builder->uses_count || builder->parameter_depth > 0) return;
  parameter->uses |=
      MBS_USED | (builder->binder.loads ? 0 : MBS_USED_BY_PLACES) | (builder->binder.masses ? MBS_USED_BY_MASSES : 0);
}

/* Returns true if a parameter has this use, directly or through other parameters. */
static bool is_used(const mbs_model *model, int parameter, mbs_parameter_use use) {
  bool used = model->parameters[parameter].uses & (unsigned)use;
  for (size_t i = 0; i < model->parameter_count && !used; i++) {
    size_t count;
    const mbs_expression *expression = model->parameters[i].expression;
    const int *names = expression ? mbs_expression_parameters(expression, &count) : NULL;
    for (size_t k = 0; names && k < count && !used; k++) used = names[k] == parameter && is_used(model, (int)i, use);
  }
  return used;
}

bool mbs_parameter_has_use(const mbs_builder *builder, int parameter, mbs_parameter_use use) {
  return is_used(builder->model, parameter, use);
}

static bool is_part_of_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

static bool names_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || !is_part_of_name(at[-1])) && !is_part_of_name(at[length])) return true;
  return false;
}

/* Writes "x = 0.2, y = 1" for the parameters that an expression names, as many as fit. */
static void list_values(const mbs_builder *builder, const char *text, char *out, size_t size) {
  size_t length = 0;
  *out = '\0';
  for (size_t i = 0; i < builder->model->parameter_count && length < size; i++) {
    const mbs_parameter *parameter = &builder->model->parameters[i];
    if (parameter->state != MBS_PARAMETER_READ || !names_word(text, parameter->name)) continue;
    length += (size_t)snprintf(out + length, size - length, "%s%.60s = %.6g", length ? ", " : "", parameter->name,
                               parameter->value);
  }
}

void mbs_bad_expression(mbs_builder *builder, const char *text, const char *pointer, const char *message) {
  char values[160] = "";
  if (!pointer) { /* memory has run out */
    builder->failed = true;
    return;
  }
  if (builder->study && !builder->given &&
      (strstr(message, "is not a finite number") || strstr(message, "division by zero")))
    list_values(builder, text, values, sizeof values);
  mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer, "in '%.200s' %s%s%s%s", text, message,
               *values ? "; the document has " : "", values,
               *values ? ": a document must be valid with its own values, even if a study varies them" : "");
}

/* Writes the message for a name other than those of parameters. Returns -1. */
static int refuse_input(void *context, const char *path, char why[256]) {
  const mbs_builder *builder = context;
  const mbs_value *inputs = mbs_read_value(builder->document, "inputs");
  for (size_t i = 0; i < inputs->count; i++)
    if (strcmp(inputs->nodes[i].key, path) == 0)
      mbs_message(why, 256, "'%.100s' is an input, which changes; only parameters are allowed here", path);
  return -1;
}

/* Compiles a text that must be constant: its expression, and its value, NaN after a report. Only parameters may be
 * named. A name in place of a number without a unit may be meant as a choice, so the message says what the numbers of
 * `field` mean; NULL: a parameter. */
static mbs_expression *constant_expression(mbs_builder *builder, const mbs_field *field, const char *text,
                                           const char *pointer, double *value) {
  mbs_scope scope = {.context = builder,
                     .constant = parameter_value,
                     .parameter = parameter_number,
                     .input = refuse_input,
                     .function = function_named};
  char message[512];
  size_t before = builder->list->count;
  mbs_expression *expression = mbs_expression_compile(builder->arena, text, &scope, message);
  if (!expression && field && !field->unit && field->doc && mbs_can_be_named(text)) {
    const size_t used = strlen(message);
    snprintf(message + used, sizeof message - used, "; '%s' is a number (%s)", field->name, field->doc);
  }
  if (!expression) mbs_bad_expression(builder, text, pointer, message);
  if (!expression || !mbs_expression_is_constant(expression, value) || builder->list->count != before) *value = NAN;
  return expression;
}

static void need_bind_slots(mbs_model *model, const mbs_expression *expression) {
  size_t slots = expression ? mbs_expression_bind_slots(expression) : 0;
  if (slots > model->bind_slots) model->bind_slots = slots;
}

/* Reads a parameter that is written with a unit. Returns false if its text is an expression. */
static bool read_measured(mbs_builder *builder, mbs_parameter *parameter) {
  char message[512];
  mbs_measured measured;
  if (!mbs_has_unit(parameter->scalar.text)) return false;
  parameter->value = NAN;
  if (!mbs_unit_read(parameter->scalar.text, &measured, message)) {
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, parameter->pointer, "%s", message);
    return true;
  }
  parameter->value = measured.value;
  parameter->of = (mbs_value_dimension){.dimension = measured.dimension, .given = true};
  parameter->unit = measured.unit;
  parameter->si_unit = mbs_dimension_text(measured.dimension, builder->model->arena);
  if (!parameter->si_unit) builder->failed = true;
  builder->has_units = true;
  return true;
}

static void resolve_parameter(mbs_builder *builder, mbs_parameter *parameter) {
  int number = (int)(parameter - builder->model->parameters);
  parameter->state = MBS_PARAMETER_READING;
  parameter->value = parameter->scalar.number;
  const bool measured = parameter->scalar.text && read_measured(builder, parameter);
  if (builder->given && !isnan(builder->given[number])) {
    parameter->value = builder->given[number];
  } else if (measured) {
    /* read already */
  } else if (builder->parameter_depth >= PARAMETER_DEPTH_MAX) {
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, parameter->pointer,
                 "more than %d parameters depend on one another in a chain; put '%s' before the parameters that use it",
                 PARAMETER_DEPTH_MAX, parameter->name);
    parameter->value = NAN;
  } else if (parameter->scalar.text) {
    const char *text = parameter->scalar.text, *pointer = parameter->pointer;
    builder->parameter_depth++;
    parameter->expression = constant_expression(builder, NULL, text, pointer, &parameter->value);
    parameter->of = mbs_check_dimension(builder, parameter->expression, NULL, text, pointer);
    need_bind_slots(builder->model, parameter->expression);
    builder->parameter_depth--;
  }
  parameter->wrong = isnan(parameter->value);
  if (parameter->wrong) parameter->value = 1; /* reported; a finite substitute lets reading continue */
  parameter->state = MBS_PARAMETER_READ;
  builder->model->parameters[builder->parameters_read++].order = number;
}

bool mbs_can_be_named(const char *name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
  for (; *name; name++)
    if (!isalnum((unsigned char)*name) && *name != '_') return false;
  return true;
}

void mbs_check_expression_name(mbs_builder *builder, const char *name, const char *kind, const char *pointer) {
  if (strcmp(name, "pi") == 0 || strcmp(name, "t") == 0)
    mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "'%s' is a reserved name; choose another name", name);
  else if (!mbs_can_be_named(name))
    mbs_diagnose(builder->list, MBS_INVALID, pointer,
                 "'%s' is not a valid %s name; use letters, digits and _, with a letter first", name, kind);
}

void mbs_read_parameters(mbs_builder *builder) {
  const mbs_value *map = mbs_read_value(builder->document, "parameters");
  mbs_model *model = builder->model;
  model->parameters = mbs_builder_alloc(builder, map->count, sizeof *model->parameters);
  if (!model->parameters) return;
  for (size_t i = 0; i < map->count; i++) {
    const mbs_value *value = &map->nodes[i].values[0];
    if (!value->given || value->count == 0) continue;
    const char *name = map->nodes[i].key;
    mbs_check_expression_name(builder, name, "parameter", map->nodes[i].pointer);
    mbs_names_add(builder, &builder->parameter_names, name, "parameter", map->nodes[i].pointer);
    model->parameters[model->parameter_count++] =
        (mbs_parameter){.name = name, .pointer = value->pointer, .scalar = value->scalars[0]};
  }
  for (size_t i = 0; i < model->parameter_count; i++)
    if (model->parameters[i].state == MBS_PARAMETER_UNREAD) resolve_parameter(builder, &model->parameters[i]);
}

const char *mbs_name_pointer(const mbs_node *node) {
  const mbs_value *name = mbs_read_if_known(node, "name");
  return name->given ? name->pointer : node->pointer;
}

void mbs_item_pointer(const mbs_value *value, size_t i, char pointer[MBS_POINTER_SIZE]) {
  char digits[24], *first = digits + sizeof digits; /* without printf, because a document has hundreds of them */
  if (value->list) {
    do {
      *--first = (char)('0' + i % 10);
      i /= 10;
    } while (i > 0);
    *--first = '/';
  }
  size_t length = strlen(value->pointer), more = (size_t)(digits + sizeof digits - first);
  if (length > MBS_POINTER_SIZE - 1) length = MBS_POINTER_SIZE - 1;
  if (more > MBS_POINTER_SIZE - 1 - length) more = MBS_POINTER_SIZE - 1 - length;
  memcpy(pointer, value->pointer, length);
  memcpy(pointer + length, first, more);
  pointer[length + more] = '\0';
}

/* Returns the index of a field; all readers call it. A field that the class does not have is an error of the caller.
 * Tests that build each class find it (with assertions); without assertions it counts as not given. */
static int index_of(const mbs_node *node, const char *field) {
  int index = mbs_field_index(node->cls, field);
  assert(index >= 0 && "no such field");
  return index;
}

const mbs_field *mbs_field_of(const mbs_node *node, const char *field) {
  static const mbs_field none = {.name = "", .fallback = NAN};
  int index = index_of(node, field);
  return index < 0 ? &none : &node->cls->fields[index];
}

const mbs_value *mbs_read_value(const mbs_node *node, const char *field) {
  static const mbs_value none = {0};
  int index = node ? index_of(node, field) : -1;
  return index < 0 ? &none : &node->values[index];
}

const mbs_value *mbs_read_if_known(const mbs_node *node, const char *field) {
  bool known = node && mbs_field_index(node->cls, field) >= 0;
  return mbs_read_value(known ? node : NULL, field);
}

bool mbs_read_given(const mbs_node *node, const char *field) { return mbs_read_value(node, field)->given; }

bool mbs_read_refused(const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_if_known(node, field);
  return value->pointer && !value->given;
}

int mbs_keep_number(mbs_builder *builder, const mbs_expression *expression, const char *pointer, double value) {
  mbs_model *model = builder->model;
  size_t values = model->number_count;
  mbs_dependent *number = mbs_builder_grow(builder, (void **)&model->numbers, &model->number_count,
                                           &builder->number_capacity, sizeof *number);
  double *slot = number ? mbs_builder_grow(builder, (void **)&model->constants->numbers, &values,
                                           &builder->value_capacity, sizeof *slot)
                        : NULL;
  if (!slot) return 0;
  need_bind_slots(model, expression);
  *number = (mbs_dependent){.expression = expression, .pointer = pointer, .places = !builder->binder.loads};
  *slot = value;
  return (int)model->number_count - 1;
}

/* Returns the value of a text, which is compiled at the first reading; NaN after a report. */
static double compile_number(mbs_builder *builder, const mbs_field *field, const mbs_scalar *scalar,
                             const char *pointer) {
  mbs_model *model = builder->model;
  size_t stand_ins = builder->binder.stand_ins;
  double value;
  mbs_expression *expression = constant_expression(builder, field, scalar->text, pointer, &value);
  if (!isnan(value)) mbs_check_dimension(builder, expression, field, scalar->text, pointer);
  if (isnan(value) || builder->binder.stand_ins != stand_ins) return value;
  int number = mbs_keep_number(builder, expression, pointer, value);
  if (!builder->failed) model->number_of[scalar - model->scalars] = number + 1;
  return value;
}

bool mbs_read_number_with_unit(mbs_builder *builder, const char *unit, const char *text, const char *pointer,
                               double *value) {
  char message[512];
  if (!mbs_has_unit(text)) return false;
  *value = mbs_unit_value(text, unit, message);
  if (isnan(*value)) mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer, "%s", message);
  return true;
}

/* Returns the value of a text; when binding again also its pointer. A number with a unit is replaced by a plain
 * number. */
static double text_value(mbs_binder *binder, const mbs_field *field, const mbs_scalar *scalar, const char **pointer) {
  double plain;
  if (binder->builder && mbs_read_number_with_unit(binder->builder, field->unit, scalar->text, *pointer, &plain)) {
    mbs_model *model = binder->builder->model;
    if (!isnan(plain)) model->scalars[scalar - model->scalars] = (mbs_scalar){.number = plain};
    return plain;
  }
  const int *number = &binder->model->number_of[scalar - binder->model->scalars];
  double value = *number > 0 ? binder->constants->numbers[*number - 1] : NAN;
  if (*number == 0 && binder->builder) value = compile_number(binder->builder, field, scalar, *pointer);
  if (*number > 0 && binder->builder) {
    mbs_dependent *read = &binder->builder->model->numbers[*number - 1];
    read->structural |= binder->structural;
    read->places |= !binder->loads;
  }
  if (*number > 0 && !binder->builder) *pointer = binder->model->numbers[*number - 1].pointer;
  return value;
}

const char *mbs_definition_item(mbs_builder *builder, const mbs_node *node, const char *field, size_t i) {
  const mbs_value *value = mbs_read_value(node, field);
  const mbs_field *of = mbs_field_of(node, field);
  const bool given = value->given && value->count > i;
  double number = given ? value->scalars[i].number : of->fallback;
  if (given && value->scalars[i].text &&
      !mbs_read_number_with_unit(builder, of->unit, value->scalars[i].text, value->pointer, &number))
    return value->scalars[i].text;
  const char *text = isfinite(number) ? mbs_arena_format(builder->arena, "%.17g", number) : "0";
  if (!text) builder->failed = true;
  return text ? text : "0";
}

const char *mbs_definition_text(mbs_builder *builder, const mbs_node *node, const char *field) {
  return mbs_definition_item(builder, node, field, 0);
}

bool mbs_scalar_is_wrong(const mbs_scalar *scalar) { return !scalar->text && isnan(scalar->number); }

double mbs_read_scalar(mbs_binder *binder, const mbs_field *field, const mbs_scalar *scalar, const char *pointer) {
  size_t stand_ins = binder->stand_ins;
  bool text = scalar->text != NULL;
  if (mbs_scalar_is_wrong(scalar)) {
    binder->stand_ins++;
    return field->low > 0 ? field->low : 1;
  }
  double value = text ? text_value(binder, field, scalar, &pointer) : scalar->number;
  if (text && isnan(value)) binder->stand_ins++;
  if (binder->stand_ins != stand_ins) return field->low > 0 ? field->low : 1; /* reported already */
  bool low = field->low_open ? value <= field->low : value < field->low;
  if (field->low < field->high && (low || value > field->high)) {
    const bool angle = field->unit && strcmp(field->unit, "rad") == 0;
    const char *unit = angle ? " rad" : "", *least = field->low_open ? "greater than" : "at least";
    if (field->high == INFINITY)
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, pointer, "%s must be %s %.9g, not %.9g%s", field->name, least,
                   field->low, value, unit);
    else if (angle && !text)
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, pointer,
                   "%s must be %s %.9g and at most %.9g rad, not %.9g rad; for degrees write '%.9g deg'", field->name,
                   least, field->low, field->high, value, value);
    else
      mbs_diagnose(binder->list, MBS_OUT_OF_RANGE, pointer, "%s must be %s %.9g and at most %.9g%s, not %.9g%s",
                   field->name, least, field->low, field->high, unit, value, unit);
  }
  return value;
}

double mbs_read_number(mbs_binder *binder, const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_value(node, field);
  if (!value->given || value->count == 0) return mbs_field_of(node, field)->fallback;
  return mbs_read_scalar(binder, mbs_field_of(node, field), &value->scalars[0], value->pointer);
}

double mbs_doubtful_angle(const mbs_scalar *scalar) {
  const double x = scalar->number;
  return !scalar->text && fabs(x) > mbs_full_turn && 2 * x == rint(2 * x) ? x : 0;
}

double mbs_read_along(mbs_binder *binder, const mbs_node *node, const char *name, size_t k, mbs_primitive primitive,
                      bool rate) {
  mbs_field field = *mbs_field_of(node, name);
  field.unit = mbs_is_turn(primitive) ? (rate ? "rad/s" : "rad") : (rate ? "m/s" : "m");
  if (primitive == MBS_PRIMITIVE_EULER && !rate) field.unit = NULL;
  const mbs_value *value = mbs_read_value(node, name);
  return value->given && k < value->count ? mbs_read_item(binder, &field, value, k) : field.fallback;
}

double mbs_read_item(mbs_binder *binder, const mbs_field *field, const mbs_value *value, size_t i) {
  const mbs_scalar *scalar = &value->scalars[i];
  char item[MBS_POINTER_SIZE];
  const char *pointer = value->pointer;
  if (binder->builder) {
    mbs_item_pointer(value, i, item);
    pointer = scalar->text ? mbs_keep_text(binder->builder, item) : item;
  }
  return mbs_read_scalar(binder, field, scalar, pointer);
}

size_t mbs_read_numbers(mbs_binder *binder, const mbs_node *node, const char *field, double *out, size_t most) {
  const mbs_value *value = mbs_read_value(node, field);
  if (!value->given) return 0;
  size_t count = value->count < most ? value->count : most;
  for (size_t i = 0; i < count; i++) out[i] = mbs_read_item(binder, mbs_field_of(node, field), value, i);
  return count;
}

const char *mbs_read_text(const mbs_node *node, const char *field) {
  if (!node) return NULL;
  const mbs_value *value = mbs_read_value(node, field);
  return value->given && value->count ? value->scalars[0].text : mbs_field_of(node, field)->fallback_text;
}

int mbs_read_choice(const mbs_node *node, const char *field) {
  const char *word = mbs_read_text(node, field), *at = mbs_field_of(node, field)->choices;
  for (int index = 0; word && *at; index++) {
    size_t length = strcspn(at, "|");
    if (strlen(word) == length && strncmp(word, at, length) == 0) return index;
    at += length + (at[length] == '|');
  }
  return 0;
}

bool mbs_read_bool(const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_value(node, field);
  return (value->given ? value->scalars[0].number : mbs_field_of(node, field)->fallback) != 0;
}

int mbs_read_body(mbs_builder *builder, const char *name, const char *pointer) {
  int body = mbs_names_find(&builder->body_names, name);
  if (body < 0) mbs_unknown_name(builder, &builder->body_names, "body", name, pointer);
  return body;
}

int mbs_read_joint(mbs_builder *builder, const char *name, const char *pointer) {
  int joint = mbs_names_find(&builder->joint_names, name);
  if (joint < 0) mbs_unknown_name(builder, &builder->joint_names, "joint", name, pointer);
  return joint;
}

static void unknown_place(mbs_builder *builder, const mbs_body *body, bool vector, const char *name,
                          const char *pointer) {
  const mbs_point_or_vector *places =
      vector ? builder->model->vectors + body->first_vector : builder->model->points + body->first_point;
  size_t count = mbs_too_many_errors(builder) ? 0 : vector ? body->vector_count : body->point_count;
  const char **names = mbs_builder_alloc(builder, count, sizeof *names);
  if (!names) return;
  for (size_t i = 0; i < count; i++) names[i] = places[i].name;
  const char *nearest = mbs_nearest(name, names, count), *what = vector ? "vector" : "point";
  const char *owner = body == builder->model->bodies ? "on the ground" : "on body";
  if (nearest)
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "no %s '%s' %s%s%s%s; did you mean '%s'?", what, name, owner,
                 body == builder->model->bodies ? "" : " '", body == builder->model->bodies ? "" : body->name,
                 body == builder->model->bodies ? "" : "'", nearest);
  else
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "no %s '%s' %s%s%s%s", what, name, owner,
                 body == builder->model->bodies ? "" : " '", body == builder->model->bodies ? "" : body->name,
                 body == builder->model->bodies ? "" : "'");
}

static int compare_places(const void *a, const void *b) {
  return strcmp((*(const mbs_point_or_vector *const *)a)->name, (*(const mbs_point_or_vector *const *)b)->name);
}

/* Returns the places of a body sorted by name, for bodies with many places; NULL if memory runs out. */
static const mbs_point_or_vector **sorted_places(mbs_builder *builder, int body, bool vector,
                                                 const mbs_point_or_vector *places, size_t count) {
  mbs_sorted_places **all = &builder->sorted[vector];
  if (!*all) *all = mbs_builder_alloc(builder, builder->model->nB + 1, sizeof **all);
  if (!*all) return NULL;
  mbs_sorted_places *sorted = &(*all)[body];
  if (sorted->from == places && sorted->count == count) return sorted->places;
  sorted->places = mbs_builder_alloc(builder, count, sizeof *sorted->places);
  if (!sorted->places) return NULL;
  for (size_t i = 0; i < count; i++) sorted->places[i] = places + i;
  qsort(sorted->places, count, sizeof *sorted->places, compare_places);
  sorted->from = places;
  sorted->count = count;
  return sorted->places;
}

const mbs_point_or_vector *mbs_find_place(mbs_builder *builder, int body, bool vector, const char *name) {
  const mbs_model *model = builder->model;
  const mbs_body *owner = &model->bodies[body];
  const mbs_point_or_vector *places =
      vector ? model->vectors + owner->first_vector : model->points + owner->first_point;
  const size_t count = vector ? owner->vector_count : owner->point_count;
  if (count > PLACES_FEW) {
    const mbs_point_or_vector wanted = {.name = name}, *key = &wanted;
    const mbs_point_or_vector **sorted = sorted_places(builder, body, vector, places, count);
    const mbs_point_or_vector **found = sorted ? bsearch(&key, sorted, count, sizeof *sorted, compare_places) : NULL;
    return found ? *found : NULL;
  }
  for (size_t i = 0; i < count; i++)
    if (strcmp(places[i].name, name) == 0) return places + i;
  return NULL;
}

/* Reports that a reference does not have the form BODY.POINT; for a body without a point with an example. */
static void refuse_place(mbs_builder *builder, const char *reference, bool vector, const char *pointer) {
  const char *what = vector ? "vector" : "point", *form = vector ? "VECTOR" : "POINT";
  const size_t length = strlen(reference), dot = length > 0 && reference[length - 1] == '.';
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(length - dot), reference);
  const int body = mbs_names_find(&builder->body_names, name);
  const mbs_body *owner = body < 0 ? NULL : &builder->model->bodies[body];
  if (!owner)
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer, "'%s' is no %s of a body; write BODY.%s", reference, what,
                 form);
  else if ((vector ? owner->vector_count : owner->point_count) == 0)
    mbs_diagnose(builder->list, MBS_UNKNOWN_NAME, pointer,
                 "'%s' lacks the name of a %s; add one to the '%ss' of the body, and write %s.%s", reference, what,
                 what, name, form);
  else
    mbs_diagnose(
        builder->list, MBS_UNKNOWN_NAME, pointer, "'%s' lacks the name of a %s; write %s.%s, for example %s.%s",
        reference, what, name, form, name,
        (vector ? builder->model->vectors + owner->first_vector : builder->model->points + owner->first_point)->name);
}

bool mbs_read_place(mbs_builder *builder, const char *reference, bool vector, const char *pointer, int *body,
                    int *place) {
  const char *dot = strchr(reference, '.');
  if (!dot || dot == reference || !dot[1]) {
    refuse_place(builder, reference, vector, pointer);
    return false;
  }
  char *name = mbs_arena_text(builder->arena, reference);
  if (!name) {
    builder->failed = true;
    return false;
  }
  name[dot - reference] = 0;
  *body = mbs_read_body(builder, name, pointer);
  if (*body < 0) return false;
  const mbs_body *owner = &builder->model->bodies[*body];
  const mbs_point_or_vector *found = mbs_find_place(builder, *body, vector, dot + 1);
  if (found) {
    *place = (int)(found - (vector ? builder->model->vectors : builder->model->points));
    return true;
  }
  unknown_place(builder, owner, vector, dot + 1, pointer);
  return false;
}

size_t mbs_read_body_list(mbs_builder *builder, const mbs_node *node, const char *field, int *bodies, size_t most) {
  const mbs_value *value = mbs_read_value(node, field);
  size_t count = 0;
  for (size_t i = 0; i < value->count && i < most; i++) {
    char pointer[MBS_POINTER_SIZE];
    mbs_item_pointer(value, i, pointer);
    int body = mbs_read_body(builder, value->scalars[i].text, pointer);
    if (body < 0) break;
    bodies[count++] = body;
  }
  return count;
}

/* Reads the frames of an element from its points and its vectors (none: without nodes). */
static bool read_frames(mbs_builder *builder, const mbs_node *node, const mbs_value *vectors, bool second_vector,
                        mbs_frames *frames) {
  const mbs_value *places[] = {mbs_read_if_known(node, "points"), vectors};
  bool good = true;
  for (int vector = 0; vector <= 1; vector++) {
    const mbs_value *value = places[vector];
    for (size_t i = 0; i < value->count && i < 2; i++) {
      char pointer[MBS_POINTER_SIZE];
      int body = -1;
      bool second = i == 1 || (vector && second_vector);
      mbs_item_pointer(value, i, pointer);
      int *place =
          vector ? (second ? &frames->vector2 : &frames->vector1) : (second ? &frames->point2 : &frames->point1);
      bool found = mbs_read_place(builder, value->scalars[i].text, vector, pointer, &body, place);
      good = good && found;
      int *side = second ? &frames->body2 : &frames->body1;
      if (!found) continue;
      if (vector && *side >= 0 && body != *side) {
        mbs_diagnose(builder->list, MBS_INVALID, pointer, "this vector must be on '%s', the %s%s",
                     builder->model->bodies[*side].name, places[0]->given ? "body of the " : "",
                     places[0]->given ? (second ? "second point" : "first point")
                                      : (second ? "second body" : "first body"));
        good = false;
      } else {
        *side = body; /* an element without points is between its vectors */
      }
    }
  }
  bool points = places[0]->given;
  if (good && frames->body1 == frames->body2 && frames->body1 >= 0 && (points || places[1]->given)) {
    mbs_diagnose(builder->list, MBS_INVALID, places[points ? 0 : 1]->pointer,
                 "both %s are on '%s'; two different bodies are needed", points ? "points" : "vectors",
                 builder->model->bodies[frames->body1].name);
    good = false;
  }
  return good;
}

bool mbs_read_frames_with(mbs_builder *builder, const mbs_node *node, bool second_vector, mbs_frames *frames) {
  return read_frames(builder, node, mbs_read_if_known(node, "vectors"), second_vector, frames);
}

bool mbs_read_frames(mbs_builder *builder, const mbs_node *node, mbs_frames *frames) {
  return mbs_read_frames_with(builder, node, false, frames);
}

bool mbs_read_ends(mbs_builder *builder, const mbs_node *node, mbs_frames *frames) {
  return read_frames(builder, node, mbs_read_value(NULL, "vectors"), false, frames);
}
