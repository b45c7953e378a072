/* Certificates against reference results: the digits of every shipped model, at its own tolerance and at a loose one,
 * against a run at a far tighter one; and each clause of the verdict with a model that triggers it. */
#include "api/base/values.h"
#include "api/certificate/certificate.h"
#include "api/certificate/findings.h"
#include "api/certificate/page.h"
#include "api/certificate/verdict.h"
#include "api/jobs/job.h"
#include "models.h"
#include "verification/compare.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Limit of a reference run [evaluations]; models that exceed it are not compared. */
#define MOST "400000"

/* Returns the certified report of a job with this model and analysis. `error`: that of the job, or NULL. */
static json_t *report_of(const char *document, const char *analysis, json_t **error) {
  char *text = models_text("{\"model\": %s, \"analysis\": %s}", document, analysis);
  const job_hooks hooks = {0};
  const mbs_limits limits = {0};
  job_outcome outcome;
  api_job_run(text, strlen(text), &limits, &hooks, &outcome);
  json_t *report = api_json_parse(outcome.report);
  *error = api_json_parse(outcome.error);
  job_outcome_free(&outcome);
  free(text);
  return report;
}

/* Returns the analysis of a document with these members replaced. */
static char *analysis_with(const char *document, const char *members) {
  json_t *root = json_loads(document, 0, NULL), *own = json_object_get(root, "analysis"),
         *others = json_loads(members, 0, NULL);
  json_object_update_recursive(own, others);
  char *merged = json_dumps(own, 0);
  json_decref(root);
  json_decref(others);
  return merged;
}

static api_verdict verdict_of(const char *document, const char *members, api_findings *findings) {
  char *analysis = analysis_with(document, members);
  json_t *error, *report = report_of(document, analysis, &error);
  api_verdict verdict;
  api_findings_make(report, error, findings);
  api_verdict_compute(report, findings, &verdict);
  json_decref(report);
  json_decref(error);
  free(analysis);
  return verdict;
}

static const api_finding *finding_of(const api_findings *findings, const char *check) {
  for (size_t i = 0; i < findings->count; i++)
    if (strcmp(findings->items[i].check, check) == 0) return &findings->items[i];
  fail_msg("no finding about %s", check);
  return NULL;
}

/* ---- digits --------------------------------------------------------------------------------------------------- */

/* Returns the largest error of these quantities relative to their scales. */
static double largest_share(const mbs_comparison *comparison, int first, int end) {
  double largest = 0;
  for (int q = first; q < end; q++)
    if (comparison->items[q].scale > 0)
      largest = fmax(largest, comparison->items[q].largest / comparison->items[q].scale);
  return largest;
}

/* Computes the largest true errors of the motion and of the reactions relative to their scales, with a run at a far
 * tighter tolerance; NaN if that takes too long. */
static void find_true_errors(const char *document, const char *members, double *motion, double *reactions) {
  static const char tight[] = "{\"integrator\": {\"rtol\": 1e-12, \"atol\": 1e-13}, "
                              "\"limits\": {\"max_evaluations\": " MOST "}}";
  char *loose_analysis = analysis_with(document, members), *tight_analysis = analysis_with(document, tight);
  mbs_model *model = models_build(document, loose_analysis);
  mbs_result *result = NULL, *truth = NULL;
  mbs_error error;
  *motion = *reactions = NAN;
  if (models_try_run(document, tight_analysis, &truth, &error) == MBS_OK &&
      models_try_run(document, loose_analysis, &result, &error) == MBS_OK) {
    mbs_comparison comparison = {0};
    mbs_compare(model, result, truth, &comparison);
    *motion = largest_share(&comparison, 0, MBS_MOTION_QUANTITIES);
    *reactions = largest_share(&comparison, MBS_MOTION_QUANTITIES, MBS_QUANTITIES);
  }
  mbs_result_free(truth);
  mbs_result_free(result);
  mbs_model_free(model);
  free(loose_analysis);
  free(tight_analysis);
}

static bool is_true(int digits, double error) {
  return digits == API_NO_DIGITS || isnan(error) || error <= pow(10, -digits);
}

/* Reactions must be more accurate than certified by this factor. */
static const double reaction_room = 2;

