/* test_quantities.c - the table of names that expressions can read, as the reference documents it. A sensor reads every
 * row in the documented unit. Force laws and constraints read the allowed ones and refuse the others with the
 * reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "mbs.h"
#include "models.h"

/* A model with an owner of each kind, and placeholders for more joints, one more force element, and the sensors. */
MODEL(planar,
    {"space": "planar", "gravity": [0, -9.81],
     "ground": {"points": {"O": [0, 0], "Q": [3, 0]}, "vectors": {"x": [1, 0]}},
     "bodies": [
       {"name": "body", "mass": 1, "inertia": 1, "points": {"O": [0, 0], "P": [1, 0]}, "vectors": {"x": [1, 0]}},
       {"name": "c", "mass": 1, "inertia": 1, "points": {"P": [0, 0]}, "initial": {"position": [1, 0]}},
       {"name": "wheel", "mass": 1, "inertia": 1, "points": {"C": [0, 0]}}],
     "joints": [
       {"name": "joint", "type": "revolute", "points": ["ground.O", "body.O"], "limits": {"upper": 9, "stiffness": 1}},
       {"name": "cut", "type": "revolute", "cut": true, "points": ["body.P", "c.P"]},
       {"name": "axle", "type": "revolute", "points": ["ground.Q", "wheel.C"]},
       {"name": "teeth", "type": "gear-pair", "points": ["body.O", "wheel.C"], "radii": [1, 2]},
       {"name": "curves", "type": "point-follower", "points": ["body.P", "ground.O"], "curve": {"polar": "1"}}%s],
     "drivers": [{"name": "driver", "type": "joint", "joint": "joint", "function": "t"}],
     "forces": [
       {"name": "probe", "type": "torque", "body": "body", "value": "%s"},
       {"name": "spring_damper", "type": "spring-damper", "points": ["ground.Q", "body.P"], "stiffness": 1},
       {"name": "rotational_spring_damper", "type": "rotational-spring-damper", "joint": "joint", "stiffness": 1},
       {"name": "contact", "type": "contact", "point": "c.P", "line": ["ground.O", "ground.x"], "stiffness": 1,
        "restitution": 0.5},
       {"name": "friction", "type": "friction", "joint": "joint", "preload": 1, "radius": 1, "mu_dynamic": 0.1},
       {"name": "force", "type": "force", "body": "c", "value": [1, 0]},
       {"name": "torque", "type": "torque", "body": "c", "value": 1},
       {"name": "backlash", "type": "backlash", "joint": "joint", "gap": 1, "stiffness": 1},
       {"name": "one_way_clutch", "type": "one-way-clutch", "joint": "joint"},
       {"name": "dc_motor", "type": "dc-motor", "joint": "joint", "voltage": 1, "resistance": 1, "torque_constant": 1},
       {"name": "rope", "type": "rope", "path": [{"point": "ground.Q"}, {"point": "body.P"}], "stiffness": 1},
       {"name": "bushing", "type": "bushing", "points": ["ground.Q", "body.P"], "stiffness": [1, 1, 1]},
       {"name": "beam", "type": "beam", "points": ["ground.O", "body.P"], "vectors": ["ground.x", "body.x"],
        "axial_stiffness": 1, "bending_stiffness": 1},
       {"name": "gravitation", "type": "gravitation", "points": ["ground.Q", "body.P"], "strength": 1},
       {"name": "drag", "type": "drag", "body": "c", "linear": 1},
       {"name": "tyre", "type": "tyre", "point": "body.P", "vectors": "body.x", "cornering_stiffness": 1}],
     "sensors": [{"name": "sensor", "value": "%s"}],
     "analysis": {"type": "%s", "t_end": 1, "dt": 1}});
