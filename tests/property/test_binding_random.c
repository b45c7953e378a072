/* Numbers bound to other parameter values equal those of a model built with these values: mechanisms whose numbers are
 * all expressions of parameters, with every class of the catalogue. Numbers and motions agree bit for bit. Values that
 * cannot be built cannot be bound either, for the same reason; binding does not leak memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glob.h>
#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "property/binding.h"

/* ---- one binding ----------------------------------------------------------------------------------------------- */

typedef struct tally {
  size_t bound, refused, runs; /* runs to their end */
} tally;

static void print_tally(const tally *count) {
  print_message("%zu bound, %zu of them run to the end, %zu refused\n", count->bound, count->runs, count->refused);
  assert_true(count->bound > count->refused && count->runs > 0);
}

/* Changes the values of numeric parameters, and sometimes of expressions. */
static void vary(const mbs_model *model, uint64_t *seed, double much, double *values) {
  for (size_t i = 0; i < model->parameter_count; i++) {
    double other = model->parameters[i].value * (1 + much * models_uniform(seed));
    bool given = !model->parameters[i].expression || models_uniform(seed) > 0.9;
    values[i] = given ? other : NAN;
  }
}

/* Changes a single parameter; positions may depend on it, or a mass or a force. */
static void vary_one(const mbs_model *model, uint64_t *seed, double *values) {
  if (model->parameter_count == 0) return;
  const double place = 0.5 * (models_uniform(seed) + 1) * (double)model->parameter_count;
  const size_t i = place < (double)model->parameter_count ? (size_t)place : 0;
  values[i] = model->parameters[i].value * (1 + 0.1 * models_uniform(seed));
}

/* Compares whole runs, up to the error that stopped them. Returns true if no error occurred. */
static bool assert_same_run(mbs_model *model, mbs_constants *constants, const mbs_model *other) {
  mbs_result *one = NULL, *two = NULL;
  mbs_error error[2] = {{0}, {0}};
  mbs_constants *own = model->constants;
  model->constants = constants;
  mbs_status status = mbs_run(model, NULL, &one, &error[0]);
  model->constants = own;
  assert_int_equal(status, mbs_run(other, NULL, &two, &error[1]));
  assert_string_equal(error[0].message, error[1].message);
  assert_int_equal(one->array_count, two->array_count);
  for (size_t i = 0; i < one->array_count; i++) {
    const mbs_array *a = &one->arrays[i], *b = &two->arrays[i];
    assert_int_equal(a->shape[0], b->shape[0]);
    assert_same(a->name, a->data, b->data, a->shape[0] * mbs_array_columns(a), sizeof *a->data);
  }
  mbs_result_free(one);
  mbs_result_free(two);
  return status == MBS_OK;
}

static mbs_status bind_in_place(mbs_constants *constants, const double *values, mbs_diagnostics *list) {
  size_t before = mallinfo2().uordblks;
  mbs_status status = mbs_bind(constants, values, list);
  if (status == MBS_OK) assert_int_equal(mallinfo2().uordblks, before);
  return status;
}

/* Compares lists of errors in any order. */
static void assert_same_mistakes(const mbs_diagnostics *one, const mbs_diagnostics *two) {
  assert_int_equal(one->count, two->count);
  for (size_t i = 0; i < one->count; i++) {
    size_t k = 0;
    while (k < two->count && strcmp(one->items[i].pointer, two->items[k].pointer) != 0) k++;
    if (k == two->count) fail_msg("%s: %s", one->items[i].pointer, one->items[i].message);
    assert_int_equal(one->items[i].status, two->items[k].status);
    assert_string_equal(one->items[i].message, two->items[k].message);
  }
}

static void bind_one(mbs_model *model, mbs_constants *constants, const char *document, const char *analysis,
                     const double *values, tally *count) {
  mbs_diagnostics list = {0}, other_list = {0};
  char *changed = with_parameters(document, model, values);
  mbs_model *other = models_try_build(changed, analysis, &other_list);
  mbs_status status = bind_in_place(constants, values, &list);
  if (other) {
    if (status) fail_msg("%s: %s %s", model->name, list.items[0].pointer, list.items[0].message);
    assert_same_numbers(constants, other->constants);
    count->runs += assert_same_run(model, constants, other);
    count->bound++;
  } else {
    assert_same_mistakes(&list, &other_list);
    count->refused++;
  }
  mbs_diagnostics_free(&list);
  mbs_diagnostics_free(&other_list);
  mbs_model_free(other);
  free(changed);
}

