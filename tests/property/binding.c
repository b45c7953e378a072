/* Compares the numbers of a model for other values of its parameters; see binding.h. */
#include "property/binding.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernels.h"
#include "models.h"

/* ---- comparing -------------------------------------------------------------------------------------------------- */

void assert_same(const char *what, const void *one, const void *two, size_t count, size_t size) {
  if (count && memcmp(one, two, count * size) != 0) fail_msg("%s are not the same", what);
}

static void assert_same_laws(const mbs_model *model, const mbs_constants *one, const mbs_constants *two) {
  for (size_t l = 0; l < model->law_count; l++) {
    const mbs_law_constants *a = &one->laws[l], *b = &two->laws[l];
    assert_int_equal(a->expression != NULL, b->expression != NULL);
    assert_same("values of laws", &a->value, &b->value, 1, sizeof a->value);
    if (a->expression) assert_true(mbs_expression_same(a->expression, b->expression));
  }
}

void assert_same_numbers(const mbs_constants *one, const mbs_constants *two) {
  const mbs_model *model = one->model;
  assert_same("gravity", one->gravity, two->gravity, 3, sizeof(double));
  assert_same("points", one->points, two->points, model->nP, sizeof *one->points);
  assert_same("vectors", one->vectors, two->vectors, model->vector_count, sizeof *one->vectors);
  assert_same("bodies", one->bodies, two->bodies, model->nB + 1, sizeof *one->bodies);
  assert_same("joints", one->joints, two->joints, model->joint_count, sizeof *one->joints);
  assert_same("blocks", one->blocks, two->blocks, model->block_numbers, sizeof *one->blocks);
  assert_same("sizes", one->radius2, two->radius2, model->nB + 1, sizeof(double));
  assert_same("extents", &one->extent, &two->extent, 1, sizeof(double));
  assert_same("units", &one->length, &two->length, 1, sizeof(double));
  assert_same("q0", one->q0, two->q0, model->nq, sizeof(double));
  assert_same("v0", one->v0, two->v0, model->nv, sizeof(double));
  assert_same("kernels", one->kernels, two->kernels, model->nB + 1, model->kernels->constants_size);
  for (size_t f = 0; f < model->force_count; f++)
    assert_same("force elements", one->forces[f].data, two->forces[f].data, 1, model->forces[f].cls->data_size);
  for (size_t f = 0; f < model->function_numbers; f++) {
    const mbs_function_constants *a = &one->functions[f], *b = &two->functions[f];
    assert_same("functions", a->data, b->data, a->data_count, sizeof(double));
    assert_int_equal(a->break_count, b->break_count);
    assert_same("breaks", a->breaks, b->breaks, a->break_count, sizeof(double));
    assert_same("least values", &a->least, &b->least, 1, sizeof(double));
  }
  assert_same_laws(model, one, two);
}

/* ---- documents -------------------------------------------------------------------------------------------------- */

char *with_parameters(const char *text, const mbs_model *model, const double *values) {
  json_t *document = json_loads(text, 0, NULL), *parameters = json_object_get(document, "parameters");
  for (size_t i = 0; i < model->parameter_count; i++)
    if (!isnan(values[i])) json_object_set_new(parameters, model->parameters[i].name, json_real(values[i]));
  char *changed = json_dumps(document, JSON_REAL_PRECISION(17));
  json_decref(document);
  return changed;
}

/* ---- every number as an expression ------------------------------------------------------------------------------ */

typedef struct rewriting {
  json_t *parameters;
  uint64_t seed;
  int count;
  double last; /* the value of the newest parameter */
} rewriting;

static json_t *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static json_t *text(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  json_t *made = json_vsprintf(format, arguments);
  va_end(arguments);
  return made;
}

static void set(rewriting *r, const char *stem, json_t *value) {
  char name[24];
  snprintf(name, sizeof name, "%s%d", stem, r->count);
  json_object_set_new(r->parameters, name, value);
}

/* Returns an expression with this value: a new parameter, a sum with one between the value and the last, or the end of
 * a chain whose members are defined later in the document. */
static json_t *expression_of(rewriting *r, double value) {
  int k = ++r->count;
  double kind = models_uniform(&r->seed);
  if (kind < 0 || k == 1) {
    set(r, "x", json_real(r->last = value));
    return text("x%d", k);
  }
  if (kind < 0.5) {
    set(r, "x", json_real((value + r->last) / 2));
    json_t *made = text("2*x%d - (%.17g)", k, r->last);
    r->last = (value + r->last) / 2;
    return made;
  }
  set(r, "end", text("half%d + x%d/2", k, k));
  set(r, "half", text("0.5*x%d", k));
  set(r, "x", json_real(r->last = value));
  return text("end%d", k);
}

/* Returns true for members that determine the structure or serve only the drawing. */
static bool stays(const char *key) {
  static const char *const keys[] = {"analysis", "parameters", "coordinate", "curve", "functions", "shapes", "view"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(keys[i], key) == 0) return true;
  return false;
}

static json_t *rewritten(rewriting *r, json_t *node) {
  const char *key;
  json_t *value;
  size_t i;
  if (json_is_number(node)) return expression_of(r, json_number_value(node));
  json_t *made = json_is_object(node) ? json_object() : json_is_array(node) ? json_array() : json_incref(node);
  if (json_is_object(node))
    json_object_foreach(node, key, value)
        json_object_set_new(made, key, stays(key) ? json_incref(value) : rewritten(r, value));
  if (json_is_array(node)) json_array_foreach(node, i, value) json_array_append_new(made, rewritten(r, value));
  return made;
}

char *with_expressions(const char *document, uint64_t seed) {
  json_t *from = json_loads(document, 0, NULL), *parameters = json_object_get(from, "parameters");
  rewriting r = {.parameters = parameters ? json_deep_copy(parameters) : json_object(), .seed = seed};
  json_t *to = rewritten(&r, from);
  json_object_set_new(to, "parameters", r.parameters);
  char *out = json_dumps(to, JSON_REAL_PRECISION(17));
  json_decref(from);
  json_decref(to);
  return out;
}
