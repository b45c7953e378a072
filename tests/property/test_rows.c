/* Rows of results that are made together, a lane each, against the same rows one by one: all arrays bit for bit. And a
 * row is what it is whatever other rows there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/lanes.h"
#include "models.h"
#include "simulate/dynamics.h"
#include "simulate/observed.h"

/* A motion that records, its rows at most `most` at a time. */
typedef struct recorded {
  mbs_arena *arena, *scratch;
  mbs_result result;
  mbs_run_state run;
  mbs_motion motion;
  mbs_error error;
  mbs_status status;
} recorded;

static void record(recorded *self, const mbs_model *model, size_t most) {
  *self = (recorded){.arena = mbs_arena_new(0), .scratch = mbs_arena_new(0)};
  self->result.arena = self->arena;
  self->status =
      mbs_observed_begin(&self->run, model->constants, NULL, NULL, &self->result, self->scratch, &self->error);
  assert_int_equal(self->status, MBS_OK);
  self->status = mbs_motion_open(&self->motion, &self->run);
  if (self->status == MBS_OK && most > 1 && self->motion.self.rows)
    assert_true(mbs_dynamics_open_rows(&self->motion.self, &self->motion.ode, most));
  if (most == 1) self->motion.ode.rows_most = 0;
  if (self->status == MBS_OK) self->status = mbs_motion_run(&self->motion);
  self->status = mbs_observed_end(&self->run, self->status);
}

static void end(recorded *self) {
  mbs_arena_free(self->arena);
  mbs_arena_free(self->scratch);
}

static bool same_array(const mbs_array *one, const mbs_array *other, size_t rows) {
  return !one || memcmp(one->data, other->data, rows * mbs_array_columns(one) * sizeof(double)) == 0;
}

static void compare(const char *what, const recorded *one, const recorded *other) {
  const mbs_report *a = &one->result.report, *b = &other->result.report;
  const size_t rows = one->run.output.rows;
  if (one->status != other->status || strcmp(one->error.message, other->error.message) != 0)
    fail_msg("%s: \"%s\" together, \"%s\" alone", what, one->error.message, other->error.message);
  if (rows != other->run.output.rows || a->evaluations != b->evaluations || a->steps != b->steps)
    fail_msg("%s: another number of rows, evaluations or steps", what);
  assert_memory_equal(a->residual_max, b->residual_max, sizeof a->residual_max);
  assert_memory_equal(a->residual_row, b->residual_row, sizeof a->residual_row);
  assert_memory_equal(a->residual_time, b->residual_time, sizeof a->residual_time);
  assert_true(a->residual_share == b->residual_share);
  assert_true(a->energy_start == b->energy_start && a->energy_change_max == b->energy_change_max);
  assert_true(a->energy_time == b->energy_time && a->energy_scale == b->energy_scale);
  assert_int_equal(a->note_count, b->note_count);
  for (size_t id = 0; id < MBS_OUTPUT_COUNT; id++) {
    const mbs_array *array = one->run.output.arrays[id];
    if (array && !array->timeless && !same_array(array, other->run.output.arrays[id], rows))
      fail_msg("%s: '%s' differs", what, array->name);
  }
  for (size_t s = 0; s < one->run.model->sensor_count; s++)
    if (!same_array(one->run.output.sensors[s], other->run.output.sensors[s], rows))
      fail_msg("%s: the sensor '%s' differs", what, one->run.model->sensors[s].name);
}

/* Returns whether lanes took the rows of the model. */
static bool compare_widths(const mbs_model *model, const char *what) {
  recorded alone;
  record(&alone, model, 1);
  const bool taken = alone.motion.self.rows;
  for (size_t most = 4; taken && most <= MBS_LANES_MOST; most *= 2) {
    recorded together;
    record(&together, model, most);
    compare(what, &together, &alone);
    end(&together);
  }
  end(&alone);
  return taken;
}

/* ---- all models -------------------------------------------------------------------------------------------------- */

static size_t compare_documents(const char *const *documents, const char *const *names, size_t count) {
  static const char *const methods[] = {"dopri5", "dop853", "rk4"}, *const formulations[] = {"joint", "body"};
  size_t taken = 0;
  for (size_t i = 0; i < count; i += MODELS_EVERY)
    for (int k = 0; k < 6; k++) {
      char *analysis =
          models_text(PART({
                                     "type": "dynamics",
                                     "t_end": 0.5,
                                     "dt": 0.0013,
                                     "formulation": "%s",
                                     "integrator": {"method": "%s", "fixed_step": 0.01, "rtol": 1e-7, "atol": 1e-8}
                                   }),
                             formulations[k / 3], methods[k % 3]);
      mbs_diagnostics list = {0};
      mbs_model *model = models_try_build(documents[i], analysis, &list);
      if (model) taken += compare_widths(model, names[i]);
      mbs_diagnostics_free(&list);
      mbs_model_free(model);
      free(analysis);
    }
  return taken;
}

static void test_models(void **state) {
  static const char *const names[] = {"AA",
                                      "Bricard",
                                      "Cart_A_bc",
                                      "DoubleSphericalPendulum",
                                      "Excavator",
                                      "FiveBar",
                                      "FourBar",
                                      "Gears",
                                      "Governor",
                                      "McPherson_arm",
                                      "PistonEngine",
                                      "RSSR_ball",
                                      "SC",
                                      "SliderCrank3D_free",
                                      "Suspension",
                                      "TP",
                                      "TiltedPendulum",
                                      "Top",
                                      "TorqueFree",
                                      "Cam"};
  enum { COUNT = sizeof names / sizeof *names };
  char *documents[COUNT];
  (void)state;
  for (size_t i = 0; i < COUNT; i++) documents[i] = models_named(names[i]);
  const size_t taken = compare_documents((const char *const *)documents, names, COUNT);
  print_message("%zu of %d runs had rows in lanes\n", taken, 6 * ((COUNT + MODELS_EVERY - 1) / MODELS_EVERY));
  char *text = models_chain(3, 0.5);
  mbs_model *chain = models_build(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1}");
  assert_true(taken >= (mbs_lanes_take(chain) ? COUNT / MODELS_EVERY : 0));
  free(text);
  mbs_model_free(chain);
  for (size_t i = 0; i < COUNT; i++) free(documents[i]);
}