/* Prints a line of the table. Returns false if more digits are certified than are true. */
static bool check_digits(const char *path, const char *document, const char *members) {
  api_findings findings;
  const api_verdict verdict = verdict_of(document, members, &findings);
  double error = NAN, reactions = NAN;
  if (verdict.digits != API_NO_DIGITS) find_true_errors(document, members, &error, &reactions);
  bool fine = is_true(verdict.digits, error) && is_true(verdict.reaction_digits, reaction_room * reactions);
  print_message("%-34s %-15s %3d claimed, true error %.1e; of reactions %3d, %.1e%s\n", strrchr(path, '/') + 1,
                verdict.level, verdict.digits == API_NO_DIGITS ? -1 : verdict.digits, error,
                verdict.reaction_digits == API_NO_DIGITS ? -1 : verdict.reaction_digits, reactions,
                fine ? "" : "  MORE THAN IS TRUE");
  return fine;
}

static void claimed_digits_are_true(const char *members) {
  glob_t found;
  size_t wrong = 0;
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i += MODELS_EVERY) {
    char *document = models_file(found.gl_pathv[i]);
    wrong += !check_digits(found.gl_pathv[i], document, members);
    free(document);
  }
  globfree(&found);
  assert_int_equal(wrong, 0);
}

static void test_own_tolerance(void **state) {
  (void)state;
  claimed_digits_are_true("{\"certify\": true, \"limits\": {\"max_evaluations\": " MOST "}}");
}

static void test_loose_tolerance(void **state) {
  (void)state;
  claimed_digits_are_true("{\"certify\": true, \"integrator\": {\"rtol\": 1e-3, \"atol\": 1e-5}, "
                          "\"limits\": {\"max_evaluations\": " MOST "}}");
}

static void test_tight_tolerance(void **state) {
  (void)state;
  claimed_digits_are_true("{\"certify\": true, \"integrator\": {\"rtol\": 1e-7, \"atol\": 1e-9}, "
                          "\"limits\": {\"max_evaluations\": " MOST "}}");
}

/* ---- known reactions ------------------------------------------------------------------------------------------ */

/* A pendulum of mass 2, 0.5 from its pin, at rest at the angle 1.2 from the vertical. A quarter of its period later it
 * hangs straight down: with its moment of inertia I about the pin, theta'^2 = 2 m g l (1 - cos 1.2) / I there, and
 * theta'' = -m g l sin(theta) / I at the ends. The reaction is m (a - g). */
typedef struct swing {
  double mass, arm, inertia, g, angle;
} swing;

static const swing pendulum_swing = {2, 0.5, 0.8, 9.81, 1.2};

