/* Rows of touches: contacts of every pair of shapes, dry friction of every kind of joint, limits. At random states, off
 * the constraints: C against differences of Phi, rhsV and rhsA against differences in time. And random mechanisms with
 * friction, limits and contacts: joint against body coordinates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/state.h"
#include "equations/touches.h"
#include "list.h"
#include "model/rows.h"
#include "models.h"
#include "probe.h"

enum { STATES = 8 };

static const char *const analyses[] = {JSON({"type": "assembly", "formulation": "body", "correct": false}),
                                       JSON({"type": "assembly", "correct": false})};

/* ---- differences --------------------------------------------------------------------------------------------- */

/* Closes all touches, but those that are beside the place where their shapes can touch. Returns the number of their
 * rows. */
static size_t use_rows(const probe *p) {
  size_t rows = 0;
  bool *none = calloc(p->model->touch_count + 1, sizeof *none);
  mbs_set_position(p->system, p->t, p->q);
  for (size_t i = 0; i < p->model->touch_count; i++) {
    const mbs_touch *touch = &p->model->touches[i];
    mbs_touch_state *state = &p->system->touches->at[i];
    *state = (mbs_touch_state){.closed = false};
    mbs_touch_look(p->system, touch);
    state->closed = touch->carrier ? p->system->touches->at[touch->carrier - 1].closed
                                   : !touch->cls->beside || !(touch->cls->beside(p->system, touch) > 0);
    state->friction = state->closed && touch->tangents ? MBS_STICKS : MBS_FRICTION_OFF;
    rows += state->closed ? (size_t)mbs_touch_rows(touch) : 0;
  }
  mbs_touches_use_rows(p->system, none);
  free(none);
  return rows;
}

/* Compares values [m] with differences of two step lengths. Where these differ, the nearest feature of a shape changes
 * beside the state, and the row has no derivative. Counts the rows of C and rhsA that it compared. */
static void compare(probe *p, const char *what, const double *values, double dt, bool rate, double sign,
                    void *compared) {
  const size_t m = p->model->rows;
  double *coarse = calloc(2 * m + 1, sizeof *coarse), *fine = coarse + m;
  size_t *count = compared;
  probe_difference(p, 2e-4, dt, rate, coarse);
  probe_difference(p, 1e-4, dt, rate, fine);
  for (size_t r = p->model->bilateral_rows; r < m; r++) {
    const double size = 1 + fabs(fine[r]);
    if (!mbs_touch_row_holds(p->system, (int)r) || (!rate && p->model->levels[r] != MBS_LEVEL_POSITION)) continue;
    if (fabs(coarse[r] - fine[r]) > 1e-7 * size) continue;
    if (strcmp(what, "rhsV") != 0) ++*count;
    if (!(fabs(values[r] - sign * fine[r]) <= 1e-6 * size))
      fail_msg("%s of row %zu (%s): %.15g, by differences %.15g", what, r, mbs_row_element(p->model, r), values[r],
               sign * fine[r]);
  }
  free(coarse);
}

static void check_rows(const char *document, const char *analysis, uint64_t *seed) {
  mbs_model *model = models_build(document, analysis);
  const size_t m = model->rows;
  probe p = probe_open(model);
  size_t compared = 0, rows = 0;
  assert_true(m > model->bilateral_rows);
  for (int state = 0; state < STATES; state++) {
    probe_randomize(&p, 0.3, seed);
    rows += use_rows(&p);
    probe_check(&p, compare, &compared);
  }
  if (!(rows > 0 && compared >= rows / 2)) fail_msg("only %zu of %zu rows have derivatives", compared, rows);
  probe_close(&p);
  mbs_model_free(model);
}

/* ---- shapes -------------------------------------------------------------------------------------------------- */

typedef struct named_shape {
  const char *name, *text;
} named_shape;

