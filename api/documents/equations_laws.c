/* equations_laws.c - see equations_laws.h. */
#include "api/documents/equations_laws.h"

#include "api/base/values.h"
#include "api/documents/equations.h"

#include <string.h>

/* Memory for a law [bytes]: a law has some hundred characters; its derivatives may be a hundred times as long. */
static const size_t arena_limit = (size_t)64 << 20;

typedef struct derivative {
  const char *by; /* "t", "t^2", "bob.y" */
  const mbs_formula *formula;
} derivative;

enum { DERIVATIVES_MAX = 16 };

/* A parsed law and its derivatives. */
typedef struct law_reading {
  mbs_arena *arena;
  const mbs_formula *formula; /* NULL: shown as it is written */
  derivative derivatives[DERIVATIVES_MAX];
  size_t count;
} law_reading;

static void add_derivative(law_reading *law, const char *by, const mbs_formula *formula) {
  if (formula && law->count < DERIVATIVES_MAX) law->derivatives[law->count++] = (derivative){by, formula};
}

/* Differentiates twice with respect to time. */
static void derive_by_time(law_reading *law) {
  char message[512];
  const mbs_formula *rate = mbs_formula_derivative(law->arena, law->formula, "t", message);
  add_derivative(law, "t", rate);
  if (rate) add_derivative(law, "t^2", mbs_formula_derivative(law->arena, rate, "t", message));
}

/* Differentiates with respect to variables: time, a curve's parameter alpha, and names such as bob.y; parameters of the
 * document are constant. */
static void derive_by_state(law_reading *law) {
  size_t count = 0;
  char message[512];
  const char *const *names = mbs_formula_names(law->formula, law->arena, &count);
  for (size_t k = 0; names && k < count; k++)
    if (strcmp(names[k], "t") == 0 || strcmp(names[k], "alpha") == 0 || strpbrk(names[k], ".("))
      add_derivative(law, names[k], mbs_formula_derivative(law->arena, law->formula, names[k], message));
}

/* Parses a law. Returns false if memory runs out. */
static bool open_law(law_reading *law, const mbs_equations *equations, const mbs_equation_element *element,
                     size_t which) {
  char message[512];
  *law = (law_reading){.arena = mbs_arena_new(arena_limit)};
  if (!law->arena) return false;
  law->formula =
      mbs_formula_read_with(law->arena, element->laws[which], equations->functions, equations->function_count, message);
  if (law->formula && element->role == MBS_ROLE_DRIVER) derive_by_time(law);
  if (law->formula && element->role != MBS_ROLE_DRIVER) derive_by_state(law);
  return true;
}

static const char *shown(const law_reading *law, const mbs_formula *formula, mbs_notation notation) {
  char message[512];
  return formula ? mbs_formula_show(law->arena, formula, notation, NULL, message) : NULL;
}

/* ---- JSON ---------------------------------------------------------------------------------------------------- */

static void set_notations(json_t *object, const law_reading *law, const mbs_formula *formula, bool mathml) {
  const char *latex = shown(law, formula, MBS_NOTATION_LATEX);
  if (latex) json_object_set_new(object, "latex", api_json_text(latex));
  if (mathml && latex) json_object_set_new(object, "mathml", api_json_text(shown(law, formula, MBS_NOTATION_MATHML)));
}

static json_t *law_json(const mbs_equations *equations, const mbs_equation_element *element, size_t which,
                        bool mathml) {
  json_t *object = json_object(), *derivatives = json_array();
  law_reading law;
  json_object_set_new(object, "pointer", api_json_text(element->pointers[which]));
  json_object_set_new(object, "text", api_json_text(element->laws[which]));
  if (open_law(&law, equations, element, which)) {
    set_notations(object, &law, law.formula, mathml);
    for (size_t k = 0; k < law.count; k++) {
      json_t *one = json_object();
      json_object_set_new(one, "by", api_json_text(law.derivatives[k].by));
      json_object_set_new(one, "text", api_json_text(shown(&law, law.derivatives[k].formula, MBS_NOTATION_TEXT)));
      set_notations(one, &law, law.derivatives[k].formula, mathml);
      json_array_append_new(derivatives, one);
    }
  }
  mbs_arena_free(law.arena);
  json_object_set_new(object, "derivatives", derivatives);
  return object;
}

static json_t *element_json(const mbs_equations *equations, const mbs_equation_element *element, bool mathml) {
  json_t *object = json_object(), *laws = json_array();
  for (size_t l = 0; l < element->law_count; l++) json_array_append_new(laws, law_json(equations, element, l, mathml));
  json_object_set_new(object, "name", api_json_text(element->name));
  json_object_set_new(object, "type", api_json_text(element->type));
  json_object_set_new(object, "equation", api_json_text(element->equation));
  if (element->function) json_object_set_new(object, "function", api_json_text(element->function));
  if (element->follows) json_object_set_new(object, "follows", api_json_text(element->follows));
  json_object_set_new(object, "laws", laws);
  return object;
}

json_t *api_equations_laws(const mbs_equations *equations, mbs_equation_role role, bool mathml) {
  json_t *array = json_array();
  for (size_t e = 0; e < equations->element_count; e++)
    if (equations->elements[e].role == role)
      json_array_append_new(array, element_json(equations, &equations->elements[e], mathml));
  return array;
}

/* ---- lines --------------------------------------------------------------------------------------------------- */

typedef struct marks {
  const char *begin, *open, *close, *end; /* texts around a line, and around a formula in it */
} marks;

static const marks lines[] = {[MBS_NOTATION_TEXT] = {"  ", "", "", "\n"},
                              [MBS_NOTATION_LATEX] = {"", "$", "$", "\\\\\n"},
                              [MBS_NOTATION_MATHML] = {"<p>", "<math>", "</math>", "</p>\n"}};

static void write_law(const mbs_equations *equations, const mbs_equation_element *element, size_t which,
                      mbs_notation notation, api_buffer *out) {
  const marks *mark = &lines[notation];
  law_reading law;
  if (open_law(&law, equations, element, which) && law.formula) {
    for (size_t k = 0; k <= law.count; k++) {
      const char *text = shown(&law, k ? law.derivatives[k - 1].formula : law.formula, notation);
      const char *by = k ? law.derivatives[k - 1].by : NULL;
      const char *name = by ? mbs_name_symbol(law.arena, by, notation) : NULL;
      bool twice = by && strcmp(by, "t^2") == 0, plain = notation == MBS_NOTATION_TEXT;
      if (!text) continue;
      api_buffer_text(out, mark->begin);
      if (k == 0) api_equations_escape(element->name ? element->name : element->type, notation, out);
      if (by && (element->role == MBS_ROLE_DRIVER || plain))
        api_buffer_print(out, twice ? "second derivative" : element->role == MBS_ROLE_DRIVER ? "rate" : "by %s", by);
      else if (by)
        api_buffer_print(out, "by %s%s%s", mark->open, name ? name : "", mark->close);
      api_buffer_print(out, ": %s%s%s%s", mark->open, text, mark->close, mark->end);
    }
  }
  mbs_arena_free(law.arena);
}

void api_equations_laws_write(const mbs_equations *equations, mbs_notation notation, api_buffer *out) {
  for (size_t e = 0; e < equations->element_count; e++)
    for (size_t l = 0; l < equations->elements[e].law_count; l++)
      write_law(equations, &equations->elements[e], l, notation, out);
}
