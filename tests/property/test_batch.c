/* Runs of a study in a batch, one per lane, against the same runs one by one: outputs, costs and failures are equal bit
 * for bit, independent of the other lanes. */
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

#include "batch/batch_simulation.h"
#include "batch/lanes.h"
#include "equations/input.h"
#include "model/constants.h"
#include "model/model.h"
#include "models.h"
#include "study/run_prefetch.h"

enum { MOST = 16 };

/* Result of a run. */
typedef struct ending {
  mbs_status status;
  double values[MOST], outputs[MOST];
  uint64_t evaluations;
  mbs_error error;
} ending;

static ending run(mbs_study *study, size_t index, const mbs_hooks *hooks) {
  ending out = {.error = {.time = NAN}};
  out.status = mbs_study_run(study, index, hooks, out.values, out.outputs, &out.error);
  out.evaluations = mbs_study_evaluations(study);
  return out;
}

static void expect_same(const char *what, size_t index, const ending *one, const ending *other, size_t outputs) {
  if (one->status != other->status || strcmp(one->error.message, other->error.message) != 0)
    fail_msg("%s, run %zu: \"%s\" together, \"%s\" alone", what, index, one->error.message, other->error.message);
  if (one->evaluations != other->evaluations)
    fail_msg("%s, run %zu: %llu evaluations in a batch, %llu separately", what, index,
             (unsigned long long)one->evaluations, (unsigned long long)other->evaluations);
  for (size_t i = 0; i < outputs; i++)
    if (memcmp(&one->outputs[i], &other->outputs[i], sizeof(double)) != 0 &&
        !(isnan(one->outputs[i]) && isnan(other->outputs[i])))
      fail_msg("%s, run %zu: output %zu is %.17g in a batch, %.17g separately", what, index, i, one->outputs[i],
               other->outputs[i]);
}

/* Compares the runs of a study with batches of `width` lanes. Returns the number of prefetched runs. */
static size_t compare_width(mbs_model *model, const char *what, size_t width, size_t *failed) {
  mbs_arena *arena = mbs_arena_new(0);
  mbs_run_prefetch *together = mbs_run_prefetch_new(model, width, arena);
  mbs_study *alone = mbs_study_new(model);
  assert_true(together && alone);
  const size_t runs = mbs_study_info_of(alone)->runs, outputs = mbs_study_info_of(alone)->outputs;
  size_t ahead = 0;
  assert_true(outputs <= MOST);
  mbs_run_prefetch_expect(together, 0, mbs_run_prefetch_width(together) == width ? runs : 0);
  *failed = 0;
  for (size_t i = 0; i < runs; i++) {
    const ending other = run(alone, i, NULL);
    ending one = {.error = {.time = NAN}};
    *failed += other.status != MBS_OK;
    ahead += mbs_run_prefetch_has(together, i);
    if (mbs_run_prefetch_run(together, i, NULL, one.outputs, &one.evaluations, &one.status, &one.error))
      expect_same(what, i, &one, &other, outputs);
  }
  mbs_run_prefetch_free(together);
  mbs_study_free(alone);
  mbs_arena_free(arena);
  return ahead;
}

/* Compares in lanes of each width that the processor has. Returns the number of prefetched runs, and in *failed the
 * number of failed ones. */
static size_t compare(mbs_model *model, const char *what, size_t *failed) {
  size_t ahead = 0;
  *failed = 0;
  if (!mbs_batch_is_supported(model)) return 0;
  for (size_t width = 4; width <= MBS_BATCH_MAX; width *= 2) {
    const size_t found = compare_width(model, what, width, failed);
    if (width == 4) ahead = found;
  }
  return ahead;
}

static mbs_model *build(const char *document, const char *analysis, const char *study) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build_study(document, analysis, study, &list);
  for (size_t i = 0; i < list.count; i++) print_message("%s: %s\n", list.items[i].pointer, list.items[i].message);
  assert_non_null(model);
  mbs_diagnostics_free(&list);
  return model;
}

/* ---- all models -------------------------------------------------------------------------------------------------- */

static bool is_spatial(const json_t *document) {
  const char *space = json_string_value(json_object_get(document, "space"));
  return space && strcmp(space, "spatial") == 0;
}

/* Returns a model whose gravity has a parameter, and a study with outputs of its first body; the sensor `last` is an
 * acceleration or a velocity. */
