/* Errors in a study: all errors of a document are reported in one pass, each at its place, without consequential
 * errors; each message contains a remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "property/oscillator.h"

OSCILLATOR("-k*b.x", {"k": 18, "m": 2, "A": 0.5});

enum { PLACES = 16 };

typedef struct mistaken {
  const char *study;
  const char *places[PLACES]; /* places of all errors, in any order; a place with several errors is listed as often */
  const char *words;          /* part of one of the messages, or NULL */
} mistaken;

static const char *const moving = JSON({"type": "dynamics", "t_end": 4, "dt": 0.1});

static void print_list(const mbs_diagnostics *list) {
  for (size_t i = 0; i < list->count; i++) print_message("%s: %s\n", list->items[i].pointer, list->items[i].message);
}

/* Returns true if the list has exactly these places. */
static bool has_places(const mbs_diagnostics *list, const char *const places[PLACES]) {
  bool seen[PLACES] = {false};
  size_t count = 0;
  while (count < PLACES && places[count]) count++;
  for (size_t i = 0; i < list->count; i++) {
    size_t k = 0;
    while (k < count && (seen[k] || strcmp(places[k], list->items[i].pointer) != 0)) k++;
    if (k == count) return false;
    seen[k] = true;
  }
  return list->count == count;
}

static void assert_mistakes(const char *analysis, const mistaken *cases, size_t count) {
  for (size_t c = 0; c < count; c++) {
    mbs_diagnostics list = {0};
    assert_null(models_try_build_study(oscillator, analysis, cases[c].study, &list));
    bool said = !cases[c].words;
    for (size_t i = 0; i < list.count; i++) said = said || strstr(list.items[i].message, cases[c].words);
    if (!has_places(&list, cases[c].places) || !said) {
      print_list(&list);
      fail_msg("case %zu, %s", c, cases[c].study);
    }
    mbs_diagnostics_free(&list);
  }
}

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static void test_values(void **state) {
  const mistaken cases[] = {
      {JSON({
         "vary": [{"parameter": "k", "values": [1, "x", null, "m+", true]}],
         "outputs": [{"name": "o", "of": "b.x"}]
       }),
       .places = {"/study/vary/0/values/1", "/study/vary/0/values/2", "/study/vary/0/values/3",
                  "/study/vary/0/values/4"},
       "unknown name 'x'"},
      {JSON({
         "vary": [
           {"parameter": "k", "normal": [null, "y"]}, {"parameter": "m", "uniform": [null, 0]},
           {"parameter": "A", "normal": ["z", -1]}
         ],
         "design": "sobol",
         "outputs": [{"name": "o", "of": "b.x"}]
       }),
       .places = {"/study/vary/0/normal/0", "/study/vary/0/normal/1", "/study/vary/1/uniform/0",
                  "/study/vary/2/normal/0", "/study/runs"}},
      {JSON({
         "vary": [
           {"parameter": "k", "from": 0, "to": -1, "count": 0, "scale": "log"}, {"parameter": "m", "values": [1, 2]}
         ],
         "design": "list",
         "outputs": [{"name": "o", "of": "b.x"}]
       }),
       .places = {"/study/vary/0/from", "/study/vary/0/to", "/study/vary/0/count"}},
      {JSON({
         "vary": [{"parameter": "k", "from": 1, "to": "y"}, {"parameter": "q", "from": null, "to": 2, "count": 2}],
         "outputs": [{"name": "o", "of": "b.x"}]
       }),
       .places = {"/study/vary/0", "/study/vary/0/to", "/study/vary/1/parameter", "/study/vary/1/from"},
       "'count' is missing"},
      {JSON(
           {"vary": [{"parameter": "k", "values": ["y"], "normal": [1, -1]}], "outputs": [{"name": "o", "of": "b.x"}]}),
       .places = {"/study/vary/0", "/study/vary/0/values/0", "/study/vary/0/normal/1"}},
      /* the design is wrong, and no number of runs would be right */
      {JSON({"vary": [{"parameter": "k", "normal": [1, 2]}], "runs": 5, "outputs": [{"name": "o", "of": "b.x"}]}),
       .places = {"/study/vary/0"}, "set \"design\""},
      /* a single value cannot have two ends */
      {JSON({"vary": [{"parameter": "k", "from": 1, "to": 5, "count": 1}], "outputs": [{"name": "o", "of": "b.x"}]}),
       .places = {"/study/vary/0/count"}, "use a 'count' of at least 2, or give \"values\": [1]"},
  };
  (void)state;
  assert_mistakes(moving, cases, COUNT(cases));
}