static double period_of(const swing *s) {
  double a = 1, b = cos(s->angle / 2);
  for (int k = 0; k < 30; k++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return 2 * acos(-1) * sqrt(s->inertia / (s->mass * s->g * s->arm)) / a;
}

/* Computes the reaction after this number of quarters of a period. */
static void known_reaction(const swing *s, size_t quarters, double out[2]) {
  const double moment = s->mass * s->g * s->arm;
  const bool below = quarters % 2 == 1;
  const double theta = below ? 0 : quarters % 4 == 0 ? s->angle : -s->angle;
  const double square = below ? 2 * moment * (1 - cos(s->angle)) / s->inertia : 0;
  const double second = -moment * sin(theta) / s->inertia;
  out[0] = s->mass * s->arm * (second * cos(theta) - square * sin(theta));
  out[1] = s->mass * (s->arm * (second * sin(theta) + square * cos(theta)) + s->g);
}

/* Returns the largest error of the pin's reaction, relative to the largest reaction. */
static double error_of_reactions(const char *document, const swing *s) {
  mbs_result *result = NULL;
  mbs_error error;
  double largest = 0, scale = 0;
  assert_int_equal(models_try_run(document, NULL, &result, &error), MBS_OK);
  const mbs_array *array = mbs_result_array(result, "reactions");
  const size_t columns = mbs_array_columns(array);
  for (size_t row = 0; row < array->shape[0]; row++) {
    double known[2];
    known_reaction(s, row, known);
    for (int i = 0; i < 2; i++) {
      largest = fmax(largest, fabs(array->data[row * columns + (size_t)i] - known[i]));
      scale = fmax(scale, fabs(known[i]));
    }
  }
  mbs_result_free(result);
  return largest / scale;
}

/* Reactions with a closed form, in body coordinates: the certified digits are true with a margin. */
static void test_known_reactions(void **state) {
  (void)state;
  static const double tolerances[] = {1e-3, 1e-5, 1e-7, 1e-9};
  const swing *s = &pendulum_swing;
  for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
    char *document = models_text(
        "{\"space\": \"planar\", \"gravity\": [0, -9.81], \"ground\": {\"points\": {\"O\": [0, 0]}}, \"bodies\": ["
        "{\"name\": \"rod\", \"mass\": 2, \"inertia\": 0.3, \"points\": {\"A\": [0, 0.5]}, "
        "\"initial\": {\"position\": [%.17g, %.17g], \"angle\": 1.2}}], "
        "\"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"points\": [\"ground.O\", \"rod.A\"]}], "
        "\"analysis\": {\"type\": \"dynamics\", \"t_end\": %.17g, \"dt\": %.17g, \"formulation\": \"body\", "
        "\"integrator\": {\"rtol\": %g, \"atol\": %g}}}",
        s->arm * sin(s->angle), -s->arm * cos(s->angle), 10 * period_of(s), period_of(s) / 4, tolerances[k],
        tolerances[k]);
    api_findings findings;
    const api_verdict verdict = verdict_of(document, "{\"certify\": true}", &findings);
    const double error = error_of_reactions(document, s);
    print_message("rtol %.0e: reactions to %d digits, true error %.1e\n", tolerances[k], verdict.reaction_digits,
                  error);
    assert_true(verdict.reaction_digits != API_NO_DIGITS || tolerances[k] > 1e-4);
    assert_true(is_true(verdict.reaction_digits, reaction_room * error));
    free(document);
  }
}

/* ---- the clauses of the verdict --------------------------------------------------------------------------------- */

static const char pendulum[] = JSON({
  "space": "planar",
  "gravity": [0, -9.81],
  "ground": {"points": {"O": [0, 0]}},
  "bodies": [{"name": "rod", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0.5]}}],
  "joints": [{"name": "pin", "type": "revolute", "points": ["ground.O", "rod.A"], "initial": {"position": 1}}],
  "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.02}
});

/* Two parallel rods of equal length carry a bar; a third rod makes the same constraint again. */
static const char parallelogram[] = JSON({
  "space": "planar",
  "gravity": [0, -9.81],
  "ground": {"points": {"A": [0, 0], "B": [1, 0], "C": [2, 0]}},
  "bodies": [{
    "name": "bar",
    "mass": 1,
    "inertia": 0.1,
    "points": {"A": [-1, 0], "B": [0, 0], "C": [1, 0]},
    "initial": {"position": [1.6, 0.8]}
  }],
  "joints": [
    {"name": "a", "type": "rod", "points": ["ground.A", "bar.A"], "length": 1},
    {"name": "b", "type": "rod", "points": ["ground.B", "bar.B"], "length": 1},
    {"name": "c", "type": "rod", "points": ["ground.C", "bar.C"], "length": 1}
  ],
  "analysis": {"type": "dynamics", "t_end": 0.2, "dt": 0.01}
});

static void test_unexamined(void **state) {
  (void)state;
  api_findings findings;
  const api_verdict verdict = verdict_of(pendulum, "{}", &findings);
  assert_string_equal(verdict.level, "unexamined");
  assert_int_equal(verdict.digits, API_NO_DIGITS);
  assert_non_null(strstr(verdict.text, "was not examined. Not examined: tolerance, formulations."));
  assert_false(finding_of(&findings, "tolerance")->examined);
  assert_true(finding_of(&findings, "energy")->examined);
}

static void test_trusted(void **state) {
  (void)state;
  api_findings findings;
  api_verdict verdict = verdict_of(pendulum, "{\"certify\": true}", &findings);
  assert_string_equal(verdict.level, "trusted"); /* without constraints there is no Jacobian to lose rank */
  assert_true(verdict.digits >= 4 && verdict.digits <= 8);
  int usual = verdict.digits;
  verdict = verdict_of(pendulum, "{\"certify\": true, \"integrator\": {\"rtol\": 1e-11, \"atol\": 1e-13}}", &findings);
  assert_true(verdict.digits >= usual + 3);
}

