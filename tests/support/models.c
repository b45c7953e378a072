/* Reads, builds and runs models and inspects results; see models.h. */
#include "models.h"
#include "model/model.h"

#include "api/documents/document.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void give_up(const char *what, const char *why) {
  fprintf(stderr, "%s: %s\n", what, why);
  abort();
}

/* ---- reading and running ------------------------------------------------------------------------------------- */

char *models_file(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0;
  if (!file || getdelim(&text, &size, '\0', file) < 0) give_up(path, "cannot be read");
  fclose(file);
  return text;
}

char *models_named(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "models/%s.json", name);
  return models_file(path);
}

char *models_with(const char *document, const char *added) {
  json_t *changed = json_loads(document, 0, NULL), *more = json_loads(added, 0, NULL);
  if (json_object_update(changed, more) != 0) give_up(added, "is no object");
  char *text = json_dumps(changed, 0);
  json_decref(changed);
  json_decref(more);
  return text;
}

char *models_named_with(const char *name, const char *added) {
  char *named = models_named(name), *text = models_with(named, added);
  free(named);
  return text;
}

char *models_of_tests(const char *name) {
  char path[256];
  snprintf(path, sizeof path, "tests/reference/models/%s.json", name);
  return models_file(path);
}

char *models_text(const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&text, format, arguments) < 0) give_up("text", "no memory");
  va_end(arguments);
  return text;
}

char *models_merged(const char *one, const char *two) {
  return models_text("%.*s, %s", (int)strlen(one) - 1, one, two + 1);
}

/* Builds a model from the body of a request. */
static mbs_model *build_request(char *text, mbs_diagnostics *list) {
  api_document parsed;
  api_syntax_error place;
  if (!api_document_parse(text, strlen(text), &parsed, &place)) give_up(text, place.detail);
  mbs_model *model = api_document_build(&parsed, &(mbs_limits){.memory = (size_t)4 << 30}, list);
  api_document_free(&parsed);
  free(text);
  return model;
}

mbs_model *models_try_build(const char *document, const char *analysis, mbs_diagnostics *list) {
  return build_request(
      models_text(analysis ? PART({"model": %s, "analysis": %s}) : PART({"model": %s}), document, analysis), list);
}

mbs_model *models_try_build_study(const char *document, const char *analysis, const char *study,
                                  mbs_diagnostics *list) {
  return build_request(models_text(PART({"model": %s, "analysis": %s, "study": %s}), document, analysis, study), list);
}

mbs_model *models_build(const char *document, const char *analysis) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build(document, analysis, &list);
  for (size_t i = 0; i < list.count; i++) fprintf(stderr, "%s: %s\n", list.items[i].pointer, list.items[i].message);
  if (!model) give_up(document, "is not a model");
  mbs_diagnostics_free(&list);
  return model;
}

mbs_status models_try_run(const char *document, const char *analysis, mbs_result **result, mbs_error *error) {
  mbs_model *model = models_build(document, analysis);
  mbs_status status = mbs_run(model, NULL, result, error);
  mbs_model_free(model);
  return status;
}

mbs_result *models_run(const char *document, const char *analysis) {
  mbs_result *result = NULL;
  mbs_error error = {0};
  if (models_try_run(document, analysis, &result, &error) != MBS_OK) give_up(document, error.message);
  return result;
}

/* ---- results ------------------------------------------------------------------------------------------------- */

static const mbs_array *find_array(const mbs_result *result, const char *name) {
  const mbs_array *array = mbs_result_array(result, name);
  if (!array) give_up(name, "is not among the results");
  return array;
}

size_t models_rows(const mbs_result *result) { return find_array(result, "T")->shape[0]; }

size_t models_columns(const mbs_result *result, const char *name) {
  return mbs_array_columns(find_array(result, name));
}

const double *models_row(const mbs_result *result, const char *name, size_t row) {
  const mbs_array *array = find_array(result, name);
  if (row >= array->shape[0]) give_up(name, "has fewer rows");
  return array->data + row * models_columns(result, name);
}

void models_state(const mbs_result *result, const mbs_model *model, size_t row, double *out) {
  const double *from = models_row(result, "uT", row);
  for (size_t k = 0; k < model->nq; k++) out[model->user_q[k]] = from[k];
  for (size_t k = 0; k < model->nv; k++) out[model->nq + (size_t)model->user_v[k]] = from[model->nq + k];
}

double models_difference(const mbs_result *one, const mbs_result *two, const char *name, size_t row) {
  size_t columns = models_columns(one, name);
  if (columns != models_columns(two, name)) give_up(name, "has another shape in the other result");
  const double *x = models_row(one, name, row), *y = models_row(two, name, row);
  double largest = 1, difference = 0;
  for (size_t i = 0; i < columns; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) return INFINITY;
    largest = fmax(largest, fabs(y[i]));
    difference = fmax(difference, fabs(x[i] - y[i]));
  }
  return difference / largest;
}

const char *models_note(const mbs_result *result, const char *words) {
  for (size_t i = 0; i < result->report.note_count; i++)
    if (strstr(result->report.notes[i], words)) return result->report.notes[i];
  return NULL;
}

static json_t *planar_state(const mbs_result *state, size_t row, size_t b) {
  const double *r = models_row(state, "r", row) + 2 * b, *rd = models_row(state, "rd", row) + 2 * b;
  return json_pack("{s:[f,f], s:f, s:[f,f], s:f}", "position", r[0], r[1], "angle", models_row(state, "p", row)[b],
                   "velocity", rd[0], rd[1], "angular_velocity", models_row(state, "pd", row)[b]);
}

static json_t *spatial_state(const mbs_result *state, size_t row, size_t b) {
  const double *r = models_row(state, "r", row) + 3 * b, *rd = models_row(state, "rd", row) + 3 * b,
               *p = models_row(state, "p", row) + 4 * b, *omega = models_row(state, "omega", row) + 3 * b;
  return json_pack("{s:[f,f,f], s:{s:[f,f,f,f]}, s:[f,f,f], s:[f,f,f]}", "position", r[0], r[1], r[2], "orientation",
                   "euler_parameters", p[0], p[1], p[2], p[3], "velocity", rd[0], rd[1], rd[2], "angular_velocity",
                   omega[0], omega[1], omega[2]);
}

char *models_with_state(const char *document, const mbs_result *state, size_t row) {
  json_t *root = json_loads(document, JSON_DECODE_INT_AS_REAL, NULL), *body, *joint;
  size_t b, j;
  json_array_foreach(json_object_get(root, "bodies"), b, body) {
    json_object_set_new(body, "initial",
                        strcmp(state->report.space, "planar") == 0 ? planar_state(state, row, b)
                                                                   : spatial_state(state, row, b));
  }
  json_array_foreach(json_object_get(root, "joints"), j, joint) json_object_del(joint, "initial");
  char *text = json_dumps(root, JSON_REAL_PRECISION(17));
  json_decref(root);
  if (!text) give_up("document", "no memory");
  return text;
}
