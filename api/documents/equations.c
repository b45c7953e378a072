/* equations.c - see equations.h. */
#include "api/documents/equations.h"

#include "api/base/name_list.h"
#include "api/base/values.h"
#include "api/documents/equations_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats ------------------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *media_type;
} formats[API_EQUATIONS_FORMATS] = {[API_EQUATIONS_JSON] = {"json", "application/json"},
                                    [API_EQUATIONS_TEXT] = {"text", "text/plain; charset=utf-8"},
                                    [API_EQUATIONS_LATEX] = {"latex", "application/x-latex"},
                                    [API_EQUATIONS_MATHML] = {"mathml", "text/html; charset=utf-8"}};

api_equations_format api_equations_format_named(const char *name) {
  for (int k = 0; k < API_EQUATIONS_FORMATS; k++)
    if (strcmp(formats[k].name, name) == 0) return (api_equations_format)k;
  return API_EQUATIONS_FORMATS;
}

const char *api_equations_media_type(api_equations_format format) { return formats[format].media_type; }

bool api_equations_known(const char *only, char problem[300]) {
  api_name_list known;
  api_name_list_split(&known, API_EQUATIONS_MATRICES);
  while (*only) {
    char name[32], hint[200];
    size_t length = strcspn(only, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), only);
    if (!api_name_list_has(&known, name)) {
      snprintf(problem, 300, "Unknown matrix '%s' in the query parameter only; %s", name,
               api_name_list_hint(&known, name, hint, sizeof hint));
      return false;
    }
    only += length + (only[length] == ',');
  }
  return true;
}

bool api_equations_wanted(const api_equations_query *query, const char *matrix) {
  const char *at = query->only;
  size_t length = strlen(matrix);
  while (at && *at) {
    size_t end = strcspn(at, ",");
    if (end == length && strncmp(at, matrix, length) == 0) return true;
    at += end + (at[end] == ',');
  }
  return !query->only;
}

bool api_equations_named(const api_equations_shown *shown, const mbs_equation_symbol *symbol) {
  for (size_t m = 0; m < shown->equations->matrix_count; m++)
    if ((symbol->matrices >> m & 1) && api_equations_wanted(shown->query, shown->equations->matrices[m].name))
      return true;
  return false;
}

/* ---- the document -------------------------------------------------------------------------------------------- */

/* Members beside the model of a request for equations. */
typedef struct equations_request {
  const json_t *at;
  const char *formulation;
  bool sparse;
} equations_request;

static bool read_request(const api_document *document, equations_request *request, mbs_diagnostics *list) {
  *request = (equations_request){0};
  if (!document->wrapped) return true;
  size_t before = list->count;
  const json_t *formulation = json_object_get(document->root, "formulation");
  const json_t *sparse = json_object_get(document->root, "sparse");
  request->at = json_object_get(document->root, "at");
  request->formulation = json_string_value(formulation);
  request->sparse = json_is_true(sparse);
  if (formulation && (!request->formulation ||
                      (strcmp(request->formulation, "joint") != 0 && strcmp(request->formulation, "body") != 0)))
    mbs_diagnose(list, MBS_INVALID, "/formulation", "\"formulation\" must be \"joint\" or \"body\"");
  if (sparse && !json_is_boolean(sparse))
    mbs_diagnose(list, MBS_WRONG_TYPE, "/sparse", "\"sparse\" must be true or false");
  if (request->at && !json_is_object(request->at))
    mbs_diagnose(list, MBS_WRONG_TYPE, "/at", "\"at\" must be an object with the fields \"t\", \"q\" and \"v\"");
  return list->count == before;
}

static bool take_state(mbs_equations *equations, const api_document *document, const json_t *at,
                       const mbs_limits *limits, mbs_diagnostics *list) {
  api_equations_state state;
  mbs_error error = {0};
  bool good = api_equations_state_read(equations, document, at, limits, list, &state);
  if (good && mbs_equations_at(equations, state.t, state.q, state.v, &error) != MBS_OK) {
    mbs_diagnose(list, error.status, "/at", "the equations cannot be evaluated at this state: %s", error.message);
    good = false;
  }
  free(state.q);
  return good;
}

/* ---- limits of size ---------------------------------------------------------------------------------------- */

/* Returns the number of printed blocks. */
static size_t written(const mbs_equation_size *size, bool sparse) { return sparse ? size->blocks : size->cells; }

static bool fits(size_t blocks, size_t products, const api_equations_query *query) {
  return blocks <= (query->only ? API_EQUATIONS_CHOSEN_BLOCKS : API_EQUATIONS_BLOCKS) &&
         products <= API_EQUATIONS_PRODUCTS;
}

