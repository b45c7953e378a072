/* results.glb: the container, the geometry and the tracks of binary glTF files, compared with the arrays of the run. */
#include "api/documents/examples.h"
#include "service_test.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A file that was fetched, and the arrays of its job. */
typedef struct glb {
  fake_answer answer;
  json_t *root;
  const char *numbers; /* second chunk */
  size_t size;
} glb;

static uint32_t word_at(const char *text, size_t at) {
  uint32_t word;
  memcpy(&word, text + at, sizeof word);
  return word;
}

/* Runs an example as the first job. */
static void run_example(const char *name) {
  api_example example;
  fake_answer answer;
  assert_true(api_example_find(name, &example));
  char *text = strndup(example.text, example.size);
  fake_post(&fake, "/api/v1/jobs", NULL, text, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  free(text);
  fake_service_work(&fake);
}

/* Returns the data of an array of the job. */
static json_t *array_of(const char *target) {
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *array = fake_answer_json(&answer);
  fake_answer_free(&answer);
  return array;
}

static void open_glb(glb *self, const char *target) {
  fake_get(&fake, target, NULL, &self->answer);
  if (self->answer.response.status != 200) fail_msg("%s: %s", target, self->answer.text);
  const char *text = self->answer.text;
  const size_t size = self->answer.size;
  assert_string_equal(fake_answer_header(&self->answer, "Content-Type"), "model/gltf-binary");
  assert_true(size > 28);
  assert_memory_equal(text, "glTF", 4);
  assert_int_equal(word_at(text, 4), 2);
  assert_int_equal(word_at(text, 8), size);
  const size_t length = word_at(text, 12);
  assert_memory_equal(text + 16, "JSON", 4);
  assert_true(length % 4 == 0 && 28 + length <= size);
  self->root = json_loadb(text + 20, length, 0, NULL);
  assert_non_null(self->root);
  self->size = word_at(text, 20 + length);
  self->numbers = text + 28 + length;
  assert_memory_equal(text + 24 + length, "BIN\0", 4);
  assert_int_equal(28 + length + self->size, size);
}

static void close_glb_file(glb *self) {
  json_decref(self->root);
  fake_answer_free(&self->answer);
}

static const json_t *item(const json_t *root, const char *list, json_int_t index) {
  const json_t *found = json_array_get(json_object_get(root, list), (size_t)index);
  assert_non_null(found);
  return found;
}

static json_int_t integer(const json_t *object, const char *name) {
  assert_true(json_is_integer(json_object_get(object, name)));
  return json_integer_value(json_object_get(object, name));
}

/* Returns the numbers of an accessor, and their count in `count`; checks its place and its bounds. */
static const char *accessor(const glb *self, json_int_t index, size_t *count, size_t *width) {
  const json_t *found = item(self->root, "accessors", index);
  const json_t *view = item(self->root, "bufferViews", integer(found, "bufferView"));
  const char *type = json_string_value(json_object_get(found, "type"));
  *count = (size_t)integer(found, "count");
  *width = strcmp(type, "SCALAR") == 0 ? 1 : strcmp(type, "VEC3") == 0 ? 3 : 4;
  const size_t at = (size_t)integer(view, "byteOffset");
  assert_int_equal(integer(view, "byteLength"), 4 * *count * *width);
  assert_int_equal(at % 4, 0);
  assert_true(at + 4 * *count * *width <= self->size);
  const float *values = (const float *)(const void *)(self->numbers + at);
  for (size_t k = 0; json_object_get(found, "min") && k < *width; k++) {
    float least = values[k], most = values[k];
    for (size_t i = 0; i < *count; i++) {
      least = fminf(least, values[i * *width + k]);
      most = fmaxf(most, values[i * *width + k]);
    }
    assert_true(least == (float)json_number_value(json_array_get(json_object_get(found, "min"), k)));
    assert_true(most == (float)json_number_value(json_array_get(json_object_get(found, "max"), k)));
  }
  return self->numbers + at;
}

/* Checks the forms: normals of length 1 that lead outward, and indices of corners. */
static void check_meshes(const glb *self) {
  size_t m;
  json_t *mesh;
  assert_true(json_array_size(json_object_get(self->root, "meshes")) > 0);
  json_array_foreach(json_object_get(self->root, "meshes"), m, mesh) {
    const json_t *part = json_array_get(json_object_get(mesh, "primitives"), 0);
    const json_t *attributes = json_object_get(part, "attributes");
    size_t corners, normal_count, count, width;
    const float *places =
        (const float *)(const void *)accessor(self, integer(attributes, "POSITION"), &corners, &width);
    const float *normals =
        (const float *)(const void *)accessor(self, integer(attributes, "NORMAL"), &normal_count, &width);
    const char *indices = accessor(self, integer(part, "indices"), &count, &width);
    assert_true(corners == normal_count && count > 0 && count % 3 == 0);
    item(self->root, "materials", integer(part, "material"));
    for (size_t i = 0; i < count; i += 3) {
      float side[2][3], normal[3] = {0}, product = 0;
      const float *at[3];
      for (size_t c = 0; c < 3; c++) {
        const size_t index = word_at(indices, 4 * (i + c));
        assert_true(index < corners);
        at[c] = places + 3 * index;
        const float *n = normals + 3 * index;
        assert_float_equal(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5);
        for (int k = 0; k < 3; k++) normal[k] += n[k];
      }
      for (int k = 0; k < 3; k++) {
        side[0][k] = at[1][k] - at[0][k];
        side[1][k] = at[2][k] - at[0][k];
      }
      for (int k = 0; k < 3; k++)
        product +=
            normal[k] * (side[0][(k + 1) % 3] * side[1][(k + 2) % 3] - side[0][(k + 2) % 3] * side[1][(k + 1) % 3]);
      assert_true(product > -1e-9F);
    }
  }
}

/* Returns the number of the node of that name. */
static json_int_t node_of(const glb *self, const char *name) {
  size_t i;
  json_t *node;
  json_array_foreach(json_object_get(self->root, "nodes"), i, node) {
    const char *own = json_string_value(json_object_get(node, "name"));
    if (own && strcmp(own, name) == 0) return (json_int_t)i;
  }
  fail_msg("there is no node '%s'", name);
  return -1;
}

/* Returns the track of a node, and its times; NULL if it has none. */
static const float *track_of(const glb *self, json_int_t node, const char *path, size_t *rows, const float **times) {
  const json_t *animation = item(self->root, "animations", 0);
  size_t i, width, count;
  json_t *channel;
  json_array_foreach(json_object_get(animation, "channels"), i, channel) {
    const json_t *target = json_object_get(channel, "target");
    if (integer(target, "node") != node || strcmp(json_string_value(json_object_get(target, "path")), path) != 0)
      continue;
    const json_t *sampler = item(animation, "samplers", integer(channel, "sampler"));
    assert_string_equal(json_string_value(json_object_get(sampler, "interpolation")), "LINEAR");
    *times = (const float *)(const void *)accessor(self, integer(sampler, "input"), &count, &width);
    const float *values = (const float *)(const void *)accessor(self, integer(sampler, "output"), rows, &width);
    assert_int_equal(count, *rows);
    return values;
  }
  return NULL;
}

static double number_at(const json_t *array, size_t row, size_t body, size_t component) {
  const json_t *found = json_array_get(json_array_get(json_object_get(array, "data"), row), body);
  return json_number_value(json_is_array(found) ? json_array_get(found, component) : found);
}

/* Compares the tracks of a body with the arrays: `first` and `stride` are those of the rows of the file. */
static void check_body(const glb *self, const char *name, size_t body, size_t first, size_t stride) {
  json_t *T = array_of("/api/v1/jobs/job-1/results/T"), *r = array_of("/api/v1/jobs/job-1/results/r"),
         *p = array_of("/api/v1/jobs/job-1/results/p");
  const size_t dimension = json_array_size(json_object_get(p, "shape")) == 3 ? 3 : 2;
  const json_int_t node = node_of(self, name);
  size_t rows;
  const float *times, *places = track_of(self, node, "translation", &rows, &times);
  const float *turns = track_of(self, node, "rotation", &rows, &times);
  assert_true(places && turns && rows > 1);
  for (size_t i = 0; i < rows; i++) {
    const size_t row = first + i * stride;
    const double from = json_number_value(json_array_get(json_object_get(T, "data"), first));
    assert_true(times[i] == (float)(json_number_value(json_array_get(json_object_get(T, "data"), row)) - from));
    for (size_t k = 0; k < 3; k++)
      assert_true(places[3 * i + k] == (k < dimension ? (float)number_at(r, row, body, k) : 0));
    const float *q = turns + 4 * i;
    double expected[4] = {0, 0, sin(number_at(p, row, body, 0) / 2), cos(number_at(p, row, body, 0) / 2)};
    for (size_t k = 0; dimension == 3 && k < 4; k++) expected[k] = number_at(p, row, body, (k + 1) % 4);
    double product = 0, size = 0, step = 0;
    for (size_t k = 0; k < 4; k++) {
      product += q[k] * expected[k];
      size += q[k] * q[k];
      step += i > 0 ? q[k] * q[(int)k - 4] : 0;
    }
    assert_float_equal(size, 1, 1e-6);
    assert_float_equal(fabs(product), 1, 1e-6); /* q and -q are the same rotation */
    assert_true(step >= 0);
  }
  json_decref(T);
  json_decref(r);
  json_decref(p);
}

static void test_planar(void **state) {
  (void)state;
  glb file;
  run_example("SC");
  open_glb(&file, "/api/v1/jobs/job-1/results.glb");
  check_meshes(&file);
  check_body(&file, "crank", 0, 0, 1);
  check_body(&file, "slider", 2, 0, 1);
  size_t rows;
  const float *times, *lengths = track_of(&file, node_of(&file, "spring"), "scale", &rows, &times);
  assert_true(lengths && lengths[0] == 1 && lengths[1] > 0);
  assert_null(json_object_get(json_array_get(json_object_get(file.root, "buffers"), 0), "uri"));
  assert_null(json_object_get(file.root, "images"));
  assert_non_null(strstr(fake_answer_header(&file.answer, "Content-Disposition"), ".glb\""));
  close_glb_file(&file);
}

static void test_spatial(void **state) {
  (void)state;
  glb file;
  run_example("SliderCrank3D");
  open_glb(&file, "/api/v1/jobs/job-1/results.glb?from=0.1&to=0.9&stride=3");
  check_meshes(&file);
  json_t *T = array_of("/api/v1/jobs/job-1/results/T");
  size_t first = 0;
  while (json_number_value(json_array_get(json_object_get(T, "data"), first)) < 0.1 - 1e-9) first++;
  json_decref(T);
  check_body(&file, "rod", 1, first, 3);
  const json_t *top = item(file.root, "nodes", 0);
  assert_string_equal(json_string_value(json_object_get(top, "name")), "mechanism");
  assert_float_equal(json_number_value(json_array_get(json_object_get(top, "rotation"), 0)), -sqrt(0.5), 1e-6);
  close_glb_file(&file);
}

/* Together these examples have nearly all forms of shapes and symbols of joints and contacts. */
static const char *const varied[] = {
    "BallInFunnel",      "Bicycle",    "Billiards", "Cam",          "Cart_C",      "ChaplyginSleigh",
    "DifferentialDrive", "Gears",      "McPherson", "Slot",         "Stage",       "Top",
    "Turntable",         "BoxOnSlope", "Rod",       "PistonEngine", "BouncingBall"};

static void test_forms_and_symbols(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof varied / sizeof *varied; i++) {
    glb file;
    char target[80];
    run_example(varied[i]);
    snprintf(target, sizeof target, "/api/v1/jobs/job-%zu/results.glb?stride=20", i + 1);
    open_glb(&file, target);
    check_meshes(&file);
    assert_non_null(json_object_get(file.root, "animations"));
    close_glb_file(&file);
  }
}

