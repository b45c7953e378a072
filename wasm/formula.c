/* Converts an expression to mathematics with its derivatives. */
#include "answers.h"
#include "api/base/values.h"
#include "module.h"

enum { NO_EXPRESSION = 422, NAMES_MOST = 12, ARGUMENTS_MOST = 20 };

/* Memory limit [bytes]. The derivatives of a one-line expression can be a hundred times as long. */
static const size_t arena_limit = (size_t)64 << 20;

/* Returns a formula in MathML; NULL if there is no formula or it cannot be written. */
static json_t *shown(mbs_arena *arena, const mbs_formula *formula) {
  char message[512];
  const char *mathml = formula ? mbs_formula_show(arena, formula, MBS_NOTATION_MATHML, NULL, message) : NULL;
  return mathml ? api_json_text(mathml) : NULL;
}

/* The functions of a document, as formulas need them. */
typedef struct function_list {
  mbs_formula_function *items; /* [count] */
  size_t count;
} function_list;

/* Reads the arguments and the expression of a function. Returns false if it has no valid ones. */
static bool read_expression(mbs_arena *arena, const json_t *function, mbs_formula_function *out) {
  const json_t *letters = json_object_get(function, "arguments"), *value = json_object_get(function, "value");
  const size_t count = json_array_size(letters);
  const char **names = mbs_arena_alloc(arena, count, sizeof *names);
  if (!names || count == 0 || count > ARGUMENTS_MOST) return false;
  for (size_t i = 0; i < count; i++)
    if (!(names[i] = json_string_value(json_array_get(letters, i)))) return false;
  out->arguments = (int)count;
  out->letters = names;
  out->text =
      json_is_number(value) ? mbs_arena_format(arena, "%.17g", json_number_value(value)) : json_string_value(value);
  return out->text != NULL;
}

/* Reads the functions that are valid enough to be shown. */
static function_list read_functions(mbs_arena *arena, json_t *functions) {
  function_list list = {mbs_arena_alloc(arena, json_object_size(functions), sizeof *list.items), 0};
  const char *name;
  json_t *function;
  json_object_foreach(functions, name, function) {
    mbs_formula_function one = {.name = name, .arguments = json_object_get(function, "z") ? 2 : 1};
    const bool table = json_object_get(function, "x") != NULL;
    if (list.items && (table || read_expression(arena, function, &one))) list.items[list.count++] = one;
  }
  return list;
}

/* Returns {"mathml", "derivatives": [{"by", "symbol", "mathml"}]}; NULL if the text is not an expression. */
static json_t *described(mbs_arena *arena, const char *text, const function_list *functions) {
  char message[512];
  const mbs_formula *formula = mbs_formula_read_with(arena, text, functions->items, functions->count, message);
  json_t *mathml = shown(arena, formula);
  if (!mathml) return NULL;
  size_t count = 0;
  const char *const *names = mbs_formula_names(formula, arena, &count);
  json_t *derivatives = json_array();
  for (size_t k = 0; names && k < count && k < NAMES_MOST; k++) {
    json_t *derivative = shown(arena, mbs_formula_derivative(arena, formula, names[k], message));
    const char *symbol = mbs_name_symbol(arena, names[k], MBS_NOTATION_MATHML);
    if (derivative && symbol)
      json_array_append_new(derivatives, json_pack("{s:s, s:s, s:o}", "by", names[k], "symbol", symbol, "mathml",
                                                   json_incref(derivative)));
    json_decref(derivative);
  }
  return json_pack("{s:o, s:o}", "mathml", mathml, "derivatives", derivatives);
}

int module_formula(const char *text, size_t size) {
  api_document request;
  if (!answer_begin(text, size, &request)) return answer_status();
  const char *expression = json_string_value(json_object_get(request.root, "expression"));
  mbs_arena *arena = mbs_arena_new(arena_limit);
  json_t *functions = json_object_get(request.root, "functions");
  const function_list list = arena ? read_functions(arena, functions) : (function_list){NULL, 0};
  json_t *answer = arena && expression ? described(arena, expression, &list) : NULL;
  answer_json(answer ? answer : json_object());
  int status = answer ? answer_status() : NO_EXPRESSION;
  mbs_arena_free(arena);
  api_document_free(&request);
  return status;
}
