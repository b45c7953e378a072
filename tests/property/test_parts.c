/* test_parts.c - mechanisms side by side: no part of a model acts on another, and an equilibrium and its linearization,
 * which are computed part by part, are those of the same mechanisms as one part. They are one part if a spring without
 * stiffness connects them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/norms.h"
#include "equations/evaluate.h"
#include "equations/state.h"
#include "models.h"
#include "probe.h"

/* ---- two mechanisms in a document ---------------------------------------------------------------------------- */

static const char *const sections[] = {"bodies", "joints", "drivers", "forces"};
enum { SECTIONS = 4 };

/* Returns true if the document names an element, or a parameter, like this. */
static bool is_named(const json_t *document, const char *name) {
  size_t i;
  json_t *element;
  for (int s = 0; s < SECTIONS; s++)
    json_array_foreach(json_object_get(document, sections[s]), i,
                       element) if (strcmp(json_string_value(json_object_get(element, "name")), name) == 0) return true;
  return json_object_get(json_object_get(document, "parameters"), name) != NULL;
}

/* Returns a text in which the names of the document begin with "z_", and those of points and vectors of the ground. */
static char *renamed_text(const json_t *document, const char *text) {
  char *out = NULL, word[200];
  size_t size = 0;
  FILE *file = open_memstream(&out, &size);
  bool grounded = false, member = false;
  while (*text) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    if (length == 0) {
      member = *text == '.';
      grounded = grounded && member;
      fputc(*text++, file);
      continue;
    }
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    fprintf(file, "%s%s", (member ? grounded : is_named(document, word)) ? "z_" : "", word);
    grounded = strcmp(word, "ground") == 0;
    member = false;
    text += length;
  }
  fclose(file);
  return out;
}

/* Returns a copy of a value of the document with other names; with `keys` those of its members are names. */
static json_t *renamed(const json_t *document, json_t *value, bool keys) {
  const char *key;
  json_t *item, *copy;
  size_t i;
  if (json_is_string(value)) {
    char *text = renamed_text(document, json_string_value(value));
    copy = json_string(text);
    free(text);
  } else if (json_is_array(value)) {
    copy = json_array();
    json_array_foreach(value, i, item) json_array_append_new(copy, renamed(document, item, false));
  } else if (json_is_object(value)) {
    copy = json_object();
    json_object_foreach(value, key, item) {
      char *name = models_text("%s%s", keys ? "z_" : "", key);
      json_object_set_new(copy, name, renamed(document, item, false));
      free(name);
    }
  } else {
    copy = json_deep_copy(value);
  }
  return copy;
}

/* Adds the members of an object of the other document with their new names. */
static void add_members(const json_t *other, json_t *owner, json_t *from, const char *name) {
  json_t *members = renamed(other, json_object_get(from, name), true);
  if (!json_object_get(owner, name)) json_object_set_new(owner, name, json_object());
  if (members) json_object_update(json_object_get(owner, name), members);
  json_decref(members);
}

/* Returns the first point of the first body, "body.point". */
static char *first_point(const json_t *document, const char *prefix) {
  json_t *body = json_array_get(json_object_get(document, "bodies"), 0);
  return models_text("%s%s.%s", prefix, json_string_value(json_object_get(body, "name")),
                     json_object_iter_key(json_object_iter(json_object_get(body, "points"))));
}

/* Returns a document with two mechanisms side by side; if `tied`, with a spring between them that exerts no force. */
static char *side_by_side(const char *one, const char *two, bool tied) {
  json_t *document = json_loads(one, 0, NULL), *other = json_loads(two, 0, NULL);
  assert_true(document && other);
  char *from = first_point(document, ""), *to = first_point(other, "z_");
  for (int s = 0; s < SECTIONS; s++) {
    json_t *elements = renamed(other, json_object_get(other, sections[s]), false);
    if (!json_object_get(document, sections[s])) json_object_set_new(document, sections[s], json_array());
    if (elements) json_array_extend(json_object_get(document, sections[s]), elements);
    json_decref(elements);
  }
  add_members(other, document, other, "parameters");
  if (!json_object_get(document, "ground")) json_object_set_new(document, "ground", json_object());
  json_t *ground = json_object_get(document, "ground"), *ground2 = json_object_get(other, "ground");
  add_members(other, ground, ground2, "points");
  add_members(other, ground, ground2, "vectors");
  if (tied)
    json_array_append_new(json_object_get(document, "forces"),
                          json_pack("{s:s, s:s, s:[s,s], s:i, s:i}", "name", "tie", "type", "spring-damper", "points",
                                    from, to, "stiffness", 0, "free_length", 1));
  static const char *const left[] = {"sensors", "events", "states", "signals", "study", "view", "analysis"};
  for (size_t i = 0; i < sizeof left / sizeof *left; i++) json_object_del(document, left[i]);
  char *text = json_dumps(document, 0);
  json_decref(document);
  json_decref(other);
  free(from);
  free(to);
  return text;
}

/* ---- no part acts on another --------------------------------------------------------------------------------- */

