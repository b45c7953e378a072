/* Invalid input: every invalid document gets a problem document with all errors at their positions, and the service
 * continues. JSON is written here with ' for ". */

#include "api/documents/document.h"
#include "json.h"
#include "list.h"
#include "models.h"
#include "service_test.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The service still accepts a valid document. */
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
      {"", 1, 1, "the text is empty; a JSON object is expected"},
      {"   ", 1, 3, "the text is empty; a JSON object is expected"},
      {"\xff\xfe{", 1, 1, "the text is UTF-16; save it as UTF-8"},
      {"{", 1, 1, "end of file"},
      {"{\n  \"name\": \"a\",\n  \"mass\" 5\n}", 3, 10, "':' expected"},
      {"{\"a\": 1\n\"b\": 2}", 2, 3, "a comma is missing before the next field"},
      {"{\"a\": [1 2]}", 1, 10, "a comma or ']' is missing before this place"},
      {"{\"a\": 1; }", 1, 8, "a comma or '}' is missing before this place"},
      {"{\"a\": .5}", 1, 7, "write 0.5, not .5"},
      {"{\"a\": True}", 1, 10, "write true and false in small letters"},
      {"<robot/>", 1, 1, "this is XML, not JSON"},
      {"{\"a\": 'b'}", 1, 7, "double quotes"},
      {"{\"a\": 1,}", 1, 9, "a comma before a closing bracket is not allowed"},
      {"{\"a\": 1, // b\n\"c\": 2}", 1, 10, "JSON has no comments"},
      {"{\"a\": 1} x", 1, 10, "end of file expected"},
      {"{\"a\": NaN}", 1, 9, "JSON has no NaN"},
      {"{\"a\": Infinity}", 1, 14, "invalid token"},
      {"{\"a\": 1e400}", 1, 11, "real number overflow"},
      {"{\"a\": -1e400}", 1, 12, "real number overflow"},
      {"{\"a\": 01}", 1, 7, ""},
      {"{\"a\": +1}", 1, 7, "cannot begin with +"},
      {"{\"a\": 1, \"a\": 2}", 1, 12, "duplicate object key"},
      {"{\"name\": \"\xff\"}", 1, 10, "the byte 0xff is not valid UTF-8; save the text as UTF-8"},
      {"{\"name\": \"\xc3\x28\"}", 1, 10, "the byte 0xc3 is not valid UTF-8"},
      {"{\"name\": \"\xed\xa0\x80\"}", 1, 10, "the byte 0xed is not valid UTF-8"},
      {"{\"name\": \"a\\u0000b\"}", 1, 19, "\\u0000 is not allowed"},
      {"{\"name\": \"\\ud800\"}", 1, 17, "invalid Unicode"},
      {"{'name': 'a'}", 1, 2, "double quotes"},
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

/* Parameters that each refer to the next one must not cause a deep recursion. */
static void test_chained_parameters(void **state) {
  (void)state;
  enum { CHAIN = 20000 };
  text_list *parameters = list_open();
  for (int k = 0; k < CHAIN; k++) list_add(parameters, PART("p%d": "p%d"), k, k + 1);
  list_add(parameters, PART("p%d": 1), CHAIN);
  char *text = list_fill(PART({"parameters": {%s}}), parameters);
  fake_answer answer;
  fake_post(&fake, "/api/v1/validate", NULL, text, &answer);
  assert_int_equal(answer.response.status, 422);
  fake_answer_free(&answer);
  free(text);
  expect_alive();
}

/* ---- wrong documents --------------------------------------------------------------------------------------------- */

/* Puts the invalid piece into a model: bodies b and c, a joint, an analysis. */
MODEL(among_bodies,
    {"name": "m", "space": "planar",
     "ground": {"points": {"O": [0, 0], "Q": [1, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 1], "C": [0, -1]}, "vectors": {"u": [0, 1]}},
       %s],
     "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "b.A"]}],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
MODEL(among_joints,
    {"name": "m", "space": "planar",
     "ground": {"points": {"O": [0, 0], "Q": [1, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 1], "C": [0, -1]}, "vectors": {"u": [0, 1]}}],
     "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "b.A"]}, %s],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});
MODEL(as_analysis,
    {"name": "m", "space": "planar",
     "ground": {"points": {"O": [0, 0], "Q": [1, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 1], "C": [0, -1]}, "vectors": {"u": [0, 1]}}],
     "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "b.A"]}],
     "analysis": %s});
MODEL(right_analysis,
    {"type": "dynamics", "t_end": 1, "dt": 0.1});
MODEL(body_of_shape,
    {"name": "c", "mass": 1, "inertia": 1, "shapes": [%s]});
MODEL(body_in_space,
    {"space": "spatial",
     "bodies": [{"name": "c", "mass": 1, "inertia": [1, 1, 1], "shapes": [%s]}],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}});