static char *with_gravity(const char *text, const char *last, char **study) {
  json_t *document = json_loads(text, 0, NULL);
  const char *body = json_string_value(json_object_get(json_array_get(json_object_get(document, "bodies"), 0), "name"));
  if (!json_object_get(document, "parameters")) json_object_set_new(document, "parameters", json_object());
  json_object_set_new(json_object_get(document, "parameters"), "zz", json_real(0));
  const bool space = is_spatial(document);
  json_object_set_new(document, "gravity",
                      space ? json_pack("[s, f, s]", "zz", 0.1, "-9.81*(1 + zz)")
                            : json_pack("[s, s]", "zz", "-9.81*(1 + zz)"));
  json_object_del(document, "sensors");
  *study = models_text(PART({
                         "vary": [{"parameter": "zz", "from": 0, "to": 1.5, "count": 9}],
                         "outputs": [
                           {"name": "end", "of": "%s.x"}, {"name": "turn", "of": "%s.%s", "take": "max"},
                           {"name": "rms", "of": "%s.vy", "take": "rms"}, {"name": "low", "of": "%s.%s", "take": "min"}
                         ]
                       }),
                                                     body, body, space ? "z" : "phi", body, body, last);
  char *out = json_dumps(document, 0);
  json_decref(document);
  return out;
}

/* Compares models in both formulations with both methods. Returns how many of these can be batched. */
static size_t compare_models(const char *const *names, size_t count, double end) {
  static const char *const methods[] = {"dopri5", "dop853"}, *const formulations[] = {"joint", "body"};
  size_t taken = 0;
  for (size_t i = 0; i < count; i += MODELS_EVERY)
    for (int m = 0; m < 4; m++) {
      char *study, *text = models_named(names[i]),
                   *document = with_gravity(text, (i + (size_t)m / 2) % 2 ? "ay" : "vx", &study);
      char *analysis = models_text(PART({
                                     "type": "dynamics",
                                     "t_end": %g,
                                     "dt": 0.1,
                                     "formulation": "%s",
                                     "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}
                                   }),
                                          end, formulations[m / 2], methods[m % 2]);
      mbs_model *model = build(document, analysis, study);
      size_t failed;
      const size_t ahead = compare(model, names[i], &failed);
      const bool suits = mbs_batch_is_supported(model);
      taken += suits;
      if (suits && ahead < 5) fail_msg("%s can be batched, but only %zu runs were", names[i], ahead);
      mbs_model_free(model);
      free(analysis);
      free(document);
      free(text);
      free(study);
    }
  print_message("%zu of %zu can be batched\n", taken, 4 * count);
  return taken;
}

static void test_models(void **state) {
  static const char *const names[] = {
      "FourBar", "SC",  "MP_A",    "MP_A_bc",   "MP_C_bc",      "WebCutter", "Rod2",
      "Gears",   "TP",  "Plotter", "Excavator", "AA",           "SP",        "FiveBar_driven",
      "FiveBar", "Rod", "Slot",    "Cam",       "BouncingBall", "Sledge",    "Door"};
  (void)state;
  compare_models(names, sizeof names / sizeof *names, 0.25);
}

static void test_spatial_models(void **state) {
  static const char *const names[] = {"RSSR_rod",
                                      "RSSR_ball",
                                      "RSSR_solid",
                                      "SliderCrank3D",
                                      "TorqueFree",
                                      "TiltedPendulum",
                                      "DoubleSphericalPendulum"};
  (void)state;
  const size_t taken = compare_models(names, sizeof names / sizeof *names, 0.2);
  char *text = models_named("FourBar");
  mbs_model *planar = models_build(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1}");
  if (mbs_batch_is_supported(planar)) assert_true(taken >= 20 / MODELS_EVERY);
  mbs_model_free(planar);
  free(text);
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed += MODELS_EVERY) {
    char *study, *plain = seed <= 30 ? models_random(seed, 6, 2) : models_random_spatial(seed, 6, 2);
    char *document = with_gravity(plain, seed % 2 ? "ay" : "vx", &study);
    mbs_model *model = build(document, JSON({"type": "dynamics", "t_end": 0.5, "dt": 0.1}), study);
    size_t failed;
    compare(model, "a random one", &failed);
    mbs_model_free(model);
    free(study);
    free(document);
    free(plain);
  }
}

