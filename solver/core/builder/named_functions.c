/* named_functions.c - named functions of the document. A function is read at its first use, so that functions and
 * parameters may name those after them. */
#include "builder/named_functions.h"

#include "base/message.h"
#include "expression/operations.h"
#include "mbs/formula.h"

#include <stdio.h>
#include <string.h>

/* Largest nesting of functions that call one another. */
enum { FUNCTION_DEPTH_MAX = 50 };

typedef struct mbs_named_entry {
  mbs_named_function function;
  const mbs_node *node;
  enum { UNREAD, READING, READ } state;
} mbs_named_entry;

void mbs_list_named_functions(mbs_builder *builder) {
  const mbs_value *map = mbs_read_value(builder->document, "functions");
  builder->named_entries = mbs_builder_alloc(builder, map->count, sizeof *builder->named_entries);
  for (size_t i = 0; i < map->count && !builder->failed; i++) {
    const mbs_node *node = &map->nodes[i];
    if (mbs_call_find(node->key) || mbs_is_measure(node->key))
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, node->pointer, "'%s' is a reserved name; choose another name",
                   node->key);
    else
      mbs_check_expression_name(builder, node->key, "function", node->pointer);
    mbs_names_add(builder, &builder->named_functions, node->key, "function", node->pointer);
    builder->named_entries[i] = (mbs_named_entry){.function = {.name = node->key}, .node = node};
  }
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

typedef struct body_scope {
  mbs_builder *builder;
  const mbs_named_function *function;
} body_scope;

static int argument_number(const mbs_named_function *function, const char *name) {
  for (int k = 0; k < function->arguments; k++)
    if (strcmp(function->letters[k], name) == 0) return k;
  return -1;
}

static bool constant(void *context, const char *path, double *value) {
  const body_scope *scope = context;
  return argument_number(scope->function, path) < 0 && mbs_parameter_value(scope->builder, path, value);
}

static int parameter(void *context, const char *path) {
  const mbs_builder *builder = ((const body_scope *)context)->builder;
  return (int)(mbs_find_parameter(builder, path) - builder->model->parameters);
}

static int input(void *context, const char *path, char why[256]) {
  const body_scope *scope = context;
  const mbs_named_function *function = scope->function;
  const int number = argument_number(function, path);
  if (number >= 0) return number;
  const char *nearest = mbs_nearest(path, function->letters, (size_t)function->arguments);
  mbs_message(why, 256, "only arguments, parameters and functions are allowed here, not '%.100s'%s%.60s%s", path,
              nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return -1;
}

static const mbs_named_function *function_named(void *context, const char *name) {
  return mbs_find_named_function(((const body_scope *)context)->builder, name);
}

/* Reads the names of the arguments. Returns false after a report. */
static bool read_letters(mbs_builder *builder, const mbs_node *node, mbs_named_function *function) {
  const mbs_value *value = mbs_read_value(node, "arguments");
  const char **letters = mbs_builder_alloc(builder, value->count, sizeof *letters);
  bool good = letters != NULL;
  for (size_t i = 0; i < value->count && letters; i++) {
    const char *name = letters[i] = value->scalars[i].text ? value->scalars[i].text : "";
    char pointer[MBS_POINTER_SIZE];
    bool again = false;
    for (size_t k = 0; k < i; k++) again = again || strcmp(letters[k], name) == 0;
    if (!again && mbs_can_be_named(name) && strcmp(name, "pi") != 0) continue;
    good = false;
    mbs_item_pointer(value, i, pointer);
    if (again)
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, pointer, "there is already an argument named '%s'", name);
    else if (value->scalars[i].text)
      mbs_diagnose(builder->list, MBS_INVALID, pointer,
                   "'%s' is not a valid argument name; use letters, digits and _, with a letter first", name);
  }
  function->letters = letters;
  function->arguments = (int)value->count;
  return good;
}

/* Reads the expression, and compiles it to find its errors. Returns false after a report. */
static bool read_body(mbs_builder *builder, const mbs_node *node, mbs_named_function *function) {
  const mbs_value *value = mbs_read_value(node, "value");
  if (!value->given || value->count == 0 || mbs_scalar_is_wrong(&value->scalars[0])) return false;
  const char *text = value->scalars[0].text;
  char number[40], message[512];
  snprintf(number, sizeof number, "%.17g", value->scalars[0].number);
  if (!text && !(text = mbs_keep_text(builder, number))) return false;
  body_scope context = {builder, function};
  const mbs_scope scope = {
      .context = &context, .constant = constant, .parameter = parameter, .input = input, .function = function_named};
  const size_t before = builder->list->count;
  mbs_arena *scratch = mbs_arena_new(0);
  const bool compiled = scratch && mbs_expression_compile(scratch, text, &scope, message);
  builder->failed = builder->failed || !scratch;
  if (scratch && !compiled && builder->list->count == before)
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, value->pointer, "in '%.200s' %s", text, message);
  mbs_arena_free(scratch);
  function->text = text;
  return compiled && builder->list->count == before;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Reports a field that belongs to the other kind of function. */
