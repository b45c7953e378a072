/* Lanes: four mechanisms of equal structure, with different numbers and states, give in one call the same bits as four
 * single calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/lanes.h"
#include "equations/forces.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "kernels/kernels.h"
#include "models.h"

/* Largest number of lanes to compare; the tests cover each width that the processor has. */
enum { LANES = MBS_LANES_MAX };
static size_t width;

/* A mechanism with its numbers, its state, forces and accelerations. */
typedef struct lane {
  mbs_system *system;
  double *q, *v, *lambda;
  double *pushed, *rates; /* C' lambda, C v' */
} lane;

static double *numbers(mbs_arena *arena, size_t count) {
  double *out = mbs_arena_alloc(arena, count + 1, sizeof *out);
  assert_non_null(out);
  return out;
}

/* Chooses random values of the parameters, if any, and a state near the start. */
static lane open_lane(const mbs_model *model, mbs_arena *arena, uint64_t *random) {
  mbs_constants *constants = mbs_constants_new(model, arena);
  mbs_diagnostics list = {0};
  double *values = numbers(arena, model->parameter_count);
  for (size_t i = 0; i < model->parameter_count; i++)
    values[i] = model->parameters[i].value * (1 + 0.02 * models_uniform(random));
  assert_int_equal(mbs_bind(constants, values, &list), MBS_OK);
  for (int k = 0; k < 2; k++) constants->gravity[k] += models_uniform(random);
  lane out = {.system = mbs_system_bound(constants, arena),
              .q = numbers(arena, model->nq),
              .v = numbers(arena, model->nv),
              .lambda = numbers(arena, model->rows),
              .pushed = numbers(arena, model->nv),
              .rates = numbers(arena, model->rows)};
  for (size_t i = 0; i < model->nq; i++) out.q[i] = constants->q0[i] + 0.3 * models_uniform(random);
  for (size_t i = 0; i < model->nv; i++) out.v[i] = constants->v0[i] + models_uniform(random);
  for (size_t i = 0; i < model->nv; i++) out.system->vdot[i] = models_uniform(random);
  for (size_t i = 0; i < model->rows; i++) out.lambda[i] = models_uniform(random);
  return out;
}

/* Evaluates a single mechanism like the lanes. */
static void evaluate(const lane *one) {
  mbs_system *system = one->system;
  mbs_set_position(system, system->model->t_start, one->q);
  mbs_set_velocity(system, one->v);
  mbs_constraints(system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  mbs_apply_forces(system);
  system->model->kernels->residual_forces(system);
  mbs_jacobian_transposed(system, one->lambda, one->pushed);
  mbs_jacobian_times(system, system->vdot, one->rates);
}

static void put(double *to, int k, const double *from, size_t count) {
  for (size_t i = 0; i < count; i++) to[width * i + (size_t)k] = from[i];
}

static void assert_lane(const char *what, const double *lanes, int k, const double *single, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(&lanes[width * i + (size_t)k], &single[i], sizeof *single) != 0)
      fail_msg("%s[%zu] of lane %d: %.17g, alone %.17g", what, i, k, lanes[width * i + (size_t)k], single[i]);
}

/* Computes forces that lanes do not support, with a separate scalar system. */
typedef struct host {
  mbs_lanes *lanes;
  const lane *four;
  mbs_system *system;
} host;

static void apply_forces(void *user) {
  const host *self = user;
  for (int k = 0; k < (int)width; k++) {
    self->system->constants = self->four[k].system->constants;
    mbs_lanes_extract(self->lanes, k, self->system);
    mbs_apply_forces(self->system);
    mbs_lanes_store_forces(self->lanes, k, self->system);
    self->lanes->power_work[k] = self->system->power_work;
    self->lanes->power_dissipated[k] = self->system->power_dissipated;
  }
}