/* Each force element, with constants and with expressions, with different numbers in each run. */
static void test_forces(void **state) {
  static const char *const methods[] = {"dopri5", "dop853"};
  (void)state;
  for (int i = 0; i < 2 * (MODELS_ALL_FORCES + 1); i += MODELS_EVERY) {
    const bool spatial = i % 2;
    char *chain = spatial ? models_spatial_chain(3, false) : models_chain(3, 0.3);
    char *text = models_with_forces(chain, spatial, i / 2);
    char *analysis = models_text(PART({
                                   "type": "dynamics",
                                   "t_end": 0.4,
                                   "dt": 0.1,
                                   "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}
                                 }),
                                        methods[i / 2 % 2]);
    mbs_model *model = build(
        text, analysis, JSON({
          "vary": [
            {"parameter": "k", "from": 3, "to": 8, "count": 3}, {"parameter": "l0", "from": 0.2, "to": 0.9, "count": 3}
          ],
          "outputs": [
            {"name": "end", "of": "rod3.x"}, {"name": "most", "of": "rod3.B.vy", "take": "max"},
            {"name": "low", "of": "rod3.ax", "take": "min"}
          ]
        }));
    size_t failed;
    const size_t ahead = compare(model, text, &failed);
    if (mbs_batch_is_supported(model) && ahead < 5) fail_msg("only %zu runs of %s were batched", ahead, text);
    if (failed) fail_msg("%zu runs of force %d, %s, fail", failed, i / 2, spatial ? "in space" : "in the plane");
    mbs_model_free(model);
    free(analysis);
    free(chain);
    free(text);
  }
}

/* ---- switches, contacts, functions of time ----------------------------------------------------------------------- */

enum { RUNS = 9 }; /* number of runs in with_gravity() */

/* Compares the runs of a model with an added element; `fails` of them fail. */
static void check_added(const char *name, const char *added, double end, const char *method, size_t fails) {
  char *study, *plain = models_named_with(name, added), *document = with_gravity(plain, "vx", &study);
  char *analysis = models_text(
      PART({
                                 "type": "dynamics",
                                 "t_end": %g,
                                 "dt": 0.1,
                                 "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}
                               }),
             end, method);
  mbs_model *model = build(document, analysis, study);
  size_t failed;
  const size_t ahead = compare(model, added, &failed);
  if (mbs_batch_is_supported(model) && ahead < 5)
    fail_msg("only %zu runs of %s with %s were batched", ahead, name, added);
  if (mbs_batch_is_supported(model) && failed != fails) fail_msg("%zu runs of %s with %s fail", failed, name, added);
  mbs_model_free(model);
  free(analysis);
  free(document);
  free(study);
  free(plain);
}

/* Runs with events at different instants, and a motion that breaks off; a run with sticking friction leaves the batch
 * meanwhile. */
static void test_events(void **state) {
  static const struct {
    const char *name, *added;
    double end;
  } cases[] = {
      {"FourBar", JSON({
         "forces": [{
           "name": "stop",
           "type": "torque",
           "body": "rocker",
           "value": "if(rocker.phi < -1.7, 800*(-1.7 - rocker.phi), 0)"
         }]
       }),
       1.2},
      {"FourBar", JSON({
         "forces": [
           {
             "name": "one",
             "type": "spring-damper",
             "points": ["crank.B", "ground.C"],
             "stiffness": 30,
             "free_length": 0.6,
             "actuator": "if(l > 0.75, 20*(l - 0.75), 0)"
           },
           {"name": "two", "type": "torque", "body": "crank", "value": "if(one.force > 4, -1, 1)"}
         ]
       }),
       0.8},
      {"FourBar", JSON({
         "forces": [{"name": "dry", "type": "torque", "body": "rocker", "value": "20*sin(6*t) - 12*sign(rocker.omega)"}]
       }),
       1.5},
      {"FourBar", JSON({
         "forces": [
           {"name": "wave", "type": "torque", "body": "crank", "value": "3*sin(40*t)*(1 + exp(-((t - 0.3)/1e-3)^2))"}
         ]
       }),
       0.6},
      {"FourBar", JSON({
         "forces": [{
           "name": "notch",
           "type": "torque",
           "body": "rocker",
           "value": "400*(rocker.phi + 1.5)*exp(-((rocker.phi + 1.5)/0.01)^2)"
         }]
       }),
       1.2},
      {"FourBar", JSON({
         "forces": [
           {"name": "resistance", "type": "torque", "body": "rocker", "value": "-20*exp(-((rocker.omega - 1)/0.01)^2)"}
         ]
       }),
       1.2},
      {"FourBar", JSON({
         "drivers": [{
           "name": "motor",
           "type": "joint",
           "joint": "O",
           "function": {"ramp": {"t0": 0.1, "t1": 0.3, "f0": 1, "speed": 3}}
         }]
       }),
       0.8},
      {"FourBar", JSON({
         "drivers": [{
           "name": "motor",
           "type": "joint",
           "joint": "O",
           "function": {
             "piecewise": [
               {"until": 0.2, "function": "1 + t"}, {"until": 0.5, "function": "1.2 + 2*(t - 0.2)"},
               {"until": 2, "function": "1.8 + max(0, t - 0.6)"}
             ]
           }
         }]
       }),
       0.9},
      {"FourBar", JSON({
         "drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "1 + t + 0.5*sqrt((t - 0.2)^2)"}]
       }),
       0.8},
      {"FourBar", JSON({
         "forces": [
           {"name": "kick", "type": "torque", "body": "crank", "value": "if(t > 0.25 && t < 0.26, 5, 0) + floor(3*t)"}
         ]
       }),
       0.9},
      {"Rod", "{}", 0.7},
      {"Rod2", "{}", 0.5},
      {"BouncingBall", "{}", 0.7},
  };
  (void)state;
  for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i += MODELS_EVERY)
    check_added(cases[i / 2].name, cases[i / 2].added, cases[i / 2].end, i % 2 ? "dop853" : "dopri5", 0);
}

