/* test_frequency_response.c - responses against closed forms, in both formulations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "model_run.h"
#include "models.h"

static const double pi = 3.14159265358979323846, g = 9.81;
static const char *const formulations[] = {"joint", "body"};

static model_run respond(const char *model, const char *members, int formulation) {
  char *analysis = models_text(PART({"analysis": {"type": "frequency-response", "formulation": "%s", %s}}),
                                    formulations[formulation], members);
  model_run run = model_run_merged(model, analysis);
  free(analysis);
  return run;
}

static double complex response(const model_run *run, size_t frequency, size_t output, size_t input) {
  const mbs_array *array = mbs_result_array(run->result, "response");
  assert_int_equal(array->shape[3], 2);
  const double *at = array->data + 2 * ((frequency * array->shape[1] + output) * array->shape[2] + input);
  return at[0] + at[1] * I;
}

static void assert_response(const model_run *run, size_t frequency, size_t output, size_t input,
                            double complex wanted) {
  const double complex found = response(run, frequency, output, input);
  if (!(cabs(found - wanted) <= 1e-10 * (1e-3 + cabs(wanted))))
    fail_msg("response %zu %zu %zu: %.15g %+.15g i, wanted %.15g %+.15g i", frequency, output, input, creal(found),
             cimag(found), creal(wanted), cimag(wanted));
}

/* A mass on a spring and damper whose other end a driver moves, and a force F on the mass: position, velocity,
 * acceleration of the mass, effort of the driver, and F itself. */
static void test_suspension(void **state) {
  (void)state;
  const double m = 2, c = 3, k = 50, carrier = 1;
  MODEL(model,
      {"space": "planar", "parameters": {"F": 0},
       "ground": {"points": {"O": [0, 0], "W": [-1, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "w", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
                  {"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "base", "type": "translational", "points": ["ground.W", "w.C"],
                   "vectors": ["ground.u", "w.u"]},
                  {"name": "j", "type": "translational", "points": ["ground.O", "b.C"], "vectors": ["ground.u", "b.u"],
                   "initial": {"position": 0.4}}],
       "drivers": [{"name": "d", "type": "joint", "joint": "base", "function": "0"}],
       "forces": [{"name": "s", "type": "spring-damper", "points": ["w.C", "b.C"], "stiffness": 50, "damping": 3,
                   "free_length": 1},
                  {"name": "f", "type": "force", "body": "b", "value": ["F", 0]}],
       "sensors": [{"name": "x", "value": "b.x"}, {"name": "v", "value": "b.vx"}, {"name": "a", "value": "b.ax"},
                   {"name": "e", "value": "d.effort"}, {"name": "given", "value": "F"}]});
  EACH_FORMULATION(f) {
    model_run run = respond(
        model, PART("input": ["F", "d"], "output": ["x", "v", "a", "e", "given"],
                                 "frequencies": {"from": 0.1, "to": 10, "count": 5, "scale": "log"}), f);
    model_run_require(&run);
    for (size_t i = 0; i < 5; i++) {
      const double frequency = pow(10, 0.5 * (double)i - 1);
      const double complex s = 2 * pi * frequency * I, H = 1 / (m * s * s + c * s + k), T = (c * s + k) * H;
      assert_close(mbs_result_array(run.result, "frequency")->data[i], frequency, 1e-12 * frequency);
      assert_response(&run, i, 0, 0, H);
      assert_response(&run, i, 1, 0, s * H);
      assert_response(&run, i, 2, 0, s * s * H);
      assert_response(&run, i, 3, 0, -(c * s + k) * H);
      assert_response(&run, i, 4, 0, 1);
      assert_response(&run, i, 0, 1, T);
      assert_response(&run, i, 1, 1, s * T);
      assert_response(&run, i, 2, 1, s * s * T);
      assert_response(&run, i, 3, 1, carrier * s * s + (c * s + k) * (1 - T));
      assert_response(&run, i, 4, 1, 0);
    }
    model_run_free(&run);
  }
}

/* A pendulum, also as a cut joint, on a carriage that a driver moves: (m l^2 + J) s^2 + c s + m g l, times theta,
 * is -m l s^2. */
static void test_pendulum_on_a_carriage(void **state) {
  (void)state;
  const double m = 1.5, l = 0.4, J = 0.03, c = 0.2;
  MODEL(format,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "w", "mass": 1, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}},
                  {"name": "b", "mass": 1.5, "inertia": 0.03, "points": {"P": [0, 0.4]},
                   "initial": {"angle": 0.3}}],
       "joints": [{"name": "base", "type": "translational", "points": ["ground.O", "w.C"],
                   "vectors": ["ground.u", "w.u"]},
                  {"name": "j", "type": "revolute", "points": ["w.C", "b.P"]%s}],
       "drivers": [{"name": "d", "type": "joint", "joint": "base", "function": "0.2"}],
       "forces": [{"name": "t", "type": "rotational-spring-damper", "joint": "j", "damping": 0.2}],
       "sensors": [{"name": "angle", "value": "b.phi"}, {"name": "x", "value": "b.x"}]});
  for (int cut = 0; cut < 2; cut++) EACH_FORMULATION(f) {
      char *model = models_text(format, cut ? PART(, "cut": true) : "");
      model_run run = respond(model, PART("input": "d", "output": ["angle", "x"], "frequencies": [0, 0.7, 3]), f);
      free(model);
      model_run_require(&run);
      static const double frequencies[] = {0, 0.7, 3};
      for (size_t i = 0; i < 3; i++) {
        const double complex s = 2 * pi * frequencies[i] * I,
                             theta = -m * l * s * s / ((m * l * l + J) * s * s + c * s + m * g * l);
        assert_response(&run, i, 0, 0, theta);
        assert_response(&run, i, 1, 0, 1 + l * theta);
      }
      model_run_free(&run);
    }
}