/* Changes the state of each part alone. Returns the number of parts. */
static size_t expect_independence(const mbs_model *model, uint64_t seed) {
  probe p = probe_open(model);
  const mbs_parts *parts = &model->parts;
  double *vdot = mbs_arena_alloc(p.arena, 2 * model->nv + model->nq + 1, sizeof *vdot), *v = vdot + model->nv,
         *q = v + model->nv;
  probe_randomize(&p, 0.01, &seed);
  memcpy(p.system->z, p.z, model->nz * sizeof *p.z);
  const mbs_status status = mbs_evaluate(p.system, p.t, p.q, p.v);
  memcpy(vdot, p.system->vdot, model->nv * sizeof *vdot);
  const double largest = mbs_largest(vdot, model->nv);
  for (int part = 0; part < (int)parts->count && status == MBS_OK; part++) {
    memset(p.along, 0, model->nv * sizeof *p.along);
    memcpy(v, p.v, model->nv * sizeof *v);
    for (size_t k = 0; k < model->nv; k++) {
      if (parts->of[k] != part) continue;
      p.along[k] = 0.01 * models_uniform(&seed);
      v[k] += models_uniform(&seed);
    }
    mbs_displace(model, p.q, p.along, q);
    if (mbs_evaluate(p.system, p.t, q, v) != MBS_OK) continue;
    for (size_t k = 0; k < model->nv; k++)
      if (parts->of[k] != part) assert_true(fabs(p.system->vdot[k] - vdot[k]) <= 1e-9 * largest);
  }
  const size_t count = status == MBS_OK ? parts->count : 0;
  probe_close(&p);
  return count;
}

static void test_no_part_acts_on_another(void **unused) {
  (void)unused;
  glob_t found;
  size_t examined = 0;
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  char *planar = models_named("FourBar"), *spatial = models_named("RSSR_ball");
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char *document = models_file(found.gl_pathv[i]);
    char *two = side_by_side(document, strstr(document, "\"spatial\"") ? spatial : planar, false);
    for (int body = 0; body < 2; body++) {
      const char *analysis = body ? JSON({"type": "assembly", "formulation": "body"}) : JSON({"type": "assembly"});
      mbs_diagnostics list = {0};
      mbs_model *model = models_try_build(two, analysis, &list);
      mbs_diagnostics_free(&list);
      if (!model) continue; /* expressions or sections that are not renamed */
      const size_t count = expect_independence(model, i + 1);
      examined += count > 1;
      mbs_model_free(model);
    }
    free(two);
    free(document);
  }
  print_message("%zu models of at least two parts\n", examined);
  assert_true(examined > 60);
  globfree(&found);
  free(planar);
  free(spatial);
}

/* ---- parts and the whole ------------------------------------------------------------------------------------- */

static size_t count_parts(const char *document) {
  mbs_model *model = models_build(document, JSON({"type": "equilibrium"}));
  const size_t count = model->parts.count;
  mbs_model_free(model);
  return count;
}

/* Returns the largest distance of an eigenvalue of `one` from the nearest of `other`, as a share of the largest. */
static double distance(const mbs_array *one, const mbs_array *other) {
  double farthest = 0, largest = 0;
  for (size_t i = 0; i < one->shape[0]; i++) {
    double nearest = INFINITY;
    for (size_t j = 0; j < other->shape[0]; j++)
      nearest =
          fmin(nearest, hypot(one->data[2 * i] - other->data[2 * j], one->data[2 * i + 1] - other->data[2 * j + 1]));
    farthest = fmax(farthest, nearest);
    largest = fmax(largest, hypot(one->data[2 * i], one->data[2 * i + 1]));
  }
  return largest > 0 ? farthest / largest : farthest;
}

/* Compares the linearization about the equilibrium of two mechanisms with that of the same ones as one part. Returns
 * false if no equilibrium is found. */
static bool compare(const char *one, const char *two, const char *formulation) {
  char *apart = side_by_side(one, two, false), *tied = side_by_side(one, two, true);
  char *analysis = models_text(PART({"type": "linearization", "formulation": "%s"}), formulation);
  mbs_result *parts = NULL, *whole = NULL;
  mbs_error error = {0}, error_of_whole = {0};
  assert_true(count_parts(apart) > count_parts(tied));
  const mbs_status status = models_try_run(apart, analysis, &parts, &error);
  assert_int_equal(models_try_run(tied, analysis, &whole, &error_of_whole), status);
  if (status == MBS_OK) {
    static const char *const arrays[] = {"theta", "r", "p", "M", "C_d", "K"};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
      const mbs_array *array = mbs_result_array(parts, arrays[i]);
      for (size_t row = 0; array && row < array->shape[0]; row++)
        assert_true(models_difference(parts, whole, arrays[i], row) < 1e-9);
    }
    const mbs_array *a = mbs_result_array(parts, "eigenvalues"), *b = mbs_result_array(whole, "eigenvalues");
    assert_int_equal(a->shape[0], b->shape[0]);
    assert_true(distance(a, b) < 1e-9 && distance(b, a) < 1e-9);
    assert_int_equal(parts->report.stable, whole->report.stable);
    assert_int_equal(parts->report.degrees_of_freedom, whole->report.degrees_of_freedom);
  }
  mbs_result_free(parts);
  mbs_result_free(whole);
  free(analysis);
  free(apart);
  free(tied);
  return status == MBS_OK;
}