static void test_loose(void **state) {
  (void)state;
  api_findings findings;
  const api_verdict verdict = verdict_of(
      pendulum, "{\"certify\": true, \"t_end\": 20, \"integrator\": {\"rtol\": 1e-2, \"atol\": 1e-2}}", &findings);
  assert_string_equal(verdict.level, "not_vouched");
  assert_int_equal(verdict.digits, API_NO_DIGITS);
  assert_true(strncmp(verdict.text, "Not verified: energy:", 21) == 0);
  assert_true(finding_of(&findings, "tolerance")->against);
}

/* The plain form of the equations in the seed lets the mechanism drift off its constraints. */
static void test_drift(void **state) {
  (void)state;
  api_findings findings;
  char *document = models_named("FourBar");
  const char *drifts = "{\"certify\": true, \"formulation\": \"body\", \"constraints\": \"none\", \"t_end\": 2, "
                       "\"integrator\": {\"rtol\": 1e-3, \"atol\": 1e-3}}";
  const api_verdict verdict = verdict_of(document, drifts, &findings);
  assert_string_equal(verdict.level, "not_vouched");
  assert_true(finding_of(&findings, "constraints")->digits < 4);
  free(document);
}

static void test_redundant(void **state) {
  (void)state;
  api_findings findings;
  const api_verdict verdict = verdict_of(parallelogram, "{\"certify\": true}", &findings);
  assert_string_equal(verdict.level, "trusted");
  assert_non_null(strstr(verdict.text, "Some reactions are not unique"));
  assert_non_null(strstr(finding_of(&findings, "redundancy")->text, "1 of 3 constraint rows are redundant"));
  /* every body floats: both formulations are identical, so comparing them shows nothing */
  assert_true(finding_of(&findings, "formulations")->pointless);
}

/* A crank and a rod of nearly equal length pass the position in which both are folded onto each other. */
static void test_nearly_singular(void **state) {
  (void)state;
  static const char crank[] = JSON({
    "space": "planar",
    "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
    "bodies": [
      {
        "name": "crank",
        "mass": 1,
        "inertia": 0.1,
        "points": {"A": [-0.5, 0], "B": [0.5, 0]},
        "initial": {"position": [0.25, 0.433], "angle": 1.0472}
      },
      {
        "name": "rod",
        "mass": 1,
        "inertia": 0.1,
        "points": {"B": [-0.5, 0], "C": [0.5, 0]},
        "initial": {"position": [0.75, 0.433], "angle": -1.0472}
      },
      {
        "name": "slider",
        "mass": 1,
        "inertia": 0.1,
        "points": {"C": [0, 0]},
        "vectors": {"u": [1, 0]},
        "initial": {"position": [1, 0]}
      }
    ],
    "joints": [
      {"name": "o", "type": "revolute", "points": ["ground.O", "crank.A"]},
      {"name": "b", "type": "revolute", "points": ["crank.B", "rod.B"]},
      {"name": "c", "type": "revolute", "points": ["rod.C", "slider.C"]},
      {"name": "rail", "type": "translational", "points": ["ground.O", "slider.C"], "vectors": ["ground.u",
                                                                                                "slider.u"]}
    ],
    "drivers": [{"name": "motor", "type": "angle", "body": "crank", "function": "pi/3 + t"}],
    "gravity": [0, 0],
    "analysis": {"type": "kinematics", "t_end": "pi/6 - 1e-7", "dt": 0.05, "certify": true}
  });
  api_findings findings;
  const api_verdict verdict = verdict_of(crank, "{}", &findings);
  assert_non_null(strstr(verdict.text, "The motion passes near a singular position."));
  assert_non_null(strstr(finding_of(&findings, "condition")->text, "t = 0.523599"));
}

static void test_events(void **state) {
  (void)state;
  api_findings findings;
  char *document = models_named("BouncingBall");
  const api_verdict verdict = verdict_of(document, "{\"certify\": true}", &findings);
  assert_non_null(strstr(verdict.text, "interrupt the motion."));
  assert_non_null(strstr(finding_of(&findings, "events")->text, "contact begins"));
  free(document);
}