/* A ball that rolls on a plane, with a row of velocity level: F = 7/5 m a. Without friction of rolling its response
 * has no limit at the frequency 0. */
static void test_rolling_ball(void **state) {
  (void)state;
  MODEL(model,
      {"space": "spatial", "gravity": [0, 0, -9.81], "parameters": {"F": 0},
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}},
       "bodies": [{"name": "ball", "mass": 2, "inertia": [0.008, 0.008, 0.008], "points": {"C": [0, 0, 0]},
                   "initial": {"position": [0, 0, 0.1]}}],
       "joints": [{"name": "c", "type": "rolling", "points": ["ground.O", "ball.C"], "vectors": "ground.z",
                   "radius": 0.1}],
       "forces": [{"name": "f", "type": "force", "body": "ball", "value": ["F", 0, 0]}],
       "sensors": [{"name": "x", "value": "ball.x"}, {"name": "spin", "value": "ball.omega_y"},
                   {"name": "friction", "value": "c.fx"}]});
  EACH_FORMULATION(f) {
    model_run run = respond(
        model, PART("input": "F", "output": ["x", "spin", "friction"], "frequencies": [0, 1, 5],
                                        "about": "state"), f);
    model_run_require(&run);
    assert_true(isnan(creal(response(&run, 0, 0, 0))));
    for (size_t i = 1; i < 3; i++) {
      const double complex s = 2 * pi * (i == 1 ? 1 : 5) * I;
      assert_response(&run, i, 0, 0, 1 / (2.8 * s * s));
      assert_response(&run, i, 1, 0, 1 / (0.1 * 2.8 * s));
      assert_response(&run, i, 2, 0, -2. / 7);
    }
    model_run_free(&run);
  }
}