static void bind_all(const char *document, const char *analysis, uint64_t seed, tally *count) {
  char *rewritten = with_expressions(document, seed);
  mbs_model *model = models_build(rewritten, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  mbs_constants *constants = mbs_constants_new(model, arena);
  mbs_diagnostics list = {0};
  double *values = mbs_arena_alloc(arena, model->parameter_count + 1, sizeof *values);
  static const double much[] = {1e-3, 0.3, 0.02};
  for (int k = 0; k < 3; k++) {
    vary(model, &seed, much[k], values);
    bind_one(model, constants, rewritten, analysis, values, count);
  }
  for (int k = 0; k < 3; k++) {
    vary_one(model, &seed, values);
    bind_one(model, constants, rewritten, analysis, values, count);
  }
  assert_int_equal(bind_in_place(constants, NULL, &list), MBS_OK);
  assert_same_numbers(model->constants, constants);
  mbs_arena_free(arena);
  mbs_model_free(model);
  free(rewritten);
}

/* ---- mechanisms ------------------------------------------------------------------------------------------------ */

static char *analysis_of(const char *document, const char *formulation) {
  json_t *root = json_loads(document, 0, NULL), *analysis = json_object_get(root, "analysis");
  json_object_set_new(analysis, "formulation", json_string(formulation));
  json_object_set_new(analysis, "limits", json_pack("{s:i}", "max_evaluations", 300));
  char *out = json_dumps(analysis, JSON_REAL_PRECISION(17));
  json_decref(root);
  return out;
}

MODEL(some_steps,
    {"type": "dynamics", "t_end": 0.02, "dt": 0.01, "formulation": "%s", "limits": {"max_evaluations": 300}});

static void bind_in_both(const char *document, uint64_t seed, tally *count) {
  for (int body = 0; body < 2; body++) {
    char *analysis = models_text(some_steps, body ? "body" : "joint");
    bind_all(document, analysis, seed, count);
    free(analysis);
  }
}

/* Number of mechanisms of each space; the first command-line argument raises it. */
static uint64_t mechanisms = 6;

static void test_random_mechanisms(void **state) {
  (void)state;
  tally count = {0};
  for (uint64_t seed = 1; seed <= mechanisms; seed += MODELS_EVERY) {
    char *planar = models_random(seed, 2 + seed % 6, seed % 4),
         *spatial = models_random_spatial(seed, 2 + seed % 5, seed % 3);
    bind_in_both(planar, seed, &count);
    bind_in_both(spatial, seed, &count);
    free(planar);
    free(spatial);
  }
  print_tally(&count);
}

/* Classes that no shipped model uses; the mechanism need not be able to move. */
MODEL(planar_classes,
    {"space": "planar", "gravity": [0.1, -9.81], "parameters": {"p": 3, "late": "p/600"},
     "ground": {"points": {"O": [0, 0], "Q": [1, 2]}, "vectors": {"u": [1, 0.5]}},
     "bodies": [
       {"name": "a", "mass": 1, "inertia": 0.2, "points": {"P": [0.1, 0.3]},
        "initial": {"position": [1, 2], "angle": 9.1, "velocity": [0.1, 0.2], "angular_velocity": 3}},
       {"name": "b", "mass": 2, "inertia": 0.3, "points": {"P": [0.2, -0.5]}, "vectors": {"u": [0, 2]}},
       {"name": "c", "mass": 3, "inertia": 0.4, "points": {"P": [0.3, 0.1]}, "initial": {"position": [3, -1]}},
       {"name": "d", "mass": 4, "inertia": 0.5, "points": {"P": [0.4, 0.1]}, "initial": {"position": [5, 5]}},
       {"name": "e", "mass": 5, "inertia": 0.6, "points": {"P": [0, 0.4]}, "initial": {"position": [0.6, 0.8]}}],
     "joints": [
       {"name": "A", "type": "floating", "body": "a"},
       {"name": "B", "type": "revolute", "points": ["ground.O", "b.P"], "initial": {"position": 0.4, "velocity": 2}},
       {"name": "C", "type": "rod", "points": ["ground.Q", "c.P"], "length": 3.4},
       {"name": "E", "type": "expression", "value": "e.x^2 + e.y^2 - 1.1*max(e.x, t/p) - exp(-t)"},
       {"name": "G", "type": "gear", "bodies": ["d", "e"], "ratio": -2}],
     "drivers": [
       {"name": "x", "type": "x", "point": "a.P",
        "function": {"harmonic": {"offset": 1, "amplitude": 0.3, "frequency": 3, "phase": 0.2}}},
       {"name": "y", "type": "y", "point": "a.P", "function": {"polynomial": {"coefficients": [2, 0.3, -0.1, 4]}}},
       {"name": "phi", "type": "angle", "body": "a", "function": {"piecewise": {"pieces": [
          {"until": 0.01, "function": {"step": {"t0": 0.001, "t1": 0.009, "f0": 0, "f1": 0}}},
          {"until": 0.2, "function": {"piecewise": {"pieces": [
             {"until": 0.1, "function": {"ramp": {"t0": 0.1, "t1": 0.3, "f0": 0, "speed": 3}}},
             {"function": {"expression": "0.25*sin(max(t, 0.1) - 0.1)"}}]}}},
          {"function": {"expression": "0.25*sin(0.1)*p/3 + t - 0.2"}}]}}},
       {"name": "q", "type": "joint", "joint": "B",
        "function": {"spline": {"t": [-1, 0.3, 0.9, 2, 3.5], "f": [0.4, 0.1, 0.5, 0.2, 0.6]}}},
       {"name": "bc", "type": "relative-angle", "bodies": ["b", "c"],
        "function": {"step": {"t0": 0.1, "t1": 0.9, "f0": 0.2, "f1": 0.7}}},
       {"name": "far", "type": "distance", "points": ["ground.Q", "d.P"],
        "function": {"ramp": {"t0": 0.1, "t1": 0.3, "f0": 5, "speed": -9}}}],
     "forces": [
       {"name": "s", "type": "spring-damper", "points": ["c.P", "d.P"], "stiffness": "p*l", "free_length": 0.4,
        "damping": 0, "actuator": "if(t > late, p, 2)*distance(a.P, ground.Q)"},
       {"name": "r", "type": "rotational-spring-damper", "bodies": ["b", "d"], "stiffness": 3, "free_angle": 0.2,
        "damping": 0.1},
       {"name": "rj", "type": "rotational-spring-damper", "joint": "B", "stiffness": 3, "actuator": "r.torque*q/p"},
       {"name": "f", "type": "force", "point": "d.P", "frame": "body", "value": [1, "2*d.vx"]},
       {"name": "n", "type": "torque", "body": "e", "value": 0.2},
       {"name": "k1", "type": "contact", "point": "e.P", "radius": 2, "line": ["ground.O", "ground.u"],
        "stiffness": 300, "law": "kelvin-voigt", "damping": 2},
       {"name": "k2", "type": "contact", "point": "d.P", "line": ["b.P", "b.u"], "stiffness": 300, "law": "flores",
        "restitution": 0.4, "exponent": 1.3, "least_approach": 0.01, "friction": {"law": "anderson", "mu_static": 0.3,
        "mu_dynamic": 0.2, "stribeck_velocity": 0.02, "stribeck_exponent": 1.1, "viscous": 0.01}},
       {"name": "m", "type": "friction", "joint": "B", "law": "coulomb", "mu_dynamic": 0.2, "radius": 0.1,
        "transition_velocity": 0.01, "preload": 30, "belt_speed": 0.2}],
     "sensors": [{"name": "n", "value": "p*far.effort + 3*energy.kinetic"}]});

MODEL(spatial_classes,
    {"space": "spatial", "gravity": [0.1, 0.2, -9.81], "parameters": {"p": 0.3},
     "ground": {"points": {"O": [0, 0, 0], "Q": [1, 2, 3]}, "vectors": {"u": [0, 0, 2], "w": [3, 0, 0]}},
     "bodies": [
       {"name": "a", "mass": 1, "inertia": [0.5, 0.6, 0.7, 0.01, 0.02, 0.03], "points": {"P": [0.1, 0.3, 0.2]},
        "vectors": {"u": [0, 0, 1], "w": [1, 0, 0]}},
       {"name": "b", "mass": 2, "inertia": [0.5, 0.6, 0.7], "points": {"P": [0, 0.1, 0.3]},
        "vectors": {"u": [0, 0, 1]}},
       {"name": "c", "mass": 3, "inertia": [0.5, 0.6, 0.7], "points": {"P": [0.3, 0.1, 0.5]},
        "vectors": {"u": [0.1, 0.2, 0.3]},
        "initial": {"position": [2, 1, 1], "orientation": {"euler_parameters": [1, 0.2, 0.3, 0.4]}}},
       {"name": "d", "mass": 4, "inertia": [0.5, 0.6, 0.7], "points": {"P": [0.3, 0.1, 0.5]},
        "initial": {"position": [5, 5, 0.3], "orientation": {"axis": [0, 0, 2], "angle": 9.1},
                    "velocity": [1, 2, 3], "angular_velocity": [0.1, 0.2, 3]}},
       {"name": "e", "mass": 5, "inertia": [0.5, 0.6, 0.7], "points": {"P": [0, 0.1, 0.3]}, "vectors": {"u": [0, 0, 1]},
        "initial": {"position": [0.6, 0.8, 0.1]}}],
     "joints": [
       {"name": "A", "type": "planar", "points": ["ground.O", "a.P"], "vectors": ["ground.u", "a.u"],
        "initial": {"position": [0.1, 0.2, 7], "velocity": [1, 2, 3]}},
       {"name": "B", "type": "screw", "points": ["ground.O", "b.P"], "vectors": ["ground.u", "b.u"], "pitch": 0.3,
        "initial": {"position": 7}},
       {"name": "C", "type": "revolute-spherical", "points": ["ground.Q", "c.P"], "vectors": ["ground.u"], "length": 2},
       {"name": "D1", "type": "dot-1", "vectors": ["b.u", "c.u"], "angle": 1.2},
       {"name": "D2", "type": "dot-2", "points": ["ground.O", "c.P"], "vectors": ["ground.u"], "offset": 0.3},
       {"name": "E", "type": "cylindrical", "points": ["ground.Q", "e.P"], "vectors": ["ground.u", "e.u"]},
       {"name": "G", "type": "gear", "bodies": ["b", "e"], "vectors": ["b.u", "e.u"], "ratio": 2.5},
       {"name": "X", "type": "expression", "value": "e.z - p*sin(t) - 0.1*distance(e.P, ground.O)^2"}],
     "drivers": [
       {"name": "s", "type": "joint", "joint": "A", "coordinate": 3,
        "function": {"polynomial": {"coefficients": [7, 0.3]}}},
       {"name": "x", "type": "x", "point": "d.P",
        "function": {"harmonic": {"amplitude": 5, "frequency": 2, "phase": 1}}},
       {"name": "z", "type": "z", "point": "d.P", "function": {"expression": "p*cos(3*t)"}},
       {"name": "turn", "type": "rotation", "body": "d", "axis": [0, 0, 3],
        "function": {"ramp": {"t0": 0, "t1": 2, "f0": 9.1, "speed": 3}}}],
     "forces": [
       {"name": "s", "type": "spring-damper", "points": ["c.P", "d.P"], "stiffness": 3, "damping": 0.1},
       {"name": "r", "type": "rotational-spring-damper", "joint": "B", "stiffness": 3, "free_angle": 0.2},
       {"name": "k", "type": "contact", "point": "c.P", "radius": 3, "plane": ["ground.O", "ground.u"],
        "stiffness": 300, "law": "hunt-crossley", "restitution": 0.4,
        "friction": {"mu_static": 0.3, "mu_dynamic": 0.2}},
       {"name": "f", "type": "force", "body": "d", "value": [1, "2*d.vx", 0.3]},
       {"name": "n", "type": "torque", "body": "e", "frame": "body", "value": [0.2, 0.1, "p*t"]},
       {"name": "m", "type": "friction", "joint": "E", "coordinate": 1, "mu_dynamic": 0.2,
        "preload": "mod(30 + abs(e.z), 40*p)"}]});

static void test_every_class(void **state) {
  (void)state;
  tally count = {0};
  for (uint64_t seed = MODELS_EVERY; seed <= 20; seed += MODELS_EVERY) {
    bind_in_both(planar_classes, seed, &count);
    bind_in_both(spatial_classes, seed, &count);
  }
  print_tally(&count);
}

static void test_every_model(void **state) {
  (void)state;
  glob_t found;
  tally count = {0};
  assert_int_equal(glob("models/*.json", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i += MODELS_EVERY) {
    char *text = models_file(found.gl_pathv[i]);
    for (int body = 0; body < 2; body++) {
      char *analysis = analysis_of(text, body ? "body" : "joint");
      bind_all(text, analysis, i + 1, &count);
      free(analysis);
    }
    free(text);
  }
  globfree(&found);
  print_tally(&count);
}

int main(int argc, char **argv) {
  if (argc > 1) mechanisms = strtoull(argv[1], NULL, 10);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_mechanisms), cmocka_unit_test(test_every_class),
                                     cmocka_unit_test(test_every_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