/* Work of a driver, losses of a damper: the balance counts both. */
static void test_not_conservative(void **state) {
  (void)state;
  static const char driven[] = JSON({
    "space": "planar",
    "gravity": [0, -9.81],
    "ground": {"points": {"O": [0, 0]}},
    "bodies": [
      {"name": "crank", "mass": 1, "inertia": 0.1, "points": {"A": [0, 0.5], "B": [0, -0.5]}},
      {"name": "rod", "mass": 1, "inertia": 0.1, "points": {"B": [0, 0.5]}}
    ],
    "joints": [
      {"name": "pin", "type": "revolute", "points": ["ground.O", "crank.A"]},
      {"name": "knee", "type": "revolute", "points": ["crank.B", "rod.B"], "initial": {"position": 1}}
    ],
    "forces": [{"name": "oil", "type": "rotational-spring-damper", "joint": "knee", "stiffness": 0, "damping": 0.3}],
    "drivers": [{"name": "motor", "type": "joint", "joint": "pin", "function": "3*t"}],
    "analysis":
        {"type": "dynamics", "t_end": 3, "dt": 0.02, "certify": true, "integrator": {"rtol": 1e-9, "atol": 1e-10}}
  });
  api_findings findings;
  const api_verdict verdict = verdict_of(driven, "{}", &findings);
  assert_string_equal(verdict.level, "trusted");
  assert_true(finding_of(&findings, "energy")->digits >= 6);
}

/* A pulse at x = 0.5 that the method cannot anticipate: the expression reads it from another force. Its work of 25
 * sqrt(pi) w accelerates a body of 1 kg from 0.4 m/s. */
