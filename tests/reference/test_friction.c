/* Friction in joints: stopping, sticking and slipping. */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include "elements/forces/friction_law.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

/* Checks the coefficients at known points. */
static void test_laws(void **state) {
  (void)state;
  mbs_friction_law law = {.kind = MBS_FRICTION_BROWN_MCPHEE, .mu_static = 0.5, .mu_dynamic = 0.3, .transition = 0.01};
  assert_close(mbs_friction_coefficient(&law, 0.01), 0.3 * tanh(4) + 0.2, 1e-15);
  assert_close(mbs_friction_coefficient(&law, 10), 0.3, 1e-8);
  law.viscous = 0.1;
  assert_close(mbs_friction_coefficient(&law, 10), 1.3, 1e-8);
  law = (mbs_friction_law){.kind = MBS_FRICTION_ANDERSON,
                           .mu_static = 0.2,
                           .mu_dynamic = 0.15,
                           .transition = 1e-4,
                           .stribeck = 1e-3,
                           .exponent = 2};
  assert_close(mbs_friction_coefficient(&law, 5e-4), (0.15 + 0.05 * exp(-0.25)) * tanh(5), 1e-15);
  for (int kind = MBS_FRICTION_TANH; kind <= MBS_FRICTION_BROWN_MCPHEE; kind++) {
    *(int *)&law.kind = kind;
    assert_close(mbs_friction_coefficient(&law, 0), 0, 0);
    assert_close(mbs_friction_coefficient(&law, -3e-4), -mbs_friction_coefficient(&law, 3e-4), 0);
  }
}

MODEL(slider,
    {"space": "planar",
     "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
     "bodies": [
       {"name": "block", "mass": 2, "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
     "joints": [
       {"name": "rail", "type": "translational", "points": ["ground.O", "block.B"],
        "vectors": ["ground.u", "block.u"], "initial": {"velocity": 3}}],
     "forces": [%s],
     "analysis": {"type": "dynamics", "t_end": 2, "dt": 0.01, "formulation": "%s",
                  "integrator": {"method": "%s", "rtol": 1e-8, "atol": 1e-10}}});

/* Runs a slider. `law`: an object with the fields of the friction law. */
static model_run run_slider(const char *law, const char *formulation, const char *method) {
  char *rub = models_merged(JSON({"name": "rub", "type": "friction", "joint": "rail"}), law);
  model_run run = model_run_text(slider, rub, formulation, method);
  free(rub);
  return run;
}

/* A block of 2 kg at 3 m/s under a load of 10 N with mu 0.3 stops after 2 s x 3 / 3 and 3 m. */
static void test_sliding_block(void **state) {
  (void)state;
  static const char *const formulations[] = {"joint", "body"}, *const methods[] = {"dopri5", "bdf"};
  for (int k = 0; k < 4; k++) {
    model_run run = run_slider(JSON({"law": "coulomb", "mu_dynamic": 0.6, "preload": -10, "transition_velocity": 1e-3}),
                               formulations[k % 2], methods[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "rd", 50, 0), 3 - 3 * 0.5, 1e-6);
    assert_close(model_run_value(&run, "forces", 50, 0), -6, 1e-9);
    assert_close(model_run_value(&run, "rd", 99, 0), 0.03, 1e-6);
    assert_close(model_run_value(&run, "rd", 102, 0), 0, 1e-6);
    assert_close(model_run_value(&run, "r", -1, 0), 1.5, 1e-5);
    assert_close(model_run_value(&run, "energy", -1, 3), 9, 1e-6);
    assert_true(run.result->report.energy_change_max < 1e-6);
    model_run_free(&run);
  }
}

/* A belt accelerates the block; its power counts as work. */
static void test_belt(void **state) {
  (void)state;
  model_run run =
      run_slider(JSON({"mu_dynamic": 0.3, "mu_static": 0.4, "preload": 20, "belt_speed": 5}), "joint", "bdf");
  model_run_require(&run);
  assert_close(model_run_value(&run, "rd", -1, 0), 5, 1e-3);
  /* The block slides at initially 2 m/s for 2 x 2 / 6 s under 6 N. */
  assert_close(model_run_value(&run, "energy", -1, 3), 4, 1e-2);
  assert_close(model_run_value(&run, "energy", -1, 2), 4 + 0.5 * 2 * (25 - 9), 1e-2);
  assert_true(run.result->report.energy_change_max < 1e-5);
  model_run_free(&run);
}

/* A wheel on a shaft: J omega' = -mu N r. */
static void test_bearing(void **state) {
  (void)state;
  MODEL(bearing,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "wheel", "mass": 1, "inertia": 0.5, "points": {"C": [0, 0]}}],
       "joints": [
         {"name": "shaft", "type": "revolute", "points": ["ground.O", "wheel.C"],
          "initial": {"velocity": -8}}],
       "forces": [
         {"name": "rub", "type": "friction", "joint": "shaft", "law": "anderson", "mu_dynamic": 0.2,
          "preload": "40 + 10*t", "radius": 0.05}],
       "analysis": {"type": "dynamics", "t_end": 4, "dt": 0.1, "integrator": {"rtol": 1e-9}}});
  model_run run = model_run_text(bearing);
  model_run_require(&run);
  assert_close(model_run_value(&run, "pd", -1, 0), -8 + 0.2 * 0.05 / 0.5 * (40 * 4 + 5 * 16), 1e-6);
  assert_close(model_run_value(&run, "forces", -1, 0), 0.2 * 0.05 * 80, 1e-9);
  model_run_free(&run);
}