/* Equal ends may have one value. */
static void test_one_value(void **state) {
  mbs_diagnostics list = {0};
  (void)state;
  mbs_model *model = models_try_build_study(oscillator, moving, JSON({
                                              "vary": [{"parameter": "k", "from": 5, "to": "2 + 3", "count": 1}],
                                              "outputs": [{"name": "o", "of": "b.x"}]
                                            }),
                                            &list);
  print_list(&list);
  assert_non_null(model);
  assert_int_equal(mbs_model_runs(model), 1);
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
}

static void test_what_is_missing(void **state) {
  const mistaken cases[] = {
      {JSON({}), .places = {"/study", "/study"}, "missing field 'outputs'"},
      {JSON({"vary": []}), .places = {"/study/vary", "/study"}, "missing field 'outputs'"},
      {JSON({"vary": 5, "outputs": []}), .places = {"/study/vary", "/study/outputs"},
       "expected at least 1 value, got 0"},
      {JSON({"vary": [{}], "outputs": [{}]}), .places = {"/study/vary/0", "/study/outputs/0", "/study/outputs/0"}},
      {JSON({"vary": [{"parameter": "k"}], "fit": {"data": [{}, {"of": "b.x", "t": null, "values": [1]}]}}),
       .places = {"/study/fit/data/0", "/study/fit/data/0", "/study/fit/data/0", "/study/fit/data/1/t"},
       "missing field 't' of data"},
      {JSON({"vary": [{"parameter": "k"}], "outputs": [{"name": "o", "of": "b.x"}], "optimize": {"minimize": 5}}),
       .places = {"/study/optimize/minimize"}},
      {JSON({"vary": [{"parameter": "k", "bounds": [1, 2]}], "outputs": [{"name": "o", "of": "b.x"}], "optimize": "o"}),
       .places = {"/study/optimize"}},
      {JSON({"vary": [{"parameter": "k", "bounds": [1, 2]}], "fit": 5}), .places = {"/study/fit"}},
  };
  const mistaken of_analysis[] = {
      {JSON({
         "vary": [{"parameter": "k"}],
         "outputs": [{"name": "o", "of": "b.x", "take": "at", "at": 0.3}, {"name": "o", "of": "b.x"}]
       }),
       .places = {"/analysis", "/analysis", "/study/outputs/1/name"}}};
  (void)state;
  assert_mistakes(moving, cases, COUNT(cases));
  assert_mistakes(JSON({"type": "dynamics"}), of_analysis, COUNT(of_analysis));
}

static void test_outputs(void **state) {
  const mistaken cases[] = {
      {JSON({
         "vary": [{"parameter": "k"}],
         "outputs": [
           {"name": "a", "of": "zz", "take": "at"}, {"name": "a", "of": "b.x", "take": "mxa"},
           {"name": "c", "of": "b.x", "take": "at", "at": 99},
           {"name": "d", "of": "b.x", "take": "at", "when": "yy", "count": 0.5, "direction": "up"}
         ]
       }),
       .places = {"/study/outputs/0/of", "/study/outputs/0", "/study/outputs/1/name", "/study/outputs/1/take",
                  "/study/outputs/2/at", "/study/outputs/3/when", "/study/outputs/3/count",
                  "/study/outputs/3/direction"}},
      /* fields without the fields that they require */
      {JSON({
         "vary": [{"parameter": "k"}],
         "outputs": [
           {"name": "a", "of": "b.x", "take": "max", "at": 1}, {"name": "c", "of": "b.x", "when": "b.x", "count": 2},
           {"name": "d", "of": "b.x", "take": "at", "at": 1, "count": 2, "direction": "falling"},
           {"name": "e", "of": "b.x", "take": "at", "at": 1, "when": "b.x"},
           {"name": "f", "of": "b.x", "take": "mxa", "at": 1}, {"name": "g", "of": "b.x", "at": 1, "when": "b.x"}
         ]
       }),
       .places = {"/study/outputs/0/at", "/study/outputs/1/when", "/study/outputs/2/count",
                  "/study/outputs/2/direction", "/study/outputs/3/when", "/study/outputs/4/take", "/study/outputs/5/at",
                  "/study/outputs/5/when"},
       "'count' needs 'when'"},
  };
  (void)state;
  assert_mistakes(moving, cases, COUNT(cases));
}

