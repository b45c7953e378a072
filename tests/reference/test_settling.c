/* Equilibria of bodies that start above rigid surfaces, in any position: they settle on these as a motion with losses
 * would end, and every contact presses. In joint and in body coordinates. */
#include "close.h"
#include "model_run.h"
#include "models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

static const double g = 9.81;
static const char *const formulations[] = {"joint", "body"};

/* ---- in the plane -------------------------------------------------------------------------------------------- */

/* A body of 1 kg with a shape or points, at the height y and an angle above y = 0. */
static model_run settle(int f, const char *body, double y, double angle, const char *contacts, const char *analysis) {
  MODEL(text,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]},
                  "shapes": [{"type": "rectangle", "name": "slab", "at": [0, -0.1], "width": 4, "height": 0.2},
                             {"type": "arc", "name": "bowl", "at": [0, 0], "radius": 1, "from": "pi", "to": "2*pi",
                              "side": "inside"}]},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.02, %s,
                   "initial": {"position": [%.17g, %.17g], "angle": %.17g}}],
       "forces": [%s],
       "sensors": [{"name": "y", "value": "b.y"}, {"name": "phi", "value": "b.phi"}, {"name": "x", "value": "b.x"}],
       "analysis": {"formulation": "%s", %s}});
  return model_run_text(text, body, 0.0, y, angle, contacts, formulations[f], analysis);
}

static const char box[] = PART("shapes": [{"type": "rectangle", "name": "s", "width": 0.4, "height": 0.2}]);
static const char bar[] = PART("shapes": [{"type": "line", "name": "s", "from": [-0.3, 0], "to": [0.3, 0]}]);
static const char triangle[] =
    PART("shapes": [{"type": "polygon", "name": "s", "points": [[-0.3, -0.1], [0.3, -0.1], [0, 0.2]]}]);
static const char capsule[] =
    PART("shapes": [{"type": "capsule", "name": "s", "from": [-0.2, 0], "to": [0.2, 0], "radius": 0.05}]);
static const char on_line[] =
    PART({"name": "c", "type": "contact", "law": "rigid", "shapes": ["b.s"], "line": ["ground.O", "ground.u"]});
static const char on_slab[] = PART({"name": "c", "type": "contact", "law": "rigid", "shapes": ["b.s", "ground.slab"]});

/* A box, a bar, a triangle and a capsule come to lie on the side to which they tilt. A box that meets the floor exactly
 * below its mass centre does not stay on its corner. */