static const named_shape planar_shapes[] = {
    {"circle", JSON({"type": "circle", "name": "s", "radius": 0.3, "at": [0.1, 0.2]})},
    {"line", JSON({"type": "line", "name": "s", "from": [-0.7, 0.1], "to": [0.6, -0.2]})},
    {"rectangle",
     JSON({"type": "rectangle", "name": "s", "width": 0.8, "height": 0.5, "at": [0.1, 0.1], "angle": 0.4})},
    {"polygon", JSON({"type": "polygon", "name": "s", "points": [[-0.4, -0.3], [0.1, 0.6], [0.6, -0.2]]})},
    {"arc", JSON({"type": "arc", "name": "s", "radius": 0.6, "from": -0.9, "to": 2.8, "at": [0.1, 0]})},
    {"inside", JSON({"type": "arc", "name": "s", "radius": 2.2, "from": 0.4, "to": 5.9, "side": "inside"})},
    {"capsule", JSON({"type": "capsule", "name": "s", "radius": 0.2, "from": [-0.4, 0.1], "to": [0.5, 0.2]})}};
static const named_shape spatial_shapes[] = {
    {"sphere", JSON({"type": "sphere", "name": "s", "radius": 0.3, "at": [0.1, 0.2, -0.1]})},
    {"capsule",
     JSON({"type": "capsule", "name": "s", "radius": 0.2, "from": [-0.4, 0.1, 0.1], "to": [0.5, 0.2, -0.2]})},
    {"box",
     JSON({"type": "box", "name": "s", "size": [0.8, 0.5, 0.6], "at": [0.1, 0, 0.1], "axis": [1, 2, 3], "angle": 0.7})},
    {"cylinder",
     JSON({"type": "cylinder", "name": "s", "radius": 0.3, "from": [-0.3, 0.2, 0.1], "to": [0.4, 0.1, -0.2]})},
    {"half-space", JSON({"type": "half-space", "name": "s", "at": [0, 0.1, 0], "normal": [0.3, 1, -0.4]})}};

static char *two_bodies(int dim, const char *a, const char *b, const char *contact) {
  MODEL(planar,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0.2]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.3, "points": {"P": [0.1, 0.1]}, "vectors": {"u": [1, 0.4]},
          "shapes": [%s], "initial": {"position": [0, 0]}},
         {"name": "b", "mass": 1, "inertia": 0.3, "points": {"P": [0.1, 0.1]}, "vectors": {"u": [1, 0.4]},
          "shapes": [%s], "initial": {"position": [0.9, 0.5]}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", %s,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.3}}]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0.2, 1, 0.1]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [0.3, 0.2, 0.4], "points": {"P": [0.1, 0.1, 0]},
          "vectors": {"u": [1, 0.4, 0.2]}, "shapes": [%s],
          "initial": {"position": [0, 0, 0], "orientation": {"axis": [1, 1, 0], "angle": 0.5}}},
         {"name": "b", "mass": 1, "inertia": [0.3, 0.2, 0.4], "points": {"P": [0.1, 0.1, 0]},
          "vectors": {"u": [1, 0.4, 0.2]}, "shapes": [%s],
          "initial": {"position": [0.9, 0.5, 0.3], "orientation": {"axis": [0, 1, 3], "angle": 0.8}}}],
       "forces": [{"name": "c", "type": "contact", "law": "rigid", %s,
                   "friction": {"law": "coulomb", "mu_dynamic": 0.3}}]});
  return dim == 2 ? models_text(planar, a, b, contact) : models_text(spatial, a, b, contact);
}

/* Returns true if the shapes cannot touch. */
static bool excluded(int dim, const char *a, const char *b) {
  const char *const names[] = {a, b};
  int round = 0, arcs = 0, capsules = 0, boxes = 0, planes = 0, cylinders = 0;
  for (int k = 0; k < 2; k++) {
    round += strcmp(names[k], "circle") == 0 || strcmp(names[k], "sphere") == 0;
    arcs += strcmp(names[k], "arc") == 0 || strcmp(names[k], "inside") == 0;
    capsules += strcmp(names[k], "capsule") == 0;
    boxes += strcmp(names[k], "box") == 0;
    cylinders += strcmp(names[k], "cylinder") == 0;
    planes += strcmp(names[k], "half-space") == 0;
  }
  if (round) return false;
  if (planes) return planes == 2;
  if (capsules && dim == 3) return false;
  if (boxes || cylinders) return boxes != 2;
  if (capsules == 2) return true;
  return capsules > 0 || arcs == 2;
}

