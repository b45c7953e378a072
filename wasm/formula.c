/* Converts an expression to mathematics with its derivatives. */
#include "answers.h"
#include "api/base/values.h"
#include "module.h"

enum { NO_EXPRESSION = 422, NAMES_MOST = 12 };

/* Memory limit [bytes]. The derivatives of a one-line expression can be a hundred times as long. */
static const size_t arena_limit = (size_t)64 << 20;

/* Returns a formula in MathML; NULL if there is no formula or it cannot be written. */
static json_t *shown(mbs_arena *arena, const mbs_formula *formula) {
  char message[512];
  const char *mathml = formula ? mbs_formula_show(arena, formula, MBS_NOTATION_MATHML, NULL, message) : NULL;
  return mathml ? api_json_text(mathml) : NULL;
}

/* Returns {"mathml", "derivatives": [{"by", "symbol", "mathml"}]}; NULL if the text is not an expression. */
static json_t *described(mbs_arena *arena, const char *text) {
  char message[512];
  const mbs_formula *formula = mbs_formula_read(arena, text, message);
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
  json_t *answer = arena && expression ? described(arena, expression) : NULL;
  answer_json(answer ? answer : json_object());
  int status = answer ? answer_status() : NO_EXPRESSION;
  mbs_arena_free(arena);
  api_document_free(&request);
  return status;
}
