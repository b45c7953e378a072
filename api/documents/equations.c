/* equations.c - see equations.h. */
#include "api/documents/equations.h"

#include "api/base/name_list.h"
#include "api/base/values.h"

#include <math.h>
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

bool api_equations_wanted(const api_equations_shown *shown, const char *matrix) {
  const char *at = shown->wish->only;
  size_t length = strlen(matrix);
  while (at && *at) {
    size_t end = strcspn(at, ",");
    if (end == length && strncmp(at, matrix, length) == 0) return true;
    at += end + (at[end] == ',');
  }
  return !shown->wish->only;
}

bool api_equations_named(const api_equations_shown *shown, const mbs_equation_symbol *symbol) {
  for (size_t m = 0; m < shown->equations->matrix_count; m++)
    if ((symbol->matrices >> m & 1) && api_equations_wanted(shown, shown->equations->matrices[m].name)) return true;
  return false;
}

/* ---- the document -------------------------------------------------------------------------------------------- */

/* What stands beside the model for the equations alone. */
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
    mbs_diagnose(list, MBS_INVALID, "/formulation", "the formulation is \"joint\" or \"body\"");
  if (sparse && !json_is_boolean(sparse)) mbs_diagnose(list, MBS_WRONG_TYPE, "/sparse", "sparse is true or false");
  if (request->at && !json_is_object(request->at))
    mbs_diagnose(list, MBS_WRONG_TYPE, "/at", "at is an object {\"t\", \"q\", \"v\"}");
  return list->count == before;
}

/* The document without those members, in the formulation asked for; without an analysis it is an assembly. Its study is
 * none of the equations'. */
static void plain_document(const api_document *document, const equations_request *request, api_document *plain) {
  json_t *root = json_copy(document->root);
  if (document->wrapped) {
    json_object_del(root, "at");
    json_object_del(root, "formulation");
    json_object_del(root, "sparse");
    json_object_del(root, "study");
  }
  json_t *analysis = json_is_object(document->analysis) ? json_copy(document->analysis) : NULL;
  if (!document->analysis) analysis = json_pack("{s:s}", "type", "assembly");
  if (analysis && request->formulation) json_object_set_new(analysis, "formulation", json_string(request->formulation));
  if (analysis) json_object_set_new(root, "analysis", analysis);
  api_document_adopt(root, plain);
}

/* ---- the state ----------------------------------------------------------------------------------------------- */

/* Where the numbers are taken. */
typedef struct equations_state {
  mbs_diagnostics *list;
  double t, *q, *v;
  bool t_given, q_given, v_given;
} equations_state;

static void read_number(const json_t *value, const char *pointer, mbs_diagnostics *list, double *out) {
  if (json_is_number(value))
    *out = json_number_value(value);
  else
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "a number is needed here");
}

static void read_list(const json_t *given, const char *name, size_t count, mbs_diagnostics *list, double *out) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/at/%s", name);
  if (json_array_size(given) != count) {
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "the model has %zu numbers here, not %zu", count,
                 json_array_size(given));
    return;
  }
  for (size_t k = 0; k < count; k++) {
    snprintf(pointer, sizeof pointer, "/at/%s/%zu", name, k);
    read_number(json_array_get(given, k), pointer, list, &out[k]);
  }
}

static void read_labelled(const json_t *given, const char *name, const char *const *labels, size_t count,
                          mbs_diagnostics *list, double *out) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)given, key, value) {
    char pointer[256], hint[256];
    size_t k = 0;
    snprintf(pointer, sizeof pointer, "/at/%s/%.200s", name, key);
    while (k < count && strcmp(labels[k], key) != 0) k++;
    if (k < count)
      read_number(value, pointer, list, &out[k]);
    else
      mbs_diagnose(list, MBS_UNKNOWN_NAME, pointer, "there is no '%.60s' among the %s; %s", key,
                   *name == 'q' ? "coordinates" : "velocities", api_name_hint(labels, count, key, hint, sizeof hint));
  }
}

