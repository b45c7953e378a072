/* Bad input: every wrong document gets its problem document, with all mistakes at their places, and the service goes
 * on. JSON is written here with ' for ". */
#include "fake_service.h"

#include "api/documents/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fake_service fake;

static int open_service(void **state) {
  (void)state;
  fake_service_open(&fake);
  return 0;
}

static int close_service(void **state) {
  (void)state;
  fake_service_close(&fake);
  return 0;
}

static char *json_text(const char *text) {
  char *copy = strdup(text);
  assert_non_null(copy);
  for (char *c = copy; *c; c++) {
    if (*c == '\'') *c = '"';
  }
  return copy;
}

/* The service still takes a right document. */
static void expect_alive(void) {
  fake_answer answer;
  fake_post(&fake, "/api/v1/validate", NULL, fake_pendulum, &answer);
  assert_int_equal(answer.response.status, 200);
  fake_answer_free(&answer);
}

/* ---- not JSON ---------------------------------------------------------------------------------------------------- */

static void test_malformed(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *detail;
  } cases[] = {
      {"", 1, 1, ""},
      {"   ", 1, 3, ""},
      {"{", 1, 1, "end of file"},
      {"{\n  \"name\": \"a\",\n  \"mass\" 5\n}", 3, 10, "':' expected"},
      {"{\"a\": 1,}", 1, 9, "string or '}' expected"},
      {"{\"a\": 1} x", 1, 10, "end of file expected"},
      {"{\"a\": NaN}", 1, 9, "invalid token"},
      {"{\"a\": Infinity}", 1, 14, "invalid token"},
      {"{\"a\": 1e400}", 1, 11, "real number overflow"},
      {"{\"a\": -1e400}", 1, 12, "real number overflow"},
      {"{\"a\": 01}", 1, 7, ""},
      {"{\"a\": +1}", 1, 7, "invalid token"},
      {"{\"a\": 1, \"a\": 2}", 1, 12, "duplicate object key"},
      {"{\"name\": \"\xff\"}", 1, 10, "unable to decode byte 0xff"},
      {"{\"name\": \"\xc3\x28\"}", 1, 10, "unable to decode byte 0xc3"},
      {"{\"name\": \"\xed\xa0\x80\"}", 1, 10, "unable to decode byte 0xed"},
      {"{\"name\": \"a\\u0000b\"}", 1, 19, "\\u0000 is not allowed"},
      {"{\"name\": \"\\ud800\"}", 1, 17, "invalid Unicode"},
      {"{'name': 'a'}", 1, 2, "string or '}' expected"},
  };
  static const char *const targets[] = {"/api/v1/jobs", "/api/v1/validate"};
  for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
    size_t k = i / 2;
    fake_answer answer;
    fake_post(&fake, targets[i % 2], NULL, cases[k].text, &answer);
    assert_int_equal(answer.response.status, 400);
    json_t *problem = fake_answer_json(&answer);
    json_int_t line = json_integer_value(json_object_get(problem, "line"));
    json_int_t column = json_integer_value(json_object_get(problem, "column"));
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    if (line != cases[k].line || column != cases[k].column || !strstr(detail, cases[k].detail)) {
      fail_msg("%s: line %d, column %d: %s", cases[k].text, (int)line, (int)column, detail);
    }
    json_decref(problem);
    fake_answer_free(&answer);
  }
  assert_int_equal(fake.job_count, 0);
  expect_alive();
}

static void test_deep_nesting(void **state) {
  (void)state;
  enum { DEPTH = 100000 };
  static const char *const openings[] = {"[", "{\"a\":"};
  for (size_t i = 0; i < 2; i++) {
    size_t length = strlen(openings[i]);
    char *text = malloc(DEPTH * length + 1);
    assert_non_null(text);
    for (size_t k = 0; k < DEPTH; k++) memcpy(text + k * length, openings[i], length);
    text[DEPTH * length] = '\0';
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", NULL, text, &answer);
    assert_int_equal(answer.response.status, 400);
    fake_answer_free(&answer);
    free(text);
  }
  expect_alive();
}