static void check_pairs(int dim, const named_shape *shapes, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < count; k++) {
      char *document = two_bodies(
          dim, shapes[i].text, shapes[k].text,
          dim == 2        ? PART("shapes": ["a.s", "b.s"], "rolling_friction": 0.3)
                          : PART("shapes": ["a.s", "b.s"], "rolling_friction": 0.3,
                                                  "spinning_friction": 0.2));
      print_message("%s, %s\n", shapes[i].name, shapes[k].name);
      if (excluded(dim, shapes[i].name, shapes[k].name)) {
        mbs_diagnostics list = {0};
        assert_null(models_try_build(document, analyses[0], &list));
        assert_non_null(strstr(list.items[0].message, "cannot be computed"));
        mbs_diagnostics_free(&list);
      } else {
        for (int form = 0; form < 2; form++) check_rows(document, analyses[form], &seed);
      }
      free(document);
    }
}

static void test_planar_shapes(void **state) {
  (void)state;
  check_pairs(2, planar_shapes, sizeof planar_shapes / sizeof *planar_shapes, 1);
}

static void test_spatial_shapes(void **state) {
  (void)state;
  check_pairs(3, spatial_shapes, sizeof spatial_shapes / sizeof *spatial_shapes, 2);
}

/* Lines and planes of the element: of the ground and of a body, with a belt. */
static void test_lines(void **state) {
  (void)state;
  static const char *const contacts[][2] = {
      {PART("point": "a.P", "radius": 0.2, "line": ["ground.O", "ground.u"], "surface_velocity": "sin(2*t)"),
            PART("point": "a.P", "radius": 0.2, "plane": ["ground.O", "ground.u"])},
            {PART("point": "a.P", "line": ["b.P", "b.u"], "surface_velocity": 2),
                  PART("point": "a.P", "plane": ["b.P", "b.u"], "surface_velocity": ["sin(2*t)", 0.3, "t^2"])},
                       {PART("shapes": ["a.s"], "line": ["b.P", "b.u"], "surface_velocity": "t^2"),
                                        PART("shapes": ["a.s", "b.s"], "plane": ["ground.O", "ground.u"],
                                          "surface_velocity": [1, "t", "cos(t)"])}};
  uint64_t seed = 3;
  for (size_t k = 0; k < sizeof contacts / sizeof *contacts; k++)
    for (int dim = 2; dim <= 3; dim++) {
      const char *shape = dim == 2 ? planar_shapes[3].text : spatial_shapes[0].text;
      char *document = two_bodies(dim, shape, shape, contacts[k][dim - 2]);
      for (int form = 0; form < 2; form++) check_rows(document, analyses[form], &seed);
      free(document);
    }
}

/* Dry friction of compliant contacts: along the surface, and against turning. */
static void test_compliant(void **state) {
  (void)state;
  static const char rigid[] = PART("law": "rigid");
  uint64_t seed = 9;
  for (int dim = 2; dim <= 3; dim++) {
    const named_shape *shapes = dim == 2 ? planar_shapes : spatial_shapes;
    for (size_t k = 0; k < 5; k += 2) {
      char *document = two_bodies(
          dim, shapes[0].text, shapes[k].text,
          dim == 2        ? PART("shapes": ["a.s", "b.s"], "rolling_friction": 0.3)
                          : PART("shapes": ["a.s", "b.s"], "rolling_friction": 0.3,
                                                             "spinning_friction": 0.2));
      const char *at = strstr(document, rigid);
      assert_non_null(at);
      char *compliant = models_text("%.*s%s%s", (int)(at - document), document,
                                    PART("law": "kelvin-voigt", "stiffness": 100), at + strlen(rigid));
      for (int form = 0; form < 2; form++) check_rows(compliant, analyses[form], &seed);
      free(document);
      free(compliant);
    }
  }
}

/* ---- joints -------------------------------------------------------------------------------------------------- */

