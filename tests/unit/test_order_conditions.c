/* test_order_conditions.c - the coefficients of the step methods against the order conditions: one equation for each
 * rooted tree, for the step, its error estimate and its dense output. Source: Hairer, Norsett, Wanner, Solving Ordinary
 * Differential Equations I, 2nd ed., sections II.2 and II.6. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "close.h"
#include "ode/integrator.h"

enum { STAGES_MAX = 16, TREE_MAX = 9 };

/* A method as its stages reveal it: row i of `a` is the argument of stage i if every f_j is a unit vector. */
typedef struct tableau {
  size_t stages, next;
  double a[STAGES_MAX][STAGES_MAX], c[STAGES_MAX];
} tableau;

static mbs_status tableau_rhs(void *context, double t, const double *y, double *dydt) {
  tableau *table = context;
  const size_t stage = table->next++;

  assert_true(stage < table->stages);
  table->c[stage] = t;
  for (size_t j = 0; j < table->stages; j++) {
    table->a[stage][j] = y[j];
    dydt[j] = j == stage;
  }
  return MBS_OK;
}

/* A rooted tree, stored as the levels of its nodes in preorder; the root has level 0. */
typedef struct tree {
  int order;
  int level[TREE_MAX];
} tree;

/* Computes the next tree of the same order (Beyer, Hedetniemi, SIAM J. Comput. 9 (1980)). Returns false after the
 * last. */
static bool tree_next(tree *t) {
  int p = t->order - 1;

  while (p > 0 && t->level[p] == 1) p--;
  if (p <= 0) return false;
  int q = p - 1;
  while (t->level[q] != t->level[p] - 1) q--;
  for (int i = p; i < t->order; i++) t->level[i] = t->level[i - (p - q)];
  return true;
}

static void tree_first(tree *t, int order) {
  t->order = order;
  for (int i = 0; i < order; i++) t->level[i] = i;
}

/* Computes the elementary weights of the stages, u [stages], and returns the density of the tree. */
static double tree_weights(const tree *t, const tableau *table, double *u) {
  double weights[TREE_MAX][STAGES_MAX], gamma = 1;
  int size[TREE_MAX];

  for (int node = 0; node < t->order; node++) {
    size[node] = 1;
    for (size_t i = 0; i < table->stages; i++) weights[node][i] = 1;
  }
  for (int node = t->order - 1; node >= 0; node--) {
    gamma *= size[node];
    if (node == 0) break;
    int parent = node - 1;
    while (t->level[parent] != t->level[node] - 1) parent--;
    size[parent] += size[node];
    for (size_t i = 0; i < table->stages; i++) {
      double sum = 0;
      for (size_t j = 0; j < table->stages; j++) sum += table->a[i][j] * weights[node][j];
      weights[parent][i] *= sum;
    }
  }
  memcpy(u, weights[0], table->stages * sizeof *u);
  return gamma;
}

/* Returns the largest |sum b_i u_i - theta^order / gamma| over the trees of one order. */
static double order_defect(const tableau *table, const double *b, double theta, int order) {
  double largest = 0;
  tree t;

  tree_first(&t, order);
  do {
    double u[STAGES_MAX], sum = 0;
    const double gamma = tree_weights(&t, table, u);
    for (size_t i = 0; i < table->stages; i++) sum += b[i] * u[i];
    largest = fmax(largest, fabs(sum - pow(theta, order) / gamma));
  } while (tree_next(&t));
  return largest;
}

/* Checks the order conditions. `inner` stages belong to the step, one to the state at its end, `dense` to the dense
 * output. */