/* Runs that end at a jump of their driver. */
static void test_jumps(void **state) {
  (void)state;
  for (int m = 0; m < 2; m++)
    check_added(
        "FourBar",
        JSON({"drivers": [{"name": "motor", "type": "joint", "joint": "O", "function": "atan2(sin(5*t), cos(5*t))"}]}),
        0.8, m ? "dop853" : "dopri5", RUNS);
}

/* ---- prefetched inputs of each step ----------------------------------------------------------------------------- */

enum { PLACES = 5, READS_MOST = 8 };
static const double places[PLACES] = {-1, -0.8, 0.1, 0.7, 1};

/* Observer of a motion: the inputs that it wants prefetched, and how many pieces had them. */
typedef struct looker {
  mbs_observer observer;
  int inputs[READS_MOST];
  size_t pieces, told;
} looker;

static bool look_inside(void *user, double t, double t1) {
  (void)user;
  (void)t;
  (void)t1;
  return true;
}

/* Compares the prefetched inputs of a piece with those read at the same states. */
static mbs_status look(void *user, const mbs_piece *piece) {
  looker *self = user;
  const mbs_first_reads *first = &self->observer.first;
  self->pieces++;
  self->told += piece->first != NULL;
  for (size_t p = piece->continues ? 1 : 0; p < PLACES; p++) {
    const mbs_status status = piece->set_state(piece->context, mbs_time_of_place(piece->t, piece->t1, places[p]));
    if (status != MBS_OK) return status;
    for (size_t i = 0; i < first->inputs && piece->first; i++) {
      const double told = piece->first[p * first->inputs + i];
      const double read = mbs_input_value(piece->system, &piece->system->model->inputs[first->input[i]]);
      if (memcmp(&told, &read, sizeof told) != 0)
        fail_msg("%.17g is reported at place %g of a step from %g, %.17g is read", told, places[p], piece->t, read);
    }
  }
  return MBS_OK;
}

/* Compares the residual of redundant rows in a batch with that of a single run. */
static void compare_redundant(const mbs_constants *constants, const looker *self, const mbs_result *together,
                              const char *what) {
  mbs_arena *arena = mbs_arena_new(0), *scratch = mbs_arena_new(0);
  mbs_result alone = {.arena = arena};
  looker other = *self;
  mbs_error error;
  other.observer.user = &other;
  assert_int_equal(mbs_run_observed(constants, &other.observer, NULL, &alone, scratch, &error), MBS_OK);
  const double one = together->report.redundant_residual, two = alone.report.redundant_residual;
  if (memcmp(&one, &two, sizeof one) != 0) fail_msg("%s: redundant rows are %.17g off, alone %.17g", what, one, two);
  mbs_arena_free(scratch);
  mbs_arena_free(arena);
}