static char *jointed(int dim, const char *joint, const char *force) {
  MODEL(planar,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0]}, "vectors": {"u": [1, 0.2]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": 0.3, "points": {"O": [0, 0.1], "P": [0.1, 0.3]},
          "vectors": {"u": [1, 0.4]}},
         {"name": "b", "mass": 1, "inertia": 0.3, "points": {"P": [-0.2, 0.1]}, "vectors": {"u": [1, 0.4]},
          "initial": {"position": [0.3, 0.2]}}],
       "joints": [{"name": "i", "type": "revolute", "points": ["ground.O", "a.O"]},
                  {"name": "j", "points": ["a.P", "b.P"], %s}],
       "forces": [%s]});
  MODEL(spatial,
      {"space": "spatial", "gravity": [0, -9.81, 0],
       "ground": {"points": {"O": [0, 0, 0]}, "vectors": {"u": [0.2, 1, 0.1]}},
       "bodies": [
         {"name": "a", "mass": 1, "inertia": [0.3, 0.2, 0.4], "points": {"O": [0, 0.1, 0], "P": [0.1, 0.3, 0]},
          "vectors": {"u": [1, 0.4, 0.2]}},
         {"name": "b", "mass": 1, "inertia": [0.3, 0.2, 0.4], "points": {"P": [-0.2, 0.1, 0.2]},
          "vectors": {"u": [1, 0.4, 0.2]}, "initial": {"position": [0.3, 0.2, 0.1]}}],
       "joints": [{"name": "i", "type": "revolute", "points": ["ground.O", "a.O"], "vectors": ["ground.u", "a.u"]},
                  {"name": "j", "points": ["a.P", "b.P"], %s}],
       "forces": [%s]});
  return dim == 2 ? models_text(planar, joint, force) : models_text(spatial, joint, force);
}

/* The friction element with the members of `part`. */
#define DRY(part) "{\"name\": \"dry\", \"type\": \"friction\", \"law\": \"coulomb\", \"mu_dynamic\": 0.3, " part "}"

static void check_joint(int dim, const char *joint, const char *force, uint64_t *seed) {
  print_message("%s; %s\n", joint, force);
  char *document = jointed(dim, joint, force);
  for (int form = 0; form < 2; form++) check_rows(document, analyses[form], seed);
  free(document);
}