static bool refuse_field(mbs_builder *builder, const mbs_node *node, const char *field, const char *why) {
  const mbs_value *value = mbs_read_value(node, field);
  if (!value->pointer) return false;
  mbs_diagnose(builder->list, MBS_INVALID, value->pointer, "%s has no '%s'", why, field);
  return true;
}

static bool require_field(mbs_builder *builder, const mbs_node *node, const char *field) {
  const mbs_value *value = mbs_read_value(node, field);
  if (!value->pointer)
    mbs_diagnose(builder->list, MBS_MISSING, node->pointer, "missing field '%s' of the function '%s'", field,
                 node->key);
  return value->given;
}

/* Returns true if a field is in the document, valid or not. */
static bool is_written(const mbs_node *node, const char *field) { return mbs_read_value(node, field)->pointer != NULL; }

static bool read_function(mbs_builder *builder, const mbs_node *node, mbs_named_function *function) {
  static const char *const of_tables[] = {"x", "y", "z", "interpolation", "outside"};
  const bool own = is_written(node, "arguments") || is_written(node, "value");
  bool good = true;
  if (own) {
    for (size_t i = 0; i < sizeof of_tables / sizeof *of_tables; i++)
      good = !refuse_field(builder, node, of_tables[i], "a function that is an expression") && good;
    good = require_field(builder, node, "arguments") && good;
    good = require_field(builder, node, "value") && good;
    good = read_letters(builder, node, function) && good;
    return read_body(builder, node, function) && good;
  }
  function->arguments = is_written(node, "z") ? 2 : 1;
  good = require_field(builder, node, "x");
  good = require_field(builder, node, "y") && good;
  function->table = mbs_read_table(builder, node, function);
  return good && function->table;
}

/* Reads the function of an entry. The numbers of its table are structure; other numbers that are being read are not. */
static void resolve(mbs_builder *builder, mbs_named_entry *entry) {
  const bool structural = builder->binder.structural;
  entry->state = READING;
  builder->function_depth++;
  entry->function.wrong = !read_function(builder, entry->node, &entry->function);
  builder->function_depth--;
  builder->binder.structural = structural;
  entry->state = READ;
}

/* Reports functions that call one another in a circle, or are nested too deeply. */
static void refuse_circle(mbs_builder *builder, mbs_named_entry *entry) {
  const mbs_value *value = mbs_read_value(entry->node, "value");
  const char *pointer = value->pointer ? value->pointer : entry->node->pointer;
  entry->function.wrong = true;
  if (entry->state != READING) {
    mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer, "more than %d functions call one another in a chain",
                 FUNCTION_DEPTH_MAX);
    return;
  }
  char names[200] = "";
  size_t used = 0;
  for (size_t i = 0; i < builder->named_functions.count && used < sizeof names; i++)
    if (builder->named_entries[i].state == READING)
      used += (size_t)snprintf(names + used, sizeof names - used, "%s'%.60s'", used ? ", " : "",
                               builder->named_entries[i].function.name);
  mbs_diagnose(builder->list, MBS_BAD_EXPRESSION, pointer, "the function '%s' calls itself (by way of %s)",
               entry->function.name, names);
}

const mbs_named_function *mbs_find_named_function(mbs_builder *builder, const char *name) {
  const int number = mbs_names_find(&builder->named_functions, name);
  if (number < 0) return NULL;
  mbs_named_entry *entry = &builder->named_entries[number];
  if (entry->state == READING || (entry->state == UNREAD && builder->function_depth == FUNCTION_DEPTH_MAX))
    refuse_circle(builder, entry);
  else if (entry->state == UNREAD)
    resolve(builder, entry);
  if (entry->function.wrong) builder->binder.stand_ins++;
  return &entry->function;
}

void mbs_read_named_functions(mbs_builder *builder) {
  mbs_model *model = builder->model;
  const size_t count = builder->named_functions.count;
  model->named_functions = mbs_builder_alloc(builder, count, sizeof *model->named_functions);
  if (!model->named_functions) return;
  model->named_count = count;
  for (size_t i = 0; i < count; i++) {
    mbs_named_entry *entry = &builder->named_entries[i];
    if (mbs_find_parameter(builder, entry->function.name))
      mbs_diagnose(builder->list, MBS_DUPLICATE_NAME, entry->node->pointer, "there is already a parameter named '%s'",
                   entry->function.name);
    if (entry->state == UNREAD) resolve(builder, entry);
    const mbs_named_function *function = &entry->function;
    model->named_functions[i] =
        (mbs_formula_function){function->name, function->arguments, function->letters, function->text};
  }
}