#define PULSE_WORK (25 * 1.77245385090551602730)
MODEL(pulse, {
  "space": "planar",
  "parameters": {"w": %g},
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [{"name": "c", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
  "joints": [{
    "name": "r",
    "type": "translational",
    "points": ["ground.O", "c.C"],
    "vectors": ["ground.u", "c.u"],
    "initial": {"position": 0.25, "velocity": 0.4}
  }],
  "forces": [
    {"name": "s", "type": "spring-damper", "points": ["ground.O", "c.C"], "stiffness": 1e-9},
    {"name": "F", "type": "force", "body": "c", "value": ["25*exp(-((1e9*abs(s.force) - 0.5)/w)^2)", 0]}
  ],
  "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.5, "certify": true}
});

/* The bounded steps of the second run detect what the steps of the first passed over. A pulse that both pass over is
 * reported with the longest steps; with the requested bound it is detected. */
static void test_narrow_pulse(void **state) {
  (void)state;
  static const double widths[] = {0.00625, 0.001, 1e-5};
  for (int k = 0; k < 3; k++) {
    api_findings findings;
    char *document = models_text(pulse, widths[k]),
         *bound = models_text(JSON({"integrator": {"max_step": % g}}), widths[k]);
    api_verdict verdict = verdict_of(document, "{}", &findings);
    const api_finding *tolerance = finding_of(&findings, "tolerance"), *steps = finding_of(&findings, "steps");
    assert_non_null(strstr(tolerance->text, "with steps of at most 0.004 s"));
    assert_non_null(strstr(steps->text, "0.004 s in the run at one tenth of the tolerances"));
    assert_non_null(strstr(steps->text, "set 'max_step'"));
    assert_string_equal(verdict.level, k < 2 ? "not_vouched" : "trusted");
    if (k < 2)
      assert_true(tolerance->against);
    else
      assert_non_null(strstr(verdict.text, "shorter than the steps: if the model has any, set 'max_step'"));

    verdict = verdict_of(document, bound, &findings);
    assert_string_equal(verdict.level, "trusted");
    char *analysis = analysis_with(document, bound);
    mbs_result *result = models_run(document, analysis);
    assert_true(fabs(models_row(result, "rd", 4)[0] - sqrt(0.16 + 2 * PULSE_WORK * widths[k])) < 1e-6);
    mbs_result_free(result);
    free(analysis);
    free(bound);
    free(document);
  }
}

/* The second run halves a bound of the document, so that its steps differ; bounded steps cost at most as much as the
 * first run, or 500 steps. */
static void test_bounded_steps(void **state) {
  (void)state;
  static const char *const members[] = {"{\"certify\": true, \"integrator\": {\"max_step\": 1e-4}}",
                                        "{\"certify\": true, \"t_end\": 200, \"dt\": 10}", "{\"certify\": true}"};
  for (int k = 0; k < 3; k++) {
    char *analysis = analysis_with(pendulum, members[k]);
    json_t *error, *report = report_of(pendulum, analysis, &error);
    const json_t *finer = json_object_get(json_object_get(report, "examination"), "finer");
    const double steps = json_number_value(json_object_get(report, "steps")),
                 longest = json_number_value(json_object_get(finer, "longest_step")),
                 evaluations = json_number_value(json_object_get(report, "evaluations")),
                 others = json_number_value(json_object_get(finer, "evaluations"));
    if (k == 0) assert_true(longest <= 0.5e-4 * (1 + 1e-6));
    assert_true(longest < json_number_value(json_object_get(report, "longest_step")));
    if (k > 0) assert_true(others <= 1.7 * evaluations + fmax(evaluations, 500 * evaluations / steps));
    json_decref(report);
    json_decref(error);
    free(analysis);
  }
}

static void test_failed(void **state) {
  (void)state;
  api_findings findings;
  const api_verdict verdict =
      verdict_of(pendulum, "{\"certify\": true, \"limits\": {\"max_evaluations\": 50}}", &findings);
  assert_string_equal(verdict.level, "not_vouched");
  assert_non_null(strstr(verdict.text, "Not verified: run: the run ended with the error"));
}

/* The first run leaves too little of the limits for the others: the certificate states what was not examined. */
static void test_limits(void **state) {
  (void)state;
  char most[120];
  api_findings findings;
  mbs_result *alone = models_run(pendulum, NULL);
  snprintf(most, sizeof most, "{\"certify\": true, \"limits\": {\"max_evaluations\": %d}}",
           (int)alone->report.evaluations + 20);
  const api_verdict verdict = verdict_of(pendulum, most, &findings);
  assert_string_equal(verdict.level, "unexamined");
  assert_non_null(strstr(verdict.text, "Not examined: tolerance, formulations."));
  mbs_result_free(alone);
}

/* A certificate reveals that it was changed, as JSON and as a page. */
static void test_changed(void **state) {
  (void)state;
  char *analysis = analysis_with(pendulum, "{\"certify\": true}");
  json_t *error, *report = report_of(pendulum, analysis, &error);
  const api_certified from = {.document = "0", .report = report, .error = error, .results = json_object()};
  json_t *certificate = api_certificate_make(&from);
  api_buffer page = {0}, again = {0};
  bool from_page;
  assert_true(api_certificate_holds(certificate));
  api_certificate_page(certificate, &page);
  json_t *read = api_certificate_read(page.data, page.size, &from_page);
  assert_true(from_page && api_certificate_holds(read));
  api_certificate_page(read, &again);
  assert_true(again.size == page.size && memcmp(again.data, page.data, page.size) == 0);
  json_t *verdict = json_object_get(read, "verdict");
  json_object_set_new(verdict, "digits",
                      json_integer((json_int_t)json_number_value(json_object_get(verdict, "digits")) + 1));
  assert_false(api_certificate_holds(read));
  json_decref(read);
  json_decref(certificate);
  json_decref(report);
  json_decref(error);
  api_buffer_free(&page);
  api_buffer_free(&again);
  free(analysis);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_own_tolerance),   cmocka_unit_test(test_loose_tolerance),
                                     cmocka_unit_test(test_tight_tolerance), cmocka_unit_test(test_known_reactions),
                                     cmocka_unit_test(test_unexamined),      cmocka_unit_test(test_trusted),
                                     cmocka_unit_test(test_loose),           cmocka_unit_test(test_drift),
                                     cmocka_unit_test(test_redundant),       cmocka_unit_test(test_nearly_singular),
                                     cmocka_unit_test(test_events),          cmocka_unit_test(test_not_conservative),
                                     cmocka_unit_test(test_narrow_pulse),    cmocka_unit_test(test_bounded_steps),
                                     cmocka_unit_test(test_failed),          cmocka_unit_test(test_limits),
                                     cmocka_unit_test(test_changed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