static void test_joints(void **state) {
  (void)state;
  uint64_t seed = 5;
  check_joint(2, PART("type": "revolute"), DRY(PART("joint": "j", "radius": 0.1, "belt_speed": "sin(3*t)")), &seed);
  check_joint(2, PART("type": "revolute", "cut": true), DRY(PART("joint": "j", "radius": 0.1)), &seed);
  check_joint(2, PART("type": "translational", "vectors": ["a.u", "b.u"]),
                      DRY(PART("joint": "j", "belt_speed": "t^2")), &seed);
  check_joint(2, PART("type": "translational", "vectors": ["a.u", "b.u"], "cut": true),
                      DRY(PART("joint": "j", "length": 0.3)), &seed);
  check_joint(2, PART("type": "revolute"), DRY(PART("point": "b.P", "preload": 3)), &seed);
  check_joint(2, PART("type": "revolute", "limits": {"lower": -1, "upper": 2}), "", &seed);
  check_joint(2, PART("type": "translational", "vectors": ["a.u", "b.u"], "cut": true,
                      "limits": {"lower": -1, "upper": 2}), "", &seed);
  static const char *const on_coordinates[] = {
      PART({"name": "e", "type": "one-way-clutch", "joint": "j"}),
           PART({"name": "e", "type": "one-way-clutch", "joints": ["i", "j"], "ratio": 1.7, "teeth": 9}),
                 PART({"name": "e", "type": "backlash", "joints": ["j", "i"], "ratio": -0.6, "gap": 0.1})};
  for (size_t k = 0; k < sizeof on_coordinates / sizeof *on_coordinates; k++) {
    check_joint(2, PART("type": "revolute"), on_coordinates[k], &seed);
    check_joint(2, PART("type": "translational", "vectors": ["a.u", "b.u"], "cut": true), on_coordinates[k], &seed);
    check_joint(3, PART("type": "revolute", "vectors": ["a.u", "b.u"], "cut": true), on_coordinates[k], &seed);
    check_joint(3, PART("type": "prismatic", "vectors": ["a.u", "b.u"]), on_coordinates[k], &seed);
  }
  check_joint(3, PART("type": "revolute", "vectors": ["a.u", "b.u"]), DRY(PART("joint": "j", "radius": 0.1)), &seed);
  check_joint(3,
              PART("type": "revolute", "vectors": ["a.u", "b.u"], "cut": true),
                   DRY(PART("joint": "j", "radius": 0.1, "length": 0.2, "axial_radius": 0.1, "belt_speed": "cos(t)")),
                       &seed);
  check_joint(3, PART("type": "prismatic", "vectors": ["a.u", "b.u"]), DRY(PART("joint": "j", "length": 0.3)), &seed);
  check_joint(3, PART("type": "prismatic", "vectors": ["a.u", "b.u"], "cut": true), DRY(PART("joint": "j")), &seed);
  check_joint(3, PART("type": "cylindrical", "vectors": ["a.u", "b.u"]), DRY(PART("joint": "j", "radius": 0.1)), &seed);
  check_joint(3, PART("type": "cylindrical", "vectors": ["a.u", "b.u"], "cut": true),
                      DRY(PART("joint": "j", "radius": 0.1)), &seed);
  check_joint(3, PART("type": "spherical"), DRY(PART("joint": "j", "radius": 0.1)), &seed);
  check_joint(3, PART("type": "spherical", "cut": true), DRY(PART("joint": "j", "radius": 0.1)), &seed);
  check_joint(3, PART("type": "planar", "vectors": ["a.u", "b.u"]), DRY(PART("joint": "j")), &seed);
  check_joint(3, PART("type": "planar", "vectors": ["a.u", "b.u"], "cut": true), DRY(PART("joint": "j")), &seed);
  check_joint(3, PART("type": "planar", "vectors": ["a.u", "b.u"]), DRY(PART("joint": "j", "preload": 3)), &seed);
  check_joint(3, PART("type": "spherical"), DRY(PART("joint": "j", "radius": 0.1, "preload": 3)), &seed);
  check_joint(3, PART("type": "cylindrical", "vectors": ["a.u", "b.u"], "cut": true),
                      DRY(PART("joint": "j", "radius": 0.1, "preload": 3, "belt_speed": "t^2")), &seed);
  check_joint(3, PART("type": "cylindrical", "vectors": ["a.u", "b.u"],
                      "limits": {"lower": [-1, -2], "upper": [2, 3]}), "", &seed);
  check_joint(3, PART("type": "screw", "pitch": 0.1, "vectors": ["a.u", "b.u"]),
                      DRY(PART("joint": "j", "radius": 1, "preload": 3)), &seed);
}

/* ---- formulations -------------------------------------------------------------------------------------------- */