/* The position of a piece: the document, fields of the model, a body, a joint, the analysis, a shape, a shape in
 * space. */
typedef enum place { ALONE, IN_MODEL, BODY, JOINT, ANALYSIS, SHAPE, SPATIAL_SHAPE } place;

/* Returns the text with `piece` in place of its %s. */
static char *filled(const char *text, const char *piece) {
  const char *hole = strstr(text, "%s");
  return models_text("%.*s%s%s", (int)(hole - text), text, piece, hole + 2);
}

static char *document_with(place where, const char *piece) {
  char *inner = NULL, *text = NULL;
  switch (where) {
  case ALONE: return models_text("%s", piece);
  case BODY: return filled(among_bodies, piece);
  case JOINT: return filled(among_joints, piece);
  case ANALYSIS: return filled(as_analysis, piece);
  case SPATIAL_SHAPE: return filled(body_in_space, piece);
  case SHAPE:
    inner = filled(body_of_shape, piece);
    text = filled(among_bodies, inner);
    break;
  case IN_MODEL:
    inner = filled(as_analysis, right_analysis);
    text = models_merged(inner, piece);
    break;
  }
  free(inner);
  return text;
}

enum { MISTAKES_MAX = 8 };

typedef struct mistake {
  const char *pointer, *code, *detail;
} mistake;

typedef struct wrong_document {
  place where;
  const char *piece;
  mistake mistakes[MISTAKES_MAX];
} wrong_document;

MODEL(misspelt,
    {"model": {"name": "m", "space": "planar",
               "ground": {"points": {"O": [0, 0], "Q": [1, 0]}, "vectors": {"u": [1, 0]}},
               "bodies": [
                 {"name": "b", "mass": 1, "inertia": 1, "points": {"A": [0, 1], "C": [0, -1]},
                  "vectors": {"u": [0, 1]}}],
               "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "b.A"]}],
               "view": {},
               "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}},
     "analysys": {}});
/* Several errors of one document, of the reader and of the builder. */
MODEL(several,
    {"model": {"name": "m", "space": "planar",
               "bodies": [{"name": "b", "mass": -1, "inertia": 1, "colour": "red"}],
               "joints": [{"name": "j", "type": "revolute", "points": ["ground.X", "b.Y"]}]},
     "analysis": {"t_end": "soon", "dt": 0.1}});

MODEL(named_as_a_length,
    {"parameters": {"l": 0.5},
     "forces": [
       {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.C"], "stiffness": 1,
        "free_length": "l"}]});
MODEL(length_of_a_spring,
    {"forces": [
       {"name": "f", "type": "torque", "body": "b", "value": "s.l"},
       {"name": "s", "type": "spring-damper", "points": ["ground.O", "b.D"], "stiffness": "l"}]});
MODEL(effort_in_a_law,
    {"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": "t"}],
     "forces": [
       {"name": "f", "type": "spring-damper", "points": ["ground.Q", "b.C"], "stiffness": 1, "damping": "d.effort"}]});
MODEL(table_in_a_law,
    {"forces": [{"name": "f", "type": "force", "body": "b",
                 "value": [{"spline": {"x": [0, 1], "f": [0, 2]}}, [[0, 1], [2, 3]]]}]});
MODEL(contact_on_nothing,
    {"forces": [
       {"name": "c", "type": "contact", "point": "b.C", "line": ["ground.R", "ground.v"], "stiffness": 1,
        "restitution": 0.5}]});
MODEL(spline_in_words,
    {"drivers": [
       {"name": "d", "type": "joint", "joint": "pin", "function": {"spline": {"t": [2, "x"], "f": [0, 1]}}}]});
MODEL(pieces_in_words,
    {"drivers": [
       {"name": "d", "type": "joint", "joint": "pin",
        "function": {"piecewise": {"pieces": [
                                     {"until": 2, "function": "t"},
                                     {"until": "x", "function": "t"},
                                     {"function": "t"}]}}}]});

