/* equations_state.c - see equations_state.h. */
#include "api/documents/equations_state.h"

#include "api/base/name_list.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void api_equations_document(const api_document *document, const char *members, const char *formulation,
                            api_document *plain) {
  json_t *root = json_copy(document->root);
  if (document->wrapped) {
    api_name_list names;
    api_name_list_split(&names, members);
    for (size_t k = 0; k < names.count; k++) json_object_del(root, names.items[k]);
    json_object_del(root, "study");
  }
  json_t *analysis = json_is_object(document->analysis) ? json_copy(document->analysis) : NULL;
  if (!document->analysis) analysis = json_pack("{s:s}", "type", "assembly");
  if (analysis && formulation) json_object_set_new(analysis, "formulation", json_string(formulation));
  if (analysis) api_document_replace_analysis(root, analysis);
  api_document_adopt(root, plain);
}

static void read_number(const json_t *value, const char *pointer, mbs_diagnostics *list, double *out) {
  if (json_is_number(value))
    *out = json_number_value(value);
  else
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "expected a number");
}

static void read_list(const json_t *given, const char *name, size_t count, mbs_diagnostics *list, double *out) {
  char pointer[64];
  snprintf(pointer, sizeof pointer, "/at/%s", name);
  if (json_array_size(given) != count) {
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "expected %zu numbers for this model, got %zu", count,
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
      mbs_diagnose(list, MBS_UNKNOWN_NAME, pointer, "unknown label '%.60s' of the %s; %s", key,
                   *name == 'q' ? "coordinates" : "velocities", api_name_hint(labels, count, key, hint, sizeof hint));
  }
}

/* Reads "q" or "v": an object by label, in which missing values stay unchanged, or a list of all values in order. */
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
    mbs_diagnose(list, MBS_WRONG_TYPE, pointer, "\"%s\" must be an object of labels and numbers, or an array", name);
  return given != NULL;
}

static bool read_members(const mbs_equations *equations, const json_t *at, api_equations_state *state) {
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

/* Finds the state of a driven model at a time: the last row of a run up to that time. */
static bool driven_state(const api_document *document, const mbs_limits *limits, api_equations_state *state) {
  json_t *root = json_copy(document->root), *analysis = json_copy(document->analysis);
  double start = json_number_value(json_object_get(analysis, "t_start")), span = state->t - start;
  double dt = json_number_value(json_object_get(analysis, "dt"));
  json_object_del(analysis, "outputs");
  json_object_set_new(analysis, "t_end", json_real(state->t));
  json_object_set_new(analysis, "dt", json_real(span / fmax(1, ceil(span / (dt > 0 ? dt : span)))));
  api_document_replace_analysis(root, analysis);
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

/* Finds the state: a driven motion is known at any time, of others only the start, unless q is given. */
static bool find_state(const api_document *document, const mbs_limits *limits, api_equations_state *state,
                       double start) {
  if (state->q_given || !state->t_given || state->t == start) return true;
  const char *type = json_string_value(json_object_get(document->analysis, "type"));
  bool driven = type && (strcmp(type, "kinematics") == 0 || strcmp(type, "inverse-dynamics") == 0);
  if (driven && state->t > start) return driven_state(document, limits, state);
  mbs_diagnose(state->list, MBS_INVALID, "/at/t",
               "the state at t = %.9g is unknown: give \"q\", or use a job that has run (GET "
               "/api/v1/jobs/ID/equations?t=); without \"q\", t must be the start, %.9g%s",
               state->t, start, driven ? ", or later" : "");
  return false;
}

bool api_equations_state_read(const mbs_equations *equations, const api_document *document, const json_t *at,
                              const mbs_limits *limits, mbs_diagnostics *list, api_equations_state *state) {
  *state = (api_equations_state){.list = list, .t = equations->t};
  double start = equations->t;
  state->q = malloc((equations->q_count + equations->v_count + 1) * sizeof *state->q);
  if (!state->q) {
    mbs_diagnose(list, MBS_NO_MEMORY, "", "out of memory");
    return false;
  }
  state->v = state->q + equations->q_count;
  memcpy(state->q, equations->q, equations->q_count * sizeof *state->q);
  memcpy(state->v, equations->v, equations->v_count * sizeof *state->v);
  return read_members(equations, at, state) && find_state(document, limits, state, start);
}