/* One of "q" and "v": by label, others keep what they are, or all in their order. */
static bool read_values(const json_t *at, const char *name, const char *const *labels, size_t count,
                        mbs_diagnostics *list, double *out) {
  const json_t *given = json_object_get(at, name);
  char pointer[16];
  snprintf(pointer, sizeof pointer, "/at/%s", name);
  if (json_is_array(given))
    read_list(given, name, count, list, out);
  else if (json_is_object(given))
    read_labelled(given, name, labels, count, list, out);
  else if (given)
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "%s is an object by labels or an array", name);
  return given != NULL;
}

static bool read_state(const mbs_equations *equations, const json_t *at, equations_state *state) {
  size_t before = state->list->count;
  static const char *const members[] = {"t", "q", "v"};
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)at, key, value) {
    char pointer[128], hint[128];
    snprintf(pointer, sizeof pointer, "/at/%.100s", key);
    if (strlen(key) != 1 || !strchr("tqv", *key))
      mbs_diagnose(state->list, MBS_UNKNOWN_FIELD, pointer, "unknown field '%.60s'; %s", key,
                   api_name_hint(members, 3, key, hint, sizeof hint));
  }
  state->t_given = json_object_get(at, "t") != NULL;
  if (state->t_given) read_number(json_object_get(at, "t"), "/at/t", state->list, &state->t);
  state->q_given = read_values(at, "q", equations->q_labels, equations->q_count, state->list, state->q);
  state->v_given = read_values(at, "v", equations->v_labels, equations->v_count, state->list, state->v);
  return state->list->count == before;
}

/* The motion of a driven model at a time: a run up to there, whose last row it is. */
static bool driven_state(const api_document *document, const mbs_limits *limits, equations_state *state) {
  json_t *root = json_copy(document->root), *analysis = json_copy(document->analysis);
  double start = json_number_value(json_object_get(analysis, "t_start")), span = state->t - start;
  double dt = json_number_value(json_object_get(analysis, "dt"));
  json_object_set_new(analysis, "t_end", json_real(state->t));
  json_object_set_new(analysis, "dt", json_real(span / fmax(1, ceil(span / (dt > 0 ? dt : span)))));
  json_object_set_new(root, "analysis", analysis);
  api_document upto;
  api_document_adopt(root, &upto);
  mbs_model *model = api_document_build(&upto, limits, state->list);
  mbs_result *result = NULL;
  mbs_error error = {0};
  mbs_status status = model ? mbs_run(model, NULL, &result, &error) : MBS_INVALID;
  if (status == MBS_OK) {
    const mbs_array *q = mbs_result_array(result, "theta"), *v = mbs_result_array(result, "theta_d");
    size_t nq = mbs_array_columns(q), nv = mbs_array_columns(v), last = q->shape[0] - 1;
    memcpy(state->q, q->data + last * nq, nq * sizeof *state->q);
    memcpy(state->v, v->data + last * nv, nv * sizeof *state->v);
  } else if (model) {
    mbs_diagnose(state->list, status, "/at/t", "the motion does not reach this time: %s", error.message);
  }
  mbs_result_free(result);
  mbs_model_free(model);
  api_document_free(&upto);
  return status == MBS_OK;
}

/* A driven motion is known at any time; of others only the start is, unless q says where. */
static bool find_state(const api_document *document, const mbs_limits *limits, equations_state *state, double start) {
  if (state->q_given || !state->t_given || state->t == start) return true;
  const char *type = json_string_value(json_object_get(document->analysis, "type"));
  bool driven = type && (strcmp(type, "kinematics") == 0 || strcmp(type, "inverse-dynamics") == 0);
  if (driven && state->t > start) return driven_state(document, limits, state);
  mbs_diagnose(state->list, MBS_INVALID, "/at/t",
               "the numbers of t = %.9g are known of a job that ran (GET /api/v1/jobs/ID/equations?t=), or where \"q\" "
               "is given; without it t is the start, %.9g%s",
               state->t, start, driven ? ", or later" : "");
  return false;
}