/* Parameters that name one another, each the next one: no recursion follows them all. */
static void test_chained_parameters(void **state) {
  (void)state;
  enum { CHAIN = 20000, ROOM = 40 };
  char *text = malloc(CHAIN * ROOM);
  assert_non_null(text);
  size_t length = (size_t)snprintf(text, ROOM, "{\"parameters\": {");
  for (int k = 0; k < CHAIN; k++) length += (size_t)snprintf(text + length, ROOM, "\"p%d\": \"p%d\", ", k, k + 1);
  snprintf(text + length, ROOM, "\"p%d\": 1}}", CHAIN);
  fake_answer answer;
  fake_post(&fake, "/api/v1/validate", NULL, text, &answer);
  assert_int_equal(answer.response.status, 422);
  fake_answer_free(&answer);
  free(text);
  expect_alive();
}

/* ---- wrong documents --------------------------------------------------------------------------------------------- */

/* A model around the piece that is wrong: bodies b and c, a joint, an analysis. */
#define MODEL_TOP "{'name': 'm', 'space': 'planar', "
#define GROUND "'ground': {'points': {'O': [0, 0], 'Q': [1, 0]}, 'vectors': {'u': [1, 0]}}, "
#define BODY_B "{'name': 'b', 'mass': 1, 'inertia': 1, 'points': {'A': [0, 1], 'C': [0, -1]}, 'vectors': {'u': [0, 1]}}"
#define BODIES "'bodies': [" BODY_B "], "
#define PIN "{'name': 'pin', 'type': 'revolute', 'points': ['ground.O', 'b.A']}"
#define JOINTS "'joints': [" PIN "], "
#define ANALYSIS "'analysis': {'type': 'dynamics', 't_end': 1, 'dt': 0.1}"
#define WITH(piece) MODEL_TOP GROUND BODIES JOINTS piece ", " ANALYSIS "}"
#define WITH_BODY(body) MODEL_TOP GROUND "'bodies': [" BODY_B ", " body "], " JOINTS ANALYSIS "}"
#define WITH_JOINT(joint) MODEL_TOP GROUND BODIES "'joints': [" PIN ", " joint "], " ANALYSIS "}"
#define WITH_ANALYSIS(fields) MODEL_TOP GROUND BODIES JOINTS "'analysis': {" fields "}}"

#define WITH_SHAPE(fields) WITH_BODY("{'name': 'c', 'mass': 1, 'inertia': 1, 'shapes': [{" fields "}]}")

enum { MISTAKES_MAX = 8 };

typedef struct mistake {
  const char *pointer, *code, *detail;
} mistake;