static void test_lies_flat(void **unused) {
  (void)unused;
  const struct {
    const char *body, *contact;
    double angle, y, phi;
  } cases[] = {
      {box, on_line, 0.1, 0.1, 0},
      {box, on_line, -0.7, 0.1, 0},
      {box, on_line, 1.2, 0.2, 1.5707963267948966},
      {box, on_line, 1.1071487177940904, NAN, NAN},
      {box, on_slab, 0.05, 0.1, 0},
      {box, on_slab, -1.4, 0.2, -1.5707963267948966},
      {bar, on_line, 0.1, 0, 0},
      {triangle, on_slab, 0.3, 0.1, 0},
      {capsule, on_line, -0.4, 0.05, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) EACH_FORMULATION(f) {
      model_run run = settle(f, cases[i].body, 0.5, cases[i].angle, cases[i].contact, PART("type": "equilibrium"));
      model_run_require(&run);
      assert_close(model_run_output(&run, "c.force", 0), g, 1e-9);
      const double y = model_run_value(&run, "y", 0, 0);
      if (isnan(cases[i].y)) {
        assert_close(fmin(fabs(y - 0.1), fabs(y - 0.2)), 0, 1e-9);
      } else {
        assert_close(y, cases[i].y, 1e-9);
        assert_close(model_run_value(&run, "phi", 0, 0), cases[i].phi, 1e-8);
      }
      assert_true(run.result->report.stable != 0);
      model_run_free(&run);
    }
}

/* Two points of the bottom: the box does not swing through the floor, to an equilibrium upside down. Their forces have
 * the shares of the lever. */
static void test_two_points(void **unused) {
  (void)unused;
  static const char points[] = PART("points": {"a": [-0.2, -0.1], "b": [0.3, -0.1]});
  static const char contacts[] =
      PART({"name": "left", "type": "contact", "law": "rigid", "point": "b.a", "line": ["ground.O", "ground.u"]},
           {"name": "right", "type": "contact", "law": "rigid", "point": "b.b", "line": ["ground.O", "ground.u"]});
  for (int k = 0; k < 8; k++) {
    model_run run = settle(k % 2, points, 0.3, 0.1 * (k / 2 - 1.5), contacts, PART("type": "equilibrium"));
    model_run_require(&run);
    assert_close(model_run_value(&run, "y", 0, 0), 0.1, 1e-9);
    assert_close(model_run_value(&run, "phi", 0, 0), 0, 1e-8);
    assert_close(model_run_output(&run, "left.force", 0), 0.6 * g, 1e-8);
    assert_close(model_run_output(&run, "right.force", 0), 0.4 * g, 1e-8);
    model_run_free(&run);
  }
}

/* A box in a bowl of radius 1 lies at the bottom, symmetric: its lower corners are on the circle. */
static void test_bowl(void **unused) {
  (void)unused;
  static const char contact[] =
      PART({"name": "c", "type": "contact", "law": "rigid", "shapes": ["b.s", "ground.bowl"]});
  for (int k = 0; k < 6; k++) {
    model_run run = settle(k % 2, box, -0.5, 0.3 * (k / 2) - 0.2, contact, PART("type": "equilibrium"));
    model_run_require(&run);
    assert_close(model_run_value(&run, "x", 0, 0), 0, 1e-8);
    assert_close(model_run_value(&run, "y", 0, 0), 0.1 - sqrt(1 - 0.04), 1e-9);
    assert_close(model_run_output(&run, "c.force", 0), g / sqrt(1 - 0.04), 1e-8);
    assert_int_equal(run.result->report.stable, 1);
    model_run_free(&run);
  }
}

/* Linearization and a motion that starts at the equilibrium find the same place. A disc rolls off a dome, and lies
 * beside it. */
static void test_other_analyses(void **unused) {
  (void)unused;
  static const char *const analyses[] = {
      PART("type": "linearization"), PART("type": "dynamics", "start": "equilibrium", "t_end": 0.1, "dt": 0.1)};
  for (int k = 0; k < 4; k++) {
    model_run run = settle(k % 2, box, 0.3, 0.1, on_line, analyses[k / 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "y", -1, 0), 0.1, 1e-9);
    assert_close(model_run_output(&run, "c.force", -1), g, 1e-9);
    model_run_free(&run);
  }
  MODEL(dome,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]},
                  "shapes": [{"type": "arc", "name": "dome", "at": [0, 0], "radius": 1, "from": 0, "to": "pi"}]},
       "bodies": [{"name": "b", "mass": 1, "inertia": 0.02, "shapes": [{"type": "circle", "name": "s", "radius": 0.1}],
                   "initial": {"position": [%g, 1.5]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["b.s", "ground.dome"],
                   "line": ["ground.O", "ground.u"]}],
       "sensors": [{"name": "x", "value": "b.x"}, {"name": "y", "value": "b.y"}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  for (int k = 0; k < 4; k++) {
    model_run run = model_run_text(dome, k / 2 ? -0.2 : 0, formulations[k % 2]);
    model_run_require(&run);
    assert_close(model_run_value(&run, "y", 0, 0), 0.1, 1e-9);
    assert_true(fabs(model_run_value(&run, "x", 0, 0)) >= sqrt(1.2) - 1e-9);
    model_run_free(&run);
  }
}

/* ---- in space ------------------------------------------------------------------------------------------------ */

static void test_in_space(void **unused) {
  (void)unused;
  MODEL(text,
      {"space": "spatial", "gravity": [0, 0, -9.81],
       "ground": {"shapes": [{"type": "half-space", "name": "floor", "normal": [0, 0, 1]},
                             {"type": "box", "name": "slab", "at": [0, 0, -0.1], "size": [4, 4, 0.2]}]},
       "bodies": [{"name": "b", "mass": 3, "inertia": [0.05, 0.06, 0.07], "shapes": [%s],
                   "initial": {"position": [0, 0, 0.4], "orientation": {"axis": [1, 2, 0], "angle": %g}}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", "shapes": ["ground.%s", "b.s"]}],
       "sensors": [{"name": "z", "value": "b.z"}, {"name": "up", "value": "b.A33"}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  static const char block[] = PART({"type": "box", "name": "s", "size": [0.4, 0.3, 0.2]});
  static const char pill[] =
      PART({"type": "capsule", "name": "s", "from": [-0.2, 0, 0], "to": [0.2, 0, 0], "radius": 0.1});
  static const char disc[] =
      PART({"type": "cylinder", "name": "s", "from": [0, 0, -0.1], "to": [0, 0, 0.1], "radius": 0.2});
  static const char roller[] =
      PART({"type": "cylinder", "name": "s", "from": [-0.2, 0, 0], "to": [0.2, 0, 0], "radius": 0.1});
  const struct {
    const char *shape, *ground;
    double angle;
    bool flat;
  } cases[] = {{block, "floor", 0.1, true}, {block, "floor", 0, true},  {block, "slab", 0.1, true},
               {pill, "floor", 0.2, false}, {disc, "floor", 0.1, true}, {roller, "floor", 0.1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) EACH_FORMULATION(f) {
      model_run run = model_run_text(text, cases[i].shape, cases[i].angle, cases[i].ground, formulations[f]);
      model_run_require(&run);
      assert_close(model_run_value(&run, "z", 0, 0), 0.1, 1e-9);
      if (cases[i].flat) assert_close(model_run_value(&run, "up", 0, 0), 1, 1e-9);
      assert_close(model_run_output(&run, "c.force", 0), 3 * g, 1e-8);
      model_run_free(&run);
    }
}

/* ---- friction ------------------------------------------------------------------------------------------------ */

/* A box above a slope of 0.2: with enough friction it stays where it lands; with too little, or without, there is no
 * equilibrium, and friction is named only if it is too small. A compliant contact that does not press at the start
 * holds by its friction, too. */
static void test_friction_where_it_lands(void **unused) {
  (void)unused;
  MODEL(text,
      {"space": "planar", "gravity": [1.8, -9],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0]}},
       "bodies": [{"name": "b", "mass": 2, "inertia": 0.05, "points": {"a": [-0.2, -0.1], "b": [0.2, -0.1]},
                   "initial": {"position": [0, %g]}}],
       "forces": [{"name": "l", "type": "contact", "point": "b.a", "line": ["ground.O", "ground.u"], %s %s},
                  {"name": "r", "type": "contact", "point": "b.b", "line": ["ground.O", "ground.u"], %s %s}],
       "sensors": [{"name": "x", "value": "b.x"}, {"name": "tug", "value": "l.friction + r.friction"}],
       "analysis": {"type": "equilibrium", "formulation": "%s"}});
  static const char *const laws[] = {PART("law": "rigid"),
                                          PART("law": "kelvin-voigt", "stiffness": 1e5, "damping": 500)};
  static const char *const frictions[] = {PART(, "friction": {"law": "coulomb", "mu_dynamic": 0.4}),
                                               PART(, "friction": {"law": "coulomb", "mu_dynamic": 0.1}), ""};
  for (int k = 0; k < 24; k++) {
    const char *law = laws[k / 2 % 2], *friction = frictions[k / 4 % 3];
    model_run run = model_run_text(text, k < 12 ? 0.1 : 0.3, law, friction, law, friction, formulations[k % 2]);
    if (k / 4 % 3 == 0) {
      model_run_require(&run);
      assert_close(model_run_value(&run, "tug", 0, 0), -3.6, 1e-7);
      assert_true(fabs(model_run_value(&run, "x", 0, 0)) < 0.1);
      assert_int_equal(run.result->report.held_count, 2);
    } else {
      assert_int_equal(run.status, MBS_NO_EQUILIBRIUM);
      assert_true((strstr(run.error.message, "is too small to hold") != NULL) == (k / 4 % 3 == 1));
      assert_true((strstr(run.error.message, "friction") != NULL) == (k / 4 % 3 == 1));
    }
    model_run_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lies_flat), cmocka_unit_test(test_two_points),
      cmocka_unit_test(test_bowl),      cmocka_unit_test(test_other_analyses),
      cmocka_unit_test(test_in_space),  cmocka_unit_test(test_friction_where_it_lands),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