/* A force that follows its command F with a lag T: F / (1 + T s), on a mass with a spring and a damper. */
static void test_lag(void **state) {
  (void)state;
  MODEL(model,
      {"space": "planar", "parameters": {"F": 0, "T": 0.05},
       "ground": {"points": {"O": [0, 0], "W": [-1, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"]}],
       "states": [{"name": "f", "rate": "(F - f)/T"}],
       "forces": [{"name": "s", "type": "spring-damper", "points": ["ground.W", "b.C"], "stiffness": 50, "damping": 3,
                   "free_length": 1},
                  {"name": "a", "type": "force", "body": "b", "value": ["f", 0]}],
       "sensors": [{"name": "x", "value": "b.x"}, {"name": "lag", "value": "f"}, {"name": "acc", "value": "b.ax"}]});
  EACH_FORMULATION(f) {
    model_run run = respond(model, PART("input": "F", "output": ["x", "lag", "acc"], "frequencies": [0, 0.3, 1, 8]), f);
    model_run_require(&run);
    for (size_t i = 0; i < 4; i++) {
      const double complex s = 2 * pi * mbs_result_array(run.result, "frequency")->data[i] * I,
                           lag = 1 / (1 + 0.05 * s), x = lag / (2 * s * s + 3 * s + 50);
      assert_response(&run, i, 0, 0, x);
      assert_response(&run, i, 1, 0, lag);
      assert_response(&run, i, 2, 0, s * s * x);
    }
    model_run_free(&run);
  }
}

/* A stiffness that an event could change and a force that is sampled stay as they are. */
static void test_discrete(void **state) {
  (void)state;
  MODEL(model,
      {"space": "planar", "parameters": {"F": 0}, "variables": {"k": 50},
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.1, "points": {"C": [0, 0]}, "vectors": {"u": [1, 0]}}],
       "joints": [{"name": "j", "type": "translational", "points": ["ground.O", "b.C"],
                   "vectors": ["ground.u", "b.u"]}],
       "sampled": [{"name": "damping", "period": 0.1, "initial": 1, "value": "3"}],
       "forces": [{"name": "a", "type": "force", "body": "b", "value": ["F - k*b.x - damping*b.vx", 0]}],
       "sensors": [{"name": "x", "value": "b.x"}]});
  EACH_FORMULATION(f) {
    model_run run = respond(model, PART("input": "F", "output": "x", "frequencies": [0, 1, 8]), f);
    model_run_require(&run);
    for (size_t i = 0; i < 3; i++) {
      const double complex s = 2 * pi * mbs_result_array(run.result, "frequency")->data[i] * I;
      assert_response(&run, i, 0, 0, 1 / (2 * s * s + 3 * s + 50));
    }
    model_run_free(&run);
  }
}

/* An input may change forces only: a parameter of a mass, a moment of inertia, a rotor or a place is refused. */
static void test_wrong_inputs(void **state) {
  (void)state;
  static const char *const inputs[] = {"m", "J", "A", "twice", "l", "F"};
  static const char *const words[] = {"mass", "positions"};
  MODEL(model,
      {"space": "planar", "gravity": [0, -9.81],
       "parameters": {"F": 0, "m": 1, "J": 0.1, "A": 0.2, "twice": 2, "half": "twice / 4", "l": 1},
       "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": "m", "inertia": "J + half", "points": {"C": [0, "l"]}}],
       "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.C"], "armature": "A"}],
       "forces": [{"name": "f", "type": "force", "body": "b", "value": ["F", 0]}],
       "sensors": [{"name": "x", "value": "b.x"}]});
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    char *members = models_text(PART("input": "%s", "output": "x", "frequencies": [1]), inputs[i]);
    model_run run = respond(model, members, 0);
    if (i == 5) {
      model_run_require(&run);
    } else {
      assert_null(run.model);
      assert_non_null(strstr(run.error.message, words[i == 4]));
    }
    model_run_free(&run);
    free(members);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_suspension),   cmocka_unit_test(test_pendulum_on_a_carriage),
      cmocka_unit_test(test_rolling_ball), cmocka_unit_test(test_lag),
      cmocka_unit_test(test_discrete),     cmocka_unit_test(test_wrong_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