/* Observes runs of a model in one batch, each with different gravity. */
static void look_at_runs(const mbs_model *model, const char *what) {
  mbs_arena *arena = mbs_arena_new(0);
  mbs_batch *batch = mbs_batch_new(model, MBS_BATCH_MAX, arena);
  assert_non_null(batch);
  const int width = mbs_batch_width(batch);
  looker lookers[MBS_BATCH_MAX] = {{.pieces = 0}};
  mbs_arena *scratch[MBS_BATCH_MAX];
  mbs_constants *constants[MBS_BATCH_MAX];
  mbs_result *results[MBS_BATCH_MAX];
  mbs_error error;
  mbs_status status;
  for (int k = 0; k < width; k++) {
    looker *self = &lookers[k];
    mbs_first_reads first = {.places = PLACES, .place = places, .input = self->inputs};
    for (size_t i = 0; i < model->input_count && first.inputs < READS_MOST; i++)
      if (mbs_lanes_read_input(&model->inputs[i])) self->inputs[first.inputs++] = (int)i;
    assert_true(first.inputs > 0);
    self->observer =
        (mbs_observer){.user = self, .velocities = true, .first = first, .inside = look_inside, .piece = look};
    constants[k] = mbs_constants_new(model, arena);
    mbs_diagnostics list = {0};
    double *values = mbs_arena_alloc(arena, model->parameter_count, sizeof *values);
    for (size_t i = 0; i < model->parameter_count; i++) /* the last parameter is that of gravity */
      values[i] = i + 1 < model->parameter_count ? NAN : 0.1 * k;
    assert_int_equal(mbs_bind(constants[k], values, &list), MBS_OK);
    results[k] = mbs_arena_alloc(arena, 1, sizeof *results[k]);
    results[k]->arena = arena;
    scratch[k] = mbs_arena_new(0);
    mbs_batch_begin(batch, k, constants[k], &self->observer, NULL, results[k], scratch[k], &error);
  }
  while (mbs_batch_advance(batch, &status) >= 0) assert_int_equal(status, MBS_OK);
  for (int k = 0; k < width; k++)
    if (2 * lookers[k].told < lookers[k].pieces)
      fail_msg("%s: of %zu pieces %zu were prefetched", what, lookers[k].pieces, lookers[k].told);
  for (int k = 0; k < width; k++) {
    compare_redundant(constants[k], &lookers[k], results[k], what);
    mbs_arena_free(scratch[k]);
  }
  mbs_arena_free(arena);
}

static void test_first_reads(void **state) {
  static const char *const names[] = {"FourBar", "TP", "RSSR_ball", "DoubleSphericalPendulum", "UniversalJoint"};
  static const char *const methods[] = {"dopri5", "dop853"};
  (void)state;
  for (int i = 0; i < 10; i++) {
    char *study, *text = models_named(names[i / 2]), *document = with_gravity(text, "vx", &study);
    char *analysis = models_text(PART({
                                   "type": "dynamics",
                                   "t_end": 0.5,
                                   "dt": 0.1,
                                   "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}
                                 }),
                                        methods[i % 2]);
    mbs_model *model = build(document, analysis, study);
    if (mbs_batch_is_supported(model)) look_at_runs(model, names[i / 2]);
    mbs_model_free(model);
    free(analysis);
    free(document);
    free(text);
    free(study);
  }
}

/* ---- redundant rows ---------------------------------------------------------------------------------------------- */

static void test_redundant(void **state) {
  char *planar = models_named("FourBar"), *hinges = models_in_space(planar), *study;
  char *document = with_gravity(hinges, "vx", &study);
  mbs_model *model = build(document, JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}), study);
  size_t failed;
  (void)state;
  const size_t ahead = compare(model, "a four-bar of parallel hinges", &failed);
  if (mbs_batch_is_supported(model)) {
    if (!(failed == 0 && ahead >= 7)) fail_msg("%zu failed, %zu were made before", failed, ahead);
    look_at_runs(model, "a four-bar of parallel hinges");
  }
  mbs_model_free(model);
  free(study);
  free(document);
  free(hinges);
  free(planar);
}

/* If the third of the parallel cranks is longer, its rows are dependent at the start and contradict the others sooner
 * or later. */
static void test_contradicting(void **state) {
  static const char study[] = JSON({
    "vary": [{"parameter": "e", "values": [0, 1e-10, 2e-7, 1e-6, 5e-6]}, {"parameter": "a", "values": [0.5, 0.6, 0.7]}],
    "outputs": [{"name": "x", "of": "k.x"}, {"name": "least", "of": "k.y", "take": "min"}]
  });
  char *document = models_merged(models_parallel_cranks, JSON({"gravity": [0, -9.81]}));
  mbs_model *model = build(document, JSON({"type": "dynamics", "t_end": 0.9, "dt": 0.1}), study);
  size_t failed;
  (void)state;
  const size_t ahead = compare(model, "parallel cranks", &failed);
  if (mbs_batch_is_supported(model) && !(failed == 9 && ahead > 8))
    fail_msg("%zu failed, %zu were made before", failed, ahead);
  mbs_model_free(model);
  free(document);
}