static bool take_state(mbs_equations *equations, const api_document *document, const json_t *at,
                       const mbs_limits *limits, mbs_diagnostics *list) {
  equations_state state = {.list = list, .t = equations->t};
  double start = equations->t;
  state.q = malloc((equations->q_count + equations->v_count + 1) * sizeof *state.q);
  if (!state.q) {
    mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
    return false;
  }
  state.v = state.q + equations->q_count;
  memcpy(state.q, equations->q, equations->q_count * sizeof *state.q);
  memcpy(state.v, equations->v, equations->v_count * sizeof *state.v);
  mbs_error error = {0};
  bool good = read_state(equations, at, &state) && find_state(document, limits, &state, start);
  if (good && mbs_equations_at(equations, state.t, state.q, state.v, &error) != MBS_OK) {
    mbs_diagnose(list, error.status, "/at", "there are no equations at this state: %s", error.message);
    good = false;
  }
  free(state.q);
  return good;
}

/* ---- the answer ---------------------------------------------------------------------------------------------- */

static size_t shown_blocks(const api_equations_shown *shown) {
  size_t blocks = 0;
  for (size_t m = 0; m < shown->equations->matrix_count; m++) {
    const mbs_equation_matrix *matrix = &shown->equations->matrices[m];
    for (size_t k = 0; k < matrix->row_count * matrix->column_count; k++)
      blocks += !matrix->blocks[k].zero && api_equations_wanted(shown, matrix->name);
  }
  return blocks;
}

static char *answer_text(const api_equations_shown *shown) {
  switch (shown->wish->format) {
  case API_EQUATIONS_TEXT: return api_equations_text(shown);
  case API_EQUATIONS_LATEX: return api_equations_latex(shown);
  case API_EQUATIONS_MATHML: return api_equations_html(shown);
  default: return api_json_string(api_equations_json(shown));
  }
}

static char *show(mbs_equations *equations, const api_document *document, const equations_request *request,
                  const api_equations_wish *wish, const mbs_limits *limits, mbs_diagnostics *list, size_t *blocks) {
  mbs_error error = {0};
  char note[1100] = "";
  if (mbs_equations_start(equations, &error) != MBS_OK)
    snprintf(note, sizeof note, "the start could not be corrected, the numbers are those of the document: %s",
             error.message);
  if (request->at && !take_state(equations, document, request->at, limits, list)) return NULL;
  if (request->at && json_object_get(request->at, "q")) *note = 0;
  const api_equations_shown shown = {.equations = equations,
                                     .model_name = api_document_name(document),
                                     .note = *note ? note : NULL,
                                     .wish = wish,
                                     .sparse = request->sparse};
  *blocks = shown_blocks(&shown);
  if (*blocks > API_EQUATIONS_BLOCKS && !wish->only) return NULL;
  char *text = answer_text(&shown);
  if (!text) mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
  return text;
}

char *api_document_equations(api_document *document, const api_equations_wish *wish, const mbs_limits *limits,
                             mbs_diagnostics *list, size_t *blocks) {
  equations_request request;
  api_document plain;
  char *text = NULL;
  *blocks = 0;
  if (!read_request(document, &request, list)) return NULL;
  plain_document(document, &request, &plain);
  mbs_model *model = api_document_build(&plain, limits, list);
  mbs_equations *equations = model ? mbs_equations_new(model) : NULL;
  if (equations)
    text = show(equations, &plain, &request, wish, limits, list, blocks);
  else if (model)
    mbs_diagnose(list, MBS_NO_MEMORY, "", "the model is too large for its equations: out of memory");
  mbs_equations_free(equations);
  mbs_model_free(model);
  api_document_free(&plain);
  return text;
}
