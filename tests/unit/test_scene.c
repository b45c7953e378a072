/* test_scene.c - the scene of a model: names, numbers, defaults, curves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "models.h"

/* A model and its scene, which refers to texts of the model. */
typedef struct drawn {
  mbs_model *model;
  mbs_arena *arena;
  const mbs_scene *scene;
} drawn;

/* Builds the scene of a document written with ' for ". */
static drawn draw(const char *text) {
  char *document = strdup(text);
  for (char *at = document; *at; at++)
    if (*at == '\'') *at = '"';
  drawn out = {.model = models_build(document, "{\"type\": \"assembly\"}"), .arena = mbs_arena_new(0)};
  out.scene = mbs_model_scene(out.model, out.arena);
  assert_non_null(out.scene);
  free(document);
  return out;
}

static void drawn_free(drawn *self) {
  mbs_model_free(self->model);
  mbs_arena_free(self->arena);
}

static const mbs_scene_value *value_of(const mbs_scene_element *element, const char *field) {
  for (size_t i = 0; i < element->count; i++)
    if (strcmp(element->values[i].field->name, field) == 0) return &element->values[i];
  return NULL;
}

static void expect_numbers(const mbs_scene_element *element, const char *field, size_t count, const double *wanted) {
  const mbs_scene_value *value = value_of(element, field);
  assert_non_null(value);
  assert_int_equal(value->count, count);
  for (size_t i = 0; i < count; i++) assert_close(value->numbers[i], wanted[i], 1e-15);
}

static void expect_places(const mbs_scene_element *element, const char *field, int first, int second) {
  const mbs_scene_value *value = value_of(element, field);
  assert_non_null(value);
  assert_int_equal(value->count, 2);
  assert_int_equal(value->places[0], first);
  assert_int_equal(value->places[1], second);
}

/* Parameters that depend on one another in any order, functions, and a body that the tree orders before another. */
static void test_references_and_numbers(void **unused) {
  (void)unused;
  drawn it = draw(
      "{'space': 'planar', 'parameters': {'half': 'L/2', 'L': '2*R', 'R': 3, 'slope': 'atan(1)'}, 'ground': {'points': "
      "{'unused': [1, 1], 'O': ['-2^2', 'sqrt(L*L)']}, 'vectors': {'u': ['if(slope > 0, 2*cos(slope), 1)', "
      "'2*sin(slope)']}}, 'bodies': [{'name': 'outer', 'mass': 1, 'inertia': 1, 'points': {'P': ['half', 0]}}, "
      "{'name': "
      "'inner', 'mass': 1, 'inertia': 1, 'points': {'A': [0, 0], 'B': ['-L', 'min(L, 1)']}}], 'joints': [{'name': "
      "'pin', 'type': 'revolute', 'points': ['inner.B', 'outer.P']}, {'name': 'hinge', 'type': 'revolute', 'points': "
      "['ground.O', 'inner.A']}], 'forces': [{'name': 'floor', 'type': 'contact', 'point': 'outer.P', 'line': "
      "['ground.O', 'ground.u'], 'stiffness': 1000, 'restitution': 0.5}], 'view': {'x': ['-R', 'R'], 'y': [0, 'L']}}");
  const mbs_scene *scene = it.scene;
  assert_int_equal(scene->dim, 2);
  assert_int_equal(scene->body_count, 3);
  assert_string_equal(scene->bodies[0].name, "ground");
  assert_string_equal(scene->bodies[1].name, "outer");
  static const struct {
    const char *name;
    int body;
    double at[2];
  } points[] = {{"unused", 0, {1, 1}}, {"O", 0, {-4, 6}}, {"P", 1, {3, 0}}, {"A", 2, {0, 0}}, {"B", 2, {-6, 1}}};
  assert_int_equal(scene->point_count, 5);
  for (int i = 0; i < 5; i++) {
    assert_string_equal(scene->points[i].name, points[i].name);
    assert_int_equal(scene->points[i].body, points[i].body);
    for (int k = 0; k < 2; k++) assert_close(scene->points[i].at[k], points[i].at[k], 1e-15);
  }
  assert_int_equal(scene->vector_count, 1);
  assert_close(scene->vectors[0].at[0], sqrt(0.5), 1e-15);
  assert_close(scene->vectors[0].at[1], sqrt(0.5), 1e-15);
  assert_string_equal(scene->joints[0].name, "pin");
  assert_string_equal(scene->joints[0].cls->name, "revolute");
  expect_places(&scene->joints[0], "points", 4, 2);
  expect_places(&scene->joints[1], "points", 1, 3);
  expect_places(&scene->forces[0], "line", 1, 0);
  assert_int_equal(value_of(&scene->forces[0], "point")->places[0], 2);
  expect_numbers(&scene->forces[0], "radius", 1, (double[]){0});
  assert_true(scene->view_given[0] && scene->view_given[1] && !scene->view_given[2]);
  assert_close(scene->view[0][0], -3, 0);
  assert_close(scene->view[1][1], 6, 0);
  drawn_free(&it);
}