/* A chain of rods with friction in its joints, some with limits, which falls on a floor and a disc. */
static char *random_chain(uint64_t *seed) {
  MODEL(chain,
      {"space": "planar", "gravity": [0, -9.81],
       "ground": {"points": {"O": [0, 0], "F": [0, -0.8]}, "vectors": {"u": [1, 0.1]},
                  "shapes": [{"type": "circle", "name": "d", "radius": 0.2, "at": [1.1, -0.6]}]},
       "bodies": [%s], "joints": [%s], "forces": [%s]});
  text_list *bodies = list_open(), *joints = list_open(), *forces = list_open();
  const int count = 2 + (int)(2 * (1 + models_uniform(seed)));
  for (int i = 0; i < count; i++) {
    const double start = i ? 0.4 * models_uniform(seed) : 1 + 0.4 * models_uniform(seed), speed = models_uniform(seed);
    const bool slides = models_uniform(seed) > 0.5;
    char before[40];
    snprintf(before, sizeof before, i ? "b%d.B" : "ground.O", i - 1);
    list_add(bodies, PART({"name": "b%d", "mass": %.3f, "inertia": %.3f, "points": {"A": [-0.2, 0], "B": [0.2, 0.05]},
                   "vectors": {"u": [1, 0.3]},
                   "shapes": [{"type": "circle", "name": "s", "radius": 0.05, "at": [0.2, 0]}]}),
                                                        i, 1 + 0.5 * models_uniform(seed),
                                                        0.1 + 0.05 * models_uniform(seed));
    if (slides)
      list_add(joints,
               PART({"name": "j%d", "type": "translational", "points": ["%s", "b%d.A"], "vectors": ["%.*s.u", "b%d.u"],
                     "initial": {"position": %.3f, "velocity": %.3f}, "limits": {"upper": 0.3, "lower": -0.3,
                     "restitution": 0.4}}),
                                            i, before, i, (int)strcspn(before, "."), before, i, 0.2 * start, speed);
    else
      list_add(joints, PART({"name": "j%d", "type": "revolute", "points": ["%s", "b%d.A"],
                     "initial": {"position": %.3f, "velocity": %.3f}}), i, before, i,
                             start, speed);
    list_add(forces, PART({"name": "f%d", "type": "friction", "joint": "j%d", "law": "coulomb", "mu_static": %.3f,
                   "mu_dynamic": 0.1 %s}),
                          i, i, 0.15 + 0.05 * models_uniform(seed),
                          slides ? PART(, "length": 0.5) : PART(, "radius": 0.05));
  }
  list_add(forces,
           PART({"name": "c", "type": "contact", "law": "rigid", "restitution": 0.3,
                         "shapes": ["b%d.s", "ground.d"], "line": ["ground.F", "ground.u"],
                         "friction": {"law": "coulomb", "mu_dynamic": 0.2}}),
                            count - 1);
  return list_fill(chain, bodies, joints, forces);
}

static void test_formulations(void **state) {
  (void)state;
  uint64_t seed = 7;
  size_t compared = 0, impacts = 0;
  for (int k = 0; k < 40; k += MODELS_EVERY) {
    char *document = random_chain(&seed);
    mbs_result *results[2] = {NULL, NULL};
    mbs_status status[2];
    for (int form = 0; form < 2; form++) {
      char *analysis = models_text(JSON({
                                     "type": "dynamics",
                                     "t_end": 0.8,
                                     "dt": 0.05,
                                     "formulation": "%s",
                                     "integrator": {"rtol": 1e-10, "atol": 1e-12}
                                   }),
                                   form ? "body" : "joint");
      mbs_error error = {0};
      status[form] = models_try_run(document, analysis, &results[form], &error);
      if (status[form] != MBS_OK && status[form] != MBS_PAINLEVE) fail_msg("%s\n%s", error.message, document);
      free(analysis);
    }
    assert_int_equal(status[0], status[1]);
    const size_t rows = models_rows(results[0]);
    assert_int_equal(rows, models_rows(results[1]));
    static const char *const arrays[] = {"r", "p", "rd", "pd", "forces", "energy"};
    /* a start in penetration is corrected in the coordinates of the formulation */
    const bool same = models_difference(results[0], results[1], "r", 0) < 1e-12;
    compared += same;
    for (size_t row = 0; row < rows && same; row++)
      for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) {
        /* friction beside a closed limit of the same joint: how they share the force is not unique */
        if (strcmp(arrays[a], "forces") == 0 && strstr(document, "\"limits\"")) continue;
        const double difference = models_difference(results[0], results[1], arrays[a], row);
        if (!(difference <= 1e-5)) fail_msg("%s differs by %.3g in row %zu\n%s", arrays[a], difference, row, document);
      }
    for (size_t i = 0; i < results[0]->report.event_count; i++)
      impacts += same && strcmp(results[0]->report.events[i].kind, "impact") == 0;
    for (int form = 0; form < 2; form++) {
      assert_true(results[form]->report.energy_change_max <= 1e-7 * results[form]->report.energy_scale);
      mbs_result_free(results[form]);
    }
    free(document);
  }
  assert_true(compared >= 30 / MODELS_EVERY && impacts >= 30 / MODELS_EVERY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planar_shapes), cmocka_unit_test(test_spatial_shapes), cmocka_unit_test(test_lines),
      cmocka_unit_test(test_compliant),     cmocka_unit_test(test_joints),         cmocka_unit_test(test_formulations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