static void test_goals(void **state) {
  const mistaken cases[] = {
      {JSON({
         "vary": [{"parameter": "k", "bounds": [null, "y"], "start": 50}],
         "outputs": [{"name": "o", "of": "b.x"}],
         "optimize": {"minimize": "oo", "maximize": "pp", "subject_to": ["o <", 3, "o <= qq", "rr >= 1"]}
       }),
       .places = {"/study/vary/0/bounds/0", "/study/vary/0/bounds/1", "/study/optimize", "/study/optimize/minimize",
                  "/study/optimize/maximize", "/study/optimize/subject_to/0", "/study/optimize/subject_to/1",
                  "/study/optimize/subject_to/2", "/study/optimize/subject_to/3"}},
      {JSON({
         "vary": [{"parameter": "k", "bounds": [1, 2], "start": 50, "values": [1]}],
         "outputs": [{"name": "o", "of": "b.x"}],
         "design": "grid",
         "gradient": true,
         "optimize": {"method": "glob", "minimize": "o"},
         "fit": {"data": [{"of": "b.qq", "t": [0, 99, "x"], "values": [1, null], "sigma": [-1, "y", 3]}]}
       }),
       .places = {"/study/vary/0", "/study/vary/0/start", "/study/design", "/study/gradient", "/study/optimize/method",
                  "/study/fit", "/study/fit/data/0/of", "/study/fit/data/0/t/1", "/study/fit/data/0/t/2",
                  "/study/fit/data/0/values/1", "/study/fit/data/0/sigma", "/study/fit/data/0/sigma/0",
                  "/study/fit/data/0/sigma/1"}},
      {JSON({
         "vary": [{"parameter": "k"}],
         "fit": {"data": [{"of": "b.x", "t": [0, null, "x"], "values": [1, null, "y"], "sigma": [-1, "y", null]}]}
       }),
       .places = {"/study/fit/data/0/t/1", "/study/fit/data/0/t/2", "/study/fit/data/0/values/1",
                  "/study/fit/data/0/values/2", "/study/fit/data/0/sigma/0", "/study/fit/data/0/sigma/1",
                  "/study/fit/data/0/sigma/2"}},
  };
  (void)state;
  assert_mistakes(moving, cases, COUNT(cases));
}

/* A study that is not an object does not hide other errors, nor does such an analysis. */
static void test_beside(void **state) {
  const mistaken study[] = {
      {"5", .places = {"/study", "/analysis/t_end", "/analysis/dt", "/analysis/hold/0", "/analysis/hold/1",
                       "/analysis/hold/2", "/analysis/sensitivities/0", "/analysis/sensitivities/1",
                       "/analysis/outputs/0", "/analysis/outputs/1"}}};
  const mistaken analysis[] = {
      {JSON({"vary": [{"parameter": "q"}]}), .places = {"/analysis", "/study/vary/0/parameter", "/study"}}};
  (void)state;
  assert_mistakes(JSON({
                    "type": "dynamics",
                    "t_end": "x",
                    "dt": null,
                    "hold": [5, "rial", "tail"],
                    "sensitivities": [1, "q"],
                    "outputs": ["zz", 4]
                  }),
                  study, COUNT(study));
  assert_mistakes("[]", analysis, COUNT(analysis));
}

/* Names that are not quantities of a mode, and modes that a model with a single degree of freedom cannot have. */
static void test_modes(void **state) {
  static const char *const texts[] = {"frequencies[3]",       "frequencies[0]",    "frequencies[-1]",
                                      "frequencies[x]",       "frequencies",       "eigenvalues[1]",
                                      "damping_ratios[1].re", "eigenvalues[3].im", "2*frequencies[1]"},
                           *const words[] = {"at most 2 modes",   "numbered from 1", "numbered from 1",
                                             "numbered from 1",   "numbered from 1", "eigenvalues[1].re",
                                             "without operators", "at most 2 modes", "without operators"};
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    char *study = models_text(PART({"vary": [{"parameter": "k"}], "outputs": [{"name": "o", "of": "%s"}]}), texts[i]);
    const mistaken one = {study, .places = {"/study/outputs/0/of"}, words[i]};
    assert_mistakes(JSON({"type": "linearization"}), &one, 1);
    free(study);
  }
}

