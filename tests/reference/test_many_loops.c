/* Mechanisms with many adjacent loops: the automatically chosen formulation is as accurate as the other, and costs grow
 * as expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"

static mbs_result *run(const char *document, const char *formulation, double t_end) {
  char analysis[256];
  MODEL(asked,
      {"t_end": %g, "dt": %g, "formulation": "%s", "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-10}});
  MODEL(open, {"t_end": %g, "dt": %g, "integrator": {"method": "dop853", "rtol": 1e-10, "atol": 1e-10}});
  if (formulation)
    snprintf(analysis, sizeof analysis, asked, t_end, t_end / 2, formulation);
  else
    snprintf(analysis, sizeof analysis, open, t_end, t_end / 2);
  return models_run(document, analysis);
}

static char *lift(size_t stages) { return models_scissor_lift(stages, 1); }

/* Nothing is chosen automatically for few loops, or if the document specifies a formulation. Many loops: body
 * coordinates, with a note. */
static void test_formulation(void **unused) {
  (void)unused;
  static const struct {
    char *(*document)(size_t);
    size_t size;
    const char *asked, *expected;
  } cases[] = {{lift, 20, NULL, "joint"},
               {lift, 20, "body", "body"},
               {lift, 100, "joint", "joint"},
               {lift, 100, NULL, "body"},
               {models_spatial_net, 3, NULL, "joint"},
               {models_spatial_net, 10, NULL, "body"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *document = cases[k].document(cases[k].size);
    mbs_result *result = run(document, cases[k].asked, 1e-3);
    assert_string_equal(result->report.formulation, cases[k].expected);
    const bool chosen = !cases[k].asked && strcmp(cases[k].expected, "body") == 0;
    assert_int_equal(models_note(result, "body coordinates were chosen") != NULL, chosen);
    mbs_result_free(result);
    free(document);
  }
}

/* Both formulations give the same fall. A lift has one degree of freedom, a net has those that its meshes leave. */
static void test_same_motion(void **unused) {
  (void)unused;
  char *documents[] = {lift(100), models_net(10), models_spatial_net(10)};
  for (size_t k = 0; k < 3; k++) {
    mbs_result *chosen = run(documents[k], k == 1 ? "body" : NULL, 0.005), *other = run(documents[k], "joint", 0.005);
    for (size_t row = 0; row < models_rows(other); row++) {
      assert_true(models_difference(chosen, other, "r", row) < 1e-8);
      assert_true(models_difference(chosen, other, "rd", row) < 1e-6);
    }
    assert_int_equal(chosen->report.redundant_count, 0);
    assert_int_equal(chosen->report.degrees_of_freedom, other->report.degrees_of_freedom);
    mbs_result_free(chosen);
    mbs_result_free(other);
    free(documents[k]);
  }
}

/* The small pivots of a long ladder are not a loss of rank; a duplicated row is one, among equally small pivots. */
static void test_ranks(void **unused) {
  (void)unused;
  for (size_t slides = 1; slides <= 3; slides++) {
    char *document = models_scissor_lift(120, slides);
    mbs_result *result = run(document, "body", 1e-3);
    assert_int_equal(result->report.redundant_count, slides - 1);
    assert_int_equal(result->report.degrees_of_freedom, 1);
    mbs_result_free(result);
    free(document);
  }
}

/* Returns four-bars with cranks of different lengths on a common ground, from number `first` to `last`. */
static char *four_bars(int first, int last) {
  MODEL(loop,
      {"bodies": [{"name": "a%d", "mass": 1, "inertia": 0.01, "points": {"A": [0, 0], "B": ["0.25 + 0.01*%d", 0]},
                   "initial": {"position": [%d, 0], "angle": -2}},
                  {"name": "b%d", "mass": 2, "inertia": 0.1, "points": {"A": [-0.4, 0], "B": [0.4, 0]},
                   "initial": {"position": ["%d + 0.3", -0.3], "angle": -0.2}},
                  {"name": "c%d", "mass": 1.5, "inertia": 0.06, "points": {"A": [-0.35, 0], "B": [0.35, 0]},
                   "initial": {"position": ["%d + 0.8", -0.2], "angle": 1}}],
       "joints": [{"name": "O%d", "type": "revolute", "points": ["ground.O%d", "a%d.A"]},
                  {"name": "A%d", "type": "revolute", "points": ["a%d.B", "b%d.A"]},
                  {"name": "B%d", "type": "revolute", "points": ["b%d.B", "c%d.A"]},
                  {"name": "C%d", "type": "revolute", "points": ["c%d.B", "ground.C%d"]}]});
  json_t *document = json_pack("{s:s, s:[f,f], s:{s:{}}, s:[], s:[]}", "space", "planar", "gravity", 0., -9.81,
                               "ground", "points", "bodies", "joints");
  json_t *points = json_object_get(json_object_get(document, "ground"), "points");
  for (int k = first; k <= last; k++) {
    char *text = models_text(loop, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k, k), name[20];
    json_t *one = json_loads(text, 0, NULL);
    assert_non_null(one);
    json_array_extend(json_object_get(document, "bodies"), json_object_get(one, "bodies"));
    json_array_extend(json_object_get(document, "joints"), json_object_get(one, "joints"));
    snprintf(name, sizeof name, "O%d", k);
    json_object_set_new(points, name, json_pack("[f,f]", (double)k, 0.));
    snprintf(name, sizeof name, "C%d", k);
    json_object_set_new(points, name, json_pack("[f,f]", k + 0.9, 0.));
    json_decref(one);
    free(text);
  }
  char *text = json_dumps(document, 0);
  json_decref(document);
  return text;
}

/* Loops that nothing connects are eliminated one by one: each swings about its rest as it does alone. */
static void test_independent_loops(void **unused) {
  (void)unused;
  enum { LOOPS = 9 };
  static const char *const formulations[] = {"joint", "body"};
  for (int f = 0; f < 2; f++) {
    double alone[LOOPS];
    char analysis[80];
    snprintf(analysis, sizeof analysis, "{\"type\": \"linearization\", \"formulation\": \"%s\"}", formulations[f]);
    for (int k = 0; k <= LOOPS; k++) {
      const bool all = k == LOOPS;
      char *document = four_bars(all ? 0 : k, all ? LOOPS - 1 : k);
      mbs_result *result = models_run(document, analysis);
      assert_int_equal(result->report.degrees_of_freedom, all ? LOOPS : 1);
      if (!all) alone[k] = models_row(result, "eigenvalues", 0)[1];
      for (int i = 0; all && i < LOOPS; i++) {
        double nearest = INFINITY;
        for (size_t j = 0; j < LOOPS; j++)
          nearest = fmin(nearest, fabs(models_row(result, "eigenvalues", j)[1] - alone[i]));
        assert_true(alone[i] > 1 && nearest < 1e-8 * alone[i]);
      }
      mbs_result_free(result);
      free(document);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_independent_loops),
      cmocka_unit_test(test_formulation),
      cmocka_unit_test(test_same_motion),
      cmocka_unit_test(test_ranks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
