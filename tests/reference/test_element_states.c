/* States, modes and events of an element: a relay with a lag (tests/elements/relay.c) that pushes a slider. Between two
 * events, from (x0, v0, z0) and with the target a,
 *
 *   z = a - (a - z0) e,   e = exp(-s / tau),
 *   v = v0 + g / m (a s - (a - z0) tau (1 - e)),
 *   x = x0 + v0 s + g / m (a s^2 / 2 - (a - z0) tau (s - tau (1 - e))). */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"

#include <math.h>

static const double tau = 0.3, level = 0.6, gain = 5, mass = 2, first = 0.1;

typedef struct relay_state {
  double t, x, v, z;
  bool on;
} relay_state;

static relay_state moved(const relay_state *from, double s) {
  const double a = from->on ? 1 : -1, e = exp(-s / tau), left = (a - from->z) * tau;
  return (relay_state){.t = from->t + s,
                       .x = from->x + from->v * s + gain / mass * (a * s * s / 2 - left * (s - tau * (1 - e))),
                       .v = from->v + gain / mass * (a * s - left * (1 - e)),
                       .z = a - (a - from->z) * e,
                       .on = from->on};
}

/* Returns the time from a state to its event. */
static double lasting(const relay_state *from) {
  const double a = from->on ? 1 : -1, to = from->on ? level : -level;
  return -tau * log((a - to) / (a - from->z));
}

/* Returns the state at t, and how often the relay has switched off before. */
static relay_state state_at(double t, size_t *offs) {
  relay_state now = {.z = first, .on = true};
  *offs = 0;
  while (now.t + lasting(&now) < t) {
    now = moved(&now, lasting(&now));
    *offs += now.on;
    now.on = !now.on;
  }
  return moved(&now, t - now.t);
}

static const char slider[] = JSON({
  "space": "planar",
  "gravity": [0, 0],
  "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
  "bodies": [{"name": "b", "mass": 2, "inertia": 1, "points": {"P": [0, 0]}, "vectors": {"u": [1, 0]}}],
  "joints": [{"name": "slide", "type": "translational", "points": ["ground.O", "b.P"], "vectors": ["ground.u", "b.u"]}],
  "forces": [{"name": "relay", "type": "relay", "joint": "slide", "start": 0.1, "time": 0.3, "level": 0.6, "gain": 5}]
});

static void expect_relay(const model_run *run, double tolerance) {
  for (long row = 0; row <= 20; row++) {
    size_t offs;
    const relay_state now = state_at(0.1 * (double)row, &offs);
    assert_close(model_run_value(run, "r", row, 0), now.x, tolerance);
    assert_close(model_run_value(run, "rd", row, 0), now.v, tolerance);
    assert_close(model_run_value(run, "forces", row, 0), gain * now.z, tolerance);
    assert_close(model_run_value(run, "forces", row, 1), now.z, tolerance);
  }
}

/* Checks rows, instants of the events, and work (the kinetic energy of the slider) in each method and formulation. */
static void test_relay(void **unused) {
  static const char *const methods[] = {JSON({"method": "dopri5", "rtol": 1e-10, "atol": 1e-12}),
                                        JSON({"method": "dop853", "rtol": 1e-10, "atol": 1e-12}),
                                        JSON({"method": "rk4", "fixed_step": 0.001}),
                                        JSON({"method": "bdf", "rtol": 1e-10, "atol": 1e-12})};
  static const double tolerances[] = {1e-8, 1e-8, 1e-8, 1e-7};
  (void)unused;
  for (int k = 0; k < 8; k++) {
    char *analysis = models_text(
        PART({"analysis": {"type": "dynamics", "t_end": 2, "dt": 0.1, "formulation": "%s",
                                                    "integrator": %s}}),
             k % 2 ? "body" : "joint", methods[k / 2]);
    model_run run = model_run_merged(slider, analysis);
    model_run_require(&run);
    expect_relay(&run, tolerances[k / 2]);
    size_t offs;
    const relay_state end = state_at(2, &offs);
    assert_true(offs > 1);
    assert_int_equal(model_run_events(&run, "relay", "off"), offs);
    relay_state start = {.z = first, .on = true};
    assert_close(model_run_event(&run, "relay", "off", 0), lasting(&start), tolerances[k / 2]);
    assert_close(model_run_value(&run, "energy", -1, 0), mass * end.v * end.v / 2, 10 * tolerances[k / 2]);
    assert_close(model_run_value(&run, "energy", -1, 2), mass * end.v * end.v / 2, 10 * tolerances[k / 2]);
    model_run_free(&run);
    free(analysis);
  }
}

/* Assembly shows the start of the states. */
static void test_other_analyses(void **unused) {
  (void)unused;
  model_run run = model_run_merged(slider, JSON({"analysis": {"type": "assembly"}}));
  model_run_require(&run);
  assert_close(model_run_value(&run, "forces", 0, 1), first, 0);
  model_run_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_relay), cmocka_unit_test(test_other_analyses)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
