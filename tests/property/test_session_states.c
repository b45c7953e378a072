/* Motions in steps, from states that are saved and loaded: they agree with runs, a state leads to the same bits again,
 * also in another session, and inputs that the host sets have the effect of inputs over time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocations.h"
#include "mbs/session.h"
#include "models.h"

enum { STEPS = 20, STATE_MAX = 100000 };

/* Loops, contacts with memory, rigid contacts, dry friction, limits, samples, events, space, teeth, ropes. */
static const char *const names[] = {"SC",           "BouncingBall",  "NewtonsCradle",       "GenevaDrive", "StickSlip",
                                    "Elevator",     "LinearStage",   "InvertedPendulumPid", "Top",         "RSSR_ball",
                                    "RatchetWinch", "PendulumStops", "Differential",        "Door"};
enum { NAMES = sizeof names / sizeof *names };

static mbs_session *open_session(const mbs_model *model) {
  mbs_error error = {0};
  mbs_session *session = mbs_session_new(model, NULL, &error);
  if (!session) fail_msg("%s", error.message);
  assert_true(mbs_session_open_record(session));
  assert_true(mbs_session_open_states(session));
  assert_true(mbs_session_state_size(session) < STATE_MAX);
  return session;
}

/* Steps from the state, which becomes that of the end. */
static void step(mbs_session *session, char *state, double dt) {
  mbs_session_load(session, state);
  if (mbs_session_step(session, dt, NULL) != MBS_OK) fail_msg("%s", mbs_session_error(session)->message);
  mbs_session_save(session, state);
}

/* Fills the coordinates and rates of the recorded state. */
static const double *record(mbs_session *session) {
  size_t count;
  assert_int_equal(mbs_session_record(session), MBS_OK);
  const mbs_array *arrays = mbs_session_arrays(session, &count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(arrays[i].name, "uT") == 0) return arrays[i].data;
  return NULL;
}

/* Returns a document whose motion lasts STEPS times dt. */
static char *moving(const char *name, double dt) {
  char *analysis = models_text(PART({"analysis": {"type": "dynamics", "t_end": %.17g, "dt": %.17g,
                                                  "integrator": {"rtol": 1e-9, "atol": 1e-10}}}),
                                     STEPS * dt, dt);
  char *text = models_named_with(name, analysis);
  free(analysis);
  return text;
}

static void test_agree_with_runs(void **state) {
  (void)state;
  static char bytes[STATE_MAX];
  const double dt = 0.02;
  for (size_t i = 0; i < NAMES; i += MODELS_EVERY) {
    char *text = moving(names[i], dt);
    mbs_model *model = models_build(text, NULL);
    mbs_result *result = models_run(text, NULL);
    mbs_session *session = open_session(model);
    const size_t columns = models_columns(result, "uT");
    mbs_session_save(session, bytes);
    for (size_t row = 1; row <= STEPS; row++) {
      step(session, bytes, dt);
      const double *own = record(session), *other = models_row(result, "uT", row);
      for (size_t k = 0; k < columns; k++)
        if (!(fabs(own[k] - other[k]) < 1e-5 * fmax(1, fabs(other[k]))))
          fail_msg("%s: column %zu differs at t = %g: %.9g, not %.9g", names[i], k, (double)row * dt, own[k], other[k]);
    }
    mbs_session_free(session);
    mbs_result_free(result);
    mbs_model_free(model);
    free(text);
  }
}

/* Readings, failed calls and other sessions do not change the bits of what follows. */
static void test_same_bits(void **state) {
  (void)state;
  static char start[STATE_MAX], one[STATE_MAX], two[STATE_MAX];
  const double dt = 0.02;
  for (size_t i = 0; i < NAMES; i += MODELS_EVERY) {
    char *text = moving(names[i], dt);
    mbs_model *model = models_build(text, NULL), *again = models_build(text, NULL);
    mbs_session *session = open_session(model), *other = open_session(again);
    const size_t size = mbs_session_state_size(session);
    assert_int_equal(mbs_session_state_size(other), size);
    mbs_session_save(session, start);
    for (int k = 0; k < 7; k++) step(session, start, dt);
    memcpy(one, start, size);
    memcpy(two, start, size);
    for (int k = 0; k < 5; k++) step(session, one, dt);
    for (int k = 0; k < 5; k++) {
      step(other, two, dt);
      (void)record(other);
      assert_int_not_equal(mbs_session_step(other, -1, NULL), MBS_OK);
    }
    if (memcmp(one, two, size) != 0) fail_msg("%s: another state follows", names[i]);
    step(session, start, dt);
    mbs_session_free(session);
    mbs_session_free(other);
    mbs_model_free(model);
    mbs_model_free(again);
    free(text);
  }
}

static void test_no_allocations(void **state) {
  (void)state;
  static char bytes[STATE_MAX];
  for (size_t i = 0; i < NAMES; i++) {
    char *text = moving(names[i], 0.02);
    mbs_model *model = models_build(text, NULL);
    mbs_session *session = open_session(model);
    mbs_session_save(session, bytes);
    for (int k = 0; k < 4; k++) step(session, bytes, 0.02);
    const size_t before = allocations_made();
    for (int k = 0; k < 4; k++) step(session, bytes, 0.02);
    if (allocations_made() != before) fail_msg("%s allocates", names[i]);
    mbs_session_free(session);
    mbs_model_free(model);
    free(text);
  }
}

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