static void test_parts_and_the_whole(void **unused) {
  (void)unused;
  size_t found = 0;
  for (uint64_t seed = 1; seed <= 30; seed += MODELS_EVERY) {
    const bool spatial = seed % 3 == 0;
    char *one = (spatial ? models_random_spatial : models_random)(seed, 1 + seed % 4, seed % 3);
    char *two = (spatial ? models_random_spatial : models_random)(seed + 100, 1 + seed % 5, seed % 2);
    found += compare(one, two, seed % 2 ? "joint" : "body");
    free(one);
    free(two);
  }
  assert_true(found >= 20 / MODELS_EVERY);
}

/* Returns a pendulum at the position (x, 0), with its bob above (1) or below (-1), and more members of its document. */
static char *pendulum(double x, double side, const char *more) {
  return models_text(PART({"space": "planar", "gravity": [0, -9.81], "ground": {"points": {"O": [%g, 0]}},
            "bodies": [{"name": "rod", "mass": 2, "inertia": 0.1, "points": {"A": [0, %g], "C": [0, 0]},
                        "initial": {"position": [%g, %g]}}],
            "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "rod.A"]}] %s}),
                                                     x, -0.5 * side, x, 0.5 * side, more);
}

/* A part at an unstable place makes the whole unstable, and keeps its own eigenvalues. */
static void test_an_unstable_part(void **unused) {
  (void)unused;
  char *upright = pendulum(0, 1, ""), *hanging = pendulum(5, -1, "");
  assert_true(compare(upright, hanging, "joint"));
  char *both = side_by_side(upright, hanging, false);
  mbs_result *result = models_run(both, JSON({"type": "linearization"}));
  const double rate = sqrt(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25));
  assert_int_equal(result->report.stable, 0);
  assert_float_equal(models_row(result, "eigenvalues", 0)[0], rate, 1e-9);
  assert_float_equal(models_row(result, "eigenvalues", 2)[1], rate, 1e-9);
  const double *modes = models_row(result, "modes", 2);
  assert_true(modes[0] == 0 && modes[2] == 1); /* only the hanging one swings */
  mbs_result_free(result);
  free(both);
  free(upright);
  free(hanging);
}

/* One part has no equilibrium, as its drive does not stop: the error names its coordinate. */
static void test_a_part_without_equilibrium(void **unused) {
  (void)unused;
  char *driven = pendulum(5, -1, PART(, "forces": [{"name": "f", "type": "torque", "body": "rod", "value": 100}]));
  char *hanging = pendulum(0, -1, "");
  char *both = side_by_side(hanging, driven, false);
  mbs_result *result = NULL;
  mbs_error error = {0};
  assert_int_equal(models_try_run(both, JSON({"type": "equilibrium"}), &result, &error), MBS_NO_EQUILIBRIUM);
  assert_non_null(strstr(error.message, "z_pin"));
  mbs_result_free(result);
  free(both);
  free(hanging);
  free(driven);
}

/* What connects two pendulums makes them one part; a parameter that both read does not. */
static void test_connections(void **unused) {
  (void)unused;
  static const struct {
    const char *more;
    size_t parts;
  } cases[] = {
      {PART("drivers": [{"name": "a", "type": "angle", "body": "rod", "function": "w*t"},
                        {"name": "b", "type": "angle", "body": "z_rod", "function": "2*w*t"}],
            "parameters": {"w": 3}),
                         2},
            {PART("forces": [{"name": "s", "type": "spring-damper", "points": ["rod.C", "z_rod.C"], "stiffness": 5}]),
                             1},
             {PART("forces": [{"name": "f", "type": "torque", "body": "rod", "value": "0.1*z_rod.phi"}]), 1},
              {PART("forces": [{"name": "f", "type": "torque", "body": "rod", "value": "-rod.omega"},
                       {"name": "g", "type": "torque", "body": "z_rod", "value": "-z_rod.omega"}]),
                               2},
               {PART("forces": [{"name": "f", "type": "torque", "body": "rod", "value": "-rod.omega"},
                       {"name": "g", "type": "torque", "body": "z_rod", "value": "-f.torque"}]),
                                1},
                {PART("states": [{"name": "x", "rate": "-x"}]), 1},
               };
  char *one = pendulum(0, -1, ""), *two = pendulum(5, -1, ""), *both = side_by_side(one, two, false);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *added = models_text("{%s}", cases[i].more), *document = models_with(both, added);
    assert_int_equal(count_parts(document), cases[i].parts);
    free(document);
    free(added);
  }
  free(one);
  free(two);
  free(both);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_part_acts_on_another),
      cmocka_unit_test(test_parts_and_the_whole),
      cmocka_unit_test(test_an_unstable_part),
      cmocka_unit_test(test_a_part_without_equilibrium),
      cmocka_unit_test(test_connections),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