/* Each document with all its errors; the order does not matter. */
static const wrong_document wrong[] = {
    /* shapes */
    {ALONE, JSON([]), {{"", "wrong_type", "expected fields in braces, such as {\"name\": ...}, got an array"}}},
    {ALONE, JSON(5), {{"", "wrong_type", "got a number"}}},
    {ALONE, JSON(null), {{"", "wrong_type", "got null"}}},
    {ALONE, JSON({"model": 5}), {{"/model", "wrong_type", "expected fields in braces"}}},
    {ALONE, JSON({}), {{"", "missing", "'space'"}, {"", "missing", "'bodies'"}, {"", "missing", "'analysis'"}}},
    {ALONE,
     JSON({"name": "m", "space": "planar", "bodies": {}, "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}}),
     {{"/bodies", "wrong_type", "expected a list in brackets, such as [{\"name\": ...}, ...], got an object"}}},
    {ALONE,
     JSON({"name": "m", "space": "planar", "bodies": [], "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}}),
     {{"/bodies", "wrong_type", "at least 1"}}},
    {ALONE,
     JSON({"name": "m", "space": "planar", "bodies": [7], "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1}}),
     {{"/bodies/0", "wrong_type", "expected fields in braces, such as {\"name\": ...}, got a number"}}},
    {IN_MODEL,
     JSON({"gravity": 9.81}),
     {{"/gravity", "wrong_type", "expected 2 numbers in brackets, such as [1, 2], got a number"}}},
    {JOINT, JSON(5), {{"/joints/1", "wrong_type", "expected fields in braces, such as {\"type\": \"revolute\", ...}"}}},
    {BODY,
     JSON({"name": "c", "mass": 1, "inertia": 1, "points": [0, 0]}),
     {{"/bodies/1/points", "wrong_type", "names and values in braces, such as {\"A\": [1, 2]}, got an array"}}},
    {IN_MODEL,
     JSON({"gravity": [0, 0, -9.81]}),
     {{"/gravity", "wrong_type", "expected 2 values in a planar model, got 3"}}},
    {IN_MODEL, JSON({"gravity": [0, true]}), {{"/gravity/1", "wrong_type", "got a boolean"}}},
    {IN_MODEL,
     JSON({"parameters": [1]}),
     {{"/parameters", "wrong_type", "names and values in braces, such as {\"A\": 1}"}}},
    {IN_MODEL, JSON({"description": 5}), {{"/description", "wrong_type", "expected a string, got a number"}}},
    {ANALYSIS,
     JSON({"t_end": 1, "dt": 0.1, "correct": "yes"}),
     {{"/analysis/correct", "wrong_type", "expected true or false, got a string"}}},
    {ANALYSIS,
     JSON({"t_end": 1, "dt": 0.1, "integrator": "dopri5"}),
     {{"/analysis/integrator", "wrong_type", "such as {\"method\": \"dopri5\", ...}, got a string"}}},
    /* names of fields, types and choices */
    {IN_MODEL, JSON({"gravitty": [0, 0]}), {{"/gravitty", "unknown_field", "did you mean 'gravity'?"}}},
    {IN_MODEL, JSON({"a~/b": 1}), {{"/a~0~1b", "unknown_field", "unknown field 'a~/b' of model"}}},
    {IN_MODEL,
     JSON({"functions": {"f": {"x": [0, 1], "y": [0, 1], "kind": 1}}}),
     {{"/functions/f/kind", "unknown_field", "unknown field 'kind' of named function"}}},
    {IN_MODEL,
     JSON({"forces": [{"name": "c", "type": "contact", "point": "b.A", "plane": 1, "stiffness": 1, "restitution": 1}]}),
     {{"/forces/0/plane", "unknown_field", "'plane' exists only in spatial models; use 'line'"},
      {"/forces/0", "missing", "missing field 'line' of contact"}}},
    {IN_MODEL,
     JSON({"sensors": [{"name": "s", "value": "2*time"}]}),
     {{"/sensors/0/value", "bad_expression", "no parameter or quantity 'time'; the time is written t"}}},
    {ALONE, misspelt, {{"/analysys", "unknown_field", "did you mean 'analysis'?"}}},
    {JOINT,
     JSON({"name": "j", "type": "revolutte", "points": ["ground.O", "b.A"]}),
     {{"/joints/1/type", "unknown_name", "did you mean 'revolute'?"}}},
    {JOINT,
     JSON({"name": "j", "type": "hinge", "points": ["ground.O", "b.A"]}),
     {{"/joints/1/type", "unknown_name", "unknown type 'hinge'; did you mean 'revolute'?"}}},
    {JOINT,
     JSON({"name": "j", "type": "prismatic", "points": ["ground.O", "b.A"]}),
     {{"/joints/1/type", "unknown_name", "type 'prismatic' exists only in spatial models; use 'translational'"}}},
    {JOINT,
     JSON({"name": "j", "type": "magnet", "points": ["ground.O", "b.A"]}),
     {{"/joints/1/type", "unknown_name", "available: revolute, translational"}}},
    {JOINT, JSON({"name": "j", "points": ["ground.O", "b.A"]}), {{"/joints/1", "missing", "'type'"}}},
    {JOINT,
     JSON({"name": "j", "type": 3, "points": ["ground.O", "b.A"]}),
     {{"/joints/1/type", "wrong_type", "a string"}}},
    {ANALYSIS,
     JSON({"type": "dynamic", "t_end": 1, "dt": 0.1}),
     {{"/analysis/type", "unknown_name", "did you mean 'dynamics'?"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": {"stepp": {}}}]}),
     {{"/drivers/0/function/stepp", "unknown_name", "did you mean 'step'?"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": {"step": {}, "ramp": {}}}]}),
     {{"/drivers/0/function", "wrong_type", "one key"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": false}]}),
     {{"/drivers/0/function", "wrong_type", "got a boolean"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": {"step": 5}}]}),
     {{"/drivers/0/function/step", "wrong_type", "expected fields in braces, such as {\"t0\": ...}"}}},
    /* names of things */
    {BODY, JSON({"name": "b", "mass": 1, "inertia": 1}), {{"/bodies/1/name", "duplicate_name", "'b'"}}},
    {BODY,
     JSON({"name": "b", "mass": 1}),
     {{"/bodies/1", "missing", "'inertia'"}, {"/bodies/1/name", "duplicate_name", "'b'"}}},
    {BODY, JSON({"name": "c", "mass": 1, "inertia": "2*"}), {{"/bodies/1/inertia", "bad_expression", "2*"}}},
    {BODY, JSON({"name": "", "mass": 1, "inertia": 1}), {{"/bodies/1/name", "invalid", "empty"}}},
    {BODY, JSON({"name": "c.d", "mass": 1, "inertia": 1}), {{"/bodies/1/name", "invalid", "'.'"}}},
    {BODY, JSON({"name": "c\nd", "mass": 1, "inertia": 1}), {{"/bodies/1/name", "invalid", "control characters"}}},
    {BODY,
     JSON({"name": "c", "mass": 1, "inertia": 1, "points": {"a/b": [0, 0]}}),
     {{"/bodies/1/points/a~1b", "invalid", "'/'"}}},
    {BODY, JSON({"mass": 1, "inertia": 1}), {{"/bodies/1", "missing", "'name'"}}},
    /* references */
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground.Q", "b.D"]}),
     {{"/joints/1/points/1", "unknown_name", "no point 'D' on body 'b'"}}},
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground", "b.A"]}),
     {{"/joints/1/points/0", "unknown_name", "'ground' lacks the name of a point; write ground.POINT, for example "}}},
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground.Q", "bb"]}),
     {{"/joints/1/points/1", "unknown_name", "'bb' is no point of a body; write BODY.POINT"}}},
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground.Q", "bb.A"]}),
     {{"/joints/1/points/1", "unknown_name", "no body 'bb'"}}},
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground.Q"]}),
     {{"/joints/1/points", "wrong_type", "expected 2 values, got 1"}}},
    {JOINT,
     JSON({"name": "pin", "type": "rod", "points": ["ground.Q", "b.C"]}),
     {{"/joints/1/name", "duplicate_name", "'pin'"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "joint", "joint": "pinn", "function": "t"}]}),
     {{"/drivers/0/joint", "unknown_name", "did you mean 'pin'?"}}},
    {ANALYSIS, JSON({"t_end": 1, "dt": 0.1, "hold": ["pni"]}), {{"/analysis/hold/0", "unknown_name", "'pni'"}}},
    /* numbers */
    {BODY, JSON({"name": "c", "mass": -1, "inertia": 1}), {{"/bodies/1/mass", "out_of_range", "at least 0"}}},
    {BODY, JSON({"name": "c", "mass": 1, "inertia": -1}), {{"/bodies/1/inertia", "out_of_range", "at least 0"}}},
    {BODY,
     JSON({"name": "c", "mass": 1, "inertia": 1, "vectors": {"z": [0, 0]}}),
     {{"/bodies/1/vectors/z", "out_of_range", "has length 0"}}},
    {ANALYSIS, JSON({"t_end": 1, "dt": 0}), {{"/analysis/dt", "out_of_range", "greater than 0"}}},
    {ANALYSIS, JSON({"t_end": 1, "dt": -0.1}), {{"/analysis/dt", "out_of_range", "greater than 0"}}},
    {ANALYSIS, JSON({"t_end": 1e6, "dt": 1e-3}), {{"/analysis/dt", "too_large", ""}}},
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground.Q", "b.C"], "length": 0}),
     {{"/joints/1/length", "out_of_range", "greater than 0"}}},
    {JOINT,
     JSON({"name": "j", "type": "rod", "points": ["ground.O", "b.A"]}),
     {{"/joints/1", "out_of_range", "length"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "distance", "points": ["ground.O", "ground.Q"], "function": "t"}]}),
     {{"/drivers/0/points", "invalid", "two different bodies"}}},
    /* expressions */
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": "1/t"}]}),
     {{"/drivers/0/function", "bad_expression", ""}}},
    {IN_MODEL,
     JSON({"sensors": [{"name": "s", "value": "sqrt(-1 - t)"}]}),
     {{"/sensors/0/value", "bad_expression", ""}}},
    {BODY, JSON({"name": "c", "mass": "1 +", "inertia": 1}), {{"/bodies/1/mass", "bad_expression", "column"}}},
    {BODY, JSON({"name": "c", "mass": "1/0", "inertia": 1}), {{"/bodies/1/mass", "bad_expression", ""}}},
    {BODY, JSON({"name": "c", "mass": "m0", "inertia": 1}), {{"/bodies/1/mass", "bad_expression", "m0"}}},
    {IN_MODEL, JSON({"parameters": {"p": "q", "q": "p"}}), {{"/parameters/", "bad_expression", ""}}},
    {IN_MODEL,
     JSON({"parameters": {"t": 2, "1a": 3}}),
     {{"/parameters/1a", "invalid", "not a valid parameter name"},
      {"/parameters/t", "duplicate_name", "reserved name"}}},
    {IN_MODEL, named_as_a_length, {{"/forces/0/free_length", "bad_expression", "rename the parameter"}}},
    {ANALYSIS,
     JSON({"t_end": -1}),
     {{"/analysis", "missing", "'dt'"}, {"/analysis/t_end", "out_of_range", "before t_start"}}},
    {IN_MODEL,
     JSON({"drivers": [{"name": "d", "type": "distance", "points": ["ground.Q", "b.C"], "function": "-1 - t"}]}),
     {{"/drivers/0/function", "out_of_range", "above 0"}}},
    /* every law may use the length of a spring; an error in its points is reported once */
    {IN_MODEL, length_of_a_spring, {{"/forces/1/points/1", "unknown_name", "no point 'D'"}}},
    {IN_MODEL, effort_in_a_law, {{"/forces/0/damping", "bad_expression", "available in sensors, forces"}}},
    /* a table in an expression: the message says what to write instead */
    {IN_MODEL,
     table_in_a_law,
     {{"/forces/0/value/0", "wrong_type",
       "'spline' is a function of time, for drivers only; write the points of a table"},
      {"/forces/0/value/1", "wrong_type", "got an array: tables are not allowed here; write the points of a table"}}},
    {BODY,
     JSON({"name": "c", "mass": "5 pounds", "inertia": 1}),
     {{"/bodies/1/mass", "bad_expression", "unknown unit 'pounds'; expected a mass, in kg, g, mg, lb"}}},
    {IN_MODEL, JSON({"sensors": [{"name": "s", "value": "b.zz"}]}), {{"/sensors/0/value", "bad_expression", "zz"}}},
    {IN_MODEL,
     JSON({"sensors": [{"name": "s", "value": "b.A"}]}),
     {{"/sensors/0/value", "bad_expression", "'b.A' is a point, which has x, y, vx, vy"}}},
    {JOINT,
     JSON(
         {
           "name": "j",
           "type": "rope",
           "length": 2,
           "path": [{"point": "ground.Q"}, {"drum": "b.C", "radius": 0.1, "sense": "cw"}]
         }),
     {{"/joints/1/path/1/sense", "bad_expression", "'sense' is a number (1: the rope runs counterclockwise"}}},
    {IN_MODEL, JSON({"sensors": [{"name": "T", "value": "b.x"}]}), {{"/sensors/0/name", "duplicate_name", "'T'"}}},
    {IN_MODEL,
     contact_on_nothing,
     {{"/forces/0/line/0", "unknown_name", "'R'"}, {"/forces/0/line/1", "unknown_name", "'v'"}}},
    {ANALYSIS,
     JSON({"type": "dynamics", "t_start": 5, "t_end": "soon", "dt": 0.1}),
     {{"/analysis/t_end", "bad_expression", "soon"}}},
    {IN_MODEL, spline_in_words, {{"/drivers/0/function/spline/t/1", "bad_expression", "x"}}},
    {IN_MODEL, pieces_in_words, {{"/drivers/0/function/piecewise/pieces/1/until", "bad_expression", "x"}}},
    /* shapes to draw */
    {SHAPE, JSON({"type": "circel", "radus": 3}), {{"/bodies/1/shapes/0/type", "unknown_name", "'circle'"}}},
    {SHAPE,
     JSON({"type": "circle", "radus": 3}),
     {{"/bodies/1/shapes/0/radus", "unknown_field", "'radius'"}, {"/bodies/1/shapes/0", "missing", "'radius'"}}},
    {SHAPE, JSON({"type": "circle", "radius": -1}), {{"/bodies/1/shapes/0/radius", "out_of_range", "at least 0"}}},
    {SHAPE, JSON({"type": "circle", "radius": "R/2"}), {{"/bodies/1/shapes/0/radius", "bad_expression", "R"}}},
    {SHAPE,
     JSON({"type": "circle", "radius": 1, "at": [0, 0, 0]}),
     {{"/bodies/1/shapes/0/at", "wrong_type", "2 values in a planar model"}}},
    {SHAPE,
     JSON({"type": "circle", "radius": 1, "color": "rde"}),
     {{"/bodies/1/shapes/0/color", "unknown_name", "'red'"}}},
    {SHAPE,
     JSON({"type": "circle", "radius": 1, "color": "#12345"}),
     {{"/bodies/1/shapes/0/color", "unknown_name", "#rrggbb"}}},
    {SHAPE,
     JSON({"type": "circle", "radius": 1, "color": 7}),
     {{"/bodies/1/shapes/0/color", "wrong_type", "got a number"}}},
    {SHAPE, JSON({"type": "line", "from": [0, 0]}), {{"/bodies/1/shapes/0", "missing", "'to'"}}},
    {SHAPE,
     JSON({"type": "polygon", "points": [[0, 0], [1], [1, 1, 1], [0, "x"]]}),
     {{"/bodies/1/shapes/0/points/1", "wrong_type", "2 values"},
      {"/bodies/1/shapes/0/points/2", "wrong_type", "got 3 values"},
      {"/bodies/1/shapes/0/points/3/1", "bad_expression", "x"}}},
    {SHAPE,
     JSON({"type": "rectangle", "width": 1, "height": 1, "angle": true}),
     {{"/bodies/1/shapes/0/angle", "wrong_type", "got a boolean"}}},
    {SHAPE,
     JSON({"type": "capsule", "from": [0, 0], "to": [1, 0], "radius": -1}),
     {{"/bodies/1/shapes/0/radius", "out_of_range", "at least 0"}}},
    {SHAPE,
     JSON({"type": "gear", "teeth": 12.5, "module": 0.01, "width": 1}),
     {{"/bodies/1/shapes/0/teeth", "invalid", "a whole number, not 12.5"},
      {"/bodies/1/shapes/0/width", "unknown_field", "spatial"}}},
    {SHAPE,
     JSON({"type": "gear", "teeth": 2, "module": "no"}),
     {{"/bodies/1/shapes/0/teeth", "out_of_range", "3"}, {"/bodies/1/shapes/0/module", "bad_expression", "'no'"}}},
    {SHAPE,
     JSON({"type": "box", "size": [1, 1, 1]}),
     {{"/bodies/1/shapes/0/type", "unknown_name", "only in spatial models"}}},
    {SPATIAL_SHAPE,
     JSON({"type": "box", "size": [1, -1], "axis": [0, 0, 0]}),
     {{"/bodies/0/shapes/0/size", "wrong_type", "3"}, {"/bodies/0/shapes/0/axis", "invalid", "an axis of length 0"}}},
    {SPATIAL_SHAPE,
     JSON({"type": "cylinder", "from": [0, 0], "radius": 1}),
     {{"/bodies/0/shapes/0", "missing", "'to'"}}},
    {SPATIAL_SHAPE,
     JSON({"type": "mesh", "points": [[0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2], [0, 1], [2, 3, -1]]}),
     {{"/bodies/0/shapes/0/triangles/1", "wrong_type", "expected 3 values, got 2"},
      {"/bodies/0/shapes/0/triangles/2/1", "invalid", "there is no corner 3; the points are numbered from 0 to 2"},
      {"/bodies/0/shapes/0/triangles/2/2", "out_of_range", "at least 0"}}},
    {BODY,
     JSON({"name": "c", "mass": 1, "inertia": 1, "shapes": {}}),
     {{"/bodies/1/shapes", "wrong_type", "a list in brackets"}}},
    {IN_MODEL, JSON({"view": {"x": [0, 1]}}), {{"/view", "missing", "'y'"}}},
    {IN_MODEL, JSON({"view": {"x": [0, 1], "y": [1, 0]}}), {{"/view/y", "invalid", "from a smaller to a larger y"}}},
    {IN_MODEL, JSON({"view": {"x": ["a", 1], "y": [0, 1]}}), {{"/view/x/0", "bad_expression", "'a'"}}},
    {IN_MODEL,
     JSON({"parameters": {"k": "1/0"}, "view": {"x": ["k", 1], "y": [0, 1]}}),
     {{"/parameters/k", "bad_expression", ""}}},
    {IN_MODEL, JSON({"view": {"x": [0, 1], "y": [0, 1], "z": [0, 1]}}), {{"/view/z", "unknown_field", "spatial"}}},
    {IN_MODEL, JSON({"view": {"X": [0, 1]}}), {{"/view/X", "unknown_field", "'x'"}}},
    /* numbers with a unit */
    {ALONE,
     JSON(
         {
           "space": "planar",
           "parameters": {"L": "5 mm", "speed": "60 rpm", "sum": "L + speed"},
           "bodies":
               [
                 {"name": "b", "mass": "2*speed", "inertia": 1},
                 {"name": "a", "mass": "2 m", "inertia": "1 kg*cm^2", "initial": {"angle": "5 mm"}}
               ],
           "sensors": [{"name": "s", "value": "2 furlongs"}],
           "analysis": {"type": "dynamics", "t_end": 1, "dt": "10 ms + 1"}
         }),
     {{"/parameters/sum", "bad_expression", "one is m, the other rad/s"},
      {"/bodies/0/mass", "bad_expression", "'2*speed' is rad/s, but mass needs kg"},
      {"/bodies/1/mass", "bad_expression", "expected a mass, in kg or g, got '2 m'"},
      {"/bodies/1/initial/angle", "bad_expression", "expected an angle, in rad or deg, got '5 mm'"},
      {"/sensors/0/value", "bad_expression", "unknown unit 'furlongs'"},
      {"/analysis/dt", "bad_expression", "allowed only after a number that stands alone"}}},
    /* what refers to an element with a mistake has none of its own */
    {ALONE,
     JSON(
         {
           "space": "planar",
           "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
           "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
           "joints":
               [
                 {
                   "name": "rail",
                   "type": "translationl",
                   "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"]
                 },
                 {"name": "even", "type": "velocity", "value": "rail.qd - 2"},
                 {"name": "high", "type": "expression", "value": "rail.q - 2*t"}
               ],
           "forces": [{"name": "f", "type": "force", "point": "b.C", "value": ["-rail.qd - rail.limit", 0]}],
           "analysis": {"type": "assembly"}
         }),
     {{"/joints/0/type", "unknown_name", "did you mean 'translational'?"}}},
    {ALONE,
     JSON(
         {
           "space": "planar",
           "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
           "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
           "joints":
               [{
                 "name": "rail",
                 "type": "translational",
                 "points": ["ground.O", "b.C"],
                 "vectors": ["ground.u", "b.u"],
                 "limits": 2
               }],
           "forces":
               [
                 {"name": "f", "type": "force", "point": "b.C", "value": ["-c.force - rail.limit", "-dry.slip"]},
                 {"name": "c", "type": "contact", "point": "b.C", "line": ["ground.O", "ground.u"], "law": "rigidd"}, {
                   "name": "d",
                   "type": "contact",
                   "point": "b.C",
                   "line": ["ground.O", "ground.u"],
                   "law": "hertz",
                   "stiffness": "stiff",
                   "friction": {"law": 3, "mu_dynamic": 0.2}
                 },
                 {"name": "dry", "type": "friction", "joint": "rail", "law": "coulom", "mu_dynamic": 0.2, "length": 1},
                 {"name": "play", "type": "backlash", "joint": 3, "gap": 1}
               ],
           "sensors": [{"name": "s", "value": "rail.limit"}],
           "analysis": {"type": "assembly"}
         }),
     {{"/joints/0/limits", "wrong_type", "fields in braces"},
      {"/forces/1/law", "unknown_name", "did you mean 'rigid'?"},
      {"/forces/2/stiffness", "bad_expression", "'stiff'"},
      {"/forces/2/friction/law", "wrong_type", "a string"},
      {"/forces/3/law", "unknown_name", "did you mean 'coulomb'?"},
      {"/forces/4/joint", "wrong_type", ""}}},
    /* several in one document */
    {ALONE,
     several,
     {{"/model/bodies/0/colour", "unknown_field", "'colour'"},
      {"/model/bodies/0/mass", "out_of_range", "at least 0"},
      {"/model/joints/0/points/0", "unknown_name", "'X'"},
      {"/model/joints/0/points/1", "unknown_name", "'Y'"},
      {"/analysis/t_end", "bad_expression", "soon"}}},
};

static bool matches(const json_t *error, const mistake *expected) {
  const char *pointer = json_string_value(json_object_get(error, "pointer"));
  /* A pointer that ends with '/' matches any member. */
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
  if (json_array_size(errors) != count) fail_msg("%s:\n%s has more than %zu errors", text, list, count);
  free(list);
}

static void test_wrong_documents(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char *text = document_with(wrong[i].where, wrong[i].piece);
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
  MODEL(foreign,
      {"x-note": {"anything": [1, null]}, "parameters": {"R": 2},
       "view": {"x": [0, "R"], "y": [0, 1], "x-note": 1}, "forces": [], "sensors": []});
  char *text = document_with(IN_MODEL, foreign);
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, text, &answer);
  assert_int_equal(answer.response.status, 202);
  fake_answer_free(&answer);
  free(text);
}

static void test_errors_are_counted_past_the_list(void **state) {
  (void)state;
  enum { ITEMS = 300 };
  text_list *bodies = list_open();
  for (int i = 0; i < ITEMS; i++) list_add(bodies, "5");
  char *body = list_fill(PART({"space": "planar", "bodies": [%s]}), bodies);
  fake_answer answer;
  fake_post(&fake, "/api/v1/jobs", NULL, body, &answer);
  free(body);
  assert_int_equal(answer.response.status, 422);
  json_t *problem = fake_answer_json(&answer);
  assert_int_equal(json_array_size(json_object_get(problem, "errors")), MBS_DIAGNOSTICS_MAX);
  assert_true(json_integer_value(json_object_get(problem, "dropped")) >= 100);
  json_decref(problem);
  fake_answer_free(&answer);
}

/* ---- results for valid documents --------------------------------------------------------------------------------- */

/* Elements without an effect are named, and so are drivers that an analysis lacks. */
static void test_validate_notes(void **state) {
  (void)state;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0], "P": [0.15, 0]}},
       "bodies": [
         {"name": "sun", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}},
         {"name": "arm", "mass": 1, "inertia": 1, "points": {"O": [0, 0], "P": [0.15, 0]}},
         {"name": "planet", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "initial": {"position": [0.15, 0]}},
         {"name": "lost", "mass": 1, "inertia": 1}],
       "joints": [
         {"name": "js", "type": "revolute", "points": ["ground.O", "sun.O"]},
         {"name": "ja", "type": "revolute", "points": ["ground.O", "arm.O"]},
         {"name": "jp", "type": "revolute", "points": ["arm.P", "planet.P"]},
         {"name": "mesh", "type": "gear", "bodies": ["sun", "planet"], "ratio": -1.5}],
       "drivers": [
         {"name": "d1", "type": "angle", "body": "sun", "function": "t"},
         {"name": "d2", "type": "angle", "body": "arm", "function": "t"}],
       "forces": [{"name": "push", "type": "force", "point": "ground.P", "value": [1, 0]}],
       "sensors": [{"name": "nothing", "value": "ground.P.x"}],
       "analysis": {"type": "inverse-dynamics", "t_end": 1, "dt": 0.1}});
  static const char *const words[] = {"'push' acts on the fixed ground only",
                                      "sensor 'nothing' uses only quantities that do not change",
                                      "gear 'mesh' relates the absolute angles of two bodies",
                                      "gear 'mesh' exerts torques only: the reactions of 'js', 'jp' omit",
                                      "3 have no driver (3 of body 'lost', which no joint connects): a job will fail"};
  fake_answer answer;
  fake_post(&fake, "/api/v1/validate", NULL, document, &answer);
  assert_int_equal(answer.response.status, 200);
  json_t *understood = fake_answer_json(&answer), *notes = json_object_get(understood, "notes");
  assert_int_equal(json_array_size(notes), sizeof words / sizeof *words);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!strstr(json_string_value(json_array_get(notes, i)), words[i]))
      fail_msg("'%s' lacks '%s'", json_string_value(json_array_get(notes, i)), words[i]);
  json_decref(understood);
  fake_answer_free(&answer);
}