MODEL(cart,
    {"space": "planar", "gravity": [0, 0], "inputs": {"u": 0},
     "ground": {"points": {"O": [0, 0]}, "vectors": {"e": [1, 0]}},
     "bodies": [{"name": "cart", "mass": 2, "inertia": 1, "points": {"C": [0, 0]}, "vectors": {"e": [1, 0]}}],
     "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "cart.C"],
                 "vectors": ["ground.e", "cart.e"]}],
     "forces": [{"name": "push", "type": "force", "body": "cart", "value": ["if(u > 1.5, 3, u)", 0]},
                {"name": "spring", "type": "spring-damper", "points": ["ground.A", "cart.C"], "stiffness": 8,
                 "free_length": "2 + u/10"}],
     "variables": {"n": 0},
     "events": [{"name": "high", "when": "u > 1.8", "set": {"n": "n + 1"}}],
     "sensors": [{"name": "count", "value": "n"}],
     "analysis": {"type": "dynamics", "t_end": 1, "dt": 0.1, "integrator": {"rtol": 1e-10, "atol": 1e-12}}});

static double held(int k) { return 0.5 * ((7 * k) % 5); }

/* x'' = (F(u_k) - 8 x + 0.8 u_k) / 2 in step k, with F = 3 above 1.5; an event counts rises above 1.8. */
static void test_held_inputs(void **state) {
  (void)state;
  static char bytes[STATE_MAX];
  char *text = models_with(cart, PART({"ground": {"points": {"O": [0, 0], "A": [-2, 0]}, "vectors": {"e": [1, 0]}}}));
  mbs_model *model = models_build(text, NULL);
  mbs_session *session = open_session(model);
  const double h = 0.1, w = 2;
  double x = 0, v = 0, start, counted = 0;
  assert_int_equal(mbs_model_inputs(model), 1);
  assert_string_equal(mbs_model_input(model, 0, &start), "u");
  mbs_session_save(session, bytes);
  for (int k = 0; k < STEPS; k++) {
    const double u = held(k), rest = ((u > 1.5 ? 3 : u) + 0.8 * u) / 8, c = cos(w * h), s = sin(w * h), from = x - rest;
    mbs_session_load(session, bytes);
    assert_int_equal(mbs_session_set_inputs(session, &u), MBS_OK);
    mbs_session_save(session, bytes); /* inputs are part of the state */
    step(session, bytes, h);
    x = rest + from * c + v / w * s;
    v = -from * w * s + v * c;
    counted += k > 0 && u > 1.8 && held(k - 1) <= 1.8;
    const double *row = record(session);
    if (!(fabs(row[0] - x) < 1e-8 && fabs(row[1] - v) < 1e-8))
      fail_msg("step %d: x = %.12g, v = %.12g, not %.12g, %.12g", k, row[0], row[1], x, v);
    size_t count;
    const mbs_array *arrays = mbs_session_arrays(session, &count);
    for (size_t i = 0; i < count; i++)
      if (strcmp(arrays[i].name, "count") == 0 && arrays[i].data[0] != counted)
        fail_msg("step %d: %g events, not %g", k, arrays[i].data[0], counted);
  }
  const double nothing = NAN;
  assert_int_equal(mbs_session_set_inputs(session, &nothing), MBS_NOT_FINITE);
  mbs_session_free(session);
  mbs_model_free(model);
  free(text);
}

/* A driver follows x = sin(t), whose value and rates are given at each step. */
static void test_driven(void **state) {
  (void)state;
  static char bytes[STATE_MAX];
  char *text =
      models_with(cart, PART({"inputs": {"u": 0, "u_d": 1, "u_dd": 0}, "forces": [], "events": [],
                                       "drivers": [{"name": "motor", "type": "joint", "joint": "rail",
                                                    "function": "u"}]}));
  mbs_model *model = models_build(text, NULL);
  mbs_session *session = open_session(model);
  const double h = 0.05;
  mbs_session_save(session, bytes);
  for (int k = 0; k < STEPS; k++) {
    const double t = k * h, inputs[3] = {sin(t), cos(t), -sin(t)};
    mbs_session_load(session, bytes);
    assert_int_equal(mbs_session_set_inputs(session, inputs), MBS_OK);
    mbs_session_save(session, bytes);
    step(session, bytes, h);
    const double *row = record(session);
    const double x = inputs[0] + h * (inputs[1] + h * inputs[2] / 2), v = inputs[1] + h * inputs[2];
    if (!(fabs(row[0] - x) < 1e-9 && fabs(row[1] - v) < 1e-9)) fail_msg("step %d: %g, %g", k, row[0] - x, row[1] - v);
  }
  mbs_session_free(session);
  mbs_model_free(model);
  free(text);
}

int main(void) {
  allocations_start();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agree_with_runs), cmocka_unit_test(test_same_bits),
                                     cmocka_unit_test(test_no_allocations), cmocka_unit_test(test_held_inputs),
                                     cmocka_unit_test(test_driven)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