/* Returns the acceleration of CB of DAP_BC by the formula of its programs, with small steps of the classical method. */
static double belt_acceleration(double x, double v) {
  double slip = 0.1 - v;
  return -10 * (x - 0.8) + 9.81 * (0.15 + 0.05 * exp(-slip * slip * 1e6)) * tanh(1e4 * slip);
}

static void test_stick_slip(void **state) {
  (void)state;
  const double h = 2e-5;
  double x = 1, v = 0;
  model_run run = model_run_file("CB_bc");
  model_run_require(&run);
  int sticks = 0;
  for (long step = 0; step <= 1000000; step++) {
    if (step % 1000 == 0) {
      const long row = step / 1000;
      assert_close(model_run_value(&run, "r", row, 0), x, 2e-5);
      assert_close(model_run_value(&run, "Lam", row, 0), 9.81, 1e-9); /* sign as in DAP_BC */
      assert_close(model_run_value(&run, "Lam", row, 1), 0, 1e-9);
      sticks += fabs(0.1 - v) < 1e-4;
    }
    const double a1 = belt_acceleration(x, v);
    const double v2 = v + 0.5 * h * a1, a2 = belt_acceleration(x + 0.5 * h * v, v2);
    const double v3 = v + 0.5 * h * a2, a3 = belt_acceleration(x + 0.5 * h * v2, v3);
    const double v4 = v + h * a3, a4 = belt_acceleration(x + h * v3, v4);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  assert_in_range(sticks, 100, 900);
  /* Stability limits the steps of explicit methods here, and the report gives advice. */
  assert_true(run.result->report.steps < 4000);
  model_run_free(&run);
}

static size_t notes_with(const model_run *run, const char *part) {
  size_t count = 0;
  for (size_t i = 0; i < run->result->report.note_count; i++)
    count += strstr(run->result->report.notes[i], part) != NULL;
  return count;
}

/* A load below the limit makes smooth friction creep, at v_t atanh(share of the limit), which the report notes once.
 * The creep is faster the nearer the load is to the limit; without a load the block comes to rest. A load above the
 * limit moves the block, which is not creep, also where static friction falls to dynamic. */
static void test_creep(void **state) {
  (void)state;
  static const char *const laws[] = {"tanh", "anderson", "brown-mcphee"};
  static const double shares[] = {0, 0.5, 0.84, 0.97, 1.2};
  MODEL(creep,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "gravity": [%g, 0],
       "bodies": [
         {"name": "block", "mass": 1, "inertia": 1, "points": {"B": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "block.B"],
          "vectors": ["ground.u", "block.u"], "initial": {"velocity": %g}}],
       "forces": [
         {"name": "rub", "type": "friction", "joint": "rail", "law": "%s", "mu_dynamic": 0.6,
          "preload": 1, "transition_velocity": 2e-3 %s}],
       "analysis": {"type": "dynamics", "t_end": 10, "dt": 0.5, "integrator": {"method": "bdf"}}});
  for (int k = 0; k < 15; k++) {
    const double share = shares[k / 3];
    const bool creeps = share > 0 && share < 1;
    model_run run = model_run_text(creep, 0.6 * share, 0.05, laws[k % 3], "");
    char slip[120];
    model_run_require(&run);
    const double v = 2e-3 * atanh(share) / (k % 3 == 2 ? 4 : 1);
    if (share < 1) assert_close(model_run_value(&run, "rd", -1, 0), v, 1e-8);
    assert_int_equal(notes_with(&run, "'rub' creeps"), creeps);
    snprintf(slip, sizeof slip,
             "%.3g m/s, where dry friction would stick: its law is smooth, with a transition_velocity of 0.002 m/s", v);
    assert_int_equal(notes_with(&run, slip), creeps);
    model_run_free(&run);
  }
  for (int k = 0; k < 2; k++) { /* starts at 3 v_t, where the load is below the coefficient, or above it, which falls */
    static const char falls[] = PART(, "mu_static": 0.9, "stribeck_velocity": 3e-3);
    model_run run = model_run_text(creep, k ? 0.5 : 0.85, k ? 0.0 : 6e-3, "anderson", falls);
    model_run_require(&run);
    assert_int_equal(notes_with(&run, "'rub' creeps"), k);
    model_run_free(&run);
  }
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *fields, *part;
  } cases[] = {{JSON({"mu_dynamic": 0.3, "preload": 1, "radius": 1}), "no 'radius'"},
               {JSON({"mu_dynamic": 0.3, "preload": 1, "coordinate": 2}), "no coordinate 2"},
               {JSON({"mu_dynamic": 0.3, "preload": 1, "stribeck_velocity": 1}), "does not apply to the law"},
               {JSON({"mu_dynamic": 0.3}), "preload"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    model_run run = run_slider(cases[k].fields, "joint", "dopri5");
    assert_null(run.model);
    if (!strstr(run.error.message, cases[k].part)) fail_msg("%s: %s", cases[k].fields, run.error.message);
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_laws),     cmocka_unit_test(test_sliding_block), cmocka_unit_test(test_belt),
      cmocka_unit_test(test_bearing),  cmocka_unit_test(test_stick_slip),    cmocka_unit_test(test_creep),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