/* Omitted fields of a shape have defaults; in space, places with two components get a third. */
static void test_shapes(void **unused) {
  (void)unused;
  drawn it = draw(
      "{'space': 'spatial', 'parameters': {'R': 3}, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], "
      "'shapes': "
      "[{'type': 'circle', 'radius': 'R/2', 'color': 'red'}, {'type': 'rectangle', 'width': 2, 'height': 1, 'at': [1, "
      "2]}, {'type': 'polygon', 'points': [[0, 'R'], [1, 2, 3]]}, {'type': 'line', 'from': [0, 0], 'to': [0, 0, "
      "'-R']}]}]}");
  const mbs_scene *scene = it.scene;
  assert_int_equal(scene->bodies[0].shape_count, 0);
  assert_int_equal(scene->bodies[1].shape_count, 4);
  const mbs_scene_element *shapes = scene->bodies[1].shapes;
  assert_null(shapes[0].name);
  expect_numbers(&shapes[0], "radius", 1, (double[]){1.5});
  expect_numbers(&shapes[0], "at", 3, (double[]){0, 0, 0});
  assert_string_equal(value_of(&shapes[0], "color")->text, "red");
  assert_null(value_of(&shapes[1], "color"));
  expect_numbers(&shapes[1], "at", 3, (double[]){1, 2, 0});
  expect_numbers(&shapes[1], "angle", 1, (double[]){0});
  expect_numbers(&shapes[2], "points", 6, (double[]){0, 3, 0, 1, 2, 3});
  expect_numbers(&shapes[3], "to", 3, (double[]){0, 0, -3});
  drawn_free(&it);
}

/* Solids: rows that are places have three components, those that are corners their own number; an omitted axis is
 * absent; in the plane a gear has no width. */
static void test_solids(void **unused) {
  (void)unused;
  drawn it = draw(
      "{'space': 'spatial', 'parameters': {'m': 0.5}, 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], "
      "'shapes': [{'type': 'mesh', 'points': [[0, 0], ['m', 0], [0, 1, 0], [0, 0, 1]], 'triangles': [[0, 1, 2], "
      "[0, 2, 3]]}, {'type': 'box', 'size': ['2*m', 2, 3]}, {'type': 'gear', 'teeth': 12, 'module': 'm', 'width': 1, "
      "'axis': [0, 0, 2]}, {'type': 'cylinder', 'from': [0, 0], 'to': [0, 0, 1], 'radius': 'm'}]}]}");
  const mbs_scene_element *shapes = it.scene->bodies[1].shapes;
  expect_numbers(&shapes[0], "points", 12, (double[]){0, 0, 0, 0.5, 0, 0, 0, 1, 0, 0, 0, 1});
  expect_numbers(&shapes[0], "triangles", 6, (double[]){0, 1, 2, 0, 2, 3});
  expect_numbers(&shapes[1], "size", 3, (double[]){1, 2, 3});
  assert_null(value_of(&shapes[1], "axis"));
  expect_numbers(&shapes[2], "axis", 3, (double[]){0, 0, 2});
  expect_numbers(&shapes[3], "from", 3, (double[]){0, 0, 0});
  drawn_free(&it);
  it = draw(
      "{'space': 'planar', 'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'shapes': [{'type': 'gear', 'teeth': 12, "
      "'module': 0.1}, {'type': 'capsule', 'from': [0, 0], 'to': [1, 0], 'radius': 0.1}]}]}");
  shapes = it.scene->bodies[1].shapes;
  assert_null(value_of(&shapes[0], "width"));
  expect_numbers(&shapes[0], "at", 2, (double[]){0, 0});
  expect_numbers(&shapes[1], "to", 2, (double[]){1, 0});
  drawn_free(&it);
}

