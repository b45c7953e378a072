/* Motions with many rigid contacts: discs that fall into a box, with and without friction, a box that is dropped on a
 * stack beside its middle, a hinged chain that falls on a floor. There are no closed forms; each motion reaches its
 * end, keeps its energy balance, and lets no surfaces penetrate each other. */
#include "close.h"
#include "list.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>

static const char floor_line[] = PART({"type": "line", "name": "f", "from": [-20, 0], "to": [20, 0]});

/* Runs a motion of bodies b0, b1.. whose shapes s touch one another and the shapes `touched` of the ground, with
 * restitution 0. Frees the lists. */
static model_run run_pile(text_list *ground, text_list *bodies, text_list *joints, const char *touched, double mu,
                          double t_end) {
  text_list *shapes = list_open();
  list_add(shapes, "%s", touched);
  for (size_t i = 0; i < bodies->count; i++) list_add(shapes, "\"b%zu.s\"", i);
  text_list *law = list_open();
  list_add(law, PART("law": "rigid"));
  if (mu > 0) list_add(law, PART("friction": {"law": "coulomb", "mu_dynamic": %g}), mu);
  char *analysis = models_text(
      PART({"analysis": {"type": "dynamics", "t_end": %g, "dt": %g,
                                                  "integrator": {"rtol": 1e-6, "atol": 1e-8}}}),
            t_end, t_end / 4);
  char *document =
      list_fill(PART({"space": "planar", "gravity": [0, -9.81], "ground": {"shapes": [%s]}, "bodies": [%s],
                      "joints": [%s],
                      "forces": [{"name": "c", "type": "contact", "shapes": [%s], %s}]}),
                                                                        ground, bodies, joints, shapes, law);
  model_run run = model_run_with(document, analysis);
  model_run_require(&run);
  const mbs_report *report = &run.result->report;
  assert_close(report->energy_change_max, 0, 1e-6 * report->energy_scale);
  return run;
}

/* Returns the coordinate k of body i in the last row. */
static double place(const model_run *run, int i, int k) { return model_run_value(run, "r", -1, (size_t)(2 * i + k)); }

/* ---- discs --------------------------------------------------------------------------------------------------- */

static void drop_discs(int count, int across, double mu, double t_end) {
  static const double radius = 0.1, deep = 1e-6;
  const double half = 0.13 * across, high = 0.26 * (count / across + 2);
  text_list *ground = list_open(), *bodies = list_open();
  list_add(ground, PART({"type": "line", "name": "f", "from": [%g, 0], "to": [%g, 0]}), -half, half);
  list_add(ground, PART({"type": "line", "name": "l", "from": [%g, 0], "to": [%g, %g]}), -half, -half, high);
  list_add(ground, PART({"type": "line", "name": "r", "from": [%g, 0], "to": [%g, %g]}), half, half, high);
  for (int i = 0; i < count; i++)
    list_add(bodies,
             PART({"name": "b%d", "mass": 1, "inertia": 0.005,
                           "shapes": [{"type": "circle", "name": "s", "radius": %g}],
                           "initial": {"position": [%.17g, %.17g]}}),
                   i, radius, -half + 0.13 + 0.26 * (i % across) + 0.015 * sin(7.3 * i + 1),
                   0.15 + 0.26 * (i / across));
  model_run run = run_pile(ground, bodies, list_open(), "\"ground.f\", \"ground.l\", \"ground.r\"", mu, t_end);
  for (int i = 0; i < count; i++) {
    assert_true(place(&run, i, 1) >= radius - deep);
    assert_true(fabs(place(&run, i, 0)) <= half - radius + deep);
    for (int k = 0; k < i; k++)
      assert_true(hypot(place(&run, i, 0) - place(&run, k, 0), place(&run, i, 1) - place(&run, k, 1)) >=
                  2 * radius - deep);
  }
  model_run_free(&run);
}

static void test_discs(void **state) {
  (void)state;
  drop_discs(12, 3, 0.5, 1);
}

static void test_discs_without_friction(void **state) {
  (void)state;
  drop_discs(25, 5, 0, 0.5);
}

/* ---- boxes --------------------------------------------------------------------------------------------------- */

/* A box whose mass centre is above the next one comes to rest on it. */
static void test_box_off_centre(void **state) {
  (void)state;
  text_list *ground = list_open(), *bodies = list_open();
  list_add(ground, "%s", floor_line);
  for (int i = 0; i < 4; i++)
    list_add(bodies, PART({"name": "b%d", "mass": 1, "inertia": %.17g,
                           "shapes": [{"type": "rectangle", "name": "s", "width": 1, "height": 1}],
                           "initial": {"position": [%g, %g]}}),
                           i, 1.0 / 6, i == 3 ? 0.3 : 0, i + 0.5 + (i == 3 ? 0.2 : 0));
  model_run run = run_pile(ground, bodies, list_open(), "\"ground.f\"", 0.5, 2);
  assert_close(place(&run, 3, 1), 3.5, 1e-6);
  for (size_t k = 0; k < 8; k++) assert_close(model_run_value(&run, "rd", -1, k), 0, 1e-6);
  model_run_free(&run);
}

/* ---- a chain ------------------------------------------------------------------------------------------------- */

static void test_chain(void **state) {
  (void)state;
  enum { LINKS = 10 };
  const double length = 0.2, radius = 0.05, slope = 0.3;
  text_list *ground = list_open(), *bodies = list_open(), *joints = list_open();
  list_add(ground, "%s", floor_line);
  for (int i = 0; i < LINKS; i++)
    list_add(bodies, PART({"name": "b%d", "mass": 0.1, "inertia": %.17g,
                           "points": {"A": [-0.1, 0], "B": [0.1, 0]},
                           "shapes": [{"type": "circle", "name": "s", "radius": %g}],
                           "initial": {"position": [%.17g, %.17g], "angle": %g}}),
                                            i, 0.1 * length * length / 12, radius, (i + 0.5) * length * cos(slope),
                                            0.2 + (i + 0.5) * length * sin(slope), slope);
  for (int i = 1; i < LINKS; i++)
    list_add(joints, PART({"name": "j%d", "type": "revolute", "points": ["b%d.B", "b%d.A"]}), i, i - 1, i);
  model_run run = run_pile(ground, bodies, joints, "\"ground.f\"", 0.5, 1.5);
  for (int i = 0; i < LINKS; i++) assert_true(place(&run, i, 1) >= radius - 1e-6);
  model_run_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_discs),
      cmocka_unit_test(test_discs_without_friction),
      cmocka_unit_test(test_box_off_centre),
      cmocka_unit_test(test_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