/* Evaluates all mechanisms in lanes; a separate scalar system computes functions of time. */
static mbs_lanes *evaluate_lanes(const mbs_model *model, const lane four[LANES], mbs_arena *arena) {
  mbs_lanes *lanes = mbs_lanes_new(model, width, arena);
  mbs_lane_numbers *own = mbs_lane_numbers_new(lanes, arena);
  mbs_system *system = mbs_system_new(model, arena);
  assert_true(lanes && own && system);
  for (int k = 0; k < (int)width; k++) {
    mbs_lane_numbers_set(own, four[k].system->constants, k);
    put(lanes->q, k, four[k].q, model->nq);
    put(lanes->v, k, four[k].v, model->nv);
    put(lanes->vdot, k, four[k].system->vdot, model->nv);
    put(lanes->lambda, k, four[k].lambda, model->rows);
  }
  mbs_lanes_use(lanes, own);
  for (int k = 0; k < (int)width; k++) {
    system->constants = four[k].system->constants;
    assert_int_equal(mbs_lanes_set_functions(lanes, k, system, model->t_start), MBS_OK);
  }
  mbs_lanes_set_position(lanes);
  mbs_lanes_set_velocity(lanes);
  mbs_lanes_constraints(lanes, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  host one = {lanes, four, system};
  lanes->host = (mbs_lane_host){.user = &one, .forces = apply_forces};
  mbs_lanes_forces(lanes);
  mbs_lanes_residual_forces(lanes);
  mbs_lanes_jacobian_transposed(lanes, lanes->lambda);
  mbs_lanes_jacobian_times(lanes, lanes->vdot);
  return lanes;
}

static void compare_model(const mbs_model *model) {
  mbs_arena *arena = mbs_arena_new(0);
  uint64_t random = 3;
  lane four[LANES];
  for (int k = 0; k < (int)width; k++) {
    four[k] = open_lane(model, arena, &random);
    evaluate(&four[k]);
  }
  const mbs_lanes *lanes = evaluate_lanes(model, four, arena);
  for (int k = 0; k < (int)width; k++) {
    const mbs_system *system = four[k].system;
    assert_lane("Phi", lanes->Phi, k, system->Phi, model->rows);
    assert_lane("rhsV", lanes->rhsV, k, system->rhsV, model->rows);
    assert_lane("rhsA", lanes->rhsA, k, system->rhsA, model->rows);
    assert_lane("h - M v'", lanes->h, k, system->h, model->nv);
    assert_lane("C' lambda", lanes->pushed, k, four[k].pushed, model->nv);
    assert_lane("C v'", lanes->rates, k, four[k].rates, model->rows);
    if (!model->force_count) continue;
    assert_lane("W'", lanes->power_work, k, &system->power_work, 1);
    assert_lane("E_d'", lanes->power_dissipated, k, &system->power_dissipated, 1);
  }
  mbs_arena_free(arena);
}

/* Compares the model in lanes, if they support it. Returns true if they do. */
static bool compare_taken(const char *document, const char *analysis) {
  mbs_model *model = models_build(document, analysis);
  const bool taken = mbs_lanes_supported(model);
  if (taken) compare_model(model);
  mbs_model_free(model);
  return taken;
}

/* Returns true if lanes compute the forces of the model in vectors rather than one lane after another. */
static bool computed_in_lanes(const char *document, const char *analysis) {
  mbs_model *model = models_build(document, analysis);
  mbs_arena *arena = mbs_arena_new(0);
  const bool so = mbs_lanes_new(model, width, arena)->forces;
  mbs_arena_free(arena);
  mbs_model_free(model);
  return so;
}

static void compare(const char *document, const char *analysis) {
  if (!compare_taken(document, analysis)) fail_msg("lanes do not take %.60s", document);
}

static void compare_both(const char *document, const char *analysis) {
  char text[256];
  for (int body = 0; body < 2; body++) {
    snprintf(text, sizeof text, "{\"formulation\": \"%s\", %s}", body ? "body" : "joint", analysis);
    compare(document, text);
  }
}

static const char dynamics[] = "\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1";

static void test_models(void **state) {
  static const char *const names[] = {"FourBar", "SC",    "MP_A", "MP_C_bc", "WebCutter", "Rod2",
                                      "FiveBar", "Gears", "TP",   "MP_A_bc", "Plotter",   "Excavator"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]);
    compare_both(text, dynamics);
    free(text);
  }
}

static void test_driven(void **state) {
  (void)state;
  char *text = models_named("FiveBar_driven");
  compare_both(text, dynamics);
  free(text);
}

static void test_chain(void **state) {
  (void)state;
  char *text = models_chain(8, 0.3);
  compare_both(text, dynamics);
  free(text);
}

static void test_random(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    char *text = models_random(seed, 6, 2);
    compare_both(text, dynamics);
    free(text);
  }
}