/* Each with all its mistakes; the order does not matter. */
static const struct {
  const char *text;
  mistake mistakes[MISTAKES_MAX];
} wrong[] = {
    /* shapes */
    {"[]", {{"", "wrong_type", "expected an object, got an array"}}},
    {"5", {{"", "wrong_type", "expected an object, got a number"}}},
    {"null", {{"", "wrong_type", "expected an object, got null"}}},
    {"{'model': 5}", {{"/model", "wrong_type", "expected an object, got a number"}}},
    {"{}", {{"", "missing", "'space'"}, {"", "missing", "'bodies'"}}},
    {MODEL_TOP "'bodies': {}, " ANALYSIS "}", {{"/bodies", "wrong_type", "expected an array, got an object"}}},
    {MODEL_TOP "'bodies': [], " ANALYSIS "}", {{"/bodies", "wrong_type", "at least 1"}}},
    {MODEL_TOP "'bodies': [7], " ANALYSIS "}", {{"/bodies/0", "wrong_type", "expected an object, got a number"}}},
    {WITH("'gravity': 9.81"), {{"/gravity", "wrong_type", "expected an array, got a number"}}},
    {WITH("'gravity': [0, 0, -9.81]"), {{"/gravity", "wrong_type", "expected 2 values in a planar model, got 3"}}},
    {WITH("'gravity': [0, true]"), {{"/gravity/1", "wrong_type", "got a boolean"}}},
    {WITH("'parameters': [1]"), {{"/parameters", "wrong_type", "names and values"}}},
    {WITH("'description': 5"), {{"/description", "wrong_type", "expected a string, got a number"}}},
    {WITH_ANALYSIS("'t_end': 1, 'dt': 0.1, 'correct': 'yes'"),
     {{"/analysis/correct", "wrong_type", "expected true or false, got a string"}}},
    {WITH_ANALYSIS("'t_end': 1, 'dt': 0.1, 'integrator': 'dopri5'"),
     {{"/analysis/integrator", "wrong_type", "expected an object, got a string"}}},
    /* names of fields, types and choices */
    {WITH("'gravitty': [0, 0]"), {{"/gravitty", "unknown_field", "did you mean 'gravity'?"}}},
    {WITH("'a~/b': 1"), {{"/a~0~1b", "unknown_field", "unknown field 'a~/b' of model"}}},
    {"{'model': " WITH("'view': {}") ", 'analysys': {}}", {{"/analysys", "unknown_field", "did you mean 'analysis'?"}}},
    {WITH_JOINT("{'name': 'j', 'type': 'revolutte', 'points': ['ground.O', 'b.A']}"),
     {{"/joints/1/type", "unknown_name", "did you mean 'revolute'?"}}},
    {WITH_JOINT("{'name': 'j', 'type': 'magnet', 'points': ['ground.O', 'b.A']}"),
     {{"/joints/1/type", "unknown_name", "known are: revolute, translational"}}},
    {WITH_JOINT("{'name': 'j', 'points': ['ground.O', 'b.A']}"), {{"/joints/1", "missing", "'type'"}}},
    {WITH_JOINT("{'name': 'j', 'type': 3, 'points': ['ground.O', 'b.A']}"),
     {{"/joints/1/type", "wrong_type", "a string"}}},
    {WITH_ANALYSIS("'type': 'dynamic', 't_end': 1, 'dt': 0.1"),
     {{"/analysis/type", "unknown_name", "did you mean 'dynamics'?"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': {'stepp': {}}}]"),
     {{"/drivers/0/function/stepp", "unknown_name", "did you mean 'step'?"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': {'step': {}, 'ramp': {}}}]"),
     {{"/drivers/0/function", "wrong_type", "one key"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': false}]"),
     {{"/drivers/0/function", "wrong_type", "got a boolean"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': {'step': 5}}]"),
     {{"/drivers/0/function/step", "wrong_type", "expected an object, got a number"}}},
    /* names of things */
    {WITH_BODY("{'name': 'b', 'mass': 1, 'inertia': 1}"), {{"/bodies/1/name", "duplicate_name", "'b'"}}},
    {WITH_BODY("{'name': 'b', 'mass': 1}"),
     {{"/bodies/1", "missing", "'inertia'"}, {"/bodies/1/name", "duplicate_name", "'b'"}}},
    {WITH_BODY("{'name': 'c', 'mass': 1, 'inertia': '2*'}"), {{"/bodies/1/inertia", "bad_expression", "2*"}}},
    {WITH_BODY("{'name': '', 'mass': 1, 'inertia': 1}"), {{"/bodies/1/name", "invalid", "empty"}}},
    {WITH_BODY("{'name': 'c.d', 'mass': 1, 'inertia': 1}"), {{"/bodies/1/name", "invalid", "'.'"}}},
    {WITH_BODY("{'name': 'c\\nd', 'mass': 1, 'inertia': 1}"), {{"/bodies/1/name", "invalid", "control characters"}}},
    {WITH_BODY("{'name': 'c', 'mass': 1, 'inertia': 1, 'points': {'a/b': [0, 0]}}"),
     {{"/bodies/1/points/a~1b", "invalid", "'/'"}}},
    {WITH_BODY("{'mass': 1, 'inertia': 1}"), {{"/bodies/1", "missing", "'name'"}}},
    /* references */
    {WITH_JOINT("{'name': 'j', 'type': 'rod', 'points': ['ground.Q', 'b.D']}"),
     {{"/joints/1/points/1", "unknown_name", "no point 'D' on body 'b'"}}},
    {WITH_JOINT("{'name': 'j', 'type': 'rod', 'points': ['ground.Q', 'bb.A']}"),
     {{"/joints/1/points/1", "unknown_name", "no body 'bb'"}}},
    {WITH_JOINT("{'name': 'j', 'type': 'rod', 'points': ['ground.Q']}"),
     {{"/joints/1/points", "wrong_type", "expected 2 values, got 1"}}},
    {WITH_JOINT("{'name': 'pin', 'type': 'rod', 'points': ['ground.Q', 'b.C']}"),
     {{"/joints/1/name", "duplicate_name", "'pin'"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pinn', 'function': 't'}]"),
     {{"/drivers/0/joint", "unknown_name", "did you mean 'pin'?"}}},
    {WITH_ANALYSIS("'t_end': 1, 'dt': 0.1, 'hold': ['pni']"), {{"/analysis/hold/0", "unknown_name", "'pni'"}}},
    /* numbers */
    {WITH_BODY("{'name': 'c', 'mass': -1, 'inertia': 1}"), {{"/bodies/1/mass", "out_of_range", "at least 0"}}},
    {WITH_BODY("{'name': 'c', 'mass': 1, 'inertia': -1}"), {{"/bodies/1/inertia", "out_of_range", "at least 0"}}},
    {WITH_BODY("{'name': 'c', 'mass': 1, 'inertia': 1, 'vectors': {'z': [0, 0]}}"),
     {{"/bodies/1/vectors/z", "out_of_range", "no length"}}},
    {WITH_ANALYSIS("'t_end': 1, 'dt': 0"), {{"/analysis/dt", "out_of_range", "greater than 0"}}},
    {WITH_ANALYSIS("'t_end': 1, 'dt': -0.1"), {{"/analysis/dt", "out_of_range", "greater than 0"}}},
    {WITH_ANALYSIS("'t_end': 1e6, 'dt': 1e-3"), {{"/analysis/dt", "too_large", ""}}},
    {WITH_JOINT("{'name': 'j', 'type': 'rod', 'points': ['ground.Q', 'b.C'], 'length': 0}"),
     {{"/joints/1/length", "out_of_range", "greater than 0"}}},
    {WITH_JOINT("{'name': 'j', 'type': 'rod', 'points': ['ground.O', 'b.A']}"),
     {{"/joints/1", "out_of_range", "length"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'distance', 'points': ['ground.O', 'ground.Q'], 'function': 't'}]"),
     {{"/drivers/0/points", "invalid", "two different bodies"}}},
    /* expressions */
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': '1/t'}]"),
     {{"/drivers/0/function", "bad_expression", ""}}},
    {WITH("'sensors': [{'name': 's', 'value': 'sqrt(-1 - t)'}]"), {{"/sensors/0/value", "bad_expression", ""}}},
    {WITH_BODY("{'name': 'c', 'mass': '1 +', 'inertia': 1}"), {{"/bodies/1/mass", "bad_expression", "column"}}},
    {WITH_BODY("{'name': 'c', 'mass': '1/0', 'inertia': 1}"), {{"/bodies/1/mass", "bad_expression", ""}}},
    {WITH_BODY("{'name': 'c', 'mass': 'm0', 'inertia': 1}"), {{"/bodies/1/mass", "bad_expression", "m0"}}},
    {WITH("'parameters': {'p': 'q', 'q': 'p'}"), {{"/parameters/", "bad_expression", ""}}},
    {WITH("'parameters': {'t': 2, '1a': 3}"),
     {{"/parameters/1a", "invalid", "no expression"}, {"/parameters/t", "duplicate_name", "known already"}}},
    {WITH("'parameters': {'l': 0.5}, 'forces': [{'name': 's', 'type': 'spring-damper', 'points': ['ground.O', 'b.C'], "
          "'stiffness': 1, 'free_length': 'l'}]"),
     {{"/forces/0/free_length", "bad_expression", "another name"}}},
    {WITH_ANALYSIS("'t_end': -1"),
     {{"/analysis", "missing", "'dt'"}, {"/analysis/t_end", "out_of_range", "before t_start"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'distance', 'points': ['ground.Q', 'b.C'], 'function': '-1 - t'}]"),
     {{"/drivers/0/function", "out_of_range", "above 0"}}},
    /* the length of a spring is known to every law; a mistake in its points is one mistake */
    {WITH("'forces': [{'name': 'f', 'type': 'torque', 'body': 'b', 'value': 's.l'}, {'name': 's', 'type': "
          "'spring-damper', 'points': ['ground.O', 'b.D'], 'stiffness': 'l'}]"),
     {{"/forces/1/points/1", "unknown_name", "no point 'D'"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': 't'}], 'forces': [{'name': 'f', "
          "'type': 'torque', 'body': 'b', 'value': 'd.effort'}]"),
     {{"/forces/0/value", "bad_expression", "known in sensors only"}}},
    {WITH("'sensors': [{'name': 's', 'value': 'b.zz'}]"), {{"/sensors/0/value", "bad_expression", "zz"}}},
    {WITH("'sensors': [{'name': 'T', 'value': 'b.x'}]"), {{"/sensors/0/name", "duplicate_name", "'T'"}}},
    {WITH("'forces': [{'name': 'c', 'type': 'contact', 'point': 'b.C', 'line': ['ground.R', 'ground.v'], 'stiffness': "
          "1, 'restitution': 0.5}]"),
     {{"/forces/0/line/0", "unknown_name", "'R'"}, {"/forces/0/line/1", "unknown_name", "'v'"}}},
    {WITH_ANALYSIS("'type': 'dynamics', 't_start': 5, 't_end': 'soon', 'dt': 0.1"),
     {{"/analysis/t_end", "bad_expression", "soon"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': {'spline': {'t': [2, 'x'], 'f': [0, "
          "1]}}}]"),
     {{"/drivers/0/function/spline/t/1", "bad_expression", "x"}}},
    {WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': {'piecewise': {'pieces': [{'until': "
          "2, 'function': 't'}, {'until': 'x', 'function': 't'}, {'function': 't'}]}}}]"),
     {{"/drivers/0/function/piecewise/pieces/1/until", "bad_expression", "x"}}},
    /* what is drawn */
    {WITH_SHAPE("'type': 'circel', 'radus': 3"), {{"/bodies/1/shapes/0/type", "unknown_name", "'circle'"}}},
    {WITH_SHAPE("'type': 'circle', 'radus': 3"),
     {{"/bodies/1/shapes/0/radus", "unknown_field", "'radius'"}, {"/bodies/1/shapes/0", "missing", "'radius'"}}},
    {WITH_SHAPE("'type': 'circle', 'radius': -1"), {{"/bodies/1/shapes/0/radius", "out_of_range", "at least 0"}}},
    {WITH_SHAPE("'type': 'circle', 'radius': 'R/2'"), {{"/bodies/1/shapes/0/radius", "bad_expression", "R"}}},
    {WITH_SHAPE("'type': 'circle', 'radius': 1, 'at': [0, 0, 0]"),
     {{"/bodies/1/shapes/0/at", "wrong_type", "2 values in a planar model"}}},
    {WITH_SHAPE("'type': 'circle', 'radius': 1, 'color': 'rde'"),
     {{"/bodies/1/shapes/0/color", "unknown_name", "'red'"}}},
    {WITH_SHAPE("'type': 'circle', 'radius': 1, 'color': '#12345'"),
     {{"/bodies/1/shapes/0/color", "unknown_name", "#rrggbb"}}},
    {WITH_SHAPE("'type': 'circle', 'radius': 1, 'color': 7"),
     {{"/bodies/1/shapes/0/color", "wrong_type", "got a number"}}},
    {WITH_SHAPE("'type': 'line', 'from': [0, 0]"), {{"/bodies/1/shapes/0", "missing", "'to'"}}},
    {WITH_SHAPE("'type': 'polygon', 'points': [[0, 0], [1], [1, 1, 1], [0, 'x']]"),
     {{"/bodies/1/shapes/0/points/1", "wrong_type", "2 values"},
      {"/bodies/1/shapes/0/points/2", "wrong_type", "got 3 values"},
      {"/bodies/1/shapes/0/points/3/1", "bad_expression", "x"}}},
    {WITH_SHAPE("'type': 'rectangle', 'width': 1, 'height': 1, 'angle': true"),
     {{"/bodies/1/shapes/0/angle", "wrong_type", "got a boolean"}}},
    {WITH_BODY("{'name': 'c', 'mass': 1, 'inertia': 1, 'shapes': {}}"), {{"/bodies/1/shapes", "wrong_type", "array"}}},
    {WITH("'view': {'x': [0, 1]}"), {{"/view", "missing", "'y'"}}},
    {WITH("'view': {'x': [0, 1], 'y': [1, 0]}"), {{"/view/y", "invalid", "from a smaller to a larger y"}}},
    {WITH("'view': {'x': ['a', 1], 'y': [0, 1]}"), {{"/view/x/0", "bad_expression", "'a'"}}},
    {WITH("'parameters': {'k': '1/0'}, 'view': {'x': ['k', 1], 'y': [0, 1]}"),
     {{"/parameters/k", "bad_expression", ""}}},
    {WITH("'view': {'x': [0, 1], 'y': [0, 1], 'z': [0, 1]}"), {{"/view/z", "unknown_field", "spatial"}}},
    {WITH("'view': {'X': [0, 1]}"), {{"/view/X", "unknown_field", "'x'"}}},
    /* several at once, those that the reader finds and those that the builder finds */
    {"{'model': {'name': 'm', 'space': 'planar', 'bodies': [{'name': 'b', 'mass': -1, 'inertia': 1, 'colour': 'red'}],"
     " 'joints': [{'name': 'j', 'type': 'revolute', 'points': ['ground.X', 'b.Y']}]},"
     " 'analysis': {'t_end': 'soon', 'dt': 0.1}}",
     {{"/model/bodies/0/colour", "unknown_field", "'colour'"},
      {"/model/bodies/0/mass", "out_of_range", "at least 0"},
      {"/model/joints/0/points/0", "unknown_name", "'X'"},
      {"/model/joints/0/points/1", "unknown_name", "'Y'"},
      {"/analysis/t_end", "bad_expression", "soon"}}},
};

static bool matches(const json_t *error, const mistake *expected) {
  const char *pointer = json_string_value(json_object_get(error, "pointer"));
  /* A pointer that ends with '/' stands for any member. */
  size_t length = strlen(expected->pointer);
  bool open = length > 0 && expected->pointer[length - 1] == '/';
  bool there = open ? strncmp(pointer, expected->pointer, length) == 0 : strcmp(pointer, expected->pointer) == 0;
  return there && strcmp(json_string_value(json_object_get(error, "code")), expected->code) == 0 &&
         strstr(json_string_value(json_object_get(error, "detail")), expected->detail) != NULL;
}

static void check_mistakes(const char *text, const json_t *errors, const mistake *expected) {
  size_t count = 0;
  for (; count < MISTAKES_MAX && expected[count].pointer; count++) {
    bool found = false;
    for (size_t k = 0; k < json_array_size(errors); k++) {
      found = found || matches(json_array_get(errors, k), &expected[count]);
    }
    char *list = json_dumps(errors, 0);
    if (!found) fail_msg("%s:\n%s lacks %s %s", text, list, expected[count].pointer, expected[count].detail);
    free(list);
  }
  char *list = json_dumps(errors, 0);
  if (json_array_size(errors) != count) fail_msg("%s:\n%s has more than %zu mistakes", text, list, count);
  free(list);
}

static void test_wrong_documents(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char *text = json_text(wrong[i].text);
    fake_answer answer;
    fake_post(&fake, "/api/v1/jobs", NULL, text, &answer);
    if (answer.response.status != 422) fail_msg("%s: %d %s", text, answer.response.status, answer.text);
    json_t *problem = fake_answer_json(&answer);
    check_mistakes(text, json_object_get(problem, "errors"), wrong[i].mistakes);
    json_decref(problem);
    fake_answer_free(&answer);

    fake_post(&fake, "/api/v1/validate", NULL, text, &answer);
    assert_int_equal(answer.response.status, 422);
    fake_answer_free(&answer);
    free(text);
  }
  assert_int_equal(fake.job_count, 0);
  expect_alive();
}

static void test_foreign_fields_are_nobodys_business(void **state) {
  (void)state;
  char *text = json_text(WITH("'x-note': {'anything': [1, null]}, 'parameters': {'R': 2}, 'view': {'x': [0, 'R'], 'y': "
                              "[0, 1], 'x-note': 1}, 'forces': [], 'sensors': []"));
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, text, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  free(text);
}

static void test_mistakes_are_counted_past_the_list(void **state) {
  (void)state;
  enum { ITEMS = 300 };
  char body[2 * ITEMS + 64], *out = body;
  out += sprintf(out, "{\"space\": \"planar\", \"bodies\": [");
  for (int i = 0; i < ITEMS; i++) out += sprintf(out, i ? ",5" : "5");
  sprintf(out, "]}");
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, body, &answer);
  assert_int_equal(answer.response.status, 422);
  json_t *problem = fake_answer_json(&answer);
  assert_int_equal(json_array_size(json_object_get(problem, "errors")), MBS_DIAGNOSTICS_MAX);
  assert_true(json_integer_value(json_object_get(problem, "dropped")) >= 100);
  json_decref(problem);
  fake_answer_free(&answer);
}

/* ---- what is read ------------------------------------------------------------------------------------------------ */

static const mbs_value *field(const mbs_node *node, const char *name) {
  return &node->values[mbs_field_index(node->cls, name)];
}

static void test_nodes(void **state) {
  (void)state;
  char *text = json_text(WITH("'drivers': [{'name': 'd', 'type': 'joint', 'joint': 'pin', 'function': {'polynomial': "
                              "[1, '2*pi']}}], 'parameters': {'k': 20, 'L': '2*k', 'b': 1, 'a': 2, 'j': 3}"));
  api_document document;
  api_syntax_error error;
  assert_true(api_document_parse(text, strlen(text), &document, &error));
  const mbs_limits limits = {0};
  mbs_diagnostics list = {0};
  mbs_model *model = api_document_build(&document, &limits, &list);
  assert_non_null(model);
  const mbs_node *node = document.model_node;
  assert_string_equal(node->pointer, "");
  assert_string_equal(api_document_name(&document), "m");
  const mbs_value *parameters = field(node, "parameters");
  assert_int_equal(parameters->count, 5);
  assert_string_equal(parameters->nodes[0].key, "k");
  assert_float_equal(parameters->nodes[0].values[0].scalars[0].number, 20, 0);
  assert_string_equal(parameters->nodes[1].values[0].scalars[0].text, "2*k");
  assert_string_equal(parameters->nodes[1].pointer, "/parameters/L");
  assert_string_equal(parameters->nodes[4].key, "j"); /* in the order of the document */
  const mbs_node *driver = &field(node, "drivers")->nodes[0];
  assert_string_equal(driver->pointer, "/drivers/0");
  const mbs_node *function = &field(driver, "function")->nodes[0];
  assert_string_equal(function->cls->name, "polynomial");
  assert_string_equal(function->pointer, "/drivers/0/function/polynomial");
  assert_int_equal(function->values[0].count, 2);
  assert_string_equal(function->values[0].scalars[1].text, "2*pi");
  assert_false(field(node, "gravity")->given);
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
  free(text);
}

static void test_memory_is_bounded(void **state) {
  (void)state;
  api_document document;
  api_syntax_error error;
  assert_true(api_document_parse(fake_pendulum, strlen(fake_pendulum), &document, &error));
  const mbs_limits limits = {.memory = 2048};
  mbs_diagnostics list = {0};
  assert_null(api_document_build(&document, &limits, &list));
  assert_int_equal(list.count, 1);
  assert_int_equal(list.items[0].status, MBS_TOO_LARGE);
  mbs_diagnostics_free(&list);
  api_document_free(&document);
}

int main(void) {
#define DOCUMENT_TEST(name) cmocka_unit_test_setup_teardown(name, open_service, close_service)
  const struct CMUnitTest tests[] = {
      DOCUMENT_TEST(test_malformed),
      DOCUMENT_TEST(test_deep_nesting),
      cmocka_unit_test(test_chained_parameters),
      DOCUMENT_TEST(test_wrong_documents),
      DOCUMENT_TEST(test_foreign_fields_are_nobodys_business),
      DOCUMENT_TEST(test_mistakes_are_counted_past_the_list),
      cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_memory_is_bounded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
