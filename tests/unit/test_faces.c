/* Surfaces of solids: they are closed and lead outward, so that the volume inside is that of the solid; triangles of
 * faces that are not convex have their area. */
#include "api/drawing/faces.h"
#include "api/drawing/vector.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const double pi = 3.14159265358979323846;

static void expect_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance)) fail_msg("%.17g, expected %.17g", value, expected);
}

/* Returns the volume inside of all faces, and checks normals and triangles. */
static double volume_of(const api_faces *faces) {
  double volume = 0;
  size_t first = 0;
  assert_false(faces->failed);
  for (size_t i = 0; i < faces->count; i++) {
    const size_t count = faces->ends[i] - first;
    unsigned *triangles = calloc(3 * count, sizeof *triangles);
    assert_true(count >= 3 && api_face_triangles(faces->points + first, count, triangles));
    for (size_t k = 0; k < count - 2; k++) {
      double area[3], sides[2][3];
      const double *a = faces->points[first + triangles[3 * k]];
      for (size_t c = 0; c < 2; c++) api_plus(faces->points[first + triangles[3 * k + c + 1]], a, -1, sides[c]);
      api_cross(sides[0], sides[1], area);
      volume += api_dot(a, area) / 6;
      assert_true(api_dot(area, faces->normals[first]) > -1e-12);
    }
    for (size_t k = first; k < faces->ends[i]; k++) expect_near(api_norm(faces->normals[k]), 1, 1e-12);
    free(triangles);
    first = faces->ends[i];
  }
  return volume;
}

static void expect_volume(api_form form, const api_outline *outline, int sides, double expected) {
  api_faces faces;
  api_faces_make(form, outline, sides, &faces);
  expect_near(volume_of(&faces), expected, 1e-9);
  api_faces_free(&faces);
}

static void test_forms(void **state) {
  (void)state;
  for (int sides = 4; sides <= 32; sides += 4)
    expect_volume(API_FORM_BAR, NULL, sides, sides / 2. * sin(2 * pi / sides));
  expect_volume(API_FORM_BLOCK, NULL, 0, 1);
  expect_volume(API_FORM_FOOT, NULL, 0, 2 / 3.);
  expect_volume(API_FORM_NUT, NULL, 0, 3 * sin(pi / 3));
  api_faces faces;
  api_faces_make(API_FORM_BALL, NULL, 64, &faces);
  expect_near(volume_of(&faces), 4 / 3. * pi, 0.01 * 4 / 3. * pi);
  api_faces_free(&faces);
  api_faces_make_link(0.5, 32, &faces);
  expect_near(volume_of(&faces), 0.25 * 16 * sin(pi / 16), 1e-9);
  api_faces_free(&faces);
}

/* A spring is a tube of wire without ends: its volume is that of the wire, less the loss by corners. */
static void test_spring(void **state) {
  (void)state;
  api_faces faces;
  const double radius = 0.001, wire = 3 * sin(pi / 3) * 0.25 * radius * radius;
  api_faces_make_spring(radius, &faces);
  const double coil = hypot(2 * pi * 3 * radius, 1 / 9.);
  assert_true(volume_of(&faces) > 0 && volume_of(&faces) < 9 * coil * wire);
  api_faces_free(&faces);
}

/* Prisms over outlines that are not convex, given in either sense, along either direction. */
static void test_prisms(void **state) {
  (void)state;
  double angle_iron[6][3] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}}, star[40][3], reversed[40][3];
  for (int i = 0; i < 40; i++) {
    const double r = i % 2 ? 1 : 0.3;
    star[i][0] = r * cos(2 * pi * i / 40);
    star[i][1] = r * sin(2 * pi * i / 40);
    star[i][2] = 7;
  }
  for (int i = 0; i < 40; i++) memcpy(reversed[i], star[39 - i], sizeof reversed[i]);
  for (int sign = -1; sign <= 1; sign += 2) {
    const api_outline iron = {.points = angle_iron, .count = 6, .way = {0, 0, 2. * sign}};
    expect_volume(API_FORM_PRISM, &iron, 0, 8);
    const api_outline teeth = {.points = star, .count = 40, .way = {0, 0, 0.5 * sign}};
    const double area = 40 * 0.5 * 0.3 * sin(2 * pi / 40);
    expect_volume(API_FORM_PRISM, &teeth, 0, 0.5 * area);
    const api_outline other = {.points = reversed, .count = 40, .way = {0, 0, 0.5 * sign}};
    expect_volume(API_FORM_PRISM, &other, 0, 0.5 * area);
  }
}

/* Without area or height there is no surface. */
static void test_nothing(void **state) {
  (void)state;
  double line[3][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, square[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  int triangles[2][3] = {{0, 1, 2}, {1, 1, 2}};
  api_faces faces;
  api_faces_make(API_FORM_PRISM, &(api_outline){.points = line, .count = 3, .way = {0, 0, 1}}, 0, &faces);
  assert_int_equal(faces.count, 0);
  api_faces_make(API_FORM_PRISM, &(api_outline){.points = square, .count = 4}, 0, &faces);
  assert_int_equal(faces.count, 0);
  api_faces_make(API_FORM_MESH, &(api_outline){.points = line, .count = 3, .triangles = triangles, .triangle_count = 2},
                 0, &faces);
  assert_int_equal(faces.count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_spring),
                                     cmocka_unit_test(test_prisms), cmocka_unit_test(test_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