MODEL(spatial,
    {"space": "spatial", "gravity": [0, 0, -9.81],
     "ground": {"points": {"O": [0, 0, 0], "Q": [3, 0, 0]}, "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
     "bodies": [
       {"name": "body", "mass": 1, "inertia": [1, 1, 1], "points": {"O": [0, 0, 0], "P": [1, 0, 0]},
        "vectors": {"x": [1, 0, 0], "z": [0, 0, 1]}},
       {"name": "c", "mass": 1, "inertia": [1, 1, 1], "points": {"P": [0, 0, 0]}, "initial": {"position": [1, 0, 0]}},
       {"name": "wheel", "mass": 1, "inertia": [1, 1, 1], "points": {"C": [0, 0, 0]}, "vectors": {"z": [0, 0, 1]}}],
     "joints": [
       {"name": "joint", "type": "revolute", "points": ["ground.O", "body.O"], "vectors": ["ground.z", "body.z"],
        "limits": {"upper": 9, "stiffness": 1}},
       {"name": "cut", "type": "spherical", "cut": true, "points": ["body.P", "c.P"]},
       {"name": "axle", "type": "revolute", "points": ["ground.Q", "wheel.C"], "vectors": ["ground.z", "wheel.z"]},
       {"name": "teeth", "type": "gear-pair", "points": ["body.O", "wheel.C"], "vectors": ["body.z", "wheel.z"],
        "radii": [1, 2]}%s],
     "drivers": [{"name": "driver", "type": "joint", "joint": "joint", "function": "t"}],
     "forces": [
       {"name": "probe", "type": "torque", "body": "body", "value": ["%s", 0, 0]},
       {"name": "spring_damper", "type": "spring-damper", "points": ["ground.Q", "body.P"], "stiffness": 1},
       {"name": "rotational_spring_damper", "type": "rotational-spring-damper", "joint": "joint", "stiffness": 1},
       {"name": "contact", "type": "contact", "point": "c.P", "plane": ["ground.O", "ground.z"], "stiffness": 1,
        "restitution": 0.5},
       {"name": "friction", "type": "friction", "joint": "joint", "preload": 1, "radius": 1, "mu_dynamic": 0.1},
       {"name": "force", "type": "force", "body": "c", "value": [1, 0, 0]},
       {"name": "torque", "type": "torque", "body": "c", "value": [1, 0, 0]},
       {"name": "backlash", "type": "backlash", "joint": "joint", "gap": 1, "stiffness": 1},
       {"name": "one_way_clutch", "type": "one-way-clutch", "joint": "joint"},
       {"name": "dc_motor", "type": "dc-motor", "joint": "joint", "voltage": 1, "resistance": 1, "torque_constant": 1},
       {"name": "rope", "type": "rope", "path": [{"point": "ground.Q"}, {"point": "body.P"}], "stiffness": 1},
       {"name": "bushing", "type": "bushing", "points": ["ground.Q", "body.P"], "stiffness": [1, 1, 1, 1, 1, 1]},
       {"name": "beam", "type": "beam", "points": ["ground.O", "body.P"],
        "vectors": ["ground.x", "body.x", "ground.z", "body.z"], "axial_stiffness": 1, "bending_stiffness": [1, 1],
        "torsional_stiffness": 1},
       {"name": "gravitation", "type": "gravitation", "points": ["ground.Q", "body.P"], "strength": 1},
       {"name": "drag", "type": "drag", "body": "c", "linear": 1}],
     "sensors": [{"name": "sensor", "value": "%s"}],
     "analysis": {"type": "%s", "t_end": 1, "dt": 1}});

/* Returns the model with this joint, torque expression, sensor and analysis. */
static char *document_of(mbs_space space, const char *joint, const char *law, const char *sensor, const char *type) {
  return models_text(space == MBS_PLANAR ? planar : spatial, joint, law, sensor, type);
}

/* Expects an error at `pointer` whose message contains `words`; "" expects no error. */
static void expect_error(char *document, const char *pointer, const char *words, const char *name) {
  mbs_diagnostics list = {0};
  mbs_model *model = models_try_build(document, NULL, &list);
  if (!*words && !model) fail_msg("%s: %s", name, list.items[0].message);
  if (*words && (model || !strstr(list.items[0].pointer, pointer) || !strstr(list.items[0].message, words)))
    fail_msg("%s: %s: '%s' lacks '%s'", name, model ? "" : list.items[0].pointer,
             model ? "no mistake" : list.items[0].message, words);
  mbs_model_free(model);
  mbs_diagnostics_free(&list);
  free(document);
}

/* Returns the message for a name that is not available in this kind of expression. */
static const char *refusal(const mbs_quantity_entry *entry, bool constraint) {
  if (entry->use == MBS_USE_SENSORS) return "are available in sensors only; ";
  if (constraint && entry->use == MBS_USE_REACTIONS) return "are available in sensors, forces, torques";
  return constraint && entry->use == MBS_USE_LAWS ? "a constraint is an expression of positions, states and t, without "
                                                  : "";
}

static void expect_unit(mbs_space space, const mbs_quantity_entry *entry, const char *name) {
  char *document = document_of(space, "", "0", name, "assembly");
  mbs_result *result = models_run(document, NULL);
  const char *unit = mbs_result_array(result, "sensor")->units[0];
  if (!strstr(entry->unit, " or ") && strcmp(unit, entry->unit) != 0)
    fail_msg("%s is in '%s', not '%s'", name, unit, entry->unit);
  if (strstr(entry->unit, " or ") && !strstr(entry->unit, unit)) fail_msg("%s is in '%s'", name, unit);
  mbs_result_free(result);
  free(document);
}

static void check_name(mbs_space space, const mbs_quantity_entry *entry, const char *name) {
  char joint[200];
  snprintf(joint, sizeof joint, JSON(, {"name": "own", "type": "expression", "value": "%s"}), name);
  expect_error(document_of(space, "", "0", name, "dynamics"), "/sensors/0/value", "", name);
  expect_error(document_of(space, "", name, "t", "dynamics"), "/forces/0/value", refusal(entry, false), name);
  expect_error(document_of(space, joint, "0", "t", "dynamics"), "/joints/", refusal(entry, true), name);
  expect_error(document_of(space, "", "0", name, "kinematics"), "/sensors/0/value",
               entry->needs_forces ? "is not available in a kinematics analysis" : "", name);
  expect_unit(space, entry, name);
}

/* Checks the names of a row: of each of its owners, and with a number. */
static void check_entry(mbs_space space, const mbs_quantity_entry *entry) {
  char name[80], types[100];
  const char *first = strcmp(entry->owner, "joint with curves") == 0   ? "curves"
                      : strcmp(entry->owner, "joint with limits") == 0 ? "joint"
                      : strcmp(entry->owner, "joint with teeth") == 0  ? "teeth"
                      : entry->numbered && !entry->plain               ? "cut"
                                                                       : entry->owner;
  if (*entry->types) {
    snprintf(types, sizeof types, "%s", entry->types);
    for (char *save, *type = strtok_r(types, ", ", &save); type; type = strtok_r(NULL, ", ", &save)) {
      const bool torque = strcmp(entry->word, "torque") == 0, slip = strcmp(entry->word, "slip") == 0;
      /* their names in space are tx, ty, tz */
      if (space == MBS_SPATIAL && torque && (strcmp(type, "torque") == 0 || strcmp(type, "bushing") == 0)) continue;
      /* the slip of a tyre is a number; it is not in space */
      if (strcmp(type, "tyre") == 0 && (slip || space == MBS_SPATIAL)) continue;
      snprintf(name, sizeof name, "%s.%s", type, entry->word);
      for (char *c = name; *c; c++) *c = *c == '-' ? '_' : *c;
      check_name(space, entry, name);
    }
    return;
  }
  if (strcmp(entry->owner, "body or body.point") == 0) {
    snprintf(name, sizeof name, "body.P.%s", entry->word);
    check_name(space, entry, name);
    first = "body";
  }
  if (!entry->numbered || entry->plain) {
    snprintf(name, sizeof name, "%s.%s", first, entry->word);
    check_name(space, entry, name);
  }
  if (entry->numbered) {
    snprintf(name, sizeof name, "%s.%s1", first, entry->word);
    check_name(space, entry, name);
  }
}

static void test_every_row(void **unused) {
  (void)unused;
  mbs_arena *arena = mbs_arena_new(0);
  mbs_quantity_entry entry;
  size_t count = 0;
  for (; mbs_quantity_described(count, arena, &entry); count++) {
    assert_true(strlen(entry.doc) > 0);
    if (entry.spaces & MBS_PLANAR) check_entry(MBS_PLANAR, &entry);
    if (entry.spaces & MBS_SPATIAL) check_entry(MBS_SPATIAL, &entry);
  }
  assert_true(count > 50);
  mbs_arena_free(arena);
}

/* A driver's function of time reads no quantity. */
static void test_functions_of_time(void **unused) {
  (void)unused;
  MODEL(document,
      {"space": "planar", "gravity": [0, 0], "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "j", "type": "revolute", "points": ["ground.O", "b.O"]}],
       "drivers": [{"name": "d", "type": "joint", "joint": "j", "function": "%s"}],
       "analysis": {"type": "kinematics", "t_end": 1, "dt": 1}});
  static const char *const names[] = {"j.fx", "b.ax", "d.effort", "energy.kinetic", "b.x"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    expect_error(models_text(document, names[i]), "/drivers/0/function",
                 "only t and parameters are allowed in a function of time", names[i]);
}

/* An unknown word of an element: the message lists the known words and suggests the nearest. */
static void test_unknown_words(void **unused) {
  (void)unused;
  static const struct {
    mbs_space space;
    const char *name, *words;
  } cases[] = {
      {MBS_PLANAR, "body.vxx",
       "body 'body' has x, y, phi, vx, vy, omega (in sensors also ax, ay, alpha), not 'vxx'; did you mean 'vx'?"},
      {MBS_PLANAR, "body.P.phi", "point 'P' has x, y, vx, vy (in sensors also ax, ay), not 'phi'"},
      {MBS_SPATIAL, "body.phi", "body 'body' has x, y, z, vx, "},
      {MBS_PLANAR, "joint.power",
       "joint 'joint' has q, qd (in sensors also qdd, fx, fy, torque, lambda1, ...), not 'power'"},
      {MBS_PLANAR, "joint.q3", "joint 'joint' has q, qd (in sensors also"},
      {MBS_PLANAR, "joint.toque", "did you mean 'torque'?"},
      {MBS_SPATIAL, "cut.q",
       "joint 'cut' has q1 to q4, qd1 to qd4 (in sensors also qdd1 to qdd4, fx, fy, fz, tx, ty, tz, "
       "lambda1, ...), not 'q'"},
      {MBS_PLANAR, "curves.alpha2",
       "joint 'curves' has alpha1 (in sensors also fx, fy, torque, lambda1, ...), not 'alpha2'"},
      {MBS_PLANAR, "driver.power", "driver 'driver' has effort, not 'power'"},
      {MBS_PLANAR, "energy.kinetics",
       "energy has kinetic, potential, work, dissipated, not 'kinetics'; did you mean 'kinetic'?"},
      {MBS_PLANAR, "spring_damper.forse",
       "force element 'spring_damper' has force, l, not 'forse'; did you mean 'force'?"},
      {MBS_PLANAR, "force.fz", "force element 'force' has fx, fy, not 'fz'"},
      {MBS_SPATIAL, "torque.torque", "force element 'torque' has tx, ty, tz, not 'torque'"},
      {MBS_PLANAR, "contact.depth",
       "force element 'contact' has force, friction, penetration, slip, sticking, gap, fx, fy, not 'depth'"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_error(document_of(cases[i].space, "", "0", cases[i].name, "dynamics"), "/sensors/0/value", cases[i].words,
                 cases[i].name);
    expect_error(document_of(cases[i].space, "", cases[i].name, "t", "dynamics"), "/forces/0/value", cases[i].words,
                 cases[i].name);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_row),
      cmocka_unit_test(test_functions_of_time),
      cmocka_unit_test(test_unknown_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
