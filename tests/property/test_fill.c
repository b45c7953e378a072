/* test_fill.c - S of many rows, ordered for little fill: solutions with its factors against products with C, M^-1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/jacobian.h"
#include "equations/schur.h"
#include "equations/solve.h"
#include "equations/state.h"
#include "models.h"
#include "probe.h"

static mbs_model *net(size_t n) {
  char *document = models_net(n);
  mbs_model *model = models_build(document, JSON({"t_end": 1, "dt": 1, "formulation": "body"}));
  free(document);
  return model;
}

static void stand(probe *p) {
  memcpy(p->q, p->model->constants->q0, p->model->nq * sizeof *p->q);
  mbs_set_position(p->system, 0, p->q);
  mbs_set_velocity(p->system, p->v);
  mbs_constraints(p->system, MBS_WANT_PHI | MBS_WANT_C | MBS_WANT_RHS);
}

/* Each block occurs once in the order, and L has as many entries by rows as by columns, both ascending. */
static void test_pattern(void **unused) {
  (void)unused;
  mbs_model *model = net(24);
  const mbs_fill *fill = model->skyline.fill;
  assert_non_null(fill);
  int *seen = calloc(model->rows, sizeof *seen);
  for (size_t r = 0; r < model->rows; r++) assert_int_equal(seen[model->skyline.position[r]]++, 0);
  for (size_t k = 0; k < model->rows; k++) {
    for (int e = fill->column0[k]; e < fill->column0[k + 1]; e++)
      assert_true(fill->below[e] > (e > fill->column0[k] ? fill->below[e - 1] : (int)k));
    for (int e = fill->row0[k]; e < fill->row0[k + 1]; e++)
      assert_true(fill->left[e] < (int)k && (e == fill->row0[k] || fill->left[e] > fill->left[e - 1]));
  }
  assert_int_equal(fill->row0[model->rows], fill->size);
  assert_int_equal(fill->column0[model->rows], fill->size);
  free(seen);
  mbs_model_free(model);
}

/* A small net has no such order, nor has a ladder, whose skyline has a small width. */
static void test_where(void **unused) {
  (void)unused;
  mbs_model *small = net(4);
  assert_null(small->skyline.fill);
  mbs_model_free(small);
  char *document = models_scissor_lift(200, 1);
  mbs_model *ladder = models_build(document, JSON({"t_end": 1, "dt": 1, "formulation": "body"}));
  assert_null(ladder->skyline.fill);
  mbs_model_free(ladder);
  free(document);
}

/* S x = b in the active rows and x = 0 in the inactive ones, for several right sides with a single workspace. */
static void check_solutions(mbs_model *model) {
  probe p = probe_open(model);
  const size_t m = model->rows;
  double *b = calloc(m, sizeof *b), *x = calloc(m, sizeof *x), *v = calloc(model->nv, sizeof *v),
         *image = calloc(m, sizeof *image);
  stand(&p);
  for (int pass = 0; pass < 3; pass++) {
    for (size_t r = 0; r < m; r++)
      p.system->active[r] = r < model->bilateral_rows && (pass == 0 || r % (size_t)(7 * pass) != 3);
    p.system->all_active = pass == 0 && m == model->bilateral_rows;
    assert_int_equal(mbs_factor(p.system), MBS_OK);
    for (size_t r = 0; r < m; r++) b[r] = x[r] = sin((double)(r + 1) * (pass + 1.3));
    mbs_solve_multipliers(p.system, x);
    mbs_spread_multipliers(p.system, x, v);
    mbs_jacobian_times(p.system, v, image);
    for (size_t r = 0; r < m; r++) {
      if (p.system->active[r])
        assert_true(fabs(image[r] - b[r]) < 1e-8);
      else
        assert_true(x[r] == 0);
    }
  }
  free(b);
  free(x);
  free(v);
  free(image);
  probe_close(&p);
  mbs_model_free(model);
}

static void test_solutions(void **unused) {
  (void)unused;
  check_solutions(net(24));
}

/* With dry friction the rows that hold are found during the motion, and S has their order. */
static void test_solutions_with_a_touch(void **unused) {
  (void)unused;
  char *plain = models_net(24),
       *document = models_merged(
           plain, JSON({
             "forces": [
               {"name": "dry", "type": "friction", "joint": "k0", "law": "coulomb", "mu_dynamic": 0.1, "radius": 0.1}
             ]
           }));
  mbs_model *model = models_build(document, JSON({"t_end": 1, "dt": 1, "formulation": "body"}));
  free(document);
  free(plain);
  assert_non_null(model->skyline.fill);
  check_solutions(model);
}

/* Each block has one pair with itself, even the block of a joint whose bodies cannot move, because its diagonal is
 * there. */
static void test_own_pairs(void **unused) {
  (void)unused;
  MODEL(welded_twice,
      {"space": "planar", "ground": {"points": {"O": [0, 0]}},
       "bodies": [{"name": "b", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}},
                  {"name": "c", "mass": 1, "inertia": 1, "points": {"O": [0, 0]}}],
       "joints": [{"name": "weld", "type": "rigid", "points": ["ground.O", "b.O"]},
                  {"name": "again", "type": "rigid", "points": ["ground.O", "b.O"], "cut": true},
                  {"name": "pin", "type": "revolute", "points": ["b.O", "c.O"]},
                  {"name": "pin again", "type": "revolute", "points": ["b.O", "c.O"], "cut": true}]});
  mbs_model *model = models_build(welded_twice, JSON({"t_end": 1, "dt": 1}));
  bool unmoved = false;
  for (size_t b = 0; b < model->block_count; b++) {
    size_t own = 0;
    for (size_t p = 0; p < model->pair_count; p++)
      own += model->pairs[p].block1 == (int)b && model->pairs[p].block2 == (int)b;
    assert_int_equal(own, 1);
    unmoved = unmoved || model->blocks[b].columns == 0;
  }
  assert_true(unmoved);
  mbs_model_free(model);
}

/* If the diagonal is shifted by a large amount, S equals that shift. */
static void test_shift(void **unused) {
  (void)unused;
  mbs_model *model = net(24);
  probe p = probe_open(model);
  const double share = 1e12;
  stand(&p);
  p.system->all_active = true;
  mbs_assemble_schur(p.system, p.system->C, p.system->v_weights);
  mbs_shift_schur(p.system, share);
  assert_true(mbs_factor_schur(p.system) == 1);
  double *x = p.system->permuted;
  for (size_t r = 0; r < model->rows; r++) x[r] = p.system->S_scale[r] * share;
  mbs_solve_schur(p.system, x);
  for (size_t r = 0; r < model->rows; r++) assert_true(fabs(x[r] - 1) < 1e-9);
  probe_close(&p);
  mbs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pattern),   cmocka_unit_test(test_where),
      cmocka_unit_test(test_solutions), cmocka_unit_test(test_solutions_with_a_touch),
      cmocka_unit_test(test_own_pairs), cmocka_unit_test(test_shift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
