/* Each error is reported once. Every field of every class gets, one after another, values that are wrong for most
 * fields. No two reported errors have the same place and code, except for missing fields, which are listed by name. No
 * number is compared with an expression that has no value. */
#include "mbs.h"
#include "models.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const wrong[] = {"-1",           "0",  "1e300", JSON("nonsense"), JSON("1/0"), "[]",
                                    "[-1, -1, -1]", "{}", "true"};
enum { WRONG = sizeof wrong / sizeof wrong[0] };

static json_t *parse(const char *text) { return json_loads(text, JSON_DECODE_ANY, NULL); }

/* ---- right values --------------------------------------------------------------------------------------------- */

static json_t *object_of(const mbs_class *cls, mbs_space space);

static bool exists(mbs_space spaces, mbs_space space) { return spaces == 0 || (spaces & space) != 0; }

/* Returns a value of a field that is probably valid: its item number `i`. */
static json_t *item_of(const mbs_field *field, mbs_space space, int i) {
  static const char *const points[] = {"a.P", "b.P"}, *const vectors[] = {"a.u", "b.u"};
  switch (field->kind) {
  case MBS_KIND_TEXT: return json_string("e");
  case MBS_KIND_BOOL: return json_true();
  case MBS_KIND_CHOICE: return json_pack("s%", field->choices, strcspn(field->choices, "|"));
  case MBS_KIND_NUMBER:
  case MBS_KIND_LAW: return json_real(i == 0 ? 1 : 0.5);
  case MBS_KIND_BODY: return json_string(i == 0 ? "a" : "b");
  case MBS_KIND_POINT: return json_string(points[i % 2]);
  case MBS_KIND_VECTOR: return json_string(vectors[i % 2]);
  case MBS_KIND_JOINT: return json_string("hinge");
  case MBS_KIND_LINE: return json_pack("[s,s]", "a.P", "a.u");
  case MBS_KIND_OBJECT: return object_of(field->of, space);
  case MBS_KIND_ELEMENT: return field->family == MBS_FAMILY_SHAPE ? json_pack("{s:s}", "type", "line") : json_real(1);
  case MBS_KIND_MAP: return json_object();
  case MBS_KIND_ROW: return json_pack("[f,f]", (double)i, 1.0);
  case MBS_KIND_COLOR: return json_string("red");
  }
  return json_null();
}

static int count_of(int count, mbs_space space) { return mbs_count_in(count, space == MBS_PLANAR); }

static json_t *value_of(const mbs_field *field, mbs_space space) {
  if (field->max_count == 0) return item_of(field, space, 0);
  json_t *list = json_array();
  int count = count_of(field->min_count, space);
  for (int i = 0; i < count; i++) json_array_append_new(list, item_of(field, space, i));
  return list;
}

/* Returns an object with the required fields of a class. */
static json_t *object_of(const mbs_class *cls, mbs_space space) {
  json_t *object = json_object();
  for (const mbs_field *field = cls->fields; field->name; field++)
    if (field->required && exists(field->spaces, space))
      json_object_set_new(object, field->name, value_of(field, space));
  return object;
}

/* ---- documents ------------------------------------------------------------------------------------------------- */

static json_t *document_of(mbs_space space) {
  MODEL(in_plane,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}},
         {"name": "b", "mass": 1, "inertia": 1, "points": {"P": [1, 0]}, "vectors": {"u": [1, 0]},
          "initial": {"position": [3, 0]}}],
       "joints": [{"name": "hinge", "type": "revolute", "points": ["ground.O", "a.P"]}],
       "forces": [],
       "drivers": [],
       "sensors": [],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
  if (space == MBS_PLANAR) return parse(in_plane);
  MODEL(in_space,
      {"space": "spatial",
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [1, 0, 0]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0, 0, 0]},
          "vectors": {"u": [1, 0, 0]}},
         {"name": "b", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [1, 0, 0]},
          "vectors": {"u": [1, 0, 0]}, "initial": {"position": [3, 0, 0]}}],
       "joints": [
         {"name": "hinge", "type": "revolute", "points": ["ground.O", "a.P"],
          "vectors": ["ground.u", "a.u"]}],
       "forces": [],
       "drivers": [],
       "sensors": [],
       "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
  return parse(in_space);
}

static size_t mistakes; /* total number of reported errors */

/* Returns true if `whole` compares values that `part` reports as undefined. Too many values, or misplaced ones, are
 * separate errors. */
static bool compares(const mbs_error *whole, const mbs_error *part) {
  size_t length = strlen(whole->pointer);
  if (part->status != MBS_BAD_EXPRESSION || strncmp(part->pointer, whole->pointer, length) != 0) return false;
  bool inside = part->pointer[length] == '/', same = part->pointer[length] == '\0';
  return (whole->status == MBS_OUT_OF_RANGE && (inside || same)) || (whole->status == MBS_INVALID && inside);
}