/* Each force element, with constants and with expressions, computed in vectors or one lane after another. */
static void test_forces(void **state) {
  (void)state;
  for (int spatial = 0; spatial < 2; spatial++)
    for (int which = 0; which <= MODELS_ALL_FORCES; which++) {
      char *chain = spatial ? models_spatial_chain(3, false) : models_chain(3, 0.3);
      char *text = models_with_forces(chain, spatial, which), with[256];
      for (int body = 0; body < 2; body++) {
        snprintf(with, sizeof with, "{\"formulation\": \"%s\", %s}", body ? "body" : "joint", dynamics);
        const bool taken = compare_taken(text, with);
        if (!taken && !(spatial && body)) fail_msg("lanes do not take %s", text);
        if (taken) assert_true(computed_in_lanes(text, with));
      }
      free(chain);
      free(text);
    }
  /* Forces of other elements are computed one lane after another. */
  char *chain = models_chain(3, 0.3), with[256];
  char *text = models_merged(
      chain, JSON({
        "forces":
            [{"name": "rubs", "type": "friction", "joint": "pin1", "mu_dynamic": 0.2, "preload": 3, "radius": 0.1}]
      }));
  snprintf(with, sizeof with, "{%s}", dynamics);
  compare(text, with);
  assert_false(computed_in_lanes(text, with));
  free(chain);
  free(text);
}

/* Spatial models: joints of all kinds, rods, balls, screws, driven angles. */
static void test_spatial_models(void **state) {
  static const char *const names[] = {"RSSR_rod",       "RSSR_ball",
                                      "RSSR_solid",     "Bricard",
                                      "Door",           "Governor",
                                      "PistonEngine",   "SliderCrank3D",
                                      "TiltedPendulum", "Top",
                                      "TorqueFree",     "McPherson",
                                      "UniversalJoint", "DoubleSphericalPendulum"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char *text = models_named(names[i]), with[256];
    for (int body = 0; body < 2; body++) {
      snprintf(with, sizeof with, "{\"formulation\": \"%s\", %s}", body ? "body" : "joint", dynamics);
      if (!compare_taken(text, with)) print_message("not taken: %s, %s\n", names[i], body ? "body" : "joint");
    }
    free(text);
  }
}

static void test_spatial_chains(void **state) {
  (void)state;
  for (int balls = 0; balls < 2; balls++) {
    char *text = models_spatial_chain(8, balls);
    compare_both(text, dynamics);
    free(text);
  }
}

static void test_spatial_random(void **state) {
  size_t taken = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) {
    char *text = models_random_spatial(seed, 6, 2), with[256];
    for (int body = 0; body < 2; body++) {
      snprintf(with, sizeof with, "{\"formulation\": \"%s\", %s}", body ? "body" : "joint", dynamics);
      taken += compare_taken(text, with);
    }
    free(text);
  }
  print_message("%zu of 60 random ones are taken\n", taken);
}

/* Inertias along coordinates of the tree; coupled ones are not taken. */
static void test_rotors(void **state) {
  static const char *const types[] = {"cylindrical", "universal", "planar", NULL};
  char with[256];
  (void)state;
  for (int k = 0; k < 4; k++) {
    char *text = models_spatial_rotors(types[k]);
    snprintf(with, sizeof with, "{\"formulation\": \"joint\", %s}", dynamics);
    compare(text, with);
    snprintf(with, sizeof with, "{\"formulation\": \"body\", %s}", dynamics);
    assert_false(compare_taken(text, with));
    free(text);
  }
}

/* Returns the largest number of lanes that the processor supports; 0 if none. */
static size_t widest(void) {
  char *text = models_named("FourBar");
  mbs_model *model = models_build(text, "{\"type\": \"dynamics\", \"t_end\": 1, \"dt\": 0.1}");
  mbs_arena *arena = mbs_arena_new(0);
  const size_t most = mbs_lanes_supported(model) ? mbs_lanes_new(model, MBS_LANES_MAX, arena)->width : 0;
  mbs_arena_free(arena);
  mbs_model_free(model);
  free(text);
  return most;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_models),         cmocka_unit_test(test_driven), cmocka_unit_test(test_chain),
      cmocka_unit_test(test_random),         cmocka_unit_test(test_forces), cmocka_unit_test(test_spatial_models),
      cmocka_unit_test(test_spatial_chains), cmocka_unit_test(test_rotors), cmocka_unit_test(test_spatial_random)};
  const size_t most = widest();
  int failed = 0;
  for (width = 4; width <= most; width *= 2) {
    print_message("lanes of %zu\n", width);
    failed += cmocka_run_group_tests(tests, NULL, NULL);
  }
  return failed;
}