/* Finds matrices that could be requested together, beginning with the first, without their zero blocks. */
static void find_fitting(const mbs_equation_size *sizes, size_t count, api_equations_excess *excess) {
  size_t blocks = 0, products = 0;
  for (size_t m = 0; m < count; m++) {
    const mbs_equation_size *size = &sizes[m];
    size_t end = strlen(excess->fitting);
    if (blocks + size->blocks > API_EQUATIONS_CHOSEN_BLOCKS || products + size->products > API_EQUATIONS_PRODUCTS)
      continue;
    blocks += size->blocks;
    products += size->products;
    snprintf(excess->fitting + end, sizeof excess->fitting - end, "%s%s", end ? "," : "", size->name);
  }
}

bool api_equations_exceed(const mbs_model *model, const api_equations_query *query, bool sparse,
                          api_equations_excess *excess) {
  mbs_equation_size sizes[MBS_EQUATION_MATRICES];
  size_t count = mbs_equations_sizes(model, sizes), blocks = 0, products = 0, nonzero = 0;
  *excess = (api_equations_excess){0};
  sparse = sparse || !query->only || query->format != API_EQUATIONS_JSON; /* a zero is one character in text */
  for (size_t m = 0; m < count; m++) {
    if (!api_equations_wanted(query, sizes[m].name)) continue;
    blocks += written(&sizes[m], sparse);
    nonzero += sizes[m].blocks;
    products += sizes[m].products;
  }
  if (fits(blocks, products, query)) return false;
  find_fitting(sizes, count, excess);
  bool zeros = fits(nonzero, products, query);
  snprintf(excess->detail, sizeof excess->detail,
           "the equations are too large for one response: they have %zu submatrices (blocks)%s with %zu terms; the "
           "limit is %d blocks%s and %d terms",
           blocks, zeros ? " (zero blocks included)" : "", products,
           query->only ? API_EQUATIONS_CHOSEN_BLOCKS : API_EQUATIONS_BLOCKS,
           query->only ? "" : " (more if you select matrices)", API_EQUATIONS_PRODUCTS);
  return true;
}

/* ---- the answer ---------------------------------------------------------------------------------------------- */

size_t api_equations_blocks(const api_equations_shown *shown) {
  size_t blocks = 0;
  for (size_t m = 0; m < shown->equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &shown->equations->matrices[m];
    if (!api_equations_wanted(shown->query, matrix->name)) continue;
    for (size_t k = 0; k < matrix->row_count * matrix->column_count; k++) blocks += !matrix->blocks[k].zero;
  }
  return blocks;
}

static char *answer_text(const api_equations_shown *shown) {
  switch (shown->query->format) {
  case API_EQUATIONS_TEXT: return api_equations_text(shown);
  case API_EQUATIONS_LATEX: return api_equations_latex(shown);
  case API_EQUATIONS_MATHML: return api_equations_html(shown);
  default: return api_equations_json(shown);
  }
}

static char *show(mbs_equations *equations, const api_document *document, const equations_request *request,
                  const api_equations_query *query, const mbs_limits *limits, mbs_diagnostics *list) {
  mbs_error error = {0};
  char note[1100] = "";
  if (mbs_equations_start(equations, &error) != MBS_OK)
    snprintf(note, sizeof note,
             "the initial state could not be assembled; the numbers use the uncorrected values of the document: %s",
             error.message);
  if (request->at && !take_state(equations, document, request->at, limits, list)) return NULL;
  if (request->at && json_object_get(request->at, "q")) *note = 0;
  const api_equations_shown shown = {.equations = equations,
                                     .model_name = api_document_name(document),
                                     .note = *note ? note : NULL,
                                     .query = query,
                                     .sparse = request->sparse};
  char *text = answer_text(&shown);
  if (!text) mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  return text;
}

char *api_document_equations(api_document *document, const api_equations_query *query, const mbs_limits *limits,
                             mbs_diagnostics *list, api_equations_excess *excess) {
  equations_request request;
  api_document plain;
  char *text = NULL;
  *excess = (api_equations_excess){0};
  if (!read_request(document, &request, list)) return NULL;
  api_equations_document(document, API_EQUATIONS_MEMBERS, request.formulation, &plain);
  mbs_model *model = api_document_build(&plain, limits, list);
  bool shown = model && !api_equations_exceed(model, query, request.sparse, excess);
  mbs_equations *equations = shown ? mbs_equations_new_of(model, query->only) : NULL;
  if (equations)
    text = show(equations, &plain, &request, query, limits, list);
  else if (shown)
    snprintf(excess->detail, sizeof excess->detail, "not enough memory for the equations");
  mbs_equations_free(equations);
  mbs_model_free(model);
  api_document_free(&plain);
  return text;
}
