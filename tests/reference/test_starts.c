/* test_starts.c - from where a mechanism is assembled: starts of round numbers, at which Newton's steps vanish. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_run.h"
#include "models.h"

static const char *const formulations[] = {"joint", "body"};

static bool has_note(const mbs_result *result, const char *words) {
  for (size_t i = 0; i < result->report.note_count; i++)
    if (strstr(result->report.notes[i], words)) return true;
  return false;
}

/* n links of 1 m on the x axis, the last held `reach` from the origin; `more` goes into the analysis. */
static char *chain_between(size_t n, double reach, const char *formulation, const char *more) {
  size_t size = 400 * n + 1000, at = 0;
  char *text = malloc(size);
  assert_non_null(text);
  at += (size_t)snprintf(text + at, size - at,
                         "{\"space\": \"planar\", \"ground\": {\"points\": {\"O\": [0, 0], \"B\": [%.17g, 0]}}, "
                         "\"bodies\": [",
                         reach);
  for (size_t i = 0; i < n; i++)
    at += (size_t)snprintf(text + at, size - at,
                           "%s{\"name\": \"l%zu\", \"mass\": 1, \"inertia\": 0.1, \"points\": {\"A\": [-0.5, 0], "
                           "\"B\": [0.5, 0]}}",
                           i ? ", " : "", i);
  at += (size_t)snprintf(text + at, size - at,
                         "], \"joints\": [{\"name\": \"end\", \"type\": \"revolute\", \"points\": [\"ground.B\", "
                         "\"l%zu.B\"]}",
                         n - 1);
  for (size_t i = 0; i < n; i++) {
    char before[32] = "ground.O";
    if (i) snprintf(before, sizeof before, "l%zu.B", i - 1);
    at += (size_t)snprintf(text + at, size - at,
                           ", {\"name\": \"j%zu\", \"type\": \"revolute\", \"points\": [\"%s\", \"l%zu.A\"]}", i,
                           before, i);
  }
  snprintf(text + at, size - at, "], \"analysis\": {\"type\": \"assembly\", \"formulation\": \"%s\"%s}}", formulation,
           more);
  return text;
}

/* A straight chain does not know to which side it shall give way. */
static void test_straight_chains(void **unused) {
  (void)unused;
  static const struct {
    size_t links;
    double reach;
  } chains[] = {{2, 1.9}, {2, 0.1}, {3, 1.5}, {10, 5}, {10, 9.9999}, {40, 30}, {300, 250}, {300, 299.99}};
  for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
    for (int f = 0; f < (chains[c].links > 40 ? 1 : 2); f++) {
      mbs_error error = {0};
      mbs_result *result = NULL;
      char *document = chain_between(chains[c].links, chains[c].reach, formulations[f], "");
      if (models_try_run(document, NULL, &result, &error) != MBS_OK)
        fail_msg("%zu links, %g m, %s: %s", chains[c].links, chains[c].reach, formulations[f], error.message);
      assert_true(result->report.position_residual < 1e-10);
      assert_true(has_note(result, "choose the branch"));
      mbs_result *again = models_run(document, NULL); /* and always the same way */
      assert_true(models_difference(result, again, "p", 0) == 0);
      mbs_result_free(again);
      mbs_result_free(result);
      free(document);
    }
  }
}

/* What `hold` keeps is not disturbed. */
static void test_straight_chain_held(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    char *document = chain_between(3, 2.5, formulations[f], ", \"hold\": [\"j0\"]");
    mbs_result *result = models_run(document, NULL);
    assert_true(fabs(models_row(result, "p", 0)[0]) < 1e-10);
    assert_true(result->report.position_residual < 1e-10);
    mbs_result_free(result);
    free(document);
  }
}

/* 2.1 m are too much for two links from whatever start. */
static void test_chain_too_short(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    mbs_error error = {0};
    mbs_result *result = NULL;
    char *document = chain_between(2, 2.1, formulations[f], "");
    assert_int_equal(models_try_run(document, NULL, &result, &error), MBS_CONTRADICTION);
    assert_non_null(strstr(error.message, "contradict one another"));
    assert_non_null(strstr(error.message, "give initial positions nearer to the assembled mechanism"));
    assert_false(has_note(result, "choose the branch"));
    mbs_result_free(result);
    free(document);
  }
}

/* A crank along the axis along which its tip is driven; with the angle left out, and with it given. */
static void test_driver_across_its_crank(void **unused) {
  (void)unused;
  static const char *const initial[] = {"", ", 'initial': {'position': 0}"};
  for (int k = 0; k < 4; k++) {
    model_run run = model_run_text(
        "{'space': 'planar', 'ground': {'points': {'O': [0, 0]}}, 'bodies': [{'name': 'crank', 'mass': 1, 'inertia': "
        "1, 'points': {'O': [-1, 0], 'P': [0, 0]}}], 'joints': [{'name': 'pin', 'type': 'revolute', 'points': "
        "['ground.O', 'crank.O']%s}], 'drivers': [{'name': 'push', 'type': 'x', 'point': 'crank.P', 'function': "
        "'0.5'}], 'analysis': {'type': 'assembly', 'formulation': '%s'}}",
        initial[k / 2], formulations[k % 2]);
    if (run.status != MBS_OK) fail_msg("%s", run.error.message);
    assert_true(fabs(cos(model_run_value(&run, "p", 0, 0)) - 0.5) < 1e-10);
    assert_true(fabs(model_run_value(&run, "p", 0, 0)) < 3.2);
    assert_true(has_note(run.result, "choose the branch"));
    model_run_free(&run);
  }
}

/* A four-bar without any initial values moves. */
static void test_four_bar_without_initial(void **unused) {
  (void)unused;
  for (int f = 0; f < 2; f++) {
    model_run run = model_run_text(
        "{'space': 'planar', 'gravity': [0, -9.81], 'ground': {'points': {'O': [0, 0], 'Q': [0.9, 0]}}, 'bodies': "
        "[{'name': 'a', 'mass': 1, 'inertia': 0.0075, 'points': {'A': [-0.15, 0], 'B': [0.15, 0]}}, {'name': 'b', "
        "'mass': 1, 'inertia': 0.05, 'points': {'A': [-0.4, 0], 'B': [0.4, 0]}}, {'name': 'c', 'mass': 1, 'inertia': "
        "0.04, 'points': {'A': [-0.35, 0], 'B': [0.35, 0]}}], 'joints': [{'name': 'A', 'type': 'revolute', 'points': "
        "['ground.O', 'a.A']}, {'name': 'B', 'type': 'revolute', 'points': ['a.B', 'b.A']}, {'name': 'C', 'type': "
        "'revolute', 'points': ['b.B', 'c.A']}, {'name': 'D', 'type': 'revolute', 'points': ['c.B', 'ground.Q']}], "
        "'analysis': {'t_end': 1, 'dt': 0.1, 'formulation': '%s'}}",
        formulations[f]);
    if (run.status != MBS_OK) fail_msg("%s: %s", formulations[f], run.error.message);
    assert_int_equal(run.result->report.degrees_of_freedom, 1);
    assert_true(has_note(run.result, "choose the branch"));
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight_chains),          cmocka_unit_test(test_straight_chain_held),
      cmocka_unit_test(test_chain_too_short),          cmocka_unit_test(test_driver_across_its_crank),
      cmocka_unit_test(test_four_bar_without_initial),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