/* Expects that the errors of expressions in `list` are also reported with another error, in the gravity. */
static void expect_with_another(const json_t *document, const mbs_diagnostics *list) {
  json_t *copy = json_copy((json_t *)document);
  json_object_set_new(copy, "gravity", parse("[\"unknown\", 0, 0]"));
  json_t *gravity = json_object_get(copy, "gravity");
  if (strcmp(json_string_value(json_object_get(copy, "space")), "planar") == 0) json_array_remove(gravity, 2);
  char *text = json_dumps(copy, 0);
  mbs_diagnostics all = {0};
  mbs_model_free(models_try_build(text, NULL, &all));
  for (size_t i = 0; i < list->count; i++) {
    bool found = list->items[i].status != MBS_BAD_EXPRESSION;
    for (size_t k = 0; k < all.count; k++) found |= strcmp(all.items[k].pointer, list->items[i].pointer) == 0;
    if (!found) fail_msg("not with others: %s at %s\n%s", list->items[i].message, list->items[i].pointer, text);
  }
  mbs_diagnostics_free(&all);
  free(text);
  json_decref(copy);
}

static void expect_no_duplicates(const json_t *document) {
  char *text = json_dumps(document, 0);
  mbs_diagnostics list = {0};
  mbs_model_free(models_try_build(text, NULL, &list));
  mistakes += list.count;
  expect_with_another(document, &list);
  for (size_t i = 0; i < list.count; i++)
    for (size_t k = 0; k < i; k++) {
      const mbs_error *one = &list.items[k], *two = &list.items[i];
      bool same = one->status == two->status && strcmp(one->pointer, two->pointer) == 0;
      if (same && (one->status != MBS_MISSING || strcmp(one->message, two->message) == 0))
        fail_msg("told twice: %s; %s at %s\n%s", one->message, two->message, one->pointer, text);
      if (compares(one, two) || compares(two, one))
        fail_msg("also reported: %s at %s; %s at %s\n%s", one->message, one->pointer, two->message, two->pointer, text);
    }
  mbs_diagnostics_free(&list);
  free(text);
}

/* Puts wrong values into each field of `object`, a part of the document of class `cls`. */
static void try_fields(json_t *document, json_t *object, const mbs_class *cls, mbs_space space);

static void try_field(json_t *document, json_t *object, const mbs_field *field, mbs_space space) {
  json_t *before = json_incref(json_object_get(object, field->name));
  for (size_t w = 0; w < WRONG; w++) {
    json_object_set_new(object, field->name, parse(wrong[w]));
    expect_no_duplicates(document);
  }
  json_t *value = value_of(field, space), *last = value;
  json_object_set_new(object, field->name, value);
  for (size_t w = 0; w < WRONG && json_is_array(value) && json_array_size(value) > 0; w++) {
    json_array_set_new(value, json_array_size(value) - 1, parse(wrong[w]));
    expect_no_duplicates(document);
  }
  if (field->kind == MBS_KIND_OBJECT && field->max_count == 0) try_fields(document, last, field->of, space);
  const mbs_class *function;
  for (size_t i = 0; field->family == MBS_FAMILY_FUNCTION && field->max_count == 0 &&
                     (function = mbs_class_at(MBS_FAMILY_FUNCTION, i)) != NULL;
       i++) {
    json_t *fields = object_of(function, space);
    json_object_set_new(object, field->name, json_pack("{s:o}", function->name, fields));
    for (const mbs_field *inner = function->fields; inner->name; inner++)
      if (inner->family != MBS_FAMILY_FUNCTION) try_field(document, fields, inner, space);
  }
  if (before)
    json_object_set_new(object, field->name, before);
  else
    json_object_del(object, field->name);
}

static void try_fields(json_t *document, json_t *object, const mbs_class *cls, mbs_space space) {
  for (const mbs_field *field = cls->fields; field->name; field++)
    if (exists(field->spaces, space)) try_field(document, object, field, space);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void try_family(mbs_family family, const char *list, mbs_space space) {
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++) {
    if (!exists(cls->spaces, space)) continue;
    json_t *document = document_of(space), *element = object_of(cls, space);
    assert_non_null(document);
    json_object_set_new(element, "type", json_string(cls->name));
    json_array_append_new(json_object_get(document, list), element);
    try_fields(document, element, cls, space);
    json_decref(document);
  }
}

static void elements(void **state) {
  (void)state;
  for (mbs_space space = MBS_PLANAR; space <= MBS_SPATIAL; space++) {
    try_family(MBS_FAMILY_JOINT, "joints", space);
    try_family(MBS_FAMILY_FORCE, "forces", space);
    try_family(MBS_FAMILY_DRIVER, "drivers", space);
  }
  assert_true(mistakes > 1000);
}