static void test_one_row_does_not_move(void **state) {
  (void)state;
  glb file;
  run_example("SC");
  open_glb(&file, "/api/v1/jobs/job-1/results.glb?to=0");
  assert_null(json_object_get(file.root, "animations"));
  assert_non_null(json_object_get(item(file.root, "nodes", node_of(&file, "crank")), "translation"));
  close_glb_file(&file);
}

static void expect_problem(const char *target, int status, const char *detail) {
  fake_answer answer;
  fake_get(&fake, target, NULL, &answer);
  if (answer.response.status != status) fail_msg("%s: %d", target, answer.response.status);
  if (!strstr(answer.text, detail)) fail_msg("'%s' is not in %s", detail, answer.text);
  assert_null(fake_answer_header(&answer, "ETag"));
  fake_answer_free(&answer);
}

static void test_problems(void **state) {
  (void)state;
  run_example("SC");
  expect_problem("/api/v1/jobs/job-1/results.glb?stride=0", 400, "stride must be");
  expect_problem("/api/v1/jobs/job-1/results.glb?from=x", 400, "from must be a time");
  expect_problem("/api/v1/jobs/job-1/results.glb?from=90", 400, "no rows between");
  expect_problem("/api/v1/jobs/job-1/results.glb?rows=1:2", 400, "rows");
  expect_problem("/api/v1/jobs/job-9/results.glb", 404, "no job 'job-9'");
  fake.check_status = SERVICE_NO_WORKERS;
  expect_problem("/api/v1/jobs/job-1/results.glb", 503, "");
  fake.check_status = SERVICE_OK;
  fake_job *bare = fake_service_add(&fake, "succeeded");
  fake_job_add_array(bare, "T", 1, (const size_t[]){1}, "[\"t\"]", (const double[]){0}, false);
  expect_problem("/api/v1/jobs/job-2/results.glb", 404, "no motion of bodies");
}

static void test_unchanged(void **state) {
  (void)state;
  fake_answer answer;
  run_example("SC");
  fake_get(&fake, "/api/v1/jobs/job-1/results.glb?stride=5", NULL, &answer);
  char header[200];
  snprintf(header, sizeof header, "If-None-Match: %s", fake_answer_header(&answer, "ETag"));
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs/job-1/results.glb?stride=5", header, &answer);
  assert_int_equal(answer.response.status, 304);
  fake_answer_free(&answer);
  fake_get(&fake, "/api/v1/jobs/job-1/results.glb?stride=4", header, &answer);
  assert_int_equal(answer.response.status, 200);
  fake_answer_free(&answer);
}

int main(void) {
  const struct CMUnitTest tests[] = {SERVICE_TEST(test_planar),
                                     SERVICE_TEST(test_spatial),
                                     SERVICE_TEST(test_forms_and_symbols),
                                     SERVICE_TEST(test_one_row_does_not_move),
                                     SERVICE_TEST(test_problems),
                                     SERVICE_TEST(test_unchanged)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
