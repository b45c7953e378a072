/* The equations of one document in the module, and their numbers at a state. */
#include "api/documents/equations.h"

#include "answers.h"
#include "api/base/values.h"
#include "api/documents/equations_state.h"
#include "api/documents/validation.h"
#include "module.h"
#include "session.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_DERIVED = 409, TOO_MANY = 413 };

static mbs_model *model;
static mbs_equations *equations;
static char *model_name;

static void set_derived(mbs_model *new_model, mbs_equations *new_equations, const char *name) {
  mbs_equations_free(equations);
  mbs_model_free(model);
  free(model_name);
  model = new_model;
  equations = new_equations;
  model_name = name ? strdup(name) : NULL;
}

static void answer_derived(void) {
  json_t *names = json_array();
  for (size_t m = 0; m < equations->matrix_count; m++)
    json_array_append_new(names, json_string(equations->matrices[m].name));
  answer_json(json_pack("{s:o}", "matrices", names));
}

int module_derive(const char *text, size_t size) {
  api_document document, plain;
  if (!answer_begin(text, size, &document)) return answer_status();
  mbs_diagnostics list = {0};
  mbs_error error;
  api_equations_document(&document, API_EQUATIONS_MEMBERS, NULL, &plain);
  mbs_model *new_model = api_document_build(&plain, &module_limits, &list);
  const api_equations_query all = {.format = API_EQUATIONS_JSON};
  api_equations_excess excess = {0};
  bool some = new_model && api_equations_exceed(new_model, &all, true, &excess); /* then only those of them that fit */
  mbs_equations *new_equations = new_model ? mbs_equations_new_of(new_model, some ? excess.fitting : NULL) : NULL;
  if (new_model && !new_equations) mbs_diagnose(&list, MBS_NO_MEMORY, "", "the model is too large for its equations");
  if (new_equations) {
    (void)mbs_equations_start(new_equations, &error); /* on failure the numbers are those of the document */
    set_derived(new_model, new_equations, api_document_name(&document));
    mbs_diagnostics_free(&list);
    answer_derived();
  } else {
    mbs_model_free(new_model);
    answer_errors(&list, document.root);
  }
  api_document_free(&plain);
  api_document_free(&document);
  return answer_status();
}

static bool read_numbers(const json_t *array, double *out, size_t count) {
  if (json_array_size(array) != count) return false;
  for (size_t k = 0; k < count; k++) out[k] = json_number_value(json_array_get(array, k));
  return true;
}

/* Evaluates the equations at the state of the session, or at {"t", "q", "v"}. Returns false if the state is that of
 * another mechanism. */
static bool evaluate(const json_t *at) {
  size_t nq = equations->q_count, nv = equations->v_count;
  double *q = malloc((nq + nv + 1) * sizeof *q), *v = q + nq, t = module_time();
  mbs_error error;
  if (!q) return false;
  bool good = json_is_object(at)
                  ? read_numbers(json_object_get(at, "q"), q, nq) && read_numbers(json_object_get(at, "v"), v, nv)
                  : session_coordinates(nq, q, nv, v);
  if (json_is_object(at)) t = json_number_value(json_object_get(at, "t"));
  good = good && mbs_equations_at(equations, t, q, v, &error) == MBS_OK;
  free(q);
  return good;
}

static void answer_shown(const char *format, const api_equations_shown *shown) {
  if (strcmp(format, "values") == 0) {
    answer_json(api_equations_values_json(shown));
  } else if (strcmp(format, "latex") == 0) {
    char *latex = api_equations_latex(shown);
    answer_json(json_pack("{s:o}", "latex", api_json_text(latex ? latex : "")));
    free(latex);
  } else {
    answer_text(api_equations_json(shown));
  }
}

static bool is_derived(const char *name) {
  for (size_t m = 0; m < equations->matrix_count; m++)
    if (strcmp(equations->matrices[m].name, name) == 0) return true;
  return false;
}

/* Returns true if a requested matrix was too large to be derived with the others, or if all matrices have too many
 * blocks. */
static bool too_many(const api_equations_shown *shown) {
  mbs_equation_size sizes[MBS_EQUATION_MATRICES];
  size_t count = mbs_equations_sizes(model, sizes);
  for (size_t m = 0; m < count; m++)
    if (shown->query->only && api_equations_wanted(shown->query, sizes[m].name) && !is_derived(sizes[m].name))
      return true;
  return api_equations_blocks(shown) > API_EQUATIONS_BLOCKS;
}

int module_equations(const char *text, size_t size) {
  api_document request;
  if (!answer_begin(text, size, &request)) return answer_status();
  const char *format = json_string_value(json_object_get(request.root, "format"));
  const json_t *at = json_object_get(request.root, "at");
  const api_equations_query query = {.only = json_string_value(json_object_get(request.root, "only")), .mathml = true};
  const api_equations_shown shown = {
      .equations = equations, .model_name = model_name ? model_name : "", .query = &query, .sparse = true};
  int status = answer_status();
  if (!equations || (at && !evaluate(at))) {
    status = NOT_DERIVED;
  } else if (too_many(&shown)) {
    status = TOO_MANY;
  } else {
    answer_shown(format ? format : "json", &shown);
    status = answer_status();
  }
  if (status == NOT_DERIVED || status == TOO_MANY) answer_json(json_object());
  api_document_free(&request);
  return status;
}