/* A joint has a drawing symbol; a shape and a force element have none. */
static void test_symbols(void **unused) {
  (void)unused;
  drawn it = draw(
      "{'space': 'spatial', 'ground': {'points': {'O': [0, 0, 0]}, 'vectors': {'z': [0, 0, 1]}}, 'bodies': [{'name': "
      "'a', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'A': [0, 0, 0]}, 'vectors': {'z': [0, 0, 1], 'x': [1, 0, 0]}, "
      "'shapes': [{'type': 'sphere', 'radius': 1}]}, {'name': 'b', 'mass': 1, 'inertia': [1, 1, 1], 'points': {'A': "
      "[0, 0, 0]}, 'vectors': {'z': [0, 0, 1]}}], 'joints': [{'name': 'slide', 'type': 'prismatic', 'points': "
      "['ground.O', 'a.A'], 'vectors': ['ground.z', 'a.z']}, {'name': 'cross', 'type': 'universal', 'points': ['a.A', "
      "'b.A'], 'vectors': ['a.x', 'b.z']}], 'forces': [{'name': 'f', 'type': 'force', 'body': 'a', 'value': [0, 0, "
      "1]}]}");
  assert_string_equal(it.scene->joints[0].symbol, "slider");
  assert_string_equal(it.scene->joints[1].symbol, "cross");
  assert_null(it.scene->forces[0].symbol);
  assert_null(it.scene->bodies[1].shapes[0].symbol);
  drawn_free(&it);
}

/* Builds the scene of two bodies and a joint between them. */
static drawn draw_curves(const char *joint) {
  char document[2000];
  snprintf(
      document, sizeof document,
      "{'space': 'planar', 'ground': {'points': {'O': [0, 0]}, 'vectors': {'u': [1, 0]}}, 'bodies': [{'name': 'a', "
      "'mass': 1, 'inertia': 1, 'points': {'A': [0, 0]}}, {'name': 'b', 'mass': 1, 'inertia': 1, 'points': {'B': "
      "[0, 0]}, 'vectors': {'u': [1, 0]}, 'initial': {'position': [0, 1]}}], 'joints': [{'name': 'hinge', 'type': "
      "'revolute', 'points': ['ground.O', 'a.A']}, %s]}",
      joint);
  return draw(document);
}

static const mbs_scene_curve *curves_of(const drawn *self) {
  const mbs_scene_value *value = value_of(&self->scene->joints[1], "curve");
  assert_non_null(value);
  return value->curves;
}

#define SLOT(curve) "{'name': 'slot', 'type': 'point-follower', 'points': ['b.B', 'a.A'], 'curve': " curve "}"

static bool passes(const mbs_scene_curve *curve, double x, double y) {
  for (size_t i = 0; i < curve->count; i++)
    if (hypot(curve->points[2 * i] - x, curve->points[2 * i + 1] - y) < 1e-9) return true;
  return false;
}

/* The points are O (0) of the ground, A (1) and B (2). */
static void test_curves_of_cams(void **unused) {
  (void)unused;
  drawn it =
      draw_curves("{'name': 'cams', 'type': 'cam-follower', 'points': ['a.A', 'b.B'], 'curve': [{'polar': '0.5 + "
                  "0.1*cos(alpha)'}, {'polar': 0.25}]}");
  const mbs_scene_curve *cams = curves_of(&it);
  assert_int_equal(cams[0].point, 1);
  assert_int_equal(cams[1].point, 2);
  assert_true(cams[0].closed && passes(&cams[0], 0.6, 0) && passes(&cams[0], -0.4, 0));
  for (size_t i = 0; i < cams[1].count; i++)
    assert_close(hypot(cams[1].points[2 * i], cams[1].points[2 * i + 1]), 0.25, 1e-15);
  drawn_free(&it);
}