/* ---- reading documents ------------------------------------------------------------------------------------------- */

static const mbs_value *field(const mbs_node *node, const char *name) {
  return &node->values[mbs_field_index(node->cls, name)];
}

static void test_nodes(void **state) {
  (void)state;
  MODEL(nodes,
      {"drivers": [{"name": "d", "type": "joint", "joint": "pin", "function": {"polynomial": [1, "2*pi"]}}],
       "parameters": {"k": 20, "L": "2*k", "b": 1, "a": 2, "j": 3}});
  char *text = document_with(IN_MODEL, nodes);
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

/* A document is rejected if less memory is available, at every point where it may run out; afterwards it can be built
 * with more. */
static void test_built_again_within_more_memory(void **state) {
  (void)state;
  api_document document;
  api_syntax_error error;
  assert_true(api_document_parse(fake_pendulum, strlen(fake_pendulum), &document, &error));
  mbs_model *model = NULL;
  size_t memory = 256, refused = 0;
  for (; !model && memory < 1 << 20; memory += memory / 8) {
    const mbs_limits limits = {.memory = memory};
    mbs_diagnostics list = {0};
    model = api_document_build(&document, &limits, &list);
    assert_true(model ? list.count == 0 : list.count > 0);
    refused += !model;
    mbs_diagnostics_free(&list);
  }
  assert_non_null(model);
  assert_true(refused > 10);
  api_document_free(&document);
  assert_string_equal(mbs_model_name(model), "Pendulum"); /* the name is not owned by the document */
  mbs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      SERVICE_TEST(test_malformed),
      SERVICE_TEST(test_deep_nesting),
      cmocka_unit_test(test_chained_parameters),
      SERVICE_TEST(test_wrong_documents),
      SERVICE_TEST(test_foreign_fields_are_nobodys_business),
      SERVICE_TEST(test_errors_are_counted_past_the_list),
      cmocka_unit_test(test_validate_notes),
      cmocka_unit_test(test_nodes),
      cmocka_unit_test(test_memory_is_bounded),
      cmocka_unit_test(test_built_again_within_more_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