/* Random mechanisms with springs, dampers and torques. */
static void test_random(void **state) {
  enum { COUNT = 12 };
  char *documents[COUNT];
  const char *names[COUNT];
  (void)state;
  for (size_t i = 0; i < COUNT; i++) {
    documents[i] = i % 2 ? models_random_spatial(i + 1, 5, 1) : models_random(i + 1, 7, 2);
    names[i] = i % 2 ? "random, in space" : "random";
  }
  compare_documents((const char *const *)documents, names, COUNT);
  for (size_t i = 0; i < COUNT; i++) free(documents[i]);
}

/* ---- rows that more is asked of ---------------------------------------------------------------------------------- */

/* A slider on a rail that is pulled, with smooth friction or without, and a pendulum on it; sensors of all kinds. */
MODEL(pulled,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
       "bodies": [
         {"name": "s", "mass": 2, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
         {"name": "p", "mass": 1, "inertia": 0.1, "points": {"O": [0, 1]}}],
       "joints": [
         {"name": "rail", "type": "translational", "points": ["ground.O", "s.O"], "vectors": ["ground.x", "s.x"]},
         {"name": "pin", "type": "revolute", "points": ["s.O", "p.O"]}],
       "forces": [{"name": "pull", "type": "force", "body": "s", "value": ["%s", 0]} %s],
       "sensors": [
         {"name": "push", "value": "rail.fy + pull.fx"},
         {"name": "speed", "value": "p.O.vx^2 + log(0.4 - t)"},
         {"name": "jerky", "value": "p.ax*pin.qdd"}]
      });

/* Its speed is a number for longer than its energy. */
MODEL(overflowing,
      {"space": "planar",
       "ground": {"points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}},
       "bodies": [{"name": "s", "mass": 2, "inertia": 1, "points": {"O": [0, 0]}, "vectors": {"x": [1, 0]}}],
       "joints": [{"name": "rail", "type": "translational", "points": ["ground.O", "s.O"],
                   "vectors": ["ground.x", "s.x"]}],
       "forces": [{"name": "pull", "type": "force", "body": "s", "value": ["%s", 0]} %s]
      });

static void compare_asked(const char *what, const char *document, mbs_status status) {
  mbs_model *model = models_build(document, "{\"type\": \"dynamics\", \"t_end\": 8, \"dt\": 0.016,"
                                            " \"integrator\": {\"method\": \"dopri5\", \"rtol\": 1e-8}}");
  recorded alone;
  record(&alone, model, 1);
  if (alone.status != status) fail_msg("%s: status %d, %s", what, (int)alone.status, alone.error.message);
  if (mbs_lanes_take(model)) assert_non_null(alone.motion.self.rows);
  assert_true(alone.run.output.rows > 20);
  end(&alone);
  compare_widths(model, what);
  mbs_model_free(model);
}

/* Sensors and notes see the state of each row. Where a row is not finite it is left out, and what it found before is
 * kept. */
static void test_seen(void **state) {
  const char *const friction = ", {\"name\": \"rub\", \"type\": \"friction\", \"joint\": \"rail\", \"preload\": 20,"
                               " \"mu_static\": 0.3, \"mu_dynamic\": 0.2, \"law\": \"brown-mcphee\","
                               " \"transition_velocity\": 0.01}";
  char *sensors = models_text(pulled, "3*sin(5*t)", ""), *creeping = models_text(pulled, "3*sin(5*t)", friction),
       *overflows = models_text(overflowing, "6e153", "");
  (void)state;
  compare_asked("sensors", sensors, MBS_OK);
  compare_asked("creeping", creeping, MBS_OK);
  compare_asked("overflowing", overflows, MBS_NOT_FINITE);
  free(sensors);
  free(creeping);
  free(overflows);
}

/* ---- other rows -------------------------------------------------------------------------------------------------- */

/* Rows at every tenth of a second, alone and with nine others between them: the same numbers. */
static void test_other_rows(void **state) {
  static const char *const names[] = {"FourBar", "SC", "RSSR_ball", "TP"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]);
    mbs_result *few = models_run(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.125,"
                                       " \"integrator\": {\"method\": \"dopri5\", \"rtol\": 1e-8}}");
    mbs_result *many = models_run(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.00390625,"
                                        " \"integrator\": {\"method\": \"dopri5\", \"rtol\": 1e-8}}");
    static const char *const arrays[] = {"uT", "theta_dd", "rPdd", "Lam", "reactions", "energy"};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
      for (size_t row = 0; row < models_rows(few); row++)
        if (memcmp(models_row(few, arrays[a], row), models_row(many, arrays[a], 32 * row),
                   models_columns(few, arrays[a]) * sizeof(double)) != 0)
          fail_msg("%s: row %zu of '%s' depends on other rows", names[i], row, arrays[a]);
    mbs_result_free(few);
    mbs_result_free(many);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models),
      cmocka_unit_test(test_random),
      cmocka_unit_test(test_seen),
      cmocka_unit_test(test_other_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