static void test_spline(void **unused) {
  (void)unused;
  drawn it = draw_curves(SLOT("{'spline': [[1, 0], [0, 1], [-1, 0], [0, -1]]}"));
  const mbs_scene_curve *slot = curves_of(&it);
  assert_int_equal(slot->point, 1); /* the curve of a point-follower is relative to the second point */
  assert_true(slot->closed && slot->whole && slot->count >= 200);
  assert_true(passes(slot, 1, 0) && passes(slot, 0, 1) && passes(slot, -1, 0) && passes(slot, 0, -1));
  /* The tangents are those of the circle by symmetry, and the middle of a side is at x = y = 1/2 + 1.5 / 8. */
  assert_true(passes(slot, 0.6875, 0.6875));
  drawn_free(&it);
}

static void test_curve_with_ends(void **unused) {
  (void)unused;
  drawn it = draw_curves(SLOT("{'x': 'alpha', 'y': '1 + alpha^2', 'range': [-1, 2]}"));
  const mbs_scene_curve *slot = curves_of(&it);
  assert_true(!slot->closed && slot->whole);
  assert_close(slot->first, -1, 0);
  assert_close(slot->first + slot->step * (double)(slot->count - 1), 2, 1e-14);
  assert_true(passes(slot, -1, 2) && passes(slot, 2, 5));
  drawn_free(&it);
}

static void test_curve_without_ends(void **unused) {
  (void)unused;
  drawn it = draw_curves(SLOT("{'x': 'alpha', 'y': '1 + alpha^2'}"));
  const mbs_scene_curve *slot = curves_of(&it);
  assert_true(!slot->closed && !slot->whole);
  for (size_t i = 0; i < slot->count; i++)
    assert_close(slot->points[2 * i], slot->first + slot->step * (double)i, 1e-13);
  drawn_free(&it);
}

/* All models have scenes with valid references. */
static void expect_references(const mbs_scene *scene, const mbs_scene_element *element) {
  for (size_t i = 0; i < element->count; i++)
    for (size_t k = 0; element->values[i].places && k < element->values[i].count; k++) {
      int place = element->values[i].places[k];
      assert_true(place >= 0 && place < (int)(scene->point_count + scene->vector_count + scene->body_count));
    }
}

static void test_models(void **unused) {
  (void)unused;
  static const char *const names[] = {"SC",      "Cam_flat",         "Gears",     "BouncingBall", "Excavator",
                                      "Bricard", "McPherson_sheets", "Suspension"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    mbs_arena *arena = mbs_arena_new(0);
    char *text = models_named(names[n]);
    mbs_model *model = models_build(text, NULL);
    const mbs_scene *scene = mbs_model_scene(model, arena);
    assert_non_null(scene);
    for (size_t j = 0; j < scene->joint_count; j++) expect_references(scene, &scene->joints[j]);
    for (size_t f = 0; f < scene->force_count; f++) expect_references(scene, &scene->forces[f]);
    mbs_model_free(model);
    mbs_arena_free(arena);
    free(text);
  }
}

/* No scene is created if the arena is full. */
static void test_no_memory(void **unused) {
  (void)unused;
  char *text = models_named("SC");
  mbs_model *model = models_build(text, NULL);
  for (size_t limit = 64; limit < 4096; limit += 64) {
    mbs_arena *arena = mbs_arena_new(limit);
    assert_true(!arena || mbs_model_scene(model, arena) == NULL);
    mbs_arena_free(arena);
  }
  mbs_model_free(model);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_references_and_numbers),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_solids),
      cmocka_unit_test(test_symbols),
      cmocka_unit_test(test_curves_of_cams),
      cmocka_unit_test(test_spline),
      cmocka_unit_test(test_curve_with_ends),
      cmocka_unit_test(test_curve_without_ends),
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
