/* test_independent_rows.c - redundant rows removed at the end of their blocks, between others, or as whole blocks:
 * accelerations satisfy the remaining rows and the equations of motion, removed rows have no multiplier, and the memory
 * of removed blocks does not influence the result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "equations/evaluate.h"
#include "equations/jacobian.h"
#include "models.h"
#include "probe.h"

enum { CHOICES = 12 };

/* Removes about `share` of the rows. */
static void choose(probe *p, double share, uint64_t *seed) {
  p->system->all_active = true;
  for (size_t r = 0; r < p->model->rows; r++) {
    p->system->active[r] = 0.5 * (1 + models_uniform(seed)) >= share;
    p->system->all_active &= p->system->active[r];
  }
}

/* Checks C v' = rhsA in remaining rows, M v' - C' lambda = h, and zero multipliers of removed rows. */
static void expect_equations(probe *p, double *rates, double *forces) {
  const mbs_model *model = p->model;
  mbs_system *system = p->system;
  double size = 1;
  mbs_jacobian_times(system, system->vdot, rates);
  for (size_t r = 0; r < model->rows; r++) size = fmax(size, fmax(fabs(system->rhsA[r]), fabs(system->lambda[r])));
  for (size_t k = 0; k < model->nv; k++) size = fmax(size, fabs(system->vdot[k]));
  for (size_t r = 0; r < model->rows; r++) {
    if (system->active[r])
      assert_close(rates[r], system->rhsA[r], 1e-8 * size);
    else
      assert_true(system->lambda[r] == 0);
  }
  mbs_jacobian_transposed(system, system->lambda, forces);
  model->kernels->residual_forces(system);
  for (size_t k = 0; k < model->nv; k++) assert_close(system->h[k] + forces[k], 0, 1e-8 * size);
}

/* Fills C and rhsA of all blocks with NaN, so that a read of an old value shows. Returns the number of blocks removed
 * whole. */
static size_t spoil(probe *p) {
  size_t whole = 0;
  for (size_t b = 0; b < p->model->block_count; b++) {
    const mbs_block *block = &p->model->blocks[b];
    whole += mbs_block_is_skipped(p->system, block, MBS_WANT_KEPT);
    for (int k = 0; k < block->rows * block->columns; k++) p->system->C[block->value0 + k] = NAN;
    for (int r = 0; r < block->rows; r++) p->system->rhsA[block->first_row + r] = NAN;
  }
  return whole;
}

/* Checks one model. Returns how many choices of rows were far from a loss of rank. */
static size_t examine(const mbs_model *model, uint64_t seed, size_t *whole) {
  probe p = probe_open(model);
  double *rates = calloc(2 * model->rows + 2 * model->nv + 1, sizeof *rates), *forces = rates + model->rows;
  double *vdot = forces + model->nv, *lambda = vdot + model->nv;
  size_t examined = 0;
  for (int k = 0; k < CHOICES; k++) {
    for (size_t i = 0; i < model->nq; i++) p.q[i] = models_uniform(&seed);
    for (size_t i = 0; i < model->nv; i++) p.v[i] = models_uniform(&seed);
    choose(&p, k * 1.0 / CHOICES, &seed);
    if (mbs_evaluate(p.system, 0, p.q, p.v) != MBS_OK || p.system->pivot_ratio < 1e-4) continue;
    examined++;
    memcpy(vdot, p.system->vdot, model->nv * sizeof *vdot);
    memcpy(lambda, p.system->lambda, model->rows * sizeof *lambda);
    expect_equations(&p, rates, forces);
    *whole += spoil(&p);
    assert_int_equal(mbs_evaluate_kept(p.system, 0, p.q, p.v), MBS_OK);
    assert_memory_equal(p.system->vdot, vdot, model->nv * sizeof *vdot);
    assert_memory_equal(p.system->lambda, lambda, model->rows * sizeof *lambda);
  }
  free(rates);
  probe_close(&p);
  return examined;
}

static void examine_all(char *(*random)(uint64_t, size_t, size_t), const char *analysis) {
  size_t examined = 0, whole = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    char *document = random(seed, 2 + seed % 10, 1 + seed % 5);
    mbs_model *model = models_build(document, analysis);
    examined += examine(model, seed, &whole);
    mbs_model_free(model);
    free(document);
  }
  assert_true(examined > 100 && whole > 100);
}

static const char joint[] = JSON({"type": "assembly"}), body[] = JSON({"type": "assembly", "formulation": "body"});

static void test_planar(void **unused) {
  (void)unused;
  examine_all(models_random, joint);
  examine_all(models_random, body);
}

static void test_spatial(void **unused) {
  (void)unused;
  examine_all(models_random_spatial, joint);
  examine_all(models_random_spatial, body);
}

/* Blocks in a skyline, and in an order of least fill. */
static void test_many_loops(void **unused) {
  (void)unused;
  size_t whole = 0;
  char *document = models_random_spatial(1, 40, 25);
  mbs_model *model = models_build(document, joint);
  assert_true(examine(model, 3, &whole) > 0 && whole > 0);
  mbs_model_free(model);
  free(document);
  document = models_net(24);
  model = models_build(document, body);
  assert_non_null(model->skyline.fill);
  assert_true(examine(model, 5, &whole) > 0);
  mbs_model_free(model);
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_planar), cmocka_unit_test(test_spatial),
                                     cmocka_unit_test(test_many_loops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