static const mbs_class *class_of(const mbs_class *cls, const char *field) {
  return cls->fields[mbs_field_index(cls, field)].of;
}

static void everything_else(void **state) {
  (void)state;
  const mbs_class *model = mbs_class_model();
  for (mbs_space space = MBS_PLANAR; space <= MBS_SPATIAL; space++) {
    json_t *document = document_of(space);
    try_fields(document, json_object_get(document, "analysis"), mbs_class_analysis(), space);
    json_t *body = json_array_get(json_object_get(document, "bodies"), 1), *sensor = json_object();
    try_fields(document, body, class_of(model, "bodies"), space);
    json_t *shapes = json_array(), *view = object_of(class_of(model, "view"), space);
    json_object_set_new(body, "shapes", shapes);
    const mbs_class *shape;
    for (size_t i = 0; (shape = mbs_class_at(MBS_FAMILY_SHAPE, i)) != NULL; i++) {
      json_t *object = object_of(shape, space);
      json_object_set_new(object, "type", json_string(shape->name));
      json_array_append_new(shapes, object);
      try_fields(document, object, shape, space);
    }
    json_object_set_new(document, "view", view);
    try_fields(document, view, class_of(model, "view"), space);
    json_array_append_new(json_object_get(document, "sensors"), sensor);
    try_fields(document, sensor, class_of(model, "sensors"), space);
    json_array_clear(json_object_get(document, "sensors"));
    json_object_set_new(document, "parameters", json_object());
    for (size_t w = 0; w < WRONG; w++) {
      json_object_set_new(json_object_get(document, "parameters"), "k", parse(wrong[w]));
      json_object_set_new(body, "mass", json_string("k + k"));
      expect_no_duplicates(document);
    }
    json_decref(document);
  }
}

/* Two different errors at a place count twice. So do equal errors at places whose names differ only beyond the stored
 * length. */
static void different_ones_stay(void **state) {
  (void)state;
  mbs_diagnostics list = {0};
  char one[600], two[600];
  memset(one, 'a', sizeof one - 1);
  one[sizeof one - 1] = '\0';
  memcpy(two, one, sizeof two);
  two[sizeof two - 2] = 'b';
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, "/x", "first");
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, "/x", "second");
  mbs_diagnose(&list, MBS_INVALID, "/x", "first");
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, "/y", "first");
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, one, "first");
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, two, "first");
  assert_int_equal(list.count, 6);
  mbs_diagnose(&list, MBS_OUT_OF_RANGE, "/x", "first");
  assert_int_equal(list.count, 6);
  assert_int_equal(list.dropped, 0);
  mbs_diagnostics_free(&list);
}

/* Expects these errors of the document and no others, "pointer: part of the message" each. */
static void expect_only(const char *document, const char *const *errors, size_t count) {
  mbs_diagnostics list = {0};
  assert_null(models_try_build(document, NULL, &list));
  for (size_t i = 0; i < list.count; i++) {
    char text[2000];
    snprintf(text, sizeof text, "%s: %s", list.items[i].pointer, list.items[i].message);
    if (i >= count || strncmp(text, errors[i], strlen(errors[i])) != 0) fail_msg("unexpected: %s", text);
  }
  assert_int_equal(list.count, count);
  mbs_diagnostics_free(&list);
}

/* What refers to an element with an error, and what depends on a wrong type, is no error of its own. */
static void consequences_are_not_reported(void **state) {
  (void)state;
  MODEL(misspelt,
      {"space": "planar", "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "pin", "type": "revolut", "points": ["ground.O", "a.O"]}],
       "drivers": [{"name": "motor", "type": "joint", "joint": "pin", "function": "t"}],
       "forces": [{"name": "spring", "type": "rotational-spring", "joint": "pin"},
                  {"name": "push", "type": "torque", "body": "a", "value": "pin.q + spring.torque"}],
       "sensors": [{"name": "s", "value": "pin.fx + nobody.fx"}], "analysis": {"type": "dinamics"}});
  static const char *const errors[] = {"/model/joints/0/type: unknown type", "/model/forces/0/type: unknown type",
                                       "/model/analysis/type: unknown type",
                                       "/model/sensors/0/value: in 'pin.fx + nobody.fx' at column 10: no body"};
  expect_only(misspelt, errors, 4);
  MODEL(rigid,
      {"space": "planar", "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "a", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "weld", "type": "rigid", "points": ["ground.O", "a.O"], "initial": {"position": "90 deg"}}],
       "analysis": {"type": "assembly"}});
  static const char *const only[] = {"/model/joints/0/initial/position: a rigid joint has 0 coordinates"};
  expect_only(rigid, only, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements),
      cmocka_unit_test(everything_else),
      cmocka_unit_test(different_ones_stay),
      cmocka_unit_test(consequences_are_not_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