MODEL(two_outputs, {
  "vary": [{"parameter": "k", "values": [30]}],
  "outputs": [{"name": "o", "of": "%s"}, {"name": "n", "of": "k"}]
});

/* The message suggests the nearest name; a value in the document only is named as such. */
static void test_messages(void **state) {
  static const char *const texts[] = {"plase", "frequences[1]", "log(k - 20)*b.x", "1/(k - 18)"},
                           *const words[] = {"did you mean 'place'?", "did you mean 'frequencies[1]'?",
                                             "the document has k = 18: a document must be valid",
                                             "the document has k = 18: a document must be valid"};
  (void)state;
  for (size_t i = 0; i < COUNT(texts); i++) {
    char *study = models_text(two_outputs, texts[i]);
    const mistaken one = {study, .places = {"/study/outputs/0/of"}, words[i]};
    assert_mistakes(JSON({"type": "linearization"}), &one, 1);
    free(study);
  }
}

/* A mode that an overdamped model does not have at this point: the run reports the number of modes. */
static void test_mode_of_a_run(void **state) {
  mbs_diagnostics list = {0};
  mbs_error error;
  double value, output;
  (void)state;
  mbs_model *model = models_try_build_study(
      oscillator, JSON({"type": "linearization"}),
      JSON({"vary": [{"parameter": "k"}], "outputs": [{"name": "o", "of": "frequencies[2]"}]}), &list);
  print_list(&list);
  assert_non_null(model);
  mbs_study *study = mbs_study_new(model);
  assert_int_equal(mbs_study_run(study, 0, NULL, &value, &output, &error), MBS_NOT_REACHED);
  assert_string_equal(error.message,
                      "the output 'o' needs entry 2 of 'frequencies', but there is only 1 for these parameter values");
  mbs_study_free(study);
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
}

OSCILLATOR_NAMED(with_units, "-k*b.x", {"k": "18 N/m", "m": 2, "A": "500 mm"});

/* A value with a unit must have the dimension of its parameter; a parameter without a unit allows no comparison. */
static void test_units(void **state) {
  static const struct {
    const char *vary, *pointer, *words;
  } cases[] = {
      {JSON({"parameter": "k", "values": [10, "3 mm"]}), "/study/vary/0/values/1",
       "expected a stiffness, in N/m or N/mm, got '3 mm'"},
      {JSON({"parameter": "k", "from": 1, "to": "1 Hz", "count": 2}), "/study/vary/0/to", "got '1 Hz'"},
      {JSON({"parameter": "A", "from": "1 mm", "to": "2*k", "count": 2}), "/study/vary/0/to",
       "'2*k' is N/m, but to needs mm"},
      {JSON({"parameter": "m", "values": ["1 kg"]}), "/study/vary/0/values/0",
       "the unit of '1 kg' cannot be checked here; write the number in SI units, 1"},
  };
  (void)state;
  for (size_t c = 0; c < COUNT(cases); c++) {
    mbs_diagnostics list = {0};
    char *study = models_text("{\"vary\": [%s], \"outputs\": [{\"name\": \"x\", \"of\": \"b.x\"}]}", cases[c].vary);
    assert_null(models_try_build_study(with_units, moving, study, &list));
    print_list(&list);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.items[0].pointer, cases[c].pointer);
    assert_non_null(strstr(list.items[0].message, cases[c].words));
    mbs_diagnostics_free(&list);
    free(study);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units),           cmocka_unit_test(test_values),  cmocka_unit_test(test_one_value),
      cmocka_unit_test(test_what_is_missing), cmocka_unit_test(test_outputs), cmocka_unit_test(test_goals),
      cmocka_unit_test(test_beside),          cmocka_unit_test(test_modes),   cmocka_unit_test(test_messages),
      cmocka_unit_test(test_mode_of_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