/* ---- neighbours that fail, leave, or are cancelled -------------------------------------------------------------- */

static const char outputs[] = "\"outputs\": [{\"name\": \"end\", \"of\": \"crank.phi\"}, {\"name\": \"most\", \"of\": "
                              "\"rocker.y\", \"take\": \"max\"}]";

/* Lengths that cannot be assembled, next to others that can. */
static void test_failing(void **state) {
  char *document = models_named("FourBar");
  char *study =
      models_text("{\"vary\": [{\"parameter\": \"b\", \"from\": 3, \"to\": 0.5, \"count\": 41}], %s}", outputs);
  mbs_model *model = build(document, JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}), study);
  size_t failed;
  (void)state;
  const size_t ahead = compare(model, "some fail", &failed);
  if (mbs_batch_is_supported(model)) assert_true(failed > 5 && failed < 36 && ahead > 10);
  mbs_model_free(model);
  free(study);
  free(document);
}

/* A parallelogram passes positions with a loss of rank; other runs come close to them. */
static void test_near_singular(void **state) {
  char *document = models_named("FourBar");
  char *study = models_text("{\"vary\": [{\"parameter\": \"c\", \"values\": [0.3, 0.3001, 0.31, 0.33, 0.2999, 0.5]},"
                            "{\"parameter\": \"b\", \"values\": [0.9, 0.90001]}], %s}",
                            outputs);
  char *analysis = models_text(PART({"type": "dynamics", "t_end": 1.5, "dt": 0.1, "integrator": {"rtol": 1e-9}}));
  mbs_model *model = build(document, analysis, study);
  size_t failed;
  (void)state;
  compare(model, "close to a singular position", &failed);
  mbs_model_free(model);
  free(analysis);
  free(study);
  free(document);
}

/* Runs that partly exceed their limit of evaluations. */
static void test_limits(void **state) {
  char *document = models_named("FourBar");
  char *study =
      models_text("{\"vary\": [{\"parameter\": \"a\", \"from\": 0.1, \"to\": 0.4, \"count\": 12}], %s}", outputs);
  mbs_model *model = build(document, JSON({"type": "dynamics", "t_end": 1, "dt": 0.1}), study);
  mbs_study *first = mbs_study_new(model);
  size_t failed;
  (void)state;
  model->limits.evaluations = run(first, 6, NULL).evaluations;
  mbs_study_free(first);
  compare(model, "a limit", &failed);
  if (mbs_batch_is_supported(model)) assert_true(failed > 0 && failed < 12);
  mbs_model_free(model);
  free(study);
  free(document);
}

static bool stop(void *user, double t, double fraction, uint64_t evaluations) {
  (void)t;
  (void)fraction;
  (void)evaluations;
  return --*(int *)user > 0;
}

/* A cancelled run returns MBS_CANCELLED, and no other run is lost. */
static void test_stopped(void **state) {
  char *document = models_named("FourBar");
  char *study =
      models_text("{\"vary\": [{\"parameter\": \"a\", \"from\": 0.2, \"to\": 0.4, \"count\": 8}], %s}", outputs);
  mbs_model *model = build(document, JSON({"type": "dynamics", "t_end": 20, "dt": 1}), study);
  mbs_study *together = mbs_study_new(model), *alone = mbs_study_new(model);
  int calls = 3;
  const mbs_hooks hooks = {.user = &calls, .progress = stop};
  (void)state;
  mbs_study_prefetch(together, 0, 8);
  assert_int_equal(run(together, 0, &hooks).status, MBS_CANCELLED);
  for (size_t i = 0; i < 8; i++) {
    const ending one = run(together, i, NULL), other = run(alone, i, NULL);
    expect_same("stopped before", i, &one, &other, 2);
  }
  mbs_study_free(together);
  mbs_study_free(alone);
  mbs_model_free(model);
  free(study);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models),       cmocka_unit_test(test_spatial_models), cmocka_unit_test(test_random),
      cmocka_unit_test(test_forces),       cmocka_unit_test(test_events),         cmocka_unit_test(test_jumps),
      cmocka_unit_test(test_failing),      cmocka_unit_test(test_near_singular),  cmocka_unit_test(test_limits),
      cmocka_unit_test(test_stopped),      cmocka_unit_test(test_first_reads),    cmocka_unit_test(test_redundant),
      cmocka_unit_test(test_contradicting)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
