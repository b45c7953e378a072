/* Fields by name. Every name in a descriptor must be a field of its class. An assertion in the builders checks the
 * names that they read, so this test builds every class with all its fields, each given and omitted in turn. */
#include "model/element.h"
#include "models.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- descriptors --------------------------------------------------------------------------------------------- */

static void expect_field(const mbs_class *cls, const char *name) {
  if (name && mbs_field_index(cls, name) < 0) fail_msg("%s has no field '%s'", cls->name, name);
}

static void expect_row(const mbs_class *cls, const mbs_row *row) {
  expect_field(cls, row->field);
  expect_field(cls, row->weight1_field);
  expect_field(cls, row->weight2_field);
}

static void expect_shape(const mbs_class *cls, const mbs_joint_shape *shape) {
  for (size_t r = 0; r < shape->row_count; r++) expect_row(cls, &shape->rows[r]);
  for (size_t k = 0; k < shape->coordinate_count; k++) expect_row(cls, &shape->coordinates[k]);
  expect_field(cls, shape->offset);
  expect_field(cls, shape->rolls);
  expect_field(cls, shape->pitch);
}

static void descriptors(void **state) {
  (void)state;
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_JOINT, i)) != NULL; i++) {
    expect_shape(cls, &((const mbs_joint_class *)cls)->planar);
    expect_shape(cls, &((const mbs_joint_class *)cls)->spatial);
  }
  for (size_t i = 0; (cls = mbs_class_at(MBS_FAMILY_DRIVER, i)) != NULL; i++)
    expect_row(cls, &((const mbs_driver_class *)cls)->row);
}

/* ---- readings ------------------------------------------------------------------------------------------------ */

static const char *const texts[2] = {
    "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0]}, \"vectors\": {\"u\": [1, 0]}},"
    " \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": 1, \"points\": {\"P\": [1, 0]}, \"vectors\": {\"u\": "
    "[0, 1]}},"
    "  {\"name\": \"b\", \"mass\": 1, \"inertia\": 1, \"points\": {\"P\": [0, 1]}, \"vectors\": {\"u\": [0, 1]}}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"]}],"
    " \"analysis\": {\"type\": \"assembly\"}}",
    "{\"space\": \"spatial\", \"ground\": {\"points\": {\"O\": [0, 0, 0]}, \"vectors\": {\"u\": [1, 0, 0]}},"
    " \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1], \"points\": {\"P\": [1, 0, 0]},"
    "   \"vectors\": {\"u\": [0, 1, 0]}},"
    "  {\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"points\": {\"P\": [0, 1, 0]}, \"vectors\": {\"u\": [0, "
    "1, 0]}}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"b.P\"],"
    "   \"vectors\": [\"ground.u\", \"b.u\"]}],"
    " \"analysis\": {\"type\": \"assembly\"}}"};

static int count_of(int count, mbs_space space) { return mbs_count_in(count, space == MBS_PLANAR); }

static json_t *object_of(const mbs_class *cls, mbs_space space, const char *omit);

/* Function of time to insert where one is required, and whether the insertion is inside another one. */
static size_t function_number;
static bool is_part;

static json_t *function_of(mbs_space space) {
  const mbs_class *cls = mbs_class_at(MBS_FAMILY_FUNCTION, function_number);
  if (is_part || strcmp(cls->name, "expression") == 0) return json_real(1);
  is_part = true;
  json_t *function = json_pack("{s:o}", cls->name, object_of(cls, space, NULL));
  is_part = false;
  return function;
}

static json_t *item_of(const mbs_field *field, mbs_space space, int i) {
  switch (field->kind) {
  case MBS_KIND_TEXT: return json_string("e");
  case MBS_KIND_BOOL: return json_true();
  case MBS_KIND_CHOICE: return json_pack("s%", field->choices, strcspn(field->choices, "|"));
  case MBS_KIND_BODY: return json_string(i == 0 ? "a" : "b");
  case MBS_KIND_POINT: return json_string(i == 0 ? "a.P" : "b.P");
  case MBS_KIND_VECTOR: return json_string(i == 0 ? "a.u" : "b.u");
  case MBS_KIND_JOINT: return json_string("hinge");
  case MBS_KIND_LINE: return json_pack("[s,s]", "a.P", "a.u");
  case MBS_KIND_OBJECT: return object_of(field->of, space, NULL);
  case MBS_KIND_ELEMENT:
    return field->family == MBS_FAMILY_SHAPE ? json_pack("{s:s}", "type", "line") : function_of(space);
  case MBS_KIND_MAP: return json_object();
  case MBS_KIND_ROW: return json_pack("[f,f]", (double)i, 1.0);
  case MBS_KIND_COLOR: return json_string("red");
  default: return json_real(1 + i);
  }
}

/* Returns an object with all fields of its class except `omit`. */
static json_t *object_of(const mbs_class *cls, mbs_space space, const char *omit) {
  json_t *object = json_object();
  for (const mbs_field *field = cls->fields; field->name; field++) {
    bool exists = field->spaces == 0 || (field->spaces & space) != 0;
    if (!exists || (omit && strcmp(field->name, omit) == 0)) continue;
    int count = count_of(field->max_count, space), least = count_of(field->min_count, space);
    json_t *list = json_array();
    for (int i = 0; i < (count < 4 ? count : least > 3 ? least : 3); i++)
      json_array_append_new(list, item_of(field, space, i));
    json_object_set_new(object, field->name, field->max_count ? json_incref(list) : item_of(field, space, 0));
    json_decref(list);
  }
  return object;
}

/* Builds a document, valid or not, and checks that each error has a place in it. */
static void build(mbs_space space, const mbs_class *cls, const char *list, json_t *element) {
  json_t *document = json_loads(texts[space == MBS_SPATIAL], 0, NULL), *elements = json_object_get(document, list);
  assert_non_null(document);
  if (!elements) json_object_set_new(document, list, elements = json_array());
  json_object_set_new(element, "type", json_string(cls->name));
  json_object_set_new(element, "name", json_string("element"));
  json_array_append_new(elements, element);
  char *text = json_dumps(document, 0);
  mbs_diagnostics mistakes = {0};
  mbs_model_free(models_try_build(text, NULL, &mistakes));
  for (size_t i = 0; i < mistakes.count; i++) assert_int_equal(mistakes.items[i].pointer[0], '/');
  mbs_diagnostics_free(&mistakes);
  free(text);
  json_decref(document);
}

static void build_family(mbs_family family, const char *list) {
  const mbs_class *cls;
  for (size_t i = 0; (cls = mbs_class_at(family, i)) != NULL; i++) {
    for (mbs_space space = MBS_PLANAR; space <= MBS_SPATIAL; space++) {
      if (!(cls->spaces & space)) continue;
      build(space, cls, list, object_of(cls, space, NULL));
      for (const mbs_field *field = cls->fields; field->name; field++)
        build(space, cls, list, object_of(cls, space, field->name));
    }
  }
}

static void readings(void **state) {
  (void)state;
  for (function_number = 0; mbs_class_at(MBS_FAMILY_FUNCTION, function_number); function_number++)
    build_family(MBS_FAMILY_DRIVER, "drivers");
  function_number = 0;
  build_family(MBS_FAMILY_JOINT, "joints");
  build_family(MBS_FAMILY_FORCE, "forces");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(descriptors), cmocka_unit_test(readings)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
