/* The planar kernels over vectors of four numbers (base/real.h): four mechanisms of one structure, with numbers and
 * states of their own, have in one call the bits that four single calls give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "equations/state.h"
#include "equations/system.h"
#include "kernels/kernels.h"
#include "lanes/planar_lanes.h"
#include "models.h"

/* One mechanism: its numbers, its state, and what the kernels made of them. */
typedef struct lane {
  mbs_system *system;
  double *q, *v;
} lane;

static double *numbers(mbs_arena *arena, size_t count) {
  double *out = mbs_arena_alloc(arena, count + 1, sizeof *out);
  assert_non_null(out);
  return out;
}

/* Other values of the parameters where there are any, and a state near the start. */
static lane open_lane(const mbs_model *model, mbs_arena *arena, uint64_t *random) {
  mbs_constants *constants = mbs_constants_new(model, arena);
  mbs_diagnostics list = {0};
  double *values = numbers(arena, model->parameter_count);
  for (size_t i = 0; i < model->parameter_count; i++)
    values[i] = model->parameters[i].value * (1 + 0.02 * models_uniform(random));
  assert_int_equal(mbs_bind(constants, values, &list), MBS_OK);
  for (int k = 0; k < 2; k++) constants->gravity[k] += models_uniform(random);
  lane out = {mbs_system_bound(constants, arena), numbers(arena, model->nq), numbers(arena, model->nv)};
  for (size_t i = 0; i < model->nq; i++) out.q[i] = constants->q0[i] + 0.3 * models_uniform(random);
  for (size_t i = 0; i < model->nv; i++) out.v[i] = constants->v0[i] + models_uniform(random);
  return out;
}

/* What lanes_evaluate() does, of one. */
static void evaluate(const lane *one) {
  const mbs_model *model = one->system->model;
  mbs_set_position(one->system, model->t_start, one->q);
  mbs_set_velocity(one->system, one->v);
  mbs_constraints(one->system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
  model->kernels->clear_wrenches(one->system);
  model->kernels->generalized_forces(one->system);
  if (model->recursive)
    model->kernels->articulated_factor(one->system, 0);
  else
    model->kernels->mass_matrix(one->system);
}

/* Number i of each of four arrays, one after another. */
static double *interleave(mbs_arena *arena, const void *const arrays[LANES], size_t count) {
  double *out = numbers(arena, LANES * count);
  for (int k = 0; k < LANES; k++)
    for (size_t i = 0; i < count; i++) out[LANES * i + (size_t)k] = ((const double *)arrays[k])[i];
  return out;
}

static void assert_lane(const char *what, const double *lanes, int k, const double *single, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (memcmp(&lanes[LANES * i + (size_t)k], &single[i], sizeof *single) != 0)
      fail_msg("%s[%zu] of lane %d: %.17g, alone %.17g", what, i, k, lanes[LANES * i + (size_t)k], single[i]);
}

static lanes_in gather(const lane four[LANES], mbs_arena *arena) {
  const mbs_model *model = four[0].system->model;
  const void *gravity[LANES], *blocks[LANES], *kernels[LANES], *radius2[LANES], *functions[LANES], *q[LANES], *v[LANES];
  for (int k = 0; k < LANES; k++) {
    const mbs_constants *constants = four[k].system->constants;
    gravity[k] = constants->gravity;
    blocks[k] = constants->blocks;
    kernels[k] = constants->kernels;
    radius2[k] = constants->radius2;
    functions[k] = four[k].system->functions;
    q[k] = four[k].q;
    v[k] = four[k].v;
  }
  return (lanes_in){.gravity = interleave(arena, gravity, 3),
                    .blocks = interleave(arena, blocks, model->block_numbers * lanes_block_size()),
                    .kernels = interleave(arena, kernels, (model->nB + 1) * lanes_kernel_size()),
                    .radius2 = interleave(arena, radius2, model->nB + 1),
                    .functions = interleave(arena, functions, 3 * model->function_count),
                    .q = interleave(arena, q, model->nq),
                    .v = interleave(arena, v, model->nv)};
}

static bool has_custom_rows(const mbs_model *model) {
  for (size_t b = 0; b < model->block_count; b++)
    if (model->blocks[b].custom >= 0) return true;
  return false;
}

static void compare(const char *document, const char *analysis) {
  mbs_model *model = models_build(document, analysis);
  if (has_custom_rows(model)) fail_msg("%s has rows that lanes do not know yet", mbs_model_name(model));
  mbs_arena *arena = mbs_arena_new(0);
  uint64_t random = 3;
  lane four[LANES];
  for (int k = 0; k < LANES; k++) {
    four[k] = open_lane(model, arena, &random);
    evaluate(&four[k]);
  }
  const lanes_in in = gather(four, arena);
  const lanes_out out = {.Phi = numbers(arena, LANES * model->rows),
                         .rhsV = numbers(arena, LANES * model->rows),
                         .rhsA = numbers(arena, LANES * model->rows),
                         .C = numbers(arena, LANES * model->value_count),
                         .h = numbers(arena, LANES * model->nv),
                         .M = numbers(arena, LANES * (model->tree.size + 2 * model->nv))};
  assert_true(lanes_evaluate(model, &in, &out));
  for (int k = 0; k < LANES; k++) {
    const mbs_system *system = four[k].system;
    assert_lane("Phi", out.Phi, k, system->Phi, model->rows);
    assert_lane("rhsV", out.rhsV, k, system->rhsV, model->rows);
    assert_lane("rhsA", out.rhsA, k, system->rhsA, model->rows);
    assert_lane("C", out.C, k, system->C, model->value_count);
    assert_lane("h", out.h, k, system->h, model->nv);
    if (!model->recursive) {
      assert_lane("M", out.M, k, system->M, model->tree.size);
      continue;
    }
    assert_lane("1 / D", out.M, k, system->M_diagonal, model->nv);
    assert_lane("L^-T h", out.M + LANES * model->nv, k, system->w, model->nv);
  }
  mbs_arena_free(arena);
  mbs_model_free(model);
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
  static const char *const names[] = {"FourBar", "SC", "MP_A", "MP_C_bc", "WebCutter", "Rod2", "FiveBar", "Gears"};
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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_models), cmocka_unit_test(test_driven),
                                     cmocka_unit_test(test_chain), cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