static void check_conditions(const mbs_method *method, size_t inner, size_t dense, int order, int dense_order) {
  const size_t n = inner + 1 + dense;
  tableau table = {.stages = n};
  const mbs_ode ode = {.context = &table, .n = n, .n_error = n, .rhs = tableau_rhs};
  double zero[STAGES_MAX] = {0}, f0[STAGES_MAX], f1[STAGES_MAX], b[STAGES_MAX];
  double *work = calloc(method->workspace(n), sizeof *work);
  uint64_t evaluations = 0;

  assert_non_null(work);
  tableau_rhs(&table, 0, zero, f0);
  assert_int_equal(method->step(&ode, 0, 1, zero, f0, b, work, &evaluations), MBS_OK);
  tableau_rhs(&table, 1, b, f1);
  assert_int_equal(method->dense_prepare(&ode, 0, 1, zero, f0, b, f1, work, &evaluations), MBS_OK);
  assert_int_equal(table.next, n);
  assert_int_equal(evaluations, inner - 1 + dense);

  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < i; j++) sum += table.a[i][j];
    for (size_t j = i; j < n; j++) assert_true(table.a[i][j] == 0);
    assert_close(sum, table.c[i], 2e-14);
  }
  for (int p = 1; p <= order; p++) assert_close(order_defect(&table, b, 1, p), 0, 1e-14);
  assert_true(order_defect(&table, b, 1, order + 1) > 1e-6);
  for (int k = 0; k <= 10; k++) {
    const double theta = 0.1 * k;
    double weights[STAGES_MAX];
    method->dense(n, theta, 1, zero, b, work, weights);
    for (int p = 1; p <= dense_order; p++) assert_close(order_defect(&table, weights, theta, p), 0, 2e-13);
    if (k == 5) assert_true(order_defect(&table, weights, theta, dense_order + 1) > 1e-6);
  }
  free(work);
}

static void test_order_conditions(void **state) {
  (void)state;
  check_conditions(&mbs_dopri5, 6, 0, 5, 4);
  check_conditions(&mbs_dop853, 12, 3, 8, 7);
  check_conditions(&mbs_rk4, 4, 0, 4, 3);
}

/* A right-hand side that returns the elementary weight u_i of a tree in stage i. */
typedef struct scripted {
  const double *u;
  size_t next;
} scripted;

static mbs_status scripted_rhs(void *context, double t, const double *y, double *dydt) {
  scripted *script = context;
  (void)t;
  (void)y;
  dydt[0] = script->u[script->next++];
  return MBS_OK;
}

/* Checks that the error estimate vanishes on all trees up to `order`, and not on all trees of the next order. */
static void check_estimate(const mbs_method *method, size_t inner, int order) {
  const size_t n = inner + 1;
  tableau table = {.stages = n};
  const mbs_ode unit = {.context = &table, .n = n, .n_error = n, .rhs = tableau_rhs};
  const mbs_tolerance tolerance = {.rtol = 0, .atol = 1};
  double zero[STAGES_MAX] = {0}, f[STAGES_MAX], b[STAGES_MAX];
  double *work = calloc(method->workspace(n), sizeof *work);
  uint64_t evaluations = 0;

  assert_non_null(work);
  tableau_rhs(&table, 0, zero, f);
  assert_int_equal(method->step(&unit, 0, 1, zero, f, b, work, &evaluations), MBS_OK);
  tableau_rhs(&table, 1, b, f);
  for (int p = 1; p <= order + 1; p++) {
    double largest = 0;
    tree t;
    tree_first(&t, p);
    do {
      double u[STAGES_MAX], y0 = 0, y1, error;
      tree_weights(&t, &table, u);
      scripted script = {u, 1};
      const mbs_ode ode = {.context = &script, .n = 1, .n_error = 1, .rhs = scripted_rhs};
      assert_int_equal(method->step(&ode, 0, 1, &y0, u, &y1, work, &evaluations), MBS_OK);
      largest = fmax(largest, method->error(&ode, 1, &y0, u, &y1, u + inner, &tolerance, work, &error));
    } while (tree_next(&t));
    if (p <= order)
      assert_close(largest, 0, 1e-13);
    else
      assert_true(largest > 1e-6);
  }
  free(work);
}

static void test_error_estimates(void **state) {
  (void)state;
  check_estimate(&mbs_dopri5, 6, 4);
  check_estimate(&mbs_dop853, 12, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_conditions),
      cmocka_unit_test(test_error_estimates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
